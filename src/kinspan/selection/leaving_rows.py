"""Rows with their scores by several rules → what leaves the slope of a loss with each of them.

A row takes part in the weights of rules by its own loss, and by what it said of other rows of its
task: their left-out scores contain it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Codes, Floats
from kinspan.selection.evidence import Evidence

_TINY = 1e-12  # a probability of being wrong that is not divided by


class Gone(NamedTuple):
    """Parts of the slope by the weights of rules, (rows, rules) each."""

    loss: Floats  # that of the row's own loss
    everything: Floats  # and what it said of others: eq. (37) of docs/theory.md

    @classmethod
    def of(cls, scores: Floats, evidence: Evidence, p: Floats, b: Floats) -> Gone:
        """Of (rules, rows, classes) scores, with probabilities p of rows that count b."""
        excess = evidence.excess(p)
        wrong = np.abs(excess).sum(axis=1) * (1.0 if p.shape[1] == 1 else 0.5)
        wrong = np.maximum(wrong, _TINY)[:, None]
        if p.shape[1] == 1:
            pushes = scores[..., 0].T * (excess / wrong)
        else:
            pushes = np.einsum("jnm,nm->nj", scores, excess / wrong)
        each, losses = (b * evidence.of_one)[:, None], wrong * pushes
        doubt = _means(wrong, b, evidence.tasks)
        cells = evidence.tasks * evidence.present.shape[1] + evidence.classes
        usual, of_class = (_means(values, b, cells) for values in (losses, pushes))
        # What is left of its class counts as much as the class did.
        left = evidence.left_of_class(cells)[:, None]
        own = _means(each * usual, 1.0 / evidence.of_one, evidence.tasks)
        own += each * (losses - usual) / left
        return cls(each * losses, own + each * doubt * (pushes - of_class))


def _means(values: Floats, b: Floats, groups: Codes) -> Floats:
    """(rows, columns): for every row the mean over its group."""
    total = np.maximum(np.bincount(groups, b), 1e-300)
    sums = [np.bincount(groups, b * column) / total for column in values.T]
    return np.stack(sums, axis=1)[groups]
