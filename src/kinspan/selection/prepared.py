"""Step 2 for the fit: moments and sampled rows → moments in the basis of the covariance."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from kinspan._rows import identifiers
from kinspan._rows.types import Floats, Ids
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
from kinspan.selection.decisions import HEAVY_TAILS, SAMPLED_ROWS, SHARES

_FEWEST_ROWS, _ROWS_PER_FEATURE = 25, 4


class Unlabelled(NamedTuple):
    """Rows without labels of every task."""

    counts: Floats  # (tasks,)
    means: Floats  # (tasks, features)


class Scaling(NamedTuple):
    """Moments in one scale of the features, and the sampled rows in it."""

    scaled: ScaledMoments
    pooled: ScaledMoments  # the same in a scale that all tasks share
    sample: RowSample | None
    residuals: Floats  # (sampled rows, features): rows minus the means of their cells

    def rows(self) -> Residuals:
        """Sampled rows in the metric without covariance, in the axes of the features."""
        ones = np.ones(self.residuals.shape[1])
        return _residuals_of(self.sample, self.residuals, self.residuals**2, ones, 0.0)


class Prepared(NamedTuple):
    """What all candidates are solved in."""

    origin: Floats  # (features,): what was subtracted from everything, in the units of the input
    scaled: ScaledMoments  # in the basis of the covariance, where there is one
    pooled: ScaledMoments  # the same in a scale that all tasks share
    covariance: Covariance | None
    sample: RowSample | None  # the rows behind the covariance
    shares: tuple[float, ...]  # of the covariance in the metric, to be tried
    unlabelled: Unlabelled  # in the basis

    @property
    def fewer_shares(self) -> tuple[float, ...]:
        """Shares to try for one rule for all tasks, which is an extra candidate: every second."""
        return self.shares[:5:2]

    def in_metric(self, share: float) -> ScaledMoments:
        """Moments in the metric with a share of the covariance."""
        if self.covariance is None:
            return self.scaled
        return in_metric(self.scaled, self.covariance, share)

    def shared_in_metric(self, share: float) -> tuple[ScaledMoments, Unlabelled]:
        """The same in the scale that tasks share, and rows without labels."""
        if self.covariance is None:
            return self.pooled, self.unlabelled
        means = self.unlabelled.means / np.sqrt(self.covariance.stretch(share))
        pooled = in_metric(self.pooled, self.covariance, share)
        return pooled, self.unlabelled._replace(means=means)

    def rows(self, share: float) -> Residuals | None:
        """Sampled rows in that metric."""
        if self.covariance is None:
            return None
        found = self.covariance
        stretch = found.stretch(share)[: found.residuals.shape[1]]
        weight = share / (found.mean_value * found.n_rows)
        return _residuals_of(self.sample, found.residuals, found.squares, stretch, weight)


def scalings(
    moments: ClassMoments, sample: RowSample | None, scale: str | None
) -> tuple[Floats, list[Scaling]]:
    """The origin, and the scales to choose from: one, or two where features have heavy tails.

    A pixel or a word that few rows have shows a tiny standard deviation, which is badly known.
    """
    divisor, of_all = _divisors(moments, scale)
    start = origin(moments)
    moments = replace(moments, means=around(moments, start))
    scaled = scaled_by(moments, divisor)
    pooled = scaled if of_all is None else scaled_by(moments, of_all)
    if sample is None:
        return start, [Scaling(scaled, pooled, None, np.empty((0, moments.n_features)))]
    sample = sample.aligned(moments.tasks, moments.classes, moments.n_features)
    sample = sample.limited(_rows_per_cell(sample)).effective()
    residuals = _residuals(scaled, sample, start)
    plain = Scaling(scaled, pooled, sample, residuals)
    if scale != "auto":
        return start, [plain]
    factor = tail_factor(residuals, sample.weights)
    if factor.max() < HEAVY_TAILS.constant:
        return start, [plain]
    wider = scaled_by(moments, scaled.scale * factor)
    return start, [plain, Scaling(wider, wider, sample, residuals / factor)]


def prepare(
    start: Floats,
    scaling: Scaling,
    tasks: Floats,
    metric: float | str,
    unlabelled: ClassMoments | None,
) -> Prepared:
    """The basis of the covariance, in which every metric is diagonal."""
    scaled, pooled, sample, residuals = scaling
    free = _without_labels(tasks, unlabelled, start, pooled.scale)
    covariance = None if sample is None else _covariance(scaled, pooled, sample, residuals)
    if covariance is None:
        return Prepared(start, scaled, pooled, None, None, (0.0,), free)
    return Prepared(
        start,
        in_basis(scaled, covariance),
        in_basis(pooled, covariance),
        covariance,
        sample,
        SHARES if metric == "auto" else (float(metric),),
        free._replace(means=free.means @ covariance.basis),
    )


def _residuals_of(
    sample: RowSample | None, values: Floats, squares: Floats, stretch: Floats, weight: float
) -> Residuals:
    assert sample is not None
    return Residuals(
        values, squares, stretch, sample.task_codes, sample.class_codes, sample.weights, weight
    )


def _divisors(moments: ClassMoments, scale: str | None) -> tuple[Floats, Floats | None]:
    """What features are divided by, and where tasks differ in that, what all share."""
    if scale is None:
        return common_scale(moments), None
    if scale == "task":
        return feature_scale(moments, "task"), feature_scale(moments, "pooled")
    return feature_scale(moments, "pooled"), None


def _without_labels(
    tasks: Ids, unlabelled: ClassMoments | None, start: Floats, scale: Floats
) -> Unlabelled:
    """Rows without labels of every task, scaled."""
    counts, means = np.zeros(len(tasks)), np.zeros((len(tasks), scale.shape[1]))
    if unlabelled is not None:
        places = identifiers.lookup(tasks, unlabelled.tasks)
        here = places >= 0
        counts[places[here]] = unlabelled.counts[here, 0]
        means[places[here]] = around(unlabelled, start)[here, 0]
    return Unlabelled(counts, means / scale)


def _rows_per_cell(sample: RowSample) -> int:
    """With many cells fewer rows of each will do, if all are several times the features."""
    n_cells, p = max(len(np.unique(sample.cells)), 1), int(sample.rows.shape[1])
    in_all = max(int(SAMPLED_ROWS.constant), _ROWS_PER_FEATURE * p)
    return max(_FEWEST_ROWS, in_all // n_cells)


def _residuals(scaled: ScaledMoments, sample: RowSample, start: Floats) -> Floats:
    """(rows, features): sampled rows minus the means of their cells."""
    scale = scaled.scale if len(scaled.scale) == 1 else scaled.scale[sample.task_codes]
    residuals = sample.rows - start
    residuals /= scale
    residuals -= scaled.means[sample.task_codes, sample.class_codes]
    return np.asarray(residuals)


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
