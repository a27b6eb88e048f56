"""Sampled rows: their cells, and how much a row counts there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Codes, Floats, Keys

_PAIRED_ROWS = 128  # rows whose products with each other say how many features share the noise


class SampledRows(NamedTuple):
    """The cells of sampled rows, and how much a row counts there."""

    cells: Codes  # (rows,)
    counts: Floats  # (rows,): of the cell of the row
    weights: Floats  # (rows,): how often the row occurred
    keys: Keys  # (rows,): hashes of their contents

    @property
    def one(self) -> Floats:
        """(rows,): the weight that leaves with one of equal rows."""
        return np.minimum(self.weights, 1.0)

    @property
    def copies(self) -> Floats:
        """(rows,): how many equal rows a row stands for."""
        return np.asarray(self.weights / np.where(self.one > 0, self.one, 1.0))

    @property
    def removed(self) -> Floats:
        """(rows,): what the scatter of its cell loses with one of them, over its square."""
        left = self.counts - self.one
        several = left > 1e-9 * self.counts
        return np.where(several, self.one * self.counts / np.where(several, left, 1.0), 0.0)

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the deviations from cell means."""
        return float(self.weights @ (1.0 - 1.0 / np.maximum(self.counts, 1.0)))

    def across(self, lengths: Floats) -> Codes:
        """A few rows of all lengths, the same in any order of rows; of equal lengths, by key."""
        size = max(float(lengths.mean()), 1e-300)
        rounded = np.round(lengths / size, 9)
        order = np.argsort(rounded)
        if (np.diff(rounded[order]) == 0.0).any():
            order = np.lexsort((self.keys, rounded))
        if len(order) <= _PAIRED_ROWS:
            return order
        return order[np.linspace(0, len(order) - 1, _PAIRED_ROWS).astype(np.intp)]
