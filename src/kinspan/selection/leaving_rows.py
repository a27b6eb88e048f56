"""Rows with their scores by several rules → what leaves the slope of a loss with each of them.

A row takes part in the weights of rules by its own loss, and by what it said of other rows of its
task: their left-out scores contain it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._rows.by_task import RowsByTask
from kinspan._rows.types import Floats
from kinspan.selection.evidence import Evidence

_TINY = 1e-12  # a probability of being wrong that is not divided by


class Gone(NamedTuple):
    """Parts of the slope by the weights of rules, (rows, rules) each."""

    loss: Floats  # that of the row's own loss
    everything: Floats  # and what it said of others: eq. (37) of docs/theory.md

    @classmethod
    def of(
        cls, scores: Floats, evidence: Evidence, p: Floats, b: Floats, by_task: RowsByTask
    ) -> Gone:
        """Of (rules, rows, classes) scores, with probabilities p of rows that count b."""
        excess = evidence.excess(p)
        wrong = np.abs(excess).sum(axis=1) * (1.0 if p.shape[1] == 1 else 0.5)
        wrong = np.maximum(wrong, _TINY)[:, None]
        if p.shape[1] == 1:
            pushes = scores[..., 0].T * (excess / wrong)
        else:
            pushes = np.einsum("jnm,nm->nj", scores, excess / wrong)
        each = (b * evidence.of_one)[:, None]
        usual = _means_of_tasks(np.hstack([wrong, pushes]), b, by_task)
        loss = each * wrong * pushes
        return cls(loss, loss + each * usual[:, :1] * (pushes - usual[:, 1:]))


def _means_of_tasks(values: Floats, b: Floats, by_task: RowsByTask) -> Floats:
    """(rows, columns): for every row the mean over its task."""
    sums = by_task.sums(np.ascontiguousarray(values.T) * b)
    means = np.zeros((int(by_task.tasks[-1]) + 1, values.shape[1]))
    means[by_task.tasks] = (sums / np.maximum(by_task.sums(b), 1e-300)).T
    return by_task.of_rows(means)
