"""The combined rules → what the estimator keeps: rules, forecasts and learning curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Codes, Floats, Mask
from kinspan.labels import TaskWeights
from kinspan.labels.shrinkage import pooled_energies
from kinspan.risk import (
    Energies,
    Forecast,
    Learning,
    LeftOutErrors,
    LeftOutRows,
    Saved,
    learning_curves,
    saved,
    score_distributions,
    spread_of_scores,
    thresholds,
    with_doubt,
)
from kinspan.risk.usual_task import UsualTask
from kinspan.selection.candidates import Candidate, Options, of_classes
from kinspan.selection.combination import Combination
from kinspan.selection.evidence import Evidence
from kinspan.selection.input_units import Shared, rules_in_input_units
from kinspan.selection.new_tasks import forecast_of_newcomers, newcomers
from kinspan.selection.prepared import Prepared
from kinspan.selection.solutions import Problem, Solution, isotropic_error, squares


class Reached(NamedTuple):
    """What learning curves follow from."""

    energies: Energies  # how far apart classes are, and how much of that is known
    counts: Floats  # (tasks, classes): labels that there are
    n_classes: Floats  # (tasks,): classes that a row can belong to
    chance: Floats  # (tasks,): the error of a guess


class UnlabelledUse(NamedTuple):
    """What rows without labels were worth to every task."""

    weight: Floats  # (tasks,): of the rule that has learnt from them, 0 to 1
    rows: Floats  # (tasks,): different rows without labels
    support: Floats  # (tasks,): log likelihood per row that they gain by groups, tasks compared
    left_out: Floats  # (tasks,): labelled rows that both rules were compared on
    better: Floats  # (tasks,): how much less log loss they have per row


@dataclass(frozen=True, eq=False)
class FittedRules:
    """What the estimator keeps. The last rule is the shared one, for tasks that are not fitted."""

    coef: Floats  # (tasks + 1, 1 or classes, features), in the units of the input
    intercept: Floats  # (tasks + 1, 1 or classes)
    absent: Mask  # (tasks + 1, classes): classes that are never answered
    scale: Floats  # (tasks + 1, features)
    forecast_error: Floats  # (tasks,)
    forecast_interval: Floats  # (tasks, 2)
    saved: Saved  # what every task would lose by going alone
    metric: Floats  # (tasks,): the share of the covariance
    multi_class: str  # the contrasts that the weights are for
    task_weights: list[list[TaskWeights]]  # for every metric that some task has
    weights_of_task: Codes  # (tasks,): which of these
    curves: Learning | Reached  # learning curves, or what they follow from
    left_out: LeftOutErrors  # what the forecasts follow from; no rows where nothing was left out
    unlabelled: UnlabelledUse | None = None  # where rows without labels could be used
    left_out_rows: LeftOutRows | None = None  # the rows themselves; None after reading a file
    threshold: Floats | None = None  # (tasks + 1,): the score to exceed; None is zero

    @property
    def deciding_intercept(self) -> Floats:
        """(tasks + 1, 1 or classes): scores above zero are then above the threshold."""
        return (
            self.intercept if self.threshold is None else self.intercept - self.threshold[:, None]
        )

    @property
    def single_task_error(self) -> Floats:
        """(tasks,): the forecast, and what the other tasks save."""
        return np.clip(self.forecast_error + self.saved.total, 0.0, 1.0)

    @property
    def learning(self) -> Learning:
        """The error that more labels would bring, computed when somebody asks."""
        curves = self.curves
        if isinstance(curves, Reached):
            energies, counts, *classes = curves
            error, interval = self.forecast_error, self.forecast_interval
            curves = learning_curves(energies, counts, error, interval, *classes)
            object.__setattr__(self, "curves", curves)  # the same knowledge in another form
        return curves


def outcome(combination: Combination, prepared: Prepared, options: Options) -> FittedRules:
    """Every task with its combined rule, forecasts and what learning curves follow from."""
    counts = prepared.scaled.counts
    is_new = newcomers(counts)
    rules, absent = rules_in_input_units(combination, prepared, options)
    problem, solution = combination.reference.solution()
    energies = _energies(solution, problem)
    expected = _expected(combination, options, energies, counts)
    n_classes = np.where(is_new, counts.shape[1], (counts > 0).sum(axis=1))
    reached = _of_newcomers(energies, is_new)
    scale = np.where(is_new[:, None], prepared.pooled.scale, prepared.scaled.scale)
    return FittedRules(
        *(*rules.of_two(), absent, np.concatenate([scale, prepared.pooled.scale[:1]])),
        *(expected.error, expected.interval, expected.saved),
        combination.shares(),
        problem.multi_class,
        [combination.task_weights()],
        np.zeros(len(counts), dtype=np.intp),
        Reached(reached, counts, n_classes, _chance(options.priors, counts, is_new)),
        expected.left_out,
        left_out_rows=expected.rows,
        threshold=expected.threshold,
    )


def _chance(priors: Floats, counts: Floats, is_new: Mask) -> Floats:
    """(tasks,): the error of who always answers the most frequent class."""
    can_be = np.where((counts > 0) | is_new[:, None], priors, 0.0)
    return np.asarray(1.0 - can_be.max(axis=1) / np.maximum(can_be.sum(axis=1), 1e-300))


class _Expected(NamedTuple):
    """Forecasts of all tasks."""

    error: Floats  # (tasks,)
    interval: Floats  # (tasks, 2)
    saved: Saved  # what the others save
    left_out: LeftOutErrors  # what left-out rows say of the rules with the others
    rows: LeftOutRows  # these rows
    threshold: Floats | None  # (tasks + 1,)


def _expected(
    combination: Combination, options: Options, energies: Energies, counts: Floats
) -> _Expected:
    """From left-out rows, and without any of them by the formula of the paper."""
    both = (
        (combination.scores, combination.sized, combination.reference),
        (combination.alone_scores, combination.alone_sized, combination.alone),
    )
    reached = (energies, energies.alone(counts))
    rows = [
        _with_noise(_left_out_rows(combination.evidence, *of, options), known, counts)
        for of, known in zip(both, reached, strict=True)
    ]
    above = [_thresholds(of, combination, options) for of in rows]
    found, alone = (
        _left_out(_relative(of, at), c, options)
        for of, at, (*_, c) in zip(rows, above, both, strict=True)
    )
    found = found.among(energies, counts, combination.ways())
    if found.rows.any():
        together, gain = found.forecast(), saved(found, alone)
    else:
        together, apart = (_formula(candidate, options) for *_, candidate in both)
        gain = Saved(apart.error - together.error, *np.zeros((2, len(counts))))
    expected = _Expected(*together, gain, found, rows[0], above[0])
    is_new = newcomers(combination.reference.solution()[0].scaled.counts)
    return _with_newcomers(expected, is_new, combination, options) if is_new.any() else expected


def _with_newcomers(
    expected: _Expected, is_new: Mask, combination: Combination, options: Options
) -> _Expected:
    """Known tasks pretend to be new; a new task alone can only guess."""
    shared = Shared.of(combination.reference.prepared, combination.reference.share, options.priors)
    assert shared.places is not None
    isotropic = _formula(combination.reference, options).error
    n_classes = shared.pooled.present[~is_new].sum(axis=1)
    n_rows = len(combination.scores)
    inflation = spread_of_scores(isotropic[~is_new], expected.error[~is_new], n_classes, n_rows)
    error, interval = forecast_of_newcomers(
        shared.pooled, options.log_priors, options.priors, shared.places, inflation
    )
    chance, total = 1.0 - options.priors.max(axis=1), expected.saved.total
    return expected._replace(
        error=np.where(is_new, error, expected.error),
        interval=np.where(is_new[:, None], interval, expected.interval),
        saved=expected.saved._replace(total=np.where(is_new, chance - error, total)),
    )


def _left_out_rows(
    evidence: Evidence | None,
    scores: Floats,
    sized: Floats,
    candidate: Candidate,
    options: Options,
) -> LeftOutRows:
    """Sampled rows with the scores of rules that have not seen them; none where there are none."""
    if evidence is None:
        nothing = np.empty(0, dtype=np.intp)
        no_scores = np.empty((0, options.priors.shape[1]))
        return LeftOutRows(
            *(no_scores, nothing, nothing, np.empty(0), options.log_priors, np.empty(0)),
            np.zeros(len(options.log_priors)),
        )
    log_priors = options.log_priors
    if candidate.multi_class == "one-vs-all":
        log_priors = np.zeros_like(log_priors)  # its scores are no log odds
    known = evidence.own > 0
    tasks, classes = evidence.tasks[known], evidence.classes[known]
    resized = (sized - scores)[known].sum(axis=1)  # of two classes; nothing of several
    scores = of_classes(scores)[known] + log_priors[tasks]
    sample = candidate.prepared.left_out
    rows = LeftOutRows(
        *(scores, tasks, classes, sample.weights[known], log_priors, resized),
        np.zeros(len(log_priors)),
    )
    return with_doubt(rows, sample.keys[known])


def _with_noise(rows: LeftOutRows, energies: Energies, counts: Floats) -> LeftOutRows:
    """With the share of rules that is noise of the labels of a task, as in a usual one."""
    if not len(rows.tasks):
        return rows
    n = np.bincount(rows.tasks, rows.weights, len(counts)).astype(np.float64)
    return rows._replace(noise_share=UsualTask.of(energies, counts, n).noise_share())


def _thresholds(rows: LeftOutRows, combination: Combination, options: Options) -> Floats | None:
    """(tasks + 1,): for what they are asked for; None if for nothing, or if nothing is known."""
    if options.goal is None or not len(rows.tasks):
        return None
    counts = combination.reference.solution()[0].scaled.counts
    return thresholds(score_distributions(rows, counts, options.shares), options.goal)


def _relative(rows: LeftOutRows, threshold: Floats | None) -> LeftOutRows:
    """With scores that are above zero where they are above the threshold."""
    if threshold is None:
        return rows
    moved = 0.5 * threshold[rows.tasks][:, None] * np.array([1.0, -1.0])
    return rows._replace(scores=rows.scores + moved)


def _left_out(rows: LeftOutRows, candidate: Candidate, options: Options) -> LeftOutErrors:
    """What left-out rows say of the errors of rules; nothing where there are none."""
    if not len(rows.tasks):
        return LeftOutErrors(*np.zeros((5, len(options.priors))))
    prepared = candidate.prepared
    priors = np.where(prepared.scaled.present, options.priors, 0.0)
    skipped = None if prepared.judged is None else prepared.judged.skipped
    return LeftOutErrors.of(rows, priors, skipped)


def _formula(candidate: Candidate, options: Options) -> Forecast:
    """The formula of the paper, up to that of a guess; of its own error nothing is known."""
    problem, solution = candidate.solution()
    if problem.is_discriminant:  # scores of candidates are without priors
        rules = solution.rules
        offset = rules.offset + options.log_priors / candidate.factor
        solution = solution._replace(rules=rules._replace(offset=offset))
    chance = 1.0 - 1.0 / np.maximum(problem.scaled.present.sum(axis=1), 1)
    error = np.minimum(isotropic_error(solution, problem, options.priors), chance)
    interval = np.stack([np.zeros_like(error), chance], axis=1)
    return Forecast(error, np.where(np.isnan(error)[:, None], np.nan, interval))


def _energies(solution: Solution, problem: Problem) -> Energies:
    """How far apart classes are, and how much of that the rules know.

    The square of a direction, times a common share that is signal, says more about a task of few
    labels than its own estimate of the signal.
    """
    scaled, contrasts, rules = problem.scaled, problem.class_means, problem.contrasts
    squared_weights = contrasts.of_variances(np.ones(scaled.counts.shape))  # each class in all
    n_contrasts = np.maximum(scaled.present.sum(axis=1) - 1.0, 0.0)
    several = np.where(n_contrasts > 0, n_contrasts, 1.0)
    power_of_means = squares(contrasts.values) / several
    noise = (squared_weights * scaled.cell_noise).sum(axis=1)
    least = np.where(power_of_means > 0, power_of_means, 1.0) * several
    noise = np.maximum(noise, 1e-12 * least)
    freedom = scaled.dimension * (n_contrasts > 0)
    variance = noise / several / scaled.dimension
    total = several * pooled_energies(power_of_means, freedom, variance, scaled.noise_doubt)
    signal = rules.per_target([w.signal for w in solution.weights]).sum(axis=1)
    share = rules.per_target([w.noise_share for w in solution.weights]).mean(axis=1)
    power = squares(rules.combine(solution.weights))
    lent = share < 0.999
    told = lent & (n_contrasts > 0)  # a task without labels tells nothing of what is known
    ratio = max(signal[told].sum(), 0.0) / max(power[told].sum(), 1e-300)
    alone = total**2 / np.where(total + noise > 0, total + noise, 1.0)
    known = np.where(lent, ratio**2 * power, alone)
    return Energies(total, known, squared_weights * scaled.cell_noise * scaled.counts)


def _of_newcomers(found: Energies, is_new: Mask) -> Energies:
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
