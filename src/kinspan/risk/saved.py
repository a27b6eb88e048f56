"""Left-out rows by two rules → what the other tasks save each task, and each of them.

The errors of two rules on the same rows differ by less than each of them is uncertain, but with few
rows most of what they differ by is luck. So what the others save is a posterior too: the difference
on the task's own rows, drawn to what others save on average. What one of them saves is at first its
share of that.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Codes, Floats
from kinspan.risk.forecast import LeftOutErrors

ROWS = 100.0  # of a task, that tell of what all others save it as much as other tasks can
ROWS_OF_ONE = 1000.0  # that tell as much as shares do of what one of the others saves


class Saved(NamedTuple):
    """What every task would lose by going alone."""

    total: Floats  # (tasks,): by how much its error would be larger
    told: Floats  # (tasks,): the difference of errors on its left-out rows
    rows: Floats  # (tasks,): as many as these tell; zero where none was left out

    def of(self, tasks: Codes) -> Saved:
        """That of some tasks."""
        return Saved(*(values[tasks] for values in self))

    def lost(self, without: Saved, share: Floats) -> Floats:
        """(tasks,): how much less the others save without one of them, by its share in their help.

        Eq. (44b) of docs/theory.md.
        """
        trust = self.rows / (self.rows + ROWS_OF_ONE)
        beyond = self.told - without.told - share * self.told
        known = (self.rows > 0) & (without.rows > 0)
        found = share * self.total + trust * beyond
        return np.asarray(np.where(known, found, self.total - without.total))


def saved(together: LeftOutErrors, alone: LeftOutErrors) -> Saved:
    """From errors of the same rows with the others and alone, eq. (44a) of docs/theory.md."""
    n, unit, ratio = together.rows, together.unit, together.ratio()
    again = together._replace(counted=alone.counted, smoothed=alone.smoothed)
    told = np.where(n > 0, again.confirmed(ratio) - together.confirmed(ratio), 0.0)
    counts = n / (n / ROWS + 1.0)
    relative = counts * told / np.where(unit > 0, unit, 1.0)
    of_others = ROWS + counts.sum() - counts
    expected = unit * (relative.sum() - relative) / of_others
    strength = 1.0 / (1.0 / ROWS + 1.0 / of_others)
    return Saved((n * told + strength * expected) / (n + strength), told, n)
