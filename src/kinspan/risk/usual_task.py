"""Energies and numbers of labels → what a usual task knows with the labels of each task.

A usual task has the mean energies and the mean noise of all tasks: what a single task with few
labels says of its own is mostly luck.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from kinspan._rows.types import Floats
from kinspan.risk.energies import Energies

_LEAST = 1e-6  # of the noise: the energy of tasks in which no signal was found


class UsualTask(NamedTuple):
    """What a usual task would know, were its labels those of each task."""

    total: float  # its energy
    own: float  # the part that its own labels must find
    noise: Floats  # (tasks,): with which they find it
    known: Floats  # (tasks,): the energy that it knows, from others too

    @classmethod
    def of(cls, energies: Energies, counts: Floats, rows: Floats) -> UsualTask:
        """Tasks count by their left-out rows, of which there are some."""
        weights, present = rows / rows.sum(), counts > 0
        spread = (weights @ (energies.spread * present)) / np.maximum(weights @ present, 1e-300)
        noise = (present * spread / np.where(present, counts, 1.0)).sum(axis=1)
        least = max(_LEAST * float(noise.max(initial=0.0)), 1e-300)
        total = max(float(weights @ np.nan_to_num(energies.total)), least)
        missing = total - min(float(weights @ np.nan_to_num(energies.known)), 0.98 * total)
        own = _own(total, missing, noise, weights)
        known = total - own + own * (own / np.maximum(own + noise, 1e-300))
        return cls(total, own, noise, np.asarray(known))

    def known_alone(self) -> Floats:
        """(tasks,): the energy that it would know by its labels alone."""
        return np.asarray(self.total - _lost(self.total, self.noise))

    def noise_share(self) -> Floats:
        """(tasks,): of the squared length of its rule, the part that is noise of its own labels."""
        followed = self.own / np.maximum(self.own + self.noise, 1e-300)
        return np.asarray(followed**2 * (self.noise / np.maximum(self.known, 1e-300)))


def _own(total: float, missing: float, noise: Floats, weights: Floats) -> float:
    """The energy that labels must find: as much as makes the missing energy that of the tasks."""

    def excess(own: float) -> float:
        return float(weights @ _lost(own, noise)) - missing

    return total if excess(total) <= 0.0 else float(brentq(excess, 0.0, total))


def _lost(own: float, noise: Floats) -> Floats:
    """(tasks,): of an energy that is estimated with noise."""
    return np.asarray(own * (noise / np.maximum(own + noise, 1e-300)))
