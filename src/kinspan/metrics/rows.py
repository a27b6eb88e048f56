"""Rows that a model has answered, and rows that are answered without a look at them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Codes, Floats, Mask


class ScoredRows(NamedTuple):
    """Labels, answers and probabilities of rows; classes are positions."""

    truth: Codes  # (rows,)
    answers: Codes  # (rows,)
    probabilities: Floats  # (rows, classes)
    weights: Floats  # (rows,): a weight of 2 is the row twice

    @property
    def n_classes(self) -> int:
        """Classes that a row can belong to."""
        return int(self.probabilities.shape[1])

    @property
    def counts(self) -> Floats:
        """(classes,): rows of every class."""
        found = np.bincount(self.truth, self.weights, minlength=self.n_classes)
        return found.astype(np.float64)

    def where(self, kept: Mask | Codes) -> ScoredRows:
        """Some of the rows."""
        truth, answers, probabilities, weights = self
        return ScoredRows(truth[kept], answers[kept], probabilities[kept], weights[kept])

    def mirrored(self) -> ScoredRows:
        """With two classes exchanged."""
        truth, answers, probabilities, weights = self
        return ScoredRows(1 - truth, 1 - answers, probabilities[:, ::-1], weights)

    def always_majority(self) -> ScoredRows:
        """As many rows, all answered by the most frequent class."""
        classes, counts = np.arange(self.n_classes), self.counts
        answers = np.full(self.n_classes, counts.argmax())
        return ScoredRows(classes, answers, self._shares(len(classes)), counts).where(counts > 0)

    def by_chance(self) -> ScoredRows:
        """As many rows, answered at random, every class as often as it occurs."""
        counts = self.counts
        truth, answers = (c.ravel() for c in np.indices((self.n_classes, self.n_classes)))
        weights = counts[truth] * counts[answers] / counts.sum()
        return ScoredRows(truth, answers, self._shares(len(truth)), weights).where(weights > 0)

    def _shares(self, n_rows: int) -> Floats:
        return np.tile(self.counts / self.counts.sum(), (n_rows, 1))
