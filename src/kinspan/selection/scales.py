"""Scales of the features: moments and sampled rows in each, and what single rows do to it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from kinspan._arrays.libraries import moved, namespace
from kinspan._rows.blocks import blocks
from kinspan._rows.large import HERE, Large, Place, chosen, in_blocks
from kinspan._rows.types import Codes, Floats
from kinspan.class_moments import ClassMoments
from kinspan.metric import (
    DenseRows,
    SampledRows,
    ScaledMoments,
    SparseRows,
    common_scale,
    feature_scale,
    scaled_by,
)
from kinspan.row_sample import RowSample
from kinspan.selection.decisions import LARGE_FREEDOM, SAME_SCALE

_LEAST = 1e-3  # what is left of a variance without a row, at least
MANY_NUMBERS = 1 << 17  # in rows: more of them are taken in single precision where that is enough


class RowsOfScale(NamedTuple):
    """Sampled rows in a scale that depends on single ones of them."""

    change: Floats  # (sampled rows, features): of the scale, if a row is left out
    residuals: Floats  # (sampled rows, features): rows minus the means of their cells

    @classmethod
    def like(cls, residuals: Floats) -> RowsOfScale:
        """Of as many rows and features, to be filled in.

        Many numbers are taken in single precision: what leaving out one row changes is small.
        """
        kind = np.float32 if residuals.size > MANY_NUMBERS else np.float64
        return cls(np.empty(residuals.shape, kind), np.empty(residuals.shape, kind))


class _PooledChange(NamedTuple):
    """What leaving out a row does to pooled variances, eq. (31) of docs/theory.md."""

    removed: Floats  # (rows, 1): what the scatter of a cell loses, in units of the row's square
    freedom: float  # of the scale, in whose units the scatter is: some more than of rows
    ratio: Floats  # (rows, 1): the freedom over what is left of it

    @classmethod
    def of(cls, counts: Floats, sample: RowSample) -> _PooledChange | None:
        """None where it is too small to matter."""
        freedom = max(float(np.maximum(counts - 1.0, 0.0).sum()), 1.0)
        if freedom > LARGE_FREEDOM.constant:
            return None
        freedom += 25.0 / freedom  # see `metric`
        left = np.maximum(freedom - np.minimum(sample.weights, 1.0), 1e-3)[:, None]
        of_rows = counts[sample.task_codes, sample.class_codes]
        rows = SampledRows(sample.cells, of_rows, sample.weights, sample.keys)
        return cls(rows.removed[:, None], freedom, freedom / left)

    def of_rows(self, rows: slice, lost: Floats) -> Floats:
        """1 − s₋²/s² of some rows, with what the scatter loses."""
        ratio, share = self.ratio[rows], np.minimum(lost / self.freedom, 1.0 - _LEAST)
        share *= ratio
        share += 1.0 - ratio
        return share


class Scaling(NamedTuple):
    """Moments in one scale of the features, and the sampled rows in it."""

    scaled: ScaledMoments
    pooled: ScaledMoments  # the same in a scale that all tasks share
    residuals: Large | SparseRows  # (sampled rows, features): rows minus means of their cells
    change: RowsOfScale | None


def scaling(
    moments: ClassMoments,
    sample: RowSample | None,
    start: Floats,
    scale: str | None,
    stored: csr_array | None = None,
) -> Scaling:
    """In the pooled scale, that of each task, or none; of sampled rows without zeros, if any."""
    divisor, of_all = _divisors(moments, scale)
    scaled = scaled_by(moments, divisor)
    pooled = scaled if of_all is None else scaled_by(moments, of_all)
    if sample is None:
        return Scaling(scaled, pooled, np.empty((0, moments.n_features)), None)
    changes = None
    if scale in ("auto", "pooled"):
        changes = _PooledChange.of(moments.counts, sample)
    place = sample.place if changes is None else HERE
    residuals = light_residuals(scaled, sample, start, sample.task_codes, stored, place)
    if changes is None:
        return Scaling(scaled, pooled, residuals, None)
    all_of_them = _all_numbers(residuals, scaled, sample, start)
    return Scaling(scaled, pooled, residuals, _scale_change(all_of_them, changes))


def is_one_scale(pooled: Floats) -> bool:
    """Whether features have the same pooled deviations: no scale then makes the same rules.

    And no row has to be left out of it.
    """
    return float(2.0 * np.log(pooled).std()) < SAME_SCALE.constant


class Tails(NamedTuple):
    """The scale by fourth moments, which gives features that few rows show less weight.

    It is s₄ = (m₄/3)^¼, the deviation of a Gaussian with that fourth moment, and at least the
    pooled one s.
    """

    pooled: Floats  # (1, features): s
    ratio: Floats  # (features,): (s₄/s)²
    total: Floats  # (features,): sum of fourth powers, in units of s

    @classmethod
    def of(cls, sample: RowSample, other: Scaling, pooled: Floats) -> Tails | None:
        """From rows in another scale; None where it is a multiple of s: it makes no other rules."""
        unit = pooled[0] / other.scaled.scale[0]
        residuals = other.residuals
        rows = residuals if isinstance(residuals, SparseRows) else DenseRows(residuals)
        total = rows.fourth_powers(sample.weights)
        n = max(float(sample.weights.sum()), 1.0)
        ratio = np.maximum(np.sqrt(total / n / 3.0) / unit**2, 1.0)
        if np.log(ratio).std() < SAME_SCALE.constant:
            return None
        return cls(pooled, ratio, np.where(total > 0, total / unit**4, 1.0))


def by_tails(
    moments: ClassMoments,
    sample: RowSample,
    start: Floats,
    tails: Tails,
    stored: csr_array | None = None,
) -> Scaling:
    """In the scale by fourth moments."""
    root = np.sqrt(tails.ratio)
    scaled = scaled_by(moments, tails.pooled * root)
    of_pooled = _PooledChange.of(moments.counts, sample)
    place = sample.place if of_pooled is None else HERE
    light = light_residuals(scaled, sample, start, sample.task_codes, stored, place)
    if of_pooled is None:
        return Scaling(scaled, scaled, light, None)
    residuals = _all_numbers(light, scaled, sample, start)
    change, n = RowsOfScale.like(residuals), max(float(sample.weights.sum()), 1.0)
    share = n / np.maximum(n - np.minimum(sample.weights, 1.0), 1e-3)[:, None]
    for rows in blocks(*residuals.shape):
        lost = of_pooled.removed[rows] * (residuals[rows] * root) ** 2
        left = np.maximum(1.0 - lost**2 / tails.total, _LEAST)
        of_tails = 1.0 - np.sqrt(left * share[rows])
        change.change[rows] = np.where(tails.ratio > 1.0, of_tails, of_pooled.of_rows(rows, lost))
        change.residuals[rows] = residuals[rows]
    return Scaling(scaled, scaled, light, change)


def _all_numbers(
    residuals: Floats | SparseRows, scaled: ScaledMoments, sample: RowSample, start: Floats
) -> Floats:
    if isinstance(residuals, SparseRows):
        residuals = residuals_of(scaled, sample, start, sample.task_codes)
    return np.asarray(residuals)


def _scale_change(residuals: Floats, pooled: _PooledChange) -> RowsOfScale:
    """Of residuals in units of the pooled scale."""
    found = RowsOfScale.like(residuals)
    for rows in blocks(*residuals.shape):
        found.change[rows] = pooled.of_rows(rows, pooled.removed[rows] * residuals[rows] ** 2)
        found.residuals[rows] = residuals[rows]
    return found


def _divisors(moments: ClassMoments, scale: str | None) -> tuple[Floats, Floats | None]:
    """What features are divided by, and where tasks differ in that, what all share."""
    if scale is None:
        return common_scale(moments), None
    if scale == "task":
        return feature_scale(moments, "task"), feature_scale(moments, "pooled")
    return feature_scale(moments, "pooled"), None


def light_residuals(
    scaled: ScaledMoments,
    sample: RowSample,
    start: Floats,
    tasks: Codes,
    stored: csr_array | None,
    place: Place,
) -> Large | SparseRows:
    """Sampled rows minus the means of their cells, without zeros of rows stored like that."""
    if stored is not None and len(scaled.scale) == 1:
        means = (scaled.means + start / scaled.scale).reshape(-1, len(start))
        cells = tasks * scaled.means.shape[1] + sample.class_codes
        rows = SparseRows(stored.multiply(1.0 / scaled.scale).tocsc(), means, cells)
        if rows.is_exact:
            return rows
    return residuals_of(scaled, sample, start, tasks, place)


def residuals_of(
    scaled: ScaledMoments, sample: RowSample, start: Floats, tasks: Codes, place: Place = HERE
) -> Large:
    """(rows, features): sampled rows minus the means of their cells.

    Many of them are where they came from, in the precision that they have there; not those fewer
    than features, whose smallest products with each other count.
    """
    rows = sample.rows
    is_many = rows.size > MANY_NUMBERS and rows.shape[0] >= rows.shape[1]
    rows = place.put(rows) if is_many else rows
    xp, cells = namespace(rows), tasks * scaled.means.shape[1] + sample.class_codes
    kind = rows.dtype if is_many else xp.float64
    residuals = xp.empty(rows.shape, dtype=kind, device=rows.device)
    means, start, scale = (
        moved(part, rows) for part in (scaled.means.reshape(-1, len(start)), start, scaled.scale)
    )
    for some in in_blocks(rows):
        part = rows[some, :] - start
        part /= scale if len(scaled.scale) == 1 else chosen(scale, tasks[some])
        residuals[some, :] = part - chosen(means, cells[some])
    return residuals
