"""Steps 2 to 6 in a row: moments and sampled rows → what the estimator keeps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinspan._candidates import Candidate, Judged, Options, candidate, judge
from kinspan._cell_sums import Codes, Floats
from kinspan._rules import agreed, fill_absent, send_alone, shared_rule
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
from kinspan.row_sample import RowSample
from kinspan.scores import LinearRules, in_input_units

SHARES = (0.0, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.95)


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


def fit(moments: ClassMoments, sample: RowSample | None, options: Options) -> FittedRules:
    """All tasks at once."""
    scaled = scaled_moments(moments, options.scale)
    pooled = scaled if options.scale != "task" else scaled_moments(moments, "pooled")
    if sample is not None:
        sample = sample.aligned(moments.tasks, moments.classes, moments.n_features)
        sample = sample.limited(_rows_per_cell(sample))
    covariance = None if sample is None else _covariance(scaled, pooled, sample)
    shares: tuple[float, ...] = (0.0,)
    if covariance is None:
        sample = None
    else:
        scaled, pooled = in_basis(scaled, covariance), in_basis(pooled, covariance)
        shares = SHARES if options.metric == "auto" else (float(options.metric),)
    candidates = [candidate(scaled, covariance, sample, share, options) for share in shares]
    best = _best(candidates)
    optimism = _optimism(candidates, best, sample)
    if len(moments.classes) > 2 and options.multi_class == "shared" and sample is not None:
        options_each = options._replace(multi_class="each")
        each = candidate(scaled, covariance, sample, best.share, options_each)
        best = each if _is_clearly_better(each, best, sample) else best
    return _kept(best, pooled, covariance, options, optimism)


def _rows_per_cell(sample: RowSample) -> int:
    """With many cells fewer rows of each will do, if all are several times the features."""
    n_cells, p = max(len(np.unique(sample.cells)), 1), int(sample.rows.shape[1])
    return max(25, max(2048, 4 * p) // n_cells)


def _covariance(
    scaled: ScaledMoments, pooled: ScaledMoments, sample: RowSample
) -> Covariance | None:
    """Covariance of the sampled rows; None where no cell has two different ones."""
    scale = np.broadcast_to(scaled.scale, scaled.means[:, 0].shape)
    residuals = sample.rows / scale[sample.task_codes]
    residuals -= scaled.means[sample.task_codes, sample.class_codes]
    means = scaled.means if pooled is scaled else np.concatenate([scaled.means, pooled.means])
    if (residuals**2).sum() <= 1e-24 * (means**2).sum():
        return None  # what is left of equal rows is rounding
    share = sample.weights / scaled.counts[sample.task_codes, sample.class_codes]
    freedom = max(float((sample.weights * (1.0 - share)).sum()), 1.0)
    return covariance_of_rows(residuals, sample.weights, freedom, means)


def _guarded(best: Candidate, options: Options) -> tuple[Judged, Judged]:
    """Rules in which targets go alone if the rows, left out, prefer that; and those of all alone.

    All go alone unless the losses of all rows are smaller together by a standard error; a single
    one, if the losses of its own rows are larger by two. Where most tasks have too few labels to
    leave any out, nobody is asked.
    """
    alone = judge(best.alone, best.scaled, best.residuals, options)
    together = best.together
    if best.residuals is None or options.labels != "spectral":
        return together, alone
    differences, weights = together.losses - alone.losses, best.residuals.weights
    t, n_tasks = best.residuals.tasks, len(best.scaled.counts)
    if 2 * len(np.unique(t[np.isfinite(differences)])) < n_tasks:
        return together, alone
    everyone = np.zeros(len(weights), dtype=np.intp)
    if _standard_errors(differences, everyone, weights, 1)[0] > -1.0:
        return alone, alone
    prefers = _standard_errors(differences, t, weights, n_tasks) > 2.0
    if not prefers.any():
        return together, alone
    both = together.solution, alone.solution
    mixed = send_alone(best.scaled, options.log_priors, both, prefers)
    return judge(mixed, best.scaled, best.residuals, options), alone


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
    half, wrong = sample.keys % 2 == 0, best.together.forecast.wrong
    usable = ~np.isnan(wrong)
    losses = np.array([np.where(usable, c.together.losses, 0.0) for c in candidates])
    crossed = 0.0
    for choosing in (half, ~half):
        chosen = candidates[int((losses[:, choosing] @ sample.weights[choosing]).argmin())]
        judged = usable & ~choosing
        crossed += float(chosen.together.forecast.wrong[judged] @ sample.weights[judged])
    total = max(float(sample.weights[usable].sum()), 1.0)
    return max(crossed - float(wrong[usable] @ sample.weights[usable]), 0.0) / total


def _kept(
    best: Candidate,
    pooled: ScaledMoments,
    covariance: Covariance | None,
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
    return FittedRules(
        coef,
        intercept,
        absent,
        scale,
        judged.solution.weights,
        judged.solution.multi_class,
        best.share,
        *(
            np.minimum(figures + optimism, 1.0)
            for figures in (judged.forecast.error, judged.forecast.interval, alone.forecast.error)
        ),
    )
