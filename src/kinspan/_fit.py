"""Steps 2 to 6 in a row: moments and sampled rows → what the estimator keeps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinspan._cell_sums import Codes, Floats
from kinspan._rules import (
    Solution,
    agreed,
    fill_absent,
    isotropic_error,
    rule_parts,
    send_alone,
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
from kinspan.risk import Forecast, Residuals, forecast_of_scores, leave_one_out_scores
from kinspan.row_sample import RowSample
from kinspan.scores import Calibration, LinearRules, calibration, in_input_units

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
    multi_class: str  # what the weights are for
    metric: float  # the share of the covariance
    forecast_error: Floats  # (tasks,)
    forecast_interval: Floats  # (tasks, 2)
    single_task_error: Floats  # (tasks,)


class Judged(NamedTuple):
    """Rules, and what to expect of them."""

    solution: Solution
    forecast: Forecast
    calibration: Calibration
    losses: Floats  # (rows,): logarithmic loss of the sampled rows, each left out


class Candidate(NamedTuple):
    """The rules of one metric."""

    share: float
    scaled: ScaledMoments
    residuals: Residuals | None  # sampled rows, where there are any
    together: Judged
    alone: Solution


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
    best = _best(candidates)
    if len(moments.classes) > 2 and options.multi_class == "shared" and sample is not None:
        options_each = options._replace(multi_class="each")
        each = _candidate(scaled, covariance, sample, best.share, options_each)
        best = each if _is_clearly_better(each, best, sample) else best
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
    residuals = None
    if covariance is not None and sample is not None:
        scaled = in_metric(scaled, covariance, share)
        residuals = Residuals(
            covariance.residuals,
            covariance.squares,
            covariance.stretch(share)[: covariance.residuals.shape[1]],
            sample.task_codes,
            sample.class_codes,
            sample.weights,
            share / (covariance.mean_value * covariance.n_rows),
        )
    solution, alone = solve(scaled, options.labels, options.multi_class, options.log_priors)
    return Candidate(share, scaled, residuals, _judge(solution, scaled, residuals, options), alone)


def _judge(
    solution: Solution, scaled: ScaledMoments, residuals: Residuals | None, options: Options
) -> Judged:
    """What sampled rows say of rules that have not seen them; without rows, the paper's formula."""
    isotropic = _isotropic(solution, scaled, options.priors)
    if residuals is None:
        return Judged(solution, isotropic, Calibration(1.0, 0.0), np.empty(0))
    left_out = leave_one_out_scores(rule_parts(solution, scaled), residuals)
    t, c, weights = residuals.tasks, residuals.classes, residuals.weights
    priors = np.where(scaled.present, options.priors, 0.0)
    found = forecast_of_scores(left_out, t, c, weights, priors)
    unknown = np.isnan(found.error)
    forecast = Forecast(
        np.where(unknown, isotropic.error, found.error),
        np.where(unknown[:, None], isotropic.interval, found.interval),
        found.wrong,
    )
    # Every class of every task counts as much for the calibration, whatever its rows.
    balanced = weights * scaled.counts.sum() / (scaled.counts[t, c] * scaled.counts.size)
    scores = left_out.scores - options.log_priors[t] * solution.has_length
    calibrated, losses = calibration(scores, c, balanced, scaled.present[t])
    factor = calibrated.factor if solution.has_length else 1.0
    return Judged(solution, forecast, calibrated._replace(factor=factor), losses)


def _guarded(best: Candidate, options: Options) -> tuple[Judged, Judged]:
    """Rules in which targets go alone if the rows, left out, prefer that; and those of all alone.

    All go alone if all rows together have no smaller loss together; a single one, if the losses of
    its own rows differ by two standard errors.
    """
    alone = _judge(best.alone, best.scaled, best.residuals, options)
    together = best.together
    if best.residuals is None or options.labels != "spectral":
        return together, alone
    if together.calibration.loss >= alone.calibration.loss:
        return alone, alone
    differences = together.losses - alone.losses
    t, n_tasks = best.residuals.tasks, len(best.scaled.counts)
    prefers = _standard_errors(differences, t, best.residuals.weights, n_tasks) > 2.0
    if not prefers.any():
        return together, alone
    both = together.solution, alone.solution
    mixed = send_alone(best.scaled, options.log_priors, both, prefers)
    return _judge(mixed, best.scaled, best.residuals, options), alone


def _is_clearly_better(each: Candidate, shared: Candidate, sample: RowSample) -> bool:
    """A relatedness a class has many more weights: rows must speak for it by four errors."""
    differences = shared.together.losses - each.together.losses
    everyone = np.zeros(len(differences), dtype=np.intp)
    return bool(_standard_errors(differences, everyone, sample.weights, 1)[0] > 4.0)


def _standard_errors(values: Floats, groups: Codes, weights: Floats, n_groups: int) -> Floats:
    """(groups,): the mean of every group in units of its standard error, zero where unknown."""
    usable = np.isfinite(values)
    g, w, d = groups[usable], weights[usable], values[usable]
    n = np.maximum(np.bincount(g, w, minlength=n_groups), 1e-300)
    mean = np.bincount(g, w * d, minlength=n_groups) / n
    variance = np.bincount(g, w * (d - mean[g]) ** 2, minlength=n_groups) / np.maximum(n - 1, 1.0)
    error = np.sqrt(variance / n)
    return np.asarray(np.divide(mean, error, out=np.zeros(n_groups), where=error > 0))


def _isotropic(solution: Solution, scaled: ScaledMoments, priors: Floats) -> Forecast:
    """The formula of the paper; nothing is known of its error but that it is one."""
    error = isotropic_error(solution, scaled, priors)
    chance = 1.0 - 1.0 / np.maximum(scaled.present.sum(axis=1), 1)
    interval = np.stack([np.zeros_like(error), np.maximum(error, chance)], axis=1)
    return Forecast(error, np.where(np.isnan(error)[:, None], np.nan, interval), np.empty(0))


def _best(candidates: list[Candidate]) -> Candidate:
    """The metric with the smallest loss of rows left out; the plainer one of two equals.

    The logarithmic loss tells metrics apart with fewer rows than a count of errors.
    """
    return min(candidates, key=lambda c: (round(c.together.calibration.loss, 12), c.share))


def _optimism(candidates: list[Candidate], best: Candidate, sample: RowSample | None) -> float:
    """How much smaller the forecast is for the metric having been chosen by the same rows.

    Half of the rows chooses for the other half; the halves are those of the hash.
    """
    if len(candidates) == 1 or sample is None:
        return 0.0
    half, wrong = sample.keys[:, 1] % 2 == 0, best.together.forecast.wrong
    usable = ~np.isnan(wrong)
    losses = np.array([np.where(usable, c.together.losses, 0.0) for c in candidates])
    crossed = 0.0
    for judge in (half, ~half):
        chosen = candidates[int((losses[:, judge] @ sample.weights[judge]).argmin())]
        judged = usable & ~judge
        crossed += float(chosen.together.forecast.wrong[judged] @ sample.weights[judged])
    total = max(float(sample.weights[usable].sum()), 1.0)
    return max(crossed - float(wrong[usable] @ sample.weights[usable]), 0.0) / total


def _kept(
    best: Candidate,
    pooled: ScaledMoments,
    covariance: Covariance | None,
    sample: RowSample | None,
    options: Options,
    optimism: float,
) -> FittedRules:
    judged, alone = _guarded(best, options)
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
    coef, intercept = in_input_units(rules, turned, centres, scale)
    error = np.minimum(judged.forecast.error + optimism, 1.0)
    return FittedRules(
        coef,
        intercept,
        absent,
        scale,
        judged.solution.weights,
        judged.solution.multi_class,
        best.share,
        error,
        judged.forecast.interval,
        alone.forecast.error,
    )
