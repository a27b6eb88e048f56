"""Rows minus the means of their cells, as a matrix R that is only multiplied.

Rows with few values that are not zero are kept that way: R = S − M, with S the rows as they are and
M the mean of the cell of every row. Nothing of size rows × features is ever there.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.sparse import csc_array

from kinspan._arrays.elsewhere import on_host
from kinspan._rows.groups import Groups
from kinspan._rows.large import Large, beside, in_blocks, in_double
from kinspan._rows.types import Codes, Floats

_CLEAR = 1e-3  # of squared lengths: three digits may be lost


class RowMatrix(Protocol):
    """R, (rows, features)."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and features."""

    def squared(self) -> Floats:
        """(rows, rows): R Rᵀ."""

    def along(self, vectors: Floats) -> Floats:
        """(vectors, rows): inner products with (vectors, features) vectors."""

    def combined(self, weights: Floats, features: slice = slice(None)) -> Floats:
        """(sums, features): some features of sums of rows with (sums, rows) weights."""

    def fourth_powers(self, weights: Floats) -> Floats:
        """(features,): weighted sums over the rows."""

    def astype(self, kind: Any) -> RowMatrix:
        """The same in another precision."""


class DenseRows(NamedTuple):
    """All numbers of R."""

    values: Large

    @property
    def shape(self) -> tuple[int, int]:  # noqa: D102  # as RowMatrix says
        n, p = self.values.shape
        return n, p

    def squared(self) -> Floats:  # noqa: D102
        return np.asarray(self.values @ self.values.T)

    def along(self, vectors: Floats) -> Floats:  # noqa: D102
        return np.asarray(vectors @ self.values.T)

    def combined(self, weights: Floats, features: slice = slice(None)) -> Floats:  # noqa: D102
        return np.asarray(weights @ self.values[:, features])

    def fourth_powers(self, weights: Floats) -> Floats:  # noqa: D102
        total = np.zeros(self.values.shape[1])
        for rows in in_blocks(self.values):
            squares = in_double(self.values[rows, :]) ** 2
            total += on_host(beside(weights[rows], squares) @ squares**2)
        return total

    def astype(self, kind: Any) -> DenseRows:  # noqa: D102
        return DenseRows(self.values.astype(kind, copy=False))


class SparseRows(NamedTuple):
    """S, and the means that M is made of."""

    stored: csc_array  # (rows, features): S, of which columns are taken
    means: Floats  # (cells, features)
    cells: Codes  # (rows,)

    @property
    def is_exact(self) -> bool:
        """Whether rows are clearly longer than means: digits of S − M are not lost."""
        of_means = float((self.means**2).sum(axis=1)[self.cells].sum())
        return float(self.stored.power(2).sum()) > (1.0 + _CLEAR) * of_means

    @property
    def shape(self) -> tuple[int, int]:  # noqa: D102
        n, p = self.stored.shape
        return n, p

    def squared(self) -> Floats:  # noqa: D102
        # S Sᵀ − S Mᵀ − M Sᵀ + M Mᵀ, the last of which is halved between those before.
        half = self.stored @ self.means.T - 0.5 * (self.means @ self.means.T)[self.cells]
        between = half.take(self.cells, axis=1)
        found = (self.stored @ self.stored.T).toarray()
        found -= between
        found -= between.T
        return np.asarray(found)

    def along(self, vectors: Floats) -> Floats:  # noqa: D102
        of_means = (vectors @ self.means.T)[:, self.cells]
        return np.asarray((self.stored @ vectors.T).T - of_means)

    def combined(self, weights: Floats, features: slice = slice(None)) -> Floats:  # noqa: D102
        stored = self.stored if features == slice(None) else self.stored[:, features]
        by_cell = Groups(self.cells)
        found = stored.T @ np.ascontiguousarray(weights.T)  # whole rows of these are added
        found -= self.means[by_cell.codes, features].T @ by_cell.sums(weights).T
        return np.ascontiguousarray(found.T)

    def fourth_powers(self, weights: Floats) -> Floats:  # noqa: D102
        n_cells, p = self.means.shape
        entries = self.stored.tocoo()
        rows, columns = entries.coords
        places = self.cells[rows] * p + columns
        beyond = weights[rows] * (entries.data - self.means.reshape(-1)[places]) ** 4
        zeros = np.bincount(self.cells, weights, n_cells)[:, None] - np.bincount(
            places, weights[rows], n_cells * p
        ).reshape(n_cells, p)
        return np.asarray((zeros * self.means**4).sum(axis=0) + np.bincount(columns, beyond, p))

    def astype(self, kind: Any) -> SparseRows:  # noqa: D102
        return SparseRows(self.stored.astype(kind), self.means.astype(kind), self.cells)
