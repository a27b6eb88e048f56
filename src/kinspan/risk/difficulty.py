"""A usual task with few labels → how much larger its error will be.

Tasks tell each other how wrong they are. A task with ten labels among tasks with a hundred is to
expect more errors than these have: as many more as the learning curve of a usual task says. As far
as its rule is that of all tasks, its own labels do not matter, and as far as it goes alone, they
are all that matters.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Floats
from kinspan.risk.distances import distances_at
from kinspan.risk.gaussian import error_of_equal_classes
from kinspan.risk.usual_task import UsualTask


class Ways(NamedTuple):
    """How much of the rule of every task is learnt in which way; the parts add up to one."""

    pooled: Floats  # (tasks,): from all tasks alike
    related: Floats  # (tasks,): from its own labels and from what others lend
    alone: Floats  # (tasks,): from its own labels

    @classmethod
    def of(cls, pooled: Floats, related: Floats, alone: Floats) -> Ways:
        """From parts in any unit; a task without any is related."""
        total = pooled + related + alone
        safe = np.where(total > 0, total, 1.0)
        return cls(pooled / safe, np.where(total > 0, related / safe, 1.0), alone / safe)


def difficulty(
    usual: UsualTask, counts: Floats, rows: Floats, relative: Floats, ways: Ways
) -> Floats:
    """(tasks,): errors of a usual task with the labels of each task, over that with usual ones.

    Eq. (42a) of docs/theory.md. Relative errors are in units of guessing; tasks count by their
    left-out rows.
    """
    related, alone = (
        _errors(known, counts, rows, relative) for known in (usual.known, usual.known_alone())
    )
    return np.asarray(ways.pooled + ways.related * related + ways.alone * alone)


def _errors(known: Floats, counts: Floats, rows: Floats, relative: Floats) -> Floats:
    """(tasks,): in units of the error with the mean energy, if so much energy is known."""
    weights = rows / rows.sum()
    mean = float(weights @ known)
    known = np.where(rows > 0, known, mean)
    growth = np.sqrt(known / mean) if mean > 0 else np.ones(len(rows))
    error = max(float(weights @ relative), 1.0 / float(rows.sum()))
    n_classes, found = np.maximum((counts > 0).sum(axis=1), 2), np.ones(len(rows))
    for m in np.unique(n_classes).tolist():
        distance = float(distances_at(np.array([error * (1.0 - 1.0 / m)]), np.array([m]))[0])
        errors = error_of_equal_classes(distance * np.append(growth, 1.0), m)
        found = np.where(n_classes == m, errors[:-1] / errors[-1], found)
    return found
