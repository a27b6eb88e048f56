"""Step 2: moments and sampled rows → a common scale, and a metric with a share of the covariance.

After scaling, the noise of all features has the same size. The metric (1 − ρ) I + ρ C, with C the
covariance within classes over its mean eigenvalue, also removes correlations of the noise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from kinspan._rows.types import Codes, Floats, Keys, Mask, Moments

_PAIRED_ROWS = 128  # rows whose products with each other say how many features share the noise
_SAME = 1e-3  # relative difference of numbers that differ by rounding only, also of float32


def origin(moments: Moments) -> Floats:
    """(features,): the mean of a cell if all cell means are within half of its size, else zero.

    Relative to this point constant features are exactly zero, and rotations lose no digits to an
    offset. Floating-point numbers so close together are subtracted without rounding.
    """
    start = moments.means.reshape(-1, moments.n_features)[moments.counts.argmax()]
    is_near = np.abs(moments.means - start) <= 0.5 * np.abs(start)
    return np.where((is_near | ~moments.present[..., None]).all(axis=(0, 1)), start, 0.0)


def around(moments: Moments, start: Floats) -> Floats:
    """(tasks, classes, features): means of cells relative to a point; zero for absent cells."""
    return np.where(moments.present[..., None], moments.means - start, 0.0)


_ROUNDING = 1e-16  # of squared lengths: what is left of means that the rows span


class ScaledMoments(NamedTuple):
    """Class means in units of the noise, and their sampling errors."""

    scale: Floats  # (1 or tasks, features): the divisors of the features
    means: Floats  # (tasks, classes, features), divided by the scale
    counts: Floats  # (tasks, classes)
    cell_noise: Floats  # (tasks, classes): tr C / n, the squared sampling error of a cell mean
    noise_level: Floats  # (tasks,): tr C / features, the variance of a feature within a class
    dimension: float  # (tr C)² / tr C²: effective number of features that share the noise

    @property
    def present(self) -> Mask:
        """(tasks, classes): which cells have samples."""
        return self.counts > 0

    @property
    def class_shares(self) -> Floats:
        """(tasks, classes): one over the number of a task's classes, zero for those it lacks."""
        return np.asarray(self.present / np.maximum(self.present.sum(axis=1, keepdims=True), 1))

    @property
    def centres(self) -> Floats:
        """(tasks, features): mean of the class means of every task."""
        return np.asarray(np.einsum("tj,tjp->tp", self.class_shares, self.means))


def scaled_moments(moments: Moments, scale: str | None) -> ScaledMoments:
    """Moments divided by the scale of every feature."""
    return scaled_by(moments, feature_scale(moments, scale))


def scaled_by(moments: Moments, divisor: Floats) -> ScaledMoments:
    """Moments divided by (1 or tasks, features) numbers."""
    by = divisor[:, None, :]
    trace = (moments.squares / by / by).sum(axis=2)  # the square of a divisor may not be a number
    means = moments.means / by
    cell_noise, level = _noise(moments.counts, trace, moments.n_features)
    # Noise far below the size of the means, or below the noise of other tasks, has no effect. Its
    # level is kept above rounding, so that later steps can divide by it.
    size = float(np.abs(around(moments, origin(moments)) / by).max(initial=0.0))
    least = max((1e-16 * size) ** 2, 1e-24 * float(level.max(initial=0.0)))
    cell_noise = np.maximum(cell_noise, least * moments.present)
    level = np.maximum(level, least)
    return ScaledMoments(divisor, means, moments.counts, cell_noise, level, moments.n_features)


def _noise(counts: Floats, trace: Floats, n_features: int) -> tuple[Floats, Floats]:
    """Sampling error of every cell mean, and variance of a feature in every task.

    A cell with one row, or with copies of one row, does not show its own spread: it gets the spread
    of all cells.
    """
    freedom = np.maximum(counts - 1.0, 0.0)
    total = freedom.sum()
    pooled = trace.sum() / total if total > 0 else float(n_features)
    spread = np.where(trace > 0, trace / np.where(freedom > 0, freedom, 1.0), pooled)
    cell_noise = np.where(counts > 0, spread / np.where(counts > 0, counts, 1.0), 0.0)
    in_task = freedom.sum(axis=1)
    level = np.where(in_task > 0, trace.sum(axis=1) / np.where(in_task > 0, in_task, 1.0), pooled)
    level = np.where(level > 0, level, pooled) / max(n_features, 1)
    return cell_noise, np.where(level > 0, level, 1.0)


def feature_scale(moments: Moments, scale: str | None) -> Floats:
    """(1 or tasks, features) standard deviations.

    `"pooled"` is one scale for all tasks: the spread within cells. `"task"` is the z-score of the
    paper: the total spread of every task. A feature that does not vary there is divided by its
    total standard deviation over all tasks, and if it is constant, by its size.
    """
    if scale is None:
        return np.ones((1, moments.n_features))
    deviation = _pooled_deviation(moments) if scale == "pooled" else _total_deviation(moments)
    together = _OneTask.of(moments)
    total, size = _total_deviation(together), np.abs(together.means).max(axis=1)
    size = np.where(size > 1e-300, np.minimum(size, 1e300), 1.0)  # keeps coefficients finite
    return np.where(deviation > 0, deviation, np.where(total > 0, total, size))


def common_scale(moments: Moments) -> Floats:
    """(1, features): one number for all features; it changes only the size of squares."""
    largest = _total_deviation(_OneTask.of(moments)).max(initial=0.0)
    return np.full((1, moments.n_features), _power_of_two(largest))


def is_scaled(moments: Moments) -> bool:
    """Whether all features that vary have the same deviation: in cells, in tasks or over all.

    Rows were then divided by their own deviations before: a scale for them is one already, and
    rules in the units of the input are no others.
    """
    together = _OneTask.of(moments)
    n = moments.counts.sum(axis=1)[:, None]
    unit = _units(together)
    means, squares = moments.means / unit, moments.squares / unit / unit
    of_tasks = (n * _total_variance(moments.counts, means, squares)).sum(axis=0)
    over_all = _total_variance(
        together.counts, together.means / unit, together.squares / unit / unit
    )
    size = unit[0, 0] ** 2
    found = (squares.sum(axis=(0, 1)) * size, of_tasks * size, over_all[0] * size)
    return any(_is_constant(variance) for variance in found)


def _is_constant(variance: Floats) -> bool:
    varying = variance[variance > 1e-12 * variance.max(initial=0.0)]
    return bool(len(varying) and varying.max() - varying.min() <= _SAME * varying.max())


def is_centred(moments: Moments) -> bool:
    """Whether all tasks have the same centre, of their classes or of their rows.

    The rows of every task were then centred before, and those of all tasks as one are no others.
    """
    together = _OneTask.of(moments)
    deviation = np.maximum(_total_deviation(together), 1e-300)
    shares = moments.present / np.maximum(moments.present.sum(axis=1, keepdims=True), 1)
    rows = moments.counts / np.maximum(moments.counts.sum(axis=1, keepdims=True), 1e-300)
    centres = (np.einsum("tj,tjp->tp", of, moments.means) / deviation for of in (shares, rows))
    return any(bool((np.ptp(centre, axis=0) <= _SAME).all()) for centre in centres)


def _pooled_deviation(moments: Moments) -> Floats:
    """(1, features): standard deviation within cells, stabilised (see `_steadied`)."""
    together = _OneTask.of(moments)
    unit = _units(together)
    means, squares = moments.means / unit, moments.squares / unit / unit
    freedom = max(float(np.maximum(moments.counts - 1.0, 0.0).sum()), 1.0)
    of_tasks = _total_variance(moments.counts, means, squares)
    of_tasks = moments.counts.sum(axis=1)[None] @ of_tasks / moments.counts.sum()
    variance = _steadied(squares.sum(axis=(0, 1))[None] / freedom, of_tasks, freedom)
    return _root(variance, together.means / unit) * unit[:, 0]


def _total_deviation(moments: Moments | _OneTask) -> Floats:
    """(tasks, features): standard deviation over all rows of every task."""
    unit = _units(moments)
    means, squares = moments.means / unit, moments.squares / unit / unit
    return _root(_total_variance(moments.counts, means, squares), means) * unit[:, 0]


def _root(variance: Floats, means: Floats) -> Floats:
    """(tasks, features); variances that can be rounding errors of a constant become zero."""
    rounding = (16 * np.finfo(float).eps * np.abs(means).max(axis=1)) ** 2
    return np.sqrt(np.where(variance > rounding, variance, 0.0))


class _OneTask(NamedTuple):
    """The cells of all tasks as those of one."""

    counts: Floats  # (1, cells)
    means: Floats  # (1, cells, features)
    squares: Floats  # (1, cells, features)

    @classmethod
    def of(cls, moments: Moments) -> _OneTask:
        cells = (1, -1, moments.n_features)
        counts = moments.counts.reshape(1, -1)
        return cls(counts, moments.means.reshape(cells), moments.squares.reshape(cells))


def _units(moments: Moments | _OneTask) -> Floats:
    """(tasks, 1, features): powers of two near the spread: in these units no square overflows.

    For a feature without spread the unit is a share of its size, which bounds the means in units.
    """
    spread = np.sqrt(moments.squares.max(axis=1, keepdims=True))
    size = np.abs(moments.means).max(axis=1, keepdims=True)
    return _power_of_two(np.maximum(spread, np.finfo(float).eps * size))


def _power_of_two(size: Floats) -> Floats:
    """The largest power of two that is not larger than the size; one for zero."""
    return np.asarray(np.ldexp(0.5, np.frexp(np.where(size > 0, size, 1.0))[1]))


def _steadied(within: Floats, total: Floats, freedom: float) -> Floats:
    """Variances within cells, shrunk towards a common share of the total variances of tasks.

    The common share counts as 25/freedom additional degrees of freedom, which is negligible if
    there are hundreds of them.
    """
    varies = (within > 0) & (total > 0)
    if not varies.any():
        return within
    share = (within[varies] / total[varies]).mean()
    more = 25.0 / freedom
    return np.where(varies, (freedom * within + more * share * total) / (freedom + more), within)


def _total_variance(counts: Floats, means: Floats, squares: Floats) -> Floats:
    """(groups, features): variance over all rows of every group of cells, from their moments."""
    n = np.maximum(counts.sum(axis=1), 1.0)[:, None]
    centre = np.einsum("tj,tjp->tp", counts, means) / n
    deviations = np.where(counts[..., None] > 0, means - centre[:, None, :], 0.0)
    between = np.einsum("tj,tjp->tp", counts, deviations**2)
    return np.asarray((squares.sum(axis=1) + between) / n)


class Basis(NamedTuple):
    """Orthonormal directions: axes that are combinations of a few rows, and the rest.

    With fewer rows than features nothing of size features × axes is ever needed.
    """

    mixing: Floats  # (axes, rows)
    rows: Floats | None  # (rows, features); None where axes are combinations of the features
    rest: Floats  # (directions outside of the rows, features)

    def coordinates(self, vectors: Floats) -> Floats:
        """(…, features) → (…, directions)."""
        along = vectors if self.rows is None else vectors @ self.rows.T
        return np.concatenate([along @ self.mixing.T, vectors @ self.rest.T], axis=-1)

    def turned_back(self, coordinates: Floats) -> Floats:
        """(…, directions), or as many as there are axes → (…, features)."""
        return self.in_features(self.mixed(coordinates), slice(None))

    def mixed(self, coordinates: Floats) -> Floats:
        """The same, as weights of the rows, or of the features, and of the rest."""
        flat, n_axes = coordinates.reshape(-1, coordinates.shape[-1]), len(self.mixing)
        found = np.concatenate([flat[:, :n_axes] @ self.mixing, flat[:, n_axes:]], axis=1)
        return np.asarray(found.reshape(*coordinates.shape[:-1], -1))

    def in_features(self, mixed: Floats, features: slice) -> Floats:
        """Some features of such weighted sums."""
        n, flat = self.mixing.shape[1], mixed.reshape(-1, mixed.shape[-1])
        if self.rows is None:
            found = flat[:, :n][:, features]
        else:
            found = flat[:, :n] @ self.rows[:, features]
        if flat.shape[1] > n:
            found += flat[:, n:] @ self.rest[:, features]
        return np.asarray(found.reshape(*mixed.shape[:-1], -1))


class Covariance(NamedTuple):
    """Covariance within classes of the scaled features, over all tasks, from sampled rows.

    Its eigenvectors, completed by directions of class means outside their span, are a basis in
    which the metric is diagonal: rules are computed there and rotated back at the end.
    """

    basis: Basis  # the axes are the eigenvectors
    values: Floats  # (directions,): eigenvalues, over their mean over all features
    residuals: Floats  # (rows, axes): rows minus their cell means, in the basis
    rows: SampledRows
    n_rows: float  # total weight of the rows that it was computed from
    mean_value: float  # mean eigenvalue

    def stretch(self, share: float) -> Floats:
        """(directions,): eigenvalues of the metric (1 − share) I + share C."""
        return np.asarray((1.0 - share) + share * self.values)

    def longer(self, share: float) -> float:
        """Squared lengths of new rows in the metric, over those of the rows behind it: eq. (31a).

        The metric is large along the very rows that it was computed from, which look too short in
        it. Each of them is measured in the metric without it.
        """
        inside = self.residuals**2 @ (1.0 / self.stretch(share)[: self.residuals.shape[1]])
        counts = self.rows.copies * self.rows.removed
        seen, unseen = (
            counts @ inside,
            counts @ (inside / _left(self._share_of_rows(share) * inside)),
        )
        return float(unseen / seen) if seen > 0 else 1.0

    def dimension(self, share: float) -> float:
        """(tr C)² / tr C² of the noise of new rows in the metric: eq. (31b).

        From products of rows of different cells, in the metric without both of them.
        """
        some = self.rows.across(np.einsum("np,np->n", self.residuals, self.residuals))
        rows, cells, weight = (
            self.residuals[some],
            self.rows.cells[some],
            self._share_of_rows(share),
        )
        weight = weight[some]
        products = (rows / self.stretch(share)[: rows.shape[1]]) @ rows.T
        left = _left(weight * np.diagonal(products))
        counts = (self.rows.copies * self.rows.removed)[some]
        total = counts @ (np.diagonal(products) / left) / max(counts.sum(), 1e-300)
        products /= _left(1.0 - np.outer(left, left) + np.outer(weight, weight) * products**2)
        pairs = np.outer(counts, counts) * (cells[:, None] != cells)
        if not pairs.any():  # a single cell has more than one row
            pairs = np.outer(counts, counts) * ~np.eye(len(some), dtype=bool)
        square = (pairs * products**2).sum() / max(pairs.sum(), 1e-300)
        return float(total**2 / square) if square > 0 else np.inf

    def _share_of_rows(self, share: float) -> Floats:
        """(rows,): how much of the metric leaves with a row, over its square."""
        return np.asarray(share * self.rows.removed / (self.mean_value * self.n_rows))


def _left(share: Floats) -> Floats:
    """One minus a share that leaves, and not zero."""
    return np.asarray(np.maximum(1.0 - share, 1e-6))


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

    def across(self, lengths: Floats) -> Codes:
        """A few rows of all lengths, the same in any order of rows; of equal lengths, by key."""
        size = max(float(lengths.mean()), 1e-300)
        order = np.lexsort((self.keys, np.round(lengths / size, 9)))
        return order[np.unique(np.linspace(0, len(order) - 1, _PAIRED_ROWS).astype(np.intp))]


def covariance_of_rows(residuals: Floats, rows: SampledRows, means: Floats) -> Covariance:
    """Covariance from the smaller of the two Gram matrices of the residuals (rows, features)."""
    weights = rows.weights
    n_rows = max(float(weights.sum()), 1.0)
    n, p = residuals.shape
    size = np.sqrt(weights / n_rows)[:, None]
    if n >= p:
        weighted = residuals * size
        values, vectors = np.linalg.eigh(weighted.T @ weighted)
        along = residuals @ vectors
        basis = Basis(vectors.T, None, np.empty((0, p)))
    else:
        mixing, values, left = _row_space(residuals * size)
        along = left * np.sqrt(values) / size
        basis = Basis(mixing * size[:, 0], residuals, np.empty((0, p)))
        outside = means.reshape(-1, p)
        for _ in range(2):  # the second time for rounding
            outside = outside - basis.turned_back(basis.coordinates(outside))
        size_of_means = float((means**2).sum(axis=-1).max(initial=0.0))
        outside = outside[(outside**2).sum(axis=1) > _ROUNDING * size_of_means]
        if len(outside):
            basis = basis._replace(rest=_row_space(outside)[0] @ outside)
    values = np.maximum(values, 0.0)
    mean_value = float(values.sum()) / p if values.sum() > 0 else 1.0
    values = np.concatenate([values / mean_value, np.zeros(len(basis.rest))])
    return Covariance(basis, values, along, rows, n_rows, mean_value)


def _row_space(rows: Floats) -> tuple[Floats, Floats, Floats]:
    """Right singular vectors of a few rows, as combinations (rank, rows) of these.

    With their squared singular values, and the left vectors.
    """
    values, left = np.linalg.eigh(rows @ rows.T)
    kept = values > 1e-10 * max(float(values[-1]), 1e-300)
    values, left = values[kept], left[:, kept]
    mixing = (left / np.sqrt(values)).T
    if len(values) and values[0] < 1e-4 * values[-1]:  # what rounding has left of small values
        right = mixing @ rows
        mixing = solve_triangular(np.linalg.cholesky(right @ right.T), mixing, lower=True)
    return np.asarray(mixing), values, left


def in_basis(scaled: ScaledMoments, covariance: Covariance) -> ScaledMoments:
    """Means in the basis of the covariance, where the metric is diagonal."""
    return scaled._replace(means=covariance.basis.coordinates(scaled.means))


def in_metric(turned: ScaledMoments, covariance: Covariance, share: float) -> ScaledMoments:
    """Moments in the basis → moments in the metric.

    Errors of cell means are like new rows: the metric has not seen them.
    """
    stretch, n_features = covariance.stretch(share), float(turned.scale.shape[1])
    seen = float((covariance.values / stretch).sum()) / max(float(covariance.values.sum()), 1e-300)
    ratio = seen * covariance.longer(share)
    return turned._replace(
        means=turned.means / np.sqrt(stretch),
        cell_noise=turned.cell_noise * ratio,
        noise_level=turned.noise_level * ratio,
        dimension=min(max(covariance.dimension(share), 1.0), n_features),
    )
