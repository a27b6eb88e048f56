"""Rows with their scores by several rules → what leaves the slope of a loss with each of them.

A row takes part in the weights of rules by its own loss, and by what it said of other rows of its
task: their left-out scores contain it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Floats
from kinspan.selection.evidence import Evidence

_TINY = 1e-12  # a probability of being wrong that is not divided by


class Gone(NamedTuple):
    """What leaves the slope by the weights of rules, for rows with probabilities p that count b."""

    evidence: Evidence
    b: Floats  # (rows,)
    wrong: Floats  # (rows,): how likely a row is of another class
    pushes: Floats  # (rules, rows): the slope of a loss, if its row is wrong for sure

    @classmethod
    def of(cls, scores: Floats, evidence: Evidence, p: Floats, b: Floats) -> Gone:
        """From (rules, rows, classes) scores."""
        excess = evidence.excess(p)
        if p.shape[1] == 1:
            wrong = np.maximum(np.abs(excess[:, 0]), _TINY)
            return cls(evidence, b, wrong, scores[..., 0] * (excess[:, 0] / wrong))
        wrong = np.maximum(0.5 * np.abs(excess).sum(axis=1), _TINY)
        return cls(evidence, b, wrong, np.einsum("jnm,nm->jn", scores, excess / wrong[:, None]))

    def loss(self) -> Floats:
        """(rows, rules): that of the row's own loss."""
        return np.ascontiguousarray((self._each * self.wrong * self.pushes).T)

    def everything(self) -> Floats:
        """(rows, rules): and what it said of others: eq. (37) of docs/theory.md."""
        by_task, by_cell = self.evidence.by_task, self.evidence.by_cell
        losses = self.wrong * self.pushes
        usual = by_cell.means(losses, self.b)
        doubt = by_task.means(self.wrong, self.b)
        copies = by_task.sums(1.0 / self.evidence.of_one)
        # What is left of its class counts as much as the class did.
        beyond = (losses - usual) / self.evidence.left_of_class()
        beyond += doubt * (self.pushes - by_cell.means(self.pushes, self.b))
        beyond *= self._each
        beyond += by_task.of_rows(by_task.sums(self.b * usual) / copies)
        return np.ascontiguousarray(beyond.T)

    @property
    def _each(self) -> Floats:
        """(rows,): how much one of equal rows counts."""
        return self.b * self.evidence.of_one
