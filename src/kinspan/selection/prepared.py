"""Step 2 for the steps that follow: moments and sampled rows → what rules are found in."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from kinspan._rows import identifiers
from kinspan._rows.types import Floats
from kinspan.class_moments import ClassMoments
from kinspan.metric import (
    Covariance,
    ScaledMoments,
    around,
    common_scale,
    covariance_of_rows,
    feature_scale,
    in_basis,
    in_metric,
    origin,
    scaled_by,
    tail_factor,
)
from kinspan.risk import Residuals
from kinspan.row_sample import RowSample
from kinspan.selection.candidates import Options, judge
from kinspan.selection.new_tasks import Unlabelled
from kinspan.selection.rules import solve

_HEAVY = 1.1  # a fourth root of the kurtosis, over that of a Gaussian, that is worth a thought
SHARES = (0.0, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.95)


class Given(NamedTuple):
    """What rules are found in."""

    origin: Floats  # (features,): what was subtracted from everything, in the units of the input
    scaled: ScaledMoments  # in the basis of the covariance, where there is one
    pooled: ScaledMoments  # the same in a scale that tasks share
    covariance: Covariance | None
    sample: RowSample | None  # with the covariance
    shares: tuple[float, ...]  # of the covariance in the metric
    free: Unlabelled  # rows without labels, in the basis

    def in_metric(self, share: float) -> tuple[ScaledMoments, Unlabelled]:
        """What tasks share and rows without labels, in the metric."""
        if self.covariance is None:
            return self.pooled, self.free
        free = self.free.means / np.sqrt(self.covariance.stretch(share))
        return in_metric(self.pooled, self.covariance, share), self.free._replace(means=free)


def given(
    moments: ClassMoments,
    sample: RowSample | None,
    options: Options,
    unlabelled: ClassMoments | None,
) -> Given:
    """In the scale and the basis that suit all tasks."""
    divisor, of_all = _scales(moments, options.scale)
    start = origin(moments)
    moments = replace(moments, means=around(moments, start))
    if unlabelled is not None:
        unlabelled = replace(unlabelled, means=around(unlabelled, start))
    scaled = scaled_by(moments, divisor)
    residuals = np.empty((0, moments.n_features))
    if sample is not None:
        sample = sample.aligned(moments.tasks, moments.classes, moments.n_features)
        sample = sample.limited(_rows_per_cell(sample)).effective()
        residuals = _residuals(scaled, sample, start)
    if sample is not None and options.scale == "auto":
        scaled, residuals = _of_lighter_tails(moments, scaled, sample, residuals, options)
    pooled = scaled if of_all is None else scaled_by(moments, of_all)
    covariance = None if sample is None else _covariance(scaled, pooled, sample, residuals)
    free = _without_labels(moments, unlabelled, pooled.scale)
    shares: tuple[float, ...] = (0.0,)
    if covariance is None:
        sample = None
    else:
        scaled, pooled = in_basis(scaled, covariance), in_basis(pooled, covariance)
        free = free._replace(means=free.means @ covariance.basis)
        shares = SHARES if options.metric == "auto" else (float(options.metric),)
    return Given(start, scaled, pooled, covariance, sample, shares, free)


def _scales(moments: ClassMoments, scale: str | None) -> tuple[Floats, Floats | None]:
    """What features are divided by, and where tasks differ in that, what all share."""
    if scale is None:
        return common_scale(moments), None
    if scale == "task":
        return feature_scale(moments, "task"), feature_scale(moments, "pooled")
    return feature_scale(moments, "pooled"), None


def _without_labels(
    moments: ClassMoments, unlabelled: ClassMoments | None, scale: Floats
) -> Unlabelled:
    """Rows without labels of every task."""
    counts, means = np.zeros(len(moments.tasks)), np.zeros((len(moments.tasks), scale.shape[1]))
    if unlabelled is not None:
        places = identifiers.lookup(moments.tasks, unlabelled.tasks)
        here = places >= 0
        counts[places[here]] = unlabelled.counts[here, 0]
        means[places[here]] = unlabelled.means[here, 0]
    return Unlabelled(counts, means / scale)


def _rows_per_cell(sample: RowSample) -> int:
    """With many cells fewer rows of each will do, if all are several times the features."""
    n_cells, p = max(len(np.unique(sample.cells)), 1), int(sample.rows.shape[1])
    return max(25, max(2048, 4 * p) // n_cells)


def _residuals(scaled: ScaledMoments, sample: RowSample, start: Floats) -> Floats:
    """(rows, features): sampled rows minus the means of their cells."""
    scale = scaled.scale if len(scaled.scale) == 1 else scaled.scale[sample.task_codes]
    residuals = sample.rows - start
    residuals /= scale
    residuals -= scaled.means[sample.task_codes, sample.class_codes]
    return np.asarray(residuals)


def _of_lighter_tails(
    moments: ClassMoments,
    scaled: ScaledMoments,
    sample: RowSample,
    residuals: Floats,
    options: Options,
) -> tuple[ScaledMoments, Floats]:
    """Features with heavy tails divided by more than their deviation, if rows left out like that.

    A pixel or word that is seldom there has a tiny deviation, which few rows have shown.
    """
    factor = tail_factor(residuals, sample.weights)
    if factor.max() < _HEAVY:
        return scaled, residuals
    lighter = scaled_by(moments, scaled.scale * factor)
    losses = []
    both = (scaled, residuals), (lighter, residuals / factor)
    for candidate_scaled, values in both:
        alone, _ = solve(candidate_scaled, "single", options.multi_class, options.log_priors)
        rows = Residuals(
            values,
            values**2,
            np.ones(values.shape[1]),
            sample.task_codes,
            sample.class_codes,
            sample.weights,
            0.0,
        )
        losses.append(judge(alone, candidate_scaled, rows, options).calibration.loss)
    return both[1] if losses[1] < losses[0] - 1e-9 else both[0]


def _covariance(
    scaled: ScaledMoments, pooled: ScaledMoments, sample: RowSample, residuals: Floats
) -> Covariance | None:
    """Covariance of the sampled rows; None where no cell has two different ones."""
    means = scaled.means if pooled is scaled else np.concatenate([scaled.means, pooled.means])
    if (residuals**2).sum() <= 1e-24 * (means**2).sum():
        return None  # what is left of equal rows is rounding
    share = sample.weights / scaled.counts[sample.task_codes, sample.class_codes]
    freedom = max(float((sample.weights * (1.0 - share)).sum()), 1.0)
    return covariance_of_rows(residuals, sample.weights, freedom, means)
