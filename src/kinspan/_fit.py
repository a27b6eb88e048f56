"""Steps 2 to 6 in a row: moments and sampled rows → what the estimator keeps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinspan._candidates import Candidate, Judged, Options, candidate, judge
from kinspan._cell_sums import Codes, Floats
from kinspan._judgement import guarded, is_clearly_better, metrics_of_tasks, optimism
from kinspan._rules import agreed, fill_absent, shared_rule, solve
from kinspan.class_moments import ClassMoments
from kinspan.labels import TaskWeights
from kinspan.metric import (
    Covariance,
    ScaledMoments,
    covariance_of_rows,
    feature_scale,
    in_basis,
    in_metric,
    scaled_by,
    tail_factor,
)
from kinspan.risk import Residuals
from kinspan.row_sample import RowSample
from kinspan.scores import LinearRules, in_input_units

SHARES = (0.0, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.95)


class FittedRules(NamedTuple):
    """What the estimator keeps. The last rule is the shared one, for tasks that are not fitted."""

    coef: Floats  # (tasks + 1, 1 or classes, features), in the units of the input
    intercept: Floats  # (tasks + 1, 1 or classes)
    absent: NDArray[np.bool_]  # (tasks + 1, classes): what is never answered
    scale: Floats  # (tasks + 1, features)
    forecast_error: Floats  # (tasks,)
    forecast_interval: Floats  # (tasks, 2)
    single_task_error: Floats  # (tasks,)
    metric: Floats  # (tasks,): the share of the covariance
    multi_class: str  # what the weights are for
    task_weights: list[list[TaskWeights]]  # for every metric that some task has
    weights_of_task: Codes  # (tasks,): which of these


def fit(moments: ClassMoments, sample: RowSample | None, options: Options) -> FittedRules:
    """All tasks at once."""
    name = "pooled" if options.scale == "auto" else options.scale
    scaled = scaled_by(moments, feature_scale(moments, name))
    if sample is not None:
        sample = sample.aligned(moments.tasks, moments.classes, moments.n_features)
        sample = sample.limited(_rows_per_cell(sample))
    if sample is not None and options.scale == "auto":
        scaled = _of_lighter_tails(moments, scaled, sample, options)
    pooled = scaled
    if options.scale == "task":
        pooled = scaled_by(moments, feature_scale(moments, "pooled"))
    covariance = None if sample is None else _covariance(scaled, pooled, sample)
    shares: tuple[float, ...] = (0.0,)
    if covariance is None:
        sample = None
    else:
        scaled, pooled = in_basis(scaled, covariance), in_basis(pooled, covariance)
        shares = SHARES if options.metric == "auto" else (float(options.metric),)
    given = _Given(scaled, pooled, covariance, sample, shares)
    return _fit_by(given, options)


class _Given(NamedTuple):
    """What rules are found in."""

    scaled: ScaledMoments  # in the basis of the covariance, where there is one
    pooled: ScaledMoments  # the same in a scale that tasks share
    covariance: Covariance | None
    sample: RowSample | None  # with the covariance
    shares: tuple[float, ...]  # of the covariance in the metric


def _fit_by(given: _Given, options: Options) -> FittedRules:
    """Rules of all tasks in the metrics that suit them."""
    scaled, covariance, sample = given.scaled, given.covariance, given.sample
    candidates = [candidate(scaled, covariance, sample, share, options) for share in given.shares]
    metrics = metrics_of_tasks(candidates, scaled.counts.shape)
    doubt = optimism(candidates, metrics, sample)
    if scaled.counts.shape[1] > 2 and options.multi_class == "shared" and sample is not None:
        most = candidates[np.bincount(metrics).argmax()]
        options_each = options._replace(multi_class="each")
        each = candidate(scaled, covariance, sample, most.share, options_each)
        if is_clearly_better(each, most, sample):
            candidates, metrics = [each], np.zeros_like(metrics)
    places, of_task = np.unique(metrics, return_inverse=True)
    used = [candidates[i] for i in places]
    pairs = guarded(used, of_task, options)
    if pairs is None:  # all should go alone, in the metrics that suit them then
        return _fit_by(given, options._replace(labels="single"))
    return _kept(used, of_task, pairs, given, options, doubt)


def _rows_per_cell(sample: RowSample) -> int:
    """With many cells fewer rows of each will do, if all are several times the features."""
    n_cells, p = max(len(np.unique(sample.cells)), 1), int(sample.rows.shape[1])
    return max(25, max(2048, 4 * p) // n_cells)


def _residuals(scaled: ScaledMoments, sample: RowSample) -> Floats:
    """(rows, features): sampled rows minus the means of their cells."""
    scale = np.broadcast_to(scaled.scale, scaled.means[:, 0].shape)
    residuals = sample.rows / scale[sample.task_codes]
    residuals -= scaled.means[sample.task_codes, sample.class_codes]
    return np.asarray(residuals)


def _of_lighter_tails(
    moments: ClassMoments, scaled: ScaledMoments, sample: RowSample, options: Options
) -> ScaledMoments:
    """Features with heavy tails divided by more than their deviation, if rows left out like that.

    A pixel or word that is seldom there has a tiny deviation, which few rows have shown.
    """
    losses = []
    residuals = _residuals(scaled, sample)
    factor = tail_factor(residuals, sample.weights)
    lighter = scaled_by(moments, scaled.scale * factor)
    for candidate_scaled, values in ((scaled, residuals), (lighter, residuals / factor)):
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
    return lighter if losses[1] < losses[0] - 1e-9 else scaled


def _covariance(
    scaled: ScaledMoments, pooled: ScaledMoments, sample: RowSample
) -> Covariance | None:
    """Covariance of the sampled rows; None where no cell has two different ones."""
    residuals = _residuals(scaled, sample)
    means = scaled.means if pooled is scaled else np.concatenate([scaled.means, pooled.means])
    if (residuals**2).sum() <= 1e-24 * (means**2).sum():
        return None  # what is left of equal rows is rounding
    share = sample.weights / scaled.counts[sample.task_codes, sample.class_codes]
    freedom = max(float((sample.weights * (1.0 - share)).sum()), 1.0)
    return covariance_of_rows(residuals, sample.weights, freedom, means)


def _kept(
    used: list[Candidate],
    of_task: Codes,
    pairs: list[tuple[Judged, Judged]],
    given: _Given,
    options: Options,
    doubt: float,
) -> FittedRules:
    """Every task with the rules of its metric; the shared rule has the metric of most."""
    most = np.append(of_task, np.bincount(of_task).argmax())
    rules = [
        _picked(parts, most)
        for parts in zip(
            *(
                _rules_of(c, judged, given, options)
                for c, (judged, _) in zip(used, pairs, strict=True)
            ),
            strict=True,
        )
    ]
    figures = [
        np.minimum(_picked(parts, of_task) + doubt, 1.0)
        for parts in (
            [judged.forecast.error for judged, _ in pairs],
            [judged.forecast.interval for judged, _ in pairs],
            [alone.forecast.error for _, alone in pairs],
        )
    ]
    return FittedRules(
        *(rules[0], rules[1], rules[2], rules[3]),
        *(figures[0], figures[1], figures[2]),
        np.array([c.share for c in used])[of_task],
        pairs[0][0].solution.multi_class,
        [judged.solution.weights for judged, _ in pairs],
        of_task,
    )


def _picked(parts: Iterable[NDArray[Any]], which: Codes) -> NDArray[Any]:
    """Every row from the part that it is in."""
    first, *others = parts
    picked = first.copy() if others else first
    for i, part in enumerate(others, start=1):
        picked[which == i] = part[which == i]
    return picked


def _rules_of(
    best: Candidate,
    judged: Judged,
    given: _Given,
    options: Options,
) -> tuple[Floats, Floats, NDArray[np.bool_], Floats]:
    """Coefficients, intercepts, absent classes and scales of all tasks and of the shared rule."""
    pooled, covariance = given.pooled, given.covariance
    pooled = pooled if covariance is None else in_metric(pooled, covariance, best.share)
    agreement = agreed(pooled)
    log_priors, share_classes = options.log_priors, options.share_classes
    filled, absent = fill_absent(
        judged.solution.rules, best.scaled, agreement.contrasts, log_priors, share_classes
    )
    shared = shared_rule(agreement, pooled, log_priors)
    rules = LinearRules(*(np.concatenate(parts) for parts in zip(filled, shared, strict=True)))
    centres = np.concatenate([best.scaled.centres, agreement.centre])
    absent = np.concatenate([absent, np.zeros_like(absent[:1])])
    base = np.concatenate([log_priors, log_priors.mean(axis=0)[None]])
    factor = judged.calibration.factor
    offset = np.where(absent, rules.offset, base + factor * (rules.offset - base))
    rules = LinearRules(rules.coef * factor, offset)
    turned = rules.coef if covariance is None else covariance.turned_back(rules.coef, best.share)
    scale = np.repeat(best.scaled.scale, len(absent) - 1 if len(best.scaled.scale) == 1 else 1, 0)
    scale = np.concatenate([scale, pooled.scale])
    return *in_input_units(rules, turned, centres, scale), absent, scale
