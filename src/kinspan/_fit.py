"""Steps 2 to 6 in a row: moments and sampled rows → what the estimator keeps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinspan._cell_sums import Floats
from kinspan._rules import (
    Solution,
    agreed,
    fill_absent,
    isotropic_error,
    rule_parts,
    shared_rule,
    solve,
)
from kinspan.class_moments import ClassMoments
from kinspan.labels import TaskWeights
from kinspan.metric import (
    Covariance,
    ScaledMoments,
    covariance_of_rows,
    in_basis,
    in_metric,
    scaled_moments,
)
from kinspan.risk import Forecast, LeftOut, Residuals, forecast_of_scores, leave_one_out_scores
from kinspan.row_sample import RowSample
from kinspan.scores import LinearRules, in_input_units, temperature

SHARES = (0.0, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.95)


class Options(NamedTuple):
    """Parameters of the estimator, checked."""

    labels: str
    scale: str | None
    multi_class: str
    metric: float | str
    share_classes: bool
    priors: Floats  # (tasks, classes)
    log_priors: Floats  # (tasks, classes): of prior times cost


class FittedRules(NamedTuple):
    """What the estimator keeps. The last rule is the shared one, for tasks that are not fitted."""

    coef: Floats  # (tasks + 1, 1 or classes, features), in the units of the input
    intercept: Floats  # (tasks + 1, 1 or classes)
    absent: NDArray[np.bool_]  # (tasks + 1, classes): what is never answered
    scale: Floats  # (tasks + 1, features)
    task_weights: list[TaskWeights]
    metric: float  # the share of the covariance
    forecast_error: Floats  # (tasks,)
    forecast_interval: Floats  # (tasks, 2)
    single_task_error: Floats  # (tasks,)


class Candidate(NamedTuple):
    """The rules of one metric, and what to expect of them."""

    share: float
    scaled: ScaledMoments
    solution: Solution
    alone: Solution
    residuals: Residuals | None  # sampled rows, in the metric
    scores: Floats | None  # (rows, classes): of the sampled rows, each left out
    forecast: Forecast


def fit(moments: ClassMoments, sample: RowSample | None, options: Options) -> FittedRules:
    """All tasks at once."""
    scaled = scaled_moments(moments, options.scale)
    pooled = scaled if options.scale != "task" else scaled_moments(moments, "pooled")
    sample = None if sample is None else sample.limited(_rows_per_cell(sample))
    covariance = None if sample is None else _covariance(scaled, pooled, sample)
    shares: tuple[float, ...] = (0.0,)
    if covariance is None:
        sample = None
    else:
        scaled, pooled = in_basis(scaled, covariance), in_basis(pooled, covariance)
        shares = SHARES if options.metric == "auto" else (float(options.metric),)
    candidates = [_candidate(scaled, covariance, sample, share, options) for share in shares]
    best = _best(candidates, sample)
    return _kept(best, pooled, covariance, sample, options, _optimism(candidates, best, sample))


def _rows_per_cell(sample: RowSample) -> int:
    """With many cells fewer rows of each will do, if all are several times the features."""
    n_cells, p = len(sample.tasks) * len(sample.classes), int(sample.rows.shape[1])
    return max(25, max(2048, 4 * p) // n_cells)


def _covariance(
    scaled: ScaledMoments, pooled: ScaledMoments, sample: RowSample
) -> Covariance | None:
    """Covariance of the sampled rows; None where no cell has two different ones."""
    scale = np.broadcast_to(scaled.scale, scaled.means[:, 0].shape)
    residuals = sample.rows / scale[sample.task_codes]
    residuals -= scaled.means[sample.task_codes, sample.class_codes]
    means = scaled.means if pooled is scaled else np.concatenate([scaled.means, pooled.means])
    covariance = covariance_of_rows(residuals, sample.weights, means)
    return covariance if covariance.values.any() else None


def _candidate(
    scaled: ScaledMoments,
    covariance: Covariance | None,
    sample: RowSample | None,
    share: float,
    options: Options,
) -> Candidate:
    if covariance is None or sample is None:
        solution, alone = solve(scaled, options.labels, options.multi_class, options.log_priors)
        forecast = _isotropic(solution, scaled, options.priors)
        return Candidate(0.0, scaled, solution, alone, None, None, forecast)
    scaled = in_metric(scaled, covariance, share)
    solution, alone = solve(scaled, options.labels, options.multi_class, options.log_priors)
    residuals = Residuals(
        covariance.residuals,
        covariance.squares,
        covariance.stretch(share)[: covariance.residuals.shape[1]],
        sample.task_codes,
        sample.class_codes,
        sample.weights,
        share / (covariance.mean_value * covariance.n_rows),
    )
    left_out = leave_one_out_scores(rule_parts(solution, scaled), residuals)
    forecast = _forecast(left_out, solution, scaled, residuals, options)
    return Candidate(share, scaled, solution, alone, residuals, left_out.scores, forecast)


def _forecast(
    left_out: LeftOut,
    solution: Solution,
    scaled: ScaledMoments,
    residuals: Residuals,
    options: Options,
) -> Forecast:
    """Of the scores of rows left out; tasks of which none could be get the formula of the paper."""
    priors = np.where(scaled.present, options.priors, 0.0)
    tasks, classes, weights = residuals.tasks, residuals.classes, residuals.weights
    found = forecast_of_scores(left_out, tasks, classes, weights, priors)
    isotropic = _isotropic(solution, scaled, options.priors)
    unknown = np.isnan(found.error)
    return Forecast(
        np.where(unknown, isotropic.error, found.error),
        np.where(unknown[:, None], isotropic.interval, found.interval),
        found.wrong,
    )


def _error_alone(best: Candidate, options: Options) -> Floats:
    """The forecast for every task alone, in the same metric."""
    if best.residuals is None:
        return _isotropic(best.alone, best.scaled, options.priors).error
    left_out = leave_one_out_scores(rule_parts(best.alone, best.scaled), best.residuals)
    return _forecast(left_out, best.alone, best.scaled, best.residuals, options).error


def _isotropic(solution: Solution, scaled: ScaledMoments, priors: Floats) -> Forecast:
    """The formula of the paper; nothing is known of its error but that it is one."""
    error = isotropic_error(solution, scaled, priors)
    chance = 1.0 - 1.0 / np.maximum(scaled.present.sum(axis=1), 1)
    interval = np.stack([np.zeros_like(error), np.maximum(error, chance)], axis=1)
    return Forecast(error, np.where(np.isnan(error)[:, None], np.nan, interval), np.empty(0))


def _best(candidates: list[Candidate], sample: RowSample | None) -> Candidate:
    """The metric with the smallest mean forecast over tasks; the plainer one of two equals."""
    if len(candidates) == 1 or sample is None:
        return candidates[0]

    def expected(candidate: Candidate) -> tuple[float, float]:
        known = candidate.forecast.error[~np.isnan(candidate.forecast.error)]
        return round(float(known.sum()), 12), candidate.share

    return min(candidates, key=expected)


def _optimism(candidates: list[Candidate], best: Candidate, sample: RowSample | None) -> float:
    """How much smaller the forecast is for the metric having been chosen by it.

    Half of the rows chooses for the other half; the halves are those of the hash.
    """
    if len(candidates) == 1 or sample is None:
        return 0.0
    half = sample.keys[:, 1] % 2 == 0
    wrong = np.array([c.forecast.wrong for c in candidates])
    usable = ~np.isnan(wrong[0])
    if not (half & usable).any() or not (~half & usable).any():
        return 0.0
    wrong = np.where(usable, wrong * sample.weights, 0.0)
    errors = np.stack([wrong[:, half].sum(axis=1), wrong[:, ~half].sum(axis=1)])
    crossed = errors[1, errors[0].argmin()] + errors[0, errors[1].argmin()]
    chosen = errors[:, [c.share for c in candidates].index(best.share)].sum()
    return max(float(crossed - chosen) / float(sample.weights[usable].sum()), 0.0)


def _kept(
    best: Candidate,
    pooled: ScaledMoments,
    covariance: Covariance | None,
    sample: RowSample | None,
    options: Options,
    optimism: float,
) -> FittedRules:
    pooled = pooled if covariance is None else in_metric(pooled, covariance, best.share)
    agreement = agreed(pooled)
    log_priors, share_classes = options.log_priors, options.share_classes
    filled, absent = fill_absent(
        best.solution.rules, best.scaled, agreement.contrasts, log_priors, share_classes
    )
    shared = shared_rule(agreement, pooled, log_priors)
    rules = LinearRules(*(np.concatenate(parts) for parts in zip(filled, shared, strict=True)))
    centres = np.concatenate([best.scaled.centres, agreement.centre])
    absent = np.concatenate([absent, np.zeros_like(absent[:1])])
    if sample is not None and best.scores is not None and best.solution.has_length:
        t, c, counts = sample.task_codes, sample.class_codes, best.scaled.counts
        balance = sample.weights * counts.sum() / np.maximum(counts[t, c] * counts.size, 1e-300)
        without_priors = best.scores - log_priors[t]
        factor = temperature(without_priors, c, balance, best.scaled.present[t])
        base = np.concatenate([log_priors, log_priors.mean(axis=0)[None]])
        offset = np.where(absent, rules.offset, base + factor * (rules.offset - base))
        rules = LinearRules(rules.coef * factor, offset)
    turned = rules.coef if covariance is None else covariance.turned_back(rules.coef, best.share)
    scale = np.repeat(best.scaled.scale, len(absent) - 1 if len(best.scaled.scale) == 1 else 1, 0)
    scale = np.concatenate([scale, pooled.scale])
    coef, intercept = in_input_units(rules, turned, centres, scale)
    error = np.minimum(best.forecast.error + optimism, 1.0)
    return FittedRules(
        coef,
        intercept,
        absent,
        scale,
        best.solution.weights,
        best.share,
        error,
        best.forecast.interval,
        _error_alone(best, options),
    )
