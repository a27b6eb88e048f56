"""How far apart the classes of tasks are, and how much of that their rules know."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Floats


class Energies(NamedTuple):
    """Squared distances between the classes of every task, in the metric of its rule."""

    total: Floats  # (tasks,): T, without noise
    known: Floats  # (tasks,): the part of T that the present rule captures
    spread: Floats  # (tasks, classes): noise with one row per class; divide by the number of rows

    def alone(self, counts: Floats) -> Energies:
        """What every task would know by its own labels."""
        noise = (self.spread / np.where(counts > 0, counts, 1.0)).sum(axis=1)
        total = np.where(self.total + noise > 0, self.total + noise, 1.0)
        return self._replace(known=self.total**2 / total)
