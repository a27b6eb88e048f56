"""Every method of the comparison, as one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any, NamedTuple

from benchmarks.accuracy import fits
from benchmarks.accuracy.fits import Rule
from kinspan.baselines import NaiveSPCA, SingleTaskSPCA

Parameters = dict[str, Any]


class Peer(NamedTuple):
    """One method."""

    name: str
    fit: Callable[..., Rule]  # a draw, and parameters as keywords
    grid: Sequence[Parameters] = ({},)  # to choose from by cross-validation
    settled: Mapping[str, Parameters] = {}  # used on these sets instead of a choice
    needs: str = "kinspan"  # the library
    several_classes: bool = False  # whether it differs only where there are more than two

    @property
    def installed(self) -> bool:
        """Whether this environment has the library."""
        return find_spec(self.needs) is not None


HOME = "Office-Home deep, a quarter"
C_GRID = [{"C": C} for C in (1e-4, 1e-3, 1e-2, 1e-1)]
FEWER_C = C_GRID[1:3]
STRENGTHS = [{"strength": s} for s in (None, 1.0, 10.0, 100.0)]
GAMMAS = [{"C": C, "gamma": g} for C in (1e-3, 1e-2, 1e-1) for g in (0.2, 0.5, 0.8)]
SETTLED = {HOME: {"C": 1e-3}}  # where a choice by cross-validation would take hours
OURS = Peer("kinspan", fits.ours)
SINGLE = Peer("single task", partial(fits.ours, labels="single"))
PLAIN_SINGLE = Peer("single task, no metric", partial(fits.with_tasks, SingleTaskSPCA()))

PEERS = {
    p.name: p
    for p in [
        OURS,
        SINGLE,
        PLAIN_SINGLE,
        Peer("naive", partial(fits.ours, labels="naive")),
        Peer("naive, no metric", partial(fits.with_tasks, NaiveSPCA())),
        Peer("plug-in", partial(fits.ours, labels="plugin")),
        Peer("one-vs-all", partial(fits.ours, multi_class="one-vs-all"), several_classes=True),
        Peer("MTL-LSSVM", fits.lssvm, STRENGTHS),
        Peer("CDLS, others pooled", fits.cdls, [{"C": 1.0}]),
        Peer("logistic pooled", fits.logistic_pooled, C_GRID),
        Peer("logistic per task", fits.logistic_alone, C_GRID),
        Peer("logistic, target weighted", fits.logistic_weighted, C_GRID),
        Peer("LDA pooled", fits.lda_pooled),
        Peer("LDA per task", fits.lda_alone),
        Peer("feature augmentation", fits.augmented, C_GRID, SETTLED),
        Peer("scikit-lego grouped", fits.grouped, FEWER_C, {HOME: {"C": 1e-2}}, "sklego"),
        Peer("scikit-lego hierarchical", fits.hierarchical, FEWER_C, SETTLED, "sklego"),
        Peer("skada CORAL", fits.coral, C_GRID, SETTLED, "skada"),
        Peer("adapt balanced weighting", fits.balanced, GAMMAS, needs="adapt"),
    ]
}
