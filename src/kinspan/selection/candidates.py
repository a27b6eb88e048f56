"""Steps 3 to 6 for one metric: the rules of all tasks, judged by rows that they have not seen."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Floats
from kinspan.metric import Covariance, ScaledMoments, in_metric
from kinspan.risk import (
    Forecast,
    LeftOut,
    Residuals,
    forecast_of_scores,
    leave_one_out_scores,
    spread_of_scores,
    with_spread,
)
from kinspan.row_sample import RowSample
from kinspan.scores import Calibration, calibration
from kinspan.selection.rules import Solution, isotropic_error, rule_parts, solve

_KEPT_NUMBERS = 1 << 23  # in the class means of a candidate that is kept while others are judged


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


class Verdict(NamedTuple):
    """What rows say of a candidate."""

    share: float
    options: Options  # how it was found
    residuals: Residuals | None
    losses: Floats  # (rows,)
    wrong: Floats  # (rows,)
    candidate: Candidate | None  # itself, where there is room for all

    @classmethod
    def of(cls, found: Candidate, options: Options) -> Verdict:
        """The verdict on a candidate; one with the rules of many cells is better found again."""
        together = found.together
        keeps = found.scaled.means.size <= _KEPT_NUMBERS
        wrong = together.forecast.wrong
        return cls(
            found.share, options, found.residuals, together.losses, wrong, found if keeps else None
        )


def candidate(
    scaled: ScaledMoments,
    covariance: Covariance | None,
    sample: RowSample | None,
    share: float,
    options: Options,
) -> Candidate:
    """The rules of one metric, judged."""
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
    return Candidate(share, scaled, residuals, judge(solution, scaled, residuals, options), alone)


def judge(
    solution: Solution, scaled: ScaledMoments, residuals: Residuals | None, options: Options
) -> Judged:
    """What sampled rows say of rules that have not seen them; without rows, the paper's formula."""
    isotropic = _isotropic(solution, scaled, options.priors)
    if residuals is None:
        return Judged(solution, isotropic, Calibration(1.0, 0.0), np.empty(0))
    parts = rule_parts(solution, scaled)
    left_out = _of_whole_tasks(leave_one_out_scores(parts, residuals), scaled, residuals)
    t, c, weights = residuals.tasks, residuals.classes, residuals.weights
    log_priors = options.log_priors[t] * solution.has_length
    # Every class of every task counts as much for the calibration, whatever its rows.
    cells = t * scaled.counts.shape[1] + c
    usable = weights * ~np.isnan(left_out.scores[:, 0])
    balanced = weights / np.maximum(np.bincount(cells, usable)[cells], 1e-300)
    balanced = balanced * usable.sum() / max(float((balanced * (usable > 0)).sum()), 1e-300)
    scores = left_out.scores - log_priors
    calibrated, losses = calibration(scores, c, balanced, scaled.present[t])
    factor = calibrated.factor if solution.has_length else 1.0
    left_out = left_out._replace(scores=factor * scores + log_priors)
    priors = np.where(scaled.present, options.priors, 0.0)
    found = forecast_of_scores(left_out, t, c, weights, priors)
    unknown = np.isnan(found.error)
    formula = isotropic.error
    if unknown.any():
        m = scaled.present.sum(axis=1)
        n_rows = int(np.isfinite(found.wrong).sum())
        spread = spread_of_scores(formula[~unknown], found.error[~unknown], m[~unknown], n_rows)
        formula = with_spread(formula, spread, m)
    forecast = Forecast(
        np.where(unknown, formula, found.error),
        np.where(unknown[:, None], isotropic.interval, found.interval),
        found.wrong,
    )
    return Judged(solution, forecast, calibrated._replace(factor=factor), losses)


def _of_whole_tasks(left_out: LeftOut, scaled: ScaledMoments, residuals: Residuals) -> LeftOut:
    """Only rows of tasks of which each class has some: one class alone favours itself."""
    seen = np.zeros(scaled.counts.shape, dtype=bool)
    usable = ~np.isnan(left_out.scores[:, 0])
    seen[residuals.tasks[usable], residuals.classes[usable]] = True
    whole = np.all(seen | ~scaled.present, axis=1)
    kept = np.asarray(whole)[residuals.tasks, None]
    return left_out._replace(scores=np.where(kept, left_out.scores, np.nan))


def _isotropic(solution: Solution, scaled: ScaledMoments, priors: Floats) -> Forecast:
    """The formula of the paper; nothing is known of its error but that it is one."""
    error = isotropic_error(solution, scaled, priors)
    chance = 1.0 - 1.0 / np.maximum(scaled.present.sum(axis=1), 1)
    interval = np.stack([np.zeros_like(error), np.maximum(error, chance)], axis=1)
    return Forecast(error, np.where(np.isnan(error)[:, None], np.nan, interval), np.empty(0))
