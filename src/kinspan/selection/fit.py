"""Steps 2 to 6 in a row: moments and sampled rows → what the estimator keeps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinspan._rows.types import Codes, Floats
from kinspan.class_moments import ClassMoments
from kinspan.labels import TaskWeights
from kinspan.risk import Energies, Learning, learning_curves, spread_of_scores
from kinspan.row_sample import RowSample
from kinspan.scores import LinearRules, in_input_units
from kinspan.selection.candidates import Candidate, Judged, Options, Verdict, candidate
from kinspan.selection.evidence import (
    better_as_one,
    guarded,
    is_clearly_better,
    metrics_of_tasks,
    optimism,
)
from kinspan.selection.new_tasks import forecast_of_newcomers, known_classes, newcomers, places
from kinspan.selection.prepared import Given, given
from kinspan.selection.rules import agreed, energies, fill_absent, isotropic_error, shared_rule


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
    learning: Learning  # what more labels would buy


def fit(
    moments: ClassMoments,
    sample: RowSample | None,
    options: Options,
    unlabelled: ClassMoments | None = None,
) -> FittedRules:
    """All tasks at once; moments of rows without labels, of one class, place new tasks."""
    return _fit_by(given(moments, sample, options, unlabelled), options)


def _fit_by(given: Given, options: Options) -> FittedRules:
    """Rules of all tasks in the metrics that suit them."""
    counts, sample = given.scaled.counts, given.sample
    verdicts = _verdicts(given, given.shares, options)
    metrics = metrics_of_tasks(verdicts, counts.shape)
    if options.labels == "spectral" and sample is not None and len(counts) > 1:
        pooled = _verdicts(given, given.shares[:5:2], options._replace(labels="naive"))
        as_one = better_as_one(pooled, verdicts, counts.shape)
        if as_one.any():
            verdicts += pooled
            metrics = np.where(as_one, metrics_of_tasks(verdicts, counts.shape), metrics)
    doubt = optimism(verdicts, metrics, sample)
    if counts.shape[1] > 2 and options.multi_class == "shared" and sample is not None:
        most = verdicts[np.bincount(metrics).argmax()]
        each = _verdicts(given, (most.share,), options._replace(multi_class="each"))
        if is_clearly_better(each[0], most, sample):
            verdicts, metrics = each, np.zeros_like(metrics)
    chosen, of_task = np.unique(metrics, return_inverse=True)
    used = [_found_again(given, verdicts[i]) for i in chosen]
    pairs = guarded(used, of_task, options)
    if pairs is None:  # all should go alone, in the metrics that suit them then
        return _fit_by(given, options._replace(labels="single"))
    return _kept(used, of_task, pairs, given, options, doubt)


def _verdicts(given: Given, shares: Iterable[float], options: Options) -> list[Verdict]:
    """What rows say of the rules of some metrics."""
    return [Verdict.of(_candidate(given, share, options), options) for share in shares]


def _candidate(given: Given, share: float, options: Options) -> Candidate:
    return candidate(given.scaled, given.covariance, given.sample, share, options)


def _found_again(given: Given, verdict: Verdict) -> Candidate:
    """The candidate of a verdict."""
    if verdict.candidate is not None:
        return verdict.candidate
    return _candidate(given, verdict.share, verdict.options)


def _kept(
    used: list[Candidate],
    of_task: Codes,
    pairs: list[tuple[Judged, Judged]],
    given: Given,
    options: Options,
    doubt: float,
) -> FittedRules:
    """Every task with the rules of its metric; the shared rule has the metric of most."""
    most = np.append(of_task, np.bincount(of_task).argmax())
    chosen = list(zip(used, pairs, strict=True))
    rules = _picked_each((_rules_of(c, pair[0], given, options) for c, pair in chosen), most)
    expected = _picked_each((_expected(c, *pair, given, options) for c, pair in chosen), of_task)
    known = _picked_each((energies(pair[0].solution, c.scaled) for c, pair in chosen), of_task)
    counts, is_new = given.scaled.counts, newcomers(given.scaled.counts)
    doubts = np.where(is_new, 0.0, doubt)
    error, interval, alone = (np.minimum((e.T + doubts).T, 1.0) for e in expected)
    reached = _of_newcomers(Energies(*known), is_new)
    n_classes = np.where(is_new, counts.shape[1], (counts > 0).sum(axis=1))
    return FittedRules(
        *(rules[0], rules[1], rules[2], rules[3]),
        error,
        interval,
        alone,
        np.array([c.share for c in used])[of_task],
        pairs[0][0].solution.multi_class,
        [judged.solution.weights for judged, _ in pairs],
        of_task,
        learning_curves(reached, counts, error, interval, n_classes),
    )


def _expected(
    used: Candidate, judged: Judged, alone: Judged, given: Given, options: Options
) -> tuple[Floats, Floats, Floats]:
    """Errors to expect, their intervals and errors alone; a new task alone can only guess."""
    error, interval, single = judged.forecast.error, judged.forecast.interval, alone.forecast.error
    is_new = newcomers(given.pooled.counts)
    if not is_new.any():
        return error, interval, single
    pooled, free = given.in_metric(used.share)
    where = places(pooled, agreed(pooled), options.priors, free)
    isotropic = isotropic_error(judged.solution, used.scaled, options.priors)
    n_rows = 0 if used.residuals is None else len(used.residuals.tasks)
    inflation = spread_of_scores(
        isotropic[~is_new], error[~is_new], pooled.present[~is_new].sum(axis=1), n_rows
    )
    new_error, new_interval = forecast_of_newcomers(
        pooled, options.log_priors, options.priors, where, inflation
    )
    return (
        np.where(is_new, new_error, error),
        np.where(is_new[:, None], new_interval, interval),
        np.where(is_new, 1.0 - options.priors.max(axis=1), single),
    )


def _of_newcomers(found: Energies, is_new: NDArray[np.bool_]) -> Energies:
    """What a new task knows is what its forecast says; its rows will be as noisy as others are."""
    if not is_new.any():
        return found
    spread = found.spread[~is_new]
    usual = spread.sum(axis=0) / np.maximum((spread > 0).sum(axis=0), 1)
    return Energies(
        found.total,
        np.where(is_new, np.nan, found.known),
        np.where(is_new[:, None], usual, found.spread),
    )


def _picked_each(sets: Iterable[tuple[NDArray[Any], ...]], which: Codes) -> list[NDArray[Any]]:
    """Arrays of several sets, every row from the set that it is in."""
    return [_picked(parts, which) for parts in zip(*sets, strict=True)]


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
    given: Given,
    options: Options,
) -> tuple[Floats, Floats, NDArray[np.bool_], Floats]:
    """Coefficients, intercepts, absent classes and scales of all tasks and of the shared rule."""
    pooled, free = given.in_metric(best.share)
    agreement, is_new = agreed(pooled), newcomers(pooled.counts)
    log_priors, share_classes = options.log_priors, options.share_classes
    filled, absent = fill_absent(
        judged.solution.rules, best.scaled, agreement.contrasts, log_priors, share_classes
    )
    shared = shared_rule(agreement, pooled, log_priors)
    coef = np.where(is_new[:, None, None], shared.coef, filled.coef)
    moved = shared.offset - log_priors.mean(axis=0) + log_priors
    offset = np.where(is_new[:, None], moved, filled.offset)
    rules = LinearRules(np.append(coef, shared.coef, 0), np.append(offset, shared.offset, 0))
    absent = np.where(is_new[:, None], ~known_classes(pooled.counts), absent)
    centres = best.scaled.centres
    if is_new.any():
        own = places(pooled, agreement, options.priors, free).centres
        centres = np.where(is_new[:, None], own, centres)
    centres = np.concatenate([centres, agreement.centre])
    absent = np.concatenate([absent, np.zeros_like(absent[:1])])
    base = np.concatenate([log_priors, log_priors.mean(axis=0)[None]])
    factor = judged.calibration.factor
    offset = np.where(absent, rules.offset, base + factor * (rules.offset - base))
    rules = LinearRules(rules.coef * factor, offset)
    turned = rules.coef
    if given.covariance is not None:
        turned = given.covariance.turned_back(rules.coef, best.share)
    scale = np.where(is_new[:, None], pooled.scale, best.scaled.scale)
    scale = np.concatenate([scale, pooled.scale])
    coef, intercept = in_input_units(rules, turned, centres, scale)
    return coef, intercept - coef @ given.origin, absent, scale
