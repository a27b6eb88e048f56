"""Sampled rows → a metric with a share of their covariance, and the noise of new rows in it.

The metric (1 − ρ) I + ρ C, with C the covariance within classes over its mean eigenvalue, removes
correlations of the noise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from kinspan._arrays.elsewhere import on_host
from kinspan._arrays.libraries import moved, namespace
from kinspan._rows.blocks import blocks
from kinspan._rows.large import (
    Large,
    beside,
    chosen,
    in_blocks,
    in_double,
    squared_lengths,
)
from kinspan._rows.once import computed_once
from kinspan._rows.types import Codes, Floats
from kinspan.metric.basis import Basis
from kinspan.metric.root import Root
from kinspan.metric.row_matrix import DenseRows, RowMatrix, SparseRows
from kinspan.metric.sampled_rows import SampledRows
from kinspan.metric.scale import ScaledMoments
from kinspan.metric.unevenness import unevenness

_LEAST_WIDTH = 4096  # of a block of features
_AT_ONCE = 2048  # rows whose squares are added up: fewer take longer each
_CANCELLED = 1e-2  # of a squared length: the rest has lost a digit
_ROUNDING = 1e-16  # of squared lengths: what is left of means that the rows span


class NoiseOfRows(NamedTuple):
    """What is noise for rows that a metric has not seen."""

    seen: float  # mean squared length of the rows behind the metric, over the mean eigenvalue
    longer: float  # squared lengths of new rows, over those of the rows behind the metric
    dimension: float  # (tr C)² / tr C² of new rows


@dataclass(frozen=True, eq=False)
class Covariance:
    """Covariance within classes of the scaled features, over all tasks, from sampled rows.

    Its eigenvectors, completed by directions of class means outside their span, are a basis in
    which the metric is diagonal: rules are computed there and rotated back at the end.
    """

    basis: Basis  # the axes are the eigenvectors
    values: Floats  # (directions,): eigenvalues, over their mean over all features
    residuals: Large  # (rows, axes): rows minus their cell means, in the basis
    rows: SampledRows
    n_rows: float  # total weight of the rows that it was computed from
    mean_value: float  # mean eigenvalue
    bent: Mapping[float, Root] = field(default_factory=dict)  # of shares with other directions too

    def stretch(self, share: float) -> Floats:
        """(directions,): diagonal of the metric (1 − share) I + share C."""
        return np.asarray((1.0 - share) + share * self.values)

    def root(self, share: float) -> Root:
        """The inverse root of that metric."""
        return self.bent.get(share) or Root.of_diagonal(self.stretch(share))

    def noise(self, share: float) -> NoiseOfRows:
        """Of new rows in the metric."""
        if share not in self._known:
            self.look_at((share,))
        return self._known[share]

    def look_at(self, shares: Sequence[float]) -> None:
        """Find the noise of all metrics that will be asked for in one pass over the rows."""
        counts = self.rows.copies * self.rows.removed
        of_rows = self.rows.removed / (self.mean_value * self.n_rows)
        weights = np.array(shares)[:, None] * of_rows  # of the metric that leave with a row
        lengths = self._squared_lengths(shares)
        self._lengths.update(zip(shares, lengths, strict=True))
        seen = lengths @ self.rows.weights / (self.mean_value * self.n_rows)
        longer = _longer(lengths, counts, weights)
        dimensions = self._dimensions(shares, counts, weights)
        found = zip(seen.tolist(), longer.tolist(), dimensions.tolist(), strict=True)
        self._known.update(zip(shares, map(NoiseOfRows._make, found), strict=True))

    def squared_lengths(self, share: float) -> Floats:
        """(rows,): of the rows in the metric."""
        if share not in self._lengths:
            self.look_at((share,))
        return self._lengths[share]

    def without_rows(self) -> Covariance:
        """The same for whoever has found the noise of all metrics already."""
        found = copy(self)
        object.__setattr__(found, "residuals", np.empty((0, self.residuals.shape[1])))
        return found

    @computed_once
    def _known(self) -> dict[float, NoiseOfRows]:
        return {}

    @computed_once
    def _lengths(self) -> dict[float, Floats]:
        return {}

    def _squared_lengths(self, shares: Sequence[float]) -> Floats:
        """(shares, rows): of rows in the metrics."""
        n, axes = self.residuals.shape
        inverse = np.array([1.0 / self.stretch(share)[:axes] for share in shares])
        inverse = beside(inverse, self.residuals)
        found = np.empty((len(shares), n))
        for rows in in_blocks(self.residuals):
            found[:, rows] = on_host(inverse @ (self.residuals[rows, :] ** 2).T)
        for i, share in enumerate(shares):
            if share in self.bent:
                found[i] += self.bent[share].squares_beyond(self.residuals)
        return found

    def _dimensions(self, shares: Sequence[float], counts: Floats, weights: Floats) -> Floats:
        """(tr C)² / tr C² of the noise of new rows in each of the metrics: eq. (31b).

        From products of rows of different cells, in the metric without both of them.
        """
        some = self.rows.across(squared_lengths(self.residuals))
        cells, counts, weights = self.rows.cells[some], counts[some], weights[:, some]
        both = np.outer(counts, counts)
        among = both * (cells[:, None] != cells)
        if not among.any():  # a single cell has more than one row
            among = both * ~np.eye(len(some), dtype=bool)
        each = zip(self._products(shares, some), weights, strict=True)
        return np.array([_dimension(products, counts, among, w) for products, w in each])

    def _products(self, shares: Sequence[float], some: Codes) -> Floats:
        """(shares, rows, rows): of some rows in the metrics."""
        rows = in_double(chosen(self.residuals, some))
        inverse = np.stack([1.0 / self.stretch(share)[: rows.shape[1]] for share in shares])
        turned = rows * moved(inverse[:, None], rows)
        for i, share in enumerate(shares):
            if share in self.bent:
                turned[i, ...] += self.bent[share].inverse_beyond(rows)
        return np.array(on_host(turned @ rows.T))


def _dimension(products: Floats, counts: Floats, among: Floats, weights: Floats) -> float:
    """From products of rows, how much their pairs count, and what leaves the metric with a row."""
    lengths = np.diagonal(products).copy()
    left = _left(weights * lengths)
    total = float((lengths / left) @ counts) / max(float(counts.sum()), 1e-300)
    products *= products
    both = np.outer(left, left) - np.outer(weights, weights) * products
    products /= np.square(np.maximum(both, 1e-6, out=both), out=both)
    square = float(np.vdot(products, among)) / max(float(among.sum()), 1e-300)
    return total**2 / square if square > 0 else float("inf")


def _longer(inside: Floats, counts: Floats, weights: Floats) -> Floats:
    """(metrics,): squared lengths of new rows, over those of the rows behind a metric: eq. (31a).

    The metric is large along the very rows that it was computed from, which look too short in it.
    Each of them is measured in the metric without it.
    """
    unseen, seen = (inside / _left(weights * inside)) @ counts, inside @ counts
    known = seen > 0
    return np.where(known, unseen / np.where(known, seen, 1.0), 1.0)


def _left(share: Floats) -> Floats:
    """One minus a share that leaves, and not zero."""
    return np.asarray(np.maximum(1.0 - share, 1e-6))


def covariance_of_rows(
    residuals: Large,  # or a RowMatrix of few rows
    rows: SampledRows,
    means: Floats,
    *,
    overwrite: bool = False,
) -> Covariance:
    """Covariance from the smaller of the two Gram matrices of the residuals (rows, features).

    Many rows can be turned in their own place. Rows in single precision are multiplied in it; sums
    over blocks of rows are not.
    """
    weights = rows.weights
    n_rows = max(float(weights.sum()), 1.0)
    n, p = residuals.shape
    size = np.sqrt(weights / n_rows)[:, None]
    is_matrix = isinstance(residuals, (DenseRows, SparseRows))
    if n >= p and not is_matrix:
        values, vectors = map(on_host, _decomposed(residuals, beside(size, residuals)))
        xp, turning = namespace(residuals), beside(vectors, residuals)
        along = residuals if overwrite else xp.empty_like(residuals)
        for some in in_blocks(residuals, least=p):
            along[some, :] = residuals[some, :] @ turning
        basis = Basis(vectors.T, None, np.empty((0, p)))
    else:
        matrix = residuals if is_matrix else DenseRows(residuals)
        mixing, values, left = _row_space(matrix, size)
        along = left * np.sqrt(values) / size
        basis = Basis(mixing, matrix, np.empty((0, p)))
        outside = _outside(basis, means.reshape(-1, p))
        size_of_means = float((means**2).sum(axis=-1).max(initial=0.0))
        outside = outside[(outside**2).sum(axis=1) > _ROUNDING * size_of_means]
        if len(outside):
            ones = np.ones((len(outside), 1))
            basis = basis._replace(rest=_row_space(DenseRows(outside), ones)[0] @ outside)
    values = np.maximum(values, 0.0)
    mean_value = float(values.sum()) / p if values.sum() > 0 else 1.0
    values = np.concatenate([values / mean_value, np.zeros(len(basis.rest))])
    return Covariance(basis, values, along, rows, n_rows, mean_value)


def _decomposed(residuals: Large, size: Large) -> tuple[Large, Large]:
    """Eigenvalues and eigenvectors of the scatter of rows times (rows, 1) sizes."""
    xp, p = namespace(residuals), residuals.shape[1]
    scatter = xp.zeros((p, p), dtype=xp.float64, device=residuals.device)
    for some in in_blocks(residuals, least=max(p, _AT_ONCE)):
        weighted = residuals[some, :] * size[some, :]
        scatter += weighted.T @ weighted
    values, vectors = xp.linalg.eigh(scatter)
    return values, vectors


def _outside(basis: Basis, vectors: Floats) -> Floats:
    """What is left of vectors outside the basis, where they are not nearly all within it."""
    left = vectors - basis.turned_back(basis.coordinates(vectors))
    before, after = ((part**2).sum(axis=1) for part in (vectors, left))
    if (after < _CANCELLED * before).any():  # a part of what is left is rounding
        left -= basis.turned_back(basis.coordinates(left))
    return left


def _row_space(rows: RowMatrix, size: Floats) -> tuple[Floats, Floats, Floats]:
    """Right singular vectors of a few rows times (rows, 1) sizes, as combinations of the rows.

    With their squared singular values, and the left vectors.
    """
    squared = rows.squared()
    squared *= size
    squared *= size.T
    values, left = np.linalg.eigh(squared)
    kept = values > 1e-10 * max(float(values[-1]), 1e-300)
    values, left = values[kept], left[:, kept]
    mixing = (size * left / np.sqrt(values)).T
    if len(values) and values[0] < 1e-5 * values[-1]:  # what rounding has left of small values
        again = _squared(rows, mixing)
        mixing = solve_triangular(np.linalg.cholesky(again), mixing, lower=True)
    return np.asarray(mixing), values, left


def _squared(rows: RowMatrix, mixing: Floats) -> Floats:
    """Inner products of combinations of rows, a block of features at a time."""
    found = np.zeros((len(mixing), len(mixing)))
    for features in blocks(rows.shape[1], len(mixing), least=_LEAST_WIDTH):
        right = rows.combined(mixing, features)
        found += right @ right.T
    return found


def in_basis(scaled: ScaledMoments, covariance: Covariance) -> ScaledMoments:
    """Means in the basis of the covariance, where the metric is diagonal."""
    return scaled._replace(means=covariance.basis.coordinates(scaled.means))


def in_metric(turned: ScaledMoments, covariance: Covariance, share: float) -> ScaledMoments:
    """Moments in the basis → moments in the metric.

    Errors of cell means are like new rows: the metric has not seen them.
    """
    noise, n_features = covariance.noise(share), float(turned.scale.shape[1])
    ratio = noise.seen / n_features * noise.longer
    return turned._replace(
        means=covariance.root(share).turned(turned.means),
        cell_noise=turned.cell_noise * ratio,
        noise_level=turned.noise_level * ratio,
        dimension=min(max(noise.dimension, 1.0), n_features),
        unevenness=unevenness(covariance.values, share, covariance.rows.freedom),
    )
