"""Scales of the features: moments and sampled rows in each, and what single rows do to it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Codes, Floats
from kinspan.class_moments import ClassMoments
from kinspan.metric import SampledRows, ScaledMoments, common_scale, feature_scale, scaled_by
from kinspan.row_sample import RowSample
from kinspan.selection.decisions import LARGE_FREEDOM, SAME_SCALE

_BLOCK_NUMBERS = 1 << 17  # of sampled rows that are moved to their cell means at a time


class RowsOfScale(NamedTuple):
    """Sampled rows in a scale that depends on single ones of them."""

    change: Floats  # (sampled rows, features): of the scale, if a row is left out
    residuals: Floats  # (sampled rows, features): rows minus the means of their cells


class Scaling(NamedTuple):
    """Moments in one scale of the features, and the sampled rows in it."""

    scaled: ScaledMoments
    pooled: ScaledMoments  # the same in a scale that all tasks share
    residuals: Floats  # (sampled rows, features): rows minus the means of their cells
    change: RowsOfScale | None


def scaling(
    moments: ClassMoments, sample: RowSample | None, start: Floats, scale: str | None
) -> Scaling:
    """In the pooled scale, that of each task, or none."""
    divisor, of_all = _divisors(moments, scale)
    scaled = scaled_by(moments, divisor)
    pooled = scaled if of_all is None else scaled_by(moments, of_all)
    if sample is None:
        return Scaling(scaled, pooled, np.empty((0, moments.n_features)), None)
    residuals = residuals_of(scaled, sample, start, sample.task_codes)
    change = None
    if scale in ("auto", "pooled"):
        change = _scale_change(residuals, moments.counts, sample)
    return Scaling(scaled, pooled, residuals, change)


def by_tails(moments: ClassMoments, sample: RowSample, pooled: Scaling) -> list[Scaling]:
    """In the scale by fourth moments, which gives features that few rows show less weight.

    It is s₄ = (m₄/3)^¼, the deviation of a Gaussian with that fourth moment, and at least s. None
    where it is a multiple of s: then it makes no other rules.
    """
    powers = pooled.residuals**4
    n = max(float(sample.weights.sum()), 1.0)
    fourth = sample.weights @ powers / n
    ratio = np.maximum(np.sqrt(fourth / 3.0), 1.0)  # (s₄/s)²
    if np.log(ratio).std() < SAME_SCALE.constant:
        return []
    scaled = scaled_by(moments, pooled.scaled.scale * np.sqrt(ratio))
    residuals, change = pooled.residuals / np.sqrt(ratio), None
    if pooled.change is not None:
        left = _without(sample.weights @ powers, _removed(moments.counts, sample) ** 2 * powers)
        share = n / np.maximum(n - np.minimum(sample.weights, 1.0), 1e-3)[:, None]
        of_rows = np.where(ratio > 1.0, 1.0 - np.sqrt(left * share), pooled.change.change)
        change = RowsOfScale(of_rows, residuals)
    return [Scaling(scaled, scaled, residuals, change)]


def _removed(counts: Floats, sample: RowSample) -> Floats:
    """(rows, 1): what the scatter of a cell loses with a row, in units of its square."""
    of_rows = counts[sample.task_codes, sample.class_codes]
    rows = SampledRows(sample.cells, of_rows, sample.weights, sample.keys)
    return rows.removed[:, None]


def _without(total: Floats, parts: Floats) -> Floats:
    """What is left of a total without each part, as a share of it that is not zero."""
    return np.maximum(1.0 - parts / np.where(total > 0, total, 1.0), 1e-3)


def _scale_change(residuals: Floats, counts: Floats, sample: RowSample) -> RowsOfScale | None:
    """1 − s₋²/s² for every sampled row, eq. (31) of docs/theory.md; None if too small to matter.

    Residuals are in units of s, which has some more degrees of freedom than rows (see `metric`).
    """
    freedom = max(float(np.maximum(counts - 1.0, 0.0).sum()), 1.0)
    if freedom > LARGE_FREEDOM.constant:
        return None
    freedom += 25.0 / freedom
    removed = _removed(counts, sample) * residuals**2
    left = np.maximum(freedom - np.minimum(sample.weights, 1.0), 1e-3)[:, None]
    change = 1.0 - freedom * _without(np.array(freedom), removed) / left
    return RowsOfScale(change, residuals)


def _divisors(moments: ClassMoments, scale: str | None) -> tuple[Floats, Floats | None]:
    """What features are divided by, and where tasks differ in that, what all share."""
    if scale is None:
        return common_scale(moments), None
    if scale == "task":
        return feature_scale(moments, "task"), feature_scale(moments, "pooled")
    return feature_scale(moments, "pooled"), None


def residuals_of(scaled: ScaledMoments, sample: RowSample, start: Floats, tasks: Codes) -> Floats:
    """(rows, features): sampled rows minus the means of their cells."""
    residuals = sample.rows - start
    block = max(1, _BLOCK_NUMBERS // max(residuals.shape[1], 1))
    for first in range(0, len(residuals), block):
        some = slice(first, first + block)
        residuals[some] /= scaled.scale if len(scaled.scale) == 1 else scaled.scale[tasks[some]]
        residuals[some] -= scaled.means[tasks[some], sample.class_codes[some]]
    return np.asarray(residuals)
