"""What a method is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from benchmarks.peers import fits
from benchmarks.peers.fits import Fit
from benchmarks.peers.tabpfn import weights

Parameters = dict[str, Any]


class Peer(NamedTuple):
    """One method."""

    name: str
    fit: Fit
    grid: Sequence[Parameters] = ({},)  # to choose from by cross-validation
    needs: str = "kinspan"  # the module that it is imported from
    settled: Mapping[str, Parameters] = {}  # used on these sets instead of a choice
    several_classes: bool = False  # whether it differs only where there are more than two
    several_tasks: bool = False  # whether it needs several tasks to be this method
    widest: float = np.inf  # features; it is left out where there are more

    @property
    def is_here(self) -> bool:
        """Whether the library is installed, with everything that it needs."""
        there = find_spec(self.needs) is not None
        return there and (self.needs != "tabpfn" or weights() is not None)


OURS = Peer("kinspan", fits.ours)
C_GRID: list[Parameters] = [{"C": C} for C in (1e-4, 1e-3, 1e-2, 1e-1)]
GAMMAS = [{"C": C, "gamma": g} for C in (1e-3, 1e-2, 1e-1) for g in (0.2, 0.5, 0.8)]
