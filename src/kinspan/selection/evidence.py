"""Left-out rows that candidates are compared by: how much each of them counts, and log losses."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from scipy.special import expit

from kinspan._rows.groups import Groups
from kinspan._rows.once import computed_once
from kinspan._rows.types import Codes, Floats, Mask
from kinspan.selection.decisions import PRIOR_ROWS


@dataclass(frozen=True, eq=False)
class Evidence:
    """Left-out rows that all rules could score, and how much each of them counts."""

    tasks: Codes  # (rows,)
    classes: Codes  # (rows,)
    own: Floats  # (rows,): weight in its task; classes of a task count equally
    fleet: Floats  # (rows,): weight among all tasks, in which a giant counts as a large task
    present: Mask  # (rows, classes): classes that the task has
    of_one: Floats  # (rows,): share of the weight that leaves with one of equal rows

    def some(self, rows: slice | Mask) -> Evidence:
        """Some of the rows."""
        return Evidence(*(getattr(self, column.name)[rows] for column in fields(self)))

    @computed_once
    def by_task(self) -> Groups:
        """Rows by their task."""
        return Groups(self.tasks)

    @computed_once
    def by_cell(self) -> Groups:
        """Rows by their task and class."""
        return Groups(self.tasks * self.present.shape[1] + self.classes)

    def left_of_class(self) -> Floats:
        """(rows,): the share of its cell that remains without one of the rows that are equal."""
        n = self.by_cell.of_rows(self.by_cell.sums(1.0 / self.of_one))
        return np.asarray(np.maximum(1.0 - 1.0 / n, 0.5))

    def losses(self, scores: Floats) -> Floats:
        """(rows,): log losses of (rows, classes) scores, or with two classes of one."""
        return self.likelihood(scores)[0]

    def likelihood(self, scores: Floats) -> tuple[Floats, Floats]:
        """(rows,) log losses, and (rows, classes) probabilities.

        With two classes one score is enough, the second minus the first, and one probability.
        """
        if scores.shape[1] == 1:
            odds = np.exp(-np.abs(scores))  # of the less likely class
            wrong = scores[:, 0] * (1.0 - 2.0 * self.classes)
            losses = np.log1p(odds[:, 0]) + np.maximum(wrong, 0.0)
            return losses, np.where(scores > 0, 1.0, odds) / (1.0 + odds)
        below = np.where(self.present, scores, -np.inf)
        below -= below.max(axis=1, keepdims=True)
        odds = np.exp(below)
        total = odds.sum(axis=1)
        losses = np.log(total) - below[np.arange(len(scores)), self.classes]
        return losses, odds / total[:, None]

    def probabilities(self, scores: Floats) -> Floats:
        """The second of these alone."""
        if scores.shape[1] == 1:
            return np.asarray(expit(scores))
        return self.likelihood(scores)[1]

    def excess(self, p: Floats) -> Floats:
        """(rows, classes): probabilities minus one for the class of a row."""
        if p.shape[1] == 1:
            return np.asarray(p - self.classes[:, None])
        excess = p.copy()
        excess[np.arange(len(p)), self.classes] -= 1.0
        return excess


def evidence_of(
    tasks: Codes,
    classes: Codes,
    weights: Floats,
    usable: Mask,
    present: Mask,
    skipped: Mask | None = None,
) -> Evidence:
    """Rows that could be left out, of tasks that could leave out some of all their classes.

    Classes that were skipped, because rows and classes are many, are like the others.
    """
    shape = present.shape
    cells = tasks * shape[1] + classes
    n = np.bincount(cells, weights * usable, minlength=present.size).reshape(shape)
    asked = present if skipped is None else present & ~skipped
    whole = ((n > 0) | ~asked).all(axis=1) & (asked.sum(axis=1) > 1)
    counts = usable & whole[tasks]
    of_task = (n * whole[:, None]).sum(axis=1)
    share = of_task / np.maximum(asked.sum(axis=1), 1)
    own = np.where(counts, weights * share[tasks] / np.where(n > 0, n, 1.0).ravel()[cells], 0.0)
    largest = PRIOR_ROWS.constant
    return Evidence(
        *(tasks, classes, own, own * (largest / (of_task + largest))[tasks], present[tasks]),
        1.0 / np.maximum(weights, 1.0),
    )
