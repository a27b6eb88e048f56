"""Moments → moments in a scale that makes the noise of all features equally large."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._rows.blocks import blocks
from kinspan._rows.types import Floats, Mask, Moments

_LARGEST = 1e150  # whose square is a number
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


class ScaledMoments(NamedTuple):
    """Class means in units of the noise, and their sampling errors."""

    scale: Floats  # (1 or tasks, features): the divisors of the features
    means: Floats  # (tasks, classes, features), divided by the scale
    counts: Floats  # (tasks, classes)
    cell_noise: Floats  # (tasks, classes): tr C / n, the squared sampling error of a cell mean
    noise_level: Floats  # (tasks,): tr C / features, the variance of a feature within a class
    dimension: float  # (tr C)² / tr C²: effective number of features that share the noise
    unevenness: float = 1.0  # tr C tr C³ / (tr C²)²: one where they share it equally

    @property
    def present(self) -> Mask:
        """(tasks, classes): which cells have samples."""
        return self.counts > 0

    @property
    def class_shares(self) -> Floats:
        """(tasks, classes): one over the number of a task's classes, zero for those it lacks."""
        return np.asarray(self.present / np.maximum(self.present.sum(axis=1, keepdims=True), 1))

    @property
    def noise_doubt(self) -> Floats:
        """(tasks,): the squared relative error of the noise of a task, as its own rows show it.

        Degrees of freedom by Satterthwaite; cells that show no spread have that of all.
        """
        freedom = np.maximum(self.counts - 1.0, 0.0)
        freedom = np.where(freedom > 0, freedom, max(float(freedom.sum()), 1e-300))
        parts = self.cell_noise / np.maximum(self.cell_noise.sum(axis=1, keepdims=True), 1e-300)
        return np.asarray(2.0 / self.dimension * (parts**2 / freedom).sum(axis=1))

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
    rounding = min(1e-16 * size, _LARGEST)
    least = max(rounding**2, 1e-24 * float(level.max(initial=0.0)))
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
    together = _Cells.of_one_task(moments)
    total, size = _total_deviation(together), _sizes(together)[:, 0]
    size = np.where(size > 1e-300, np.minimum(size, 1e300), 1.0)  # keeps coefficients finite
    return np.where(deviation > 0, deviation, np.where(total > 0, total, size))


def common_scale(moments: Moments) -> Floats:
    """(1, features): one number for all features; it changes only the size of squares."""
    largest = _total_deviation(_Cells.of_one_task(moments)).max(initial=0.0)
    return np.full((1, moments.n_features), _power_of_two(largest))


def is_scaled(moments: Moments) -> bool:
    """Whether all features that vary have the same deviation: in cells, in tasks or over all.

    Rows were then divided by their own deviations before: a scale for them is one already, and
    rules in the units of the input are no others.
    """
    together = _Cells.of_one_task(moments)
    unit = _units(together)
    of_all = _total_variance(together, unit)[0]
    return any(_is_constant(v * unit[0, 0] ** 2) for v in (*_scatter(moments, unit), of_all))


def _is_constant(variance: Floats) -> bool:
    varying = variance[variance > 1e-12 * variance.max(initial=0.0)]
    return bool(len(varying) and varying.max() - varying.min() <= _SAME * varying.max())


def is_centred(moments: Moments) -> bool:
    """Whether all tasks have the same centre, of their classes or of their rows.

    The rows of every task were then centred before, and those of all tasks as one are no others.
    """
    together = _Cells.of_one_task(moments)
    deviation = np.maximum(_total_deviation(together), 1e-300)
    shares = moments.present / np.maximum(moments.present.sum(axis=1, keepdims=True), 1)
    rows = moments.counts / np.maximum(moments.counts.sum(axis=1, keepdims=True), 1e-300)
    centres = (np.einsum("tj,tjp->tp", of, moments.means) / deviation for of in (shares, rows))
    return any(bool((np.ptp(centre, axis=0) <= _SAME).all()) for centre in centres)


def _pooled_deviation(moments: Moments) -> Floats:
    """(1, features): standard deviation within cells, stabilised (see `_steadied`)."""
    together = _Cells.of_one_task(moments)
    unit = _units(together)
    freedom = max(float(np.maximum(moments.counts - 1.0, 0.0).sum()), 1.0)
    within, total = _scatter(moments, unit)
    of_tasks = total[None] / moments.counts.sum()
    variance = _steadied(within[None] / freedom, of_tasks, freedom)
    return _root(variance, _sizes(together) / unit) * unit[:, 0]


def _scatter(moments: Moments, unit: Floats) -> tuple[Floats, Floats]:
    """(features,): sums of squares within cells and within tasks, in units."""
    within, total = np.zeros((2, moments.n_features))
    for tasks in blocks(len(moments.counts), moments.means[:1].size):
        some = _Cells(moments.counts[tasks], moments.means[tasks], moments.squares[tasks])
        within += (some.squares / unit / unit).sum(axis=(0, 1))
        total += some.counts.sum(axis=1) @ _total_variance(some, unit)
    return within, total


def _total_deviation(moments: Moments | _Cells) -> Floats:
    """(tasks, features): standard deviation over all rows of every task."""
    unit = _units(moments)
    return _root(_total_variance(moments, unit), _sizes(moments) / unit) * unit[:, 0]


def _root(variance: Floats, sizes: Floats) -> Floats:
    """(tasks, features); variances that can be rounding errors of a constant become zero."""
    rounding = (16 * np.finfo(float).eps * sizes[:, 0]) ** 2
    return np.sqrt(np.where(variance > rounding, variance, 0.0))


class _Cells(NamedTuple):
    """Moments of groups of cells."""

    counts: Floats  # (groups, cells)
    means: Floats  # (groups, cells, features)
    squares: Floats  # (groups, cells, features)

    @classmethod
    def of_one_task(cls, moments: Moments) -> _Cells:
        """The cells of all tasks as those of one."""
        cells = (1, -1, moments.n_features)
        counts = moments.counts.reshape(1, -1)
        return cls(counts, moments.means.reshape(cells), moments.squares.reshape(cells))


def _units(moments: Moments | _Cells) -> Floats:
    """(tasks, 1, features): powers of two near the spread: in these units no square overflows.

    For a feature without spread the unit is a share of its size, which bounds the means in units.
    """
    spread = np.sqrt(moments.squares.max(axis=1, keepdims=True))
    return _power_of_two(np.maximum(spread, np.finfo(float).eps * _sizes(moments)))


def _sizes(moments: Moments | _Cells) -> Floats:
    """(tasks, 1, features): the largest means."""
    means = moments.means
    largest, least = means.max(axis=1, keepdims=True), means.min(axis=1, keepdims=True)
    return np.asarray(np.maximum(largest, -least))


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


def _total_variance(moments: Moments | _Cells, unit: Floats) -> Floats:
    """(groups, features): variance over all rows of every group of cells, in units.

    A block of cells at a time: one group may have those of all tasks.
    """
    (k, m, p), counts = moments.means.shape, moments.counts
    n = np.maximum(counts.sum(axis=1), 1.0)[:, None]
    total, within, between = np.zeros((3, k, p))
    for some in blocks(m, k * p):
        total += np.einsum("tj,tjp->tp", counts[:, some], moments.means[:, some] / unit)
    centre = (total / n)[:, None, :]
    for some in blocks(m, k * p):
        away = np.where(counts[:, some, None] > 0, moments.means[:, some] / unit - centre, 0.0)
        within += (moments.squares[:, some] / unit / unit).sum(axis=1)
        between += np.einsum("tj,tjp->tp", counts[:, some], away**2)
    return np.asarray((within + between) / n)
