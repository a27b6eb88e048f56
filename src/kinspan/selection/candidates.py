"""Steps 3 to 6 for one metric: rules of all tasks, judged by rows that they have not seen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Floats
from kinspan.metric import ScaledMoments
from kinspan.risk import (
    Calibration,
    Forecast,
    LeftOut,
    Residuals,
    calibration,
    forecast_of_scores,
    leave_one_out_scores,
    spread_of_scores,
    with_spread,
)
from kinspan.selection.prepared import Prepared
from kinspan.selection.solutions import Problem, Solution, isotropic_error, rule_parts, solve

_KEPT_NUMBERS = 1 << 23  # in the class means of a metric that is kept while others are judged


class Options(NamedTuple):
    """Parameters of the estimator, checked."""

    labels: str
    scale: str | None
    multi_class: str
    metric: float | str
    share_classes: bool
    priors: Floats  # (tasks, classes)
    log_priors: Floats  # (tasks, classes): of prior times cost


class Judged(NamedTuple):
    """Rules in one metric, judged by left-out rows."""

    problem: Problem
    rows: Residuals | None  # the sampled rows in that metric
    solution: Solution
    forecast: Forecast
    calibration: Calibration
    losses: Floats  # (rows,): log loss of the sampled rows, each left out


class Candidate(NamedTuple):
    """One choice of labels and metric for all tasks."""

    share: float  # of the covariance in the metric
    options: Options  # with the labels that it was solved with
    losses: Floats  # (rows,): log loss of the sampled rows, each left out
    wrong: Floats  # (rows,): one where such a row was misclassified, NaN if none could be left out
    judged: Judged | None  # None where the rules are too large to be kept while others are judged


def candidates(
    prepared: Prepared, shares: Iterable[float], options: Options, known: Sequence[Candidate] = ()
) -> list[Candidate]:
    """One for every share; metrics of candidates that are known are not built again."""
    problems = {
        (c.share, c.judged.problem.multi_class): c.judged.problem
        for c in known
        if c.judged is not None
    }
    return [
        _candidate(prepared, share, options, problems.get((share, options.multi_class)))
        for share in shares
    ]


def _candidate(
    prepared: Prepared, share: float, options: Options, problem: Problem | None
) -> Candidate:
    judged = _judged_in(prepared, share, options, problem)
    keeps = judged.problem.scaled.means.size <= _KEPT_NUMBERS
    wrong = judged.forecast.wrong
    return Candidate(share, options, judged.losses, wrong, judged if keeps else None)


def _judged_in(
    prepared: Prepared, share: float, options: Options, problem: Problem | None = None
) -> Judged:
    if problem is None:
        problem = Problem(prepared.in_metric(share), options.multi_class)
    solution = solve(problem, options.labels, options.log_priors)
    return judge(solution, problem, prepared.rows(share), options)


def in_full(prepared: Prepared, candidate: Candidate) -> Judged:
    """The rules of a candidate, which are found again if they were not kept."""
    if candidate.judged is not None:
        return candidate.judged
    return _judged_in(prepared, candidate.share, candidate.options)


def judge(solution: Solution, problem: Problem, rows: Residuals | None, options: Options) -> Judged:
    """Score left-out rows by rules without them; without rows, use the formula of the paper."""
    if rows is None:
        formula = _isotropic(solution, problem, options.priors)
        return Judged(problem, None, solution, formula, Calibration(1.0, 0.0), np.empty(0))
    left_out = leave_one_out_scores(rule_parts(solution, problem), rows)
    left_out = _of_whole_tasks(left_out, problem.scaled, rows)
    log_priors = options.log_priors[rows.tasks] * problem.is_discriminant
    scores, present = left_out.scores - log_priors, problem.scaled.present
    weights = _balanced(left_out, rows, present.shape)
    calibrated, losses = calibration(scores, rows.classes, weights, present[rows.tasks])
    if not problem.is_discriminant:  # scores in standard deviations stay what they are
        calibrated = calibrated._replace(factor=1.0)
    left_out = left_out._replace(scores=calibrated.factor * scores + log_priors)
    priors = np.where(present, options.priors, 0.0)
    forecast = forecast_of_scores(left_out, rows.tasks, rows.classes, rows.weights, priors)
    forecast = _with_formula(forecast, solution, problem, options.priors)
    return Judged(problem, rows, solution, forecast, calibrated, losses)


def _balanced(left_out: LeftOut, rows: Residuals, shape: tuple[int, ...]) -> Floats:
    """Weights with which every class of every task counts as much for the calibration."""
    cells = rows.tasks * shape[1] + rows.classes
    usable = rows.weights * ~np.isnan(left_out.scores[:, 0])
    balanced = rows.weights / np.maximum(np.bincount(cells, usable)[cells], 1e-300)
    total = max(float((balanced * (usable > 0)).sum()), 1e-300)
    return np.asarray(balanced * usable.sum() / total)


def _with_formula(
    forecast: Forecast, solution: Solution, problem: Problem, priors: Floats
) -> Forecast:
    """The formula of the paper for tasks of which too few rows could be left out.

    Scores spread more than the formula says by as much as they do in the other tasks.
    """
    unknown = np.isnan(forecast.error)
    if not unknown.any():
        return forecast
    formula = _isotropic(solution, problem, priors)
    m = problem.scaled.present.sum(axis=1)
    n_rows = int(np.isfinite(forecast.wrong).sum())
    spread = spread_of_scores(
        formula.error[~unknown], forecast.error[~unknown], m[~unknown], n_rows
    )
    return Forecast(
        np.where(unknown, with_spread(formula.error, spread, m), forecast.error),
        np.where(unknown[:, None], formula.interval, forecast.interval),
        forecast.wrong,
    )


def _of_whole_tasks(left_out: LeftOut, scaled: ScaledMoments, rows: Residuals) -> LeftOut:
    """Only rows of tasks of which each class has some: one class alone favours itself."""
    seen = np.zeros(scaled.counts.shape, dtype=bool)
    usable = ~np.isnan(left_out.scores[:, 0])
    seen[rows.tasks[usable], rows.classes[usable]] = True
    whole = np.all(seen | ~scaled.present, axis=1)
    kept = np.asarray(whole)[rows.tasks, None]
    return left_out._replace(scores=np.where(kept, left_out.scores, np.nan))


def _isotropic(solution: Solution, problem: Problem, priors: Floats) -> Forecast:
    """The formula of the paper; of its own error nothing is known."""
    error = isotropic_error(solution, problem, priors)
    chance = 1.0 - 1.0 / np.maximum(problem.scaled.present.sum(axis=1), 1)
    interval = np.stack([np.zeros_like(error), np.maximum(error, chance)], axis=1)
    return Forecast(error, np.where(np.isnan(error)[:, None], np.nan, interval), np.empty(0))
