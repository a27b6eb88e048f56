"""Moments → moments in a scale that makes the noise of all features equally large."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._rows.blocks import blocks
from kinspan._rows.types import Floats, Mask, Moments

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
    freedom = max(float(np.maximum(moments.counts - 1.0, 0.0).sum()), 1.0)
    within, total = np.zeros((2, moments.n_features))
    for tasks in blocks(len(moments.counts), moments.means[:1].size):
        counts, squares = moments.counts[tasks], moments.squares[tasks] / unit / unit
        within += squares.sum(axis=(0, 1))
        total += counts.sum(axis=1) @ _total_variance(counts, moments.means[tasks] / unit, squares)
    of_tasks = total[None] / moments.counts.sum()
    variance = _steadied(within[None] / freedom, of_tasks, freedom)
    size = np.abs(together.means).max(axis=1, keepdims=True)
    return _root(variance, size / unit) * unit[:, 0]


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
