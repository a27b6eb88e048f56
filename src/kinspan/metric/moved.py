"""The same rows around other means: a metric that is diagonal but for a few directions.

With z the rows around the means of their cells, in the basis of their covariance C, and o what the
mean of their cell lies away from another mean, the covariance of the rows z + o is

    C + Σ_cells (n o oᵀ + o sᵀ + s oᵀ)/Σn,  with s = Σ z over the n rows of a cell.

It differs from the diagonal C along a few vectors o and s, so that the inverse root of a metric is
the identity plus a few directions, over a diagonal: nothing large is decomposed again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Codes, Floats
from kinspan.metric.covariance import Covariance
from kinspan.metric.sampled_rows import SampledRows


class Root(NamedTuple):
    """The inverse root of a metric: (1 + Σ by · bent bentᵀ)/root."""

    root: Floats  # (directions,)
    bent: Floats  # (directions, few), orthonormal
    by: Floats  # (few,)

    def turned(self, coordinates: Floats) -> Floats:
        """(…, directions): vectors in the basis → the same in the metric."""
        return self._bent(coordinates / self.root)

    def turned_back(self, coef: Floats) -> Floats:
        """(…, directions): rules for rows in the metric → rules for rows in the basis."""
        return self._bent(coef) / self.root

    def _bent(self, vectors: Floats) -> Floats:
        flat = vectors.reshape(-1, len(self.root))
        found = ((flat @ self.bent) * self.by) @ self.bent.T
        found += flat
        return np.asarray(found.reshape(vectors.shape))


def in_moved_metrics(
    before: Covariance, offsets: Floats, cells: Codes, rows: SampledRows, shares: Sequence[float]
) -> Iterator[tuple[Covariance, Root]]:
    """For every share of their covariance, rows around other means, in the metric.

    The mean of a cell lies (cells, directions) offsets away from the other mean; rows count as
    around that. Their metric is one without stretch.
    """
    n_features = before.values.sum()  # eigenvalues are over their mean
    along = np.zeros((len(before.residuals), len(before.values)))
    along[:, : before.residuals.shape[1]] = before.residuals
    weights = rows.weights * (cells == np.arange(len(offsets))[:, None])  # (cells, rows)
    n, sums = weights.sum(axis=1, keepdims=True), weights @ along
    divisor = np.sqrt(np.where(n > 0, n, 1.0) * before.n_rows)
    # n o oᵀ + o sᵀ + s oᵀ = ((n o + s)(n o + s)ᵀ − s sᵀ)/n
    away = np.concatenate([n * offsets + sums, sums]) / np.tile(divisor, (2, 1))
    signs = np.repeat([1.0, -1.0], len(offsets))
    trace = before.mean_value * n_features + float(signs @ (away**2).sum(axis=1))
    mean_value = trace / n_features
    along += offsets[cells]
    moved = replace(before, values=np.ones(len(before.values)), rows=rows, mean_value=mean_value)
    for share in shares:
        unit = share / mean_value
        root = _root((1.0 - share) + unit * before.mean_value * before.values, unit, away, signs)
        found = replace(moved, residuals=root.turned(along))
        found.look_at((share,))
        yield found, root


def _root(diagonal: Floats, unit: float, away: Floats, signs: Floats) -> Root:
    """Of diagonal + unit Σ sign · away awayᵀ."""
    root = np.sqrt(diagonal)
    among, weights = np.linalg.qr((away / root).T)
    values, vectors = np.linalg.eigh((unit * weights * signs) @ weights.T)
    return Root(root, among @ vectors, 1.0 / np.sqrt(1.0 + values) - 1.0)
