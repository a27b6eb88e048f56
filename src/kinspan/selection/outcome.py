"""The combined rules → what the estimator keeps: rules, forecasts and learning curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kinspan._rows.types import Codes, Floats, Mask
from kinspan.labels import TaskWeights
from kinspan.labels.shrinkage import pooled_energies
from kinspan.risk import Energies, Learning, learning_curves, spread_of_scores
from kinspan.selection.candidates import Options
from kinspan.selection.combination import Combination
from kinspan.selection.expected import Expected, Told, expected_by_formula, formula
from kinspan.selection.input_units import Shared, rules_in_input_units
from kinspan.selection.new_tasks import forecast_of_newcomers, newcomers
from kinspan.selection.prepared import Prepared
from kinspan.selection.solutions import Problem, Solution, squares


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
    alike: Floats  # (tasks,): the probability that all rows are of the task and of its classes


@dataclass(frozen=True, eq=False)
class FittedRules:
    """What the estimator keeps. The last rule is the shared one, for tasks that are not fitted."""

    coef: Floats  # (tasks + 1, 1 or classes, features), in the units of the input
    intercept: Floats  # (tasks + 1, 1 or classes)
    absent: Mask  # (tasks + 1, classes): classes that are never answered
    scale: Floats  # (tasks + 1, features)
    forecasts: Expected | Told  # forecasts, or what they follow from
    metric: Floats  # (tasks,): the share of the covariance
    multi_class: str  # the contrasts that the weights are for
    task_weights: list[list[TaskWeights]]  # for every metric that some task has
    weights_of_task: Codes  # (tasks,): which of these
    curves: Learning | Reached  # learning curves, or what they follow from
    unlabelled: UnlabelledUse | None = None  # where rows without labels could be used
    threshold: Floats | None = None  # (tasks + 1,): the score to exceed; None is zero

    @property
    def deciding_intercept(self) -> Floats:
        """(tasks + 1, 1 or classes): scores above zero are then above the threshold."""
        return (
            self.intercept if self.threshold is None else self.intercept - self.threshold[:, None]
        )

    @property
    def expected(self) -> Expected:
        """Forecasts, computed when somebody asks."""
        if isinstance(self.forecasts, Told):  # the same knowledge in another form
            object.__setattr__(self, "forecasts", self.forecasts.expected())
        assert isinstance(self.forecasts, Expected)
        return self.forecasts

    def __getstate__(self) -> dict[str, Any]:
        """Without what forecasts follow from, which is larger than they are."""
        _ = self.expected
        return vars(self)

    @property
    def forecast_error(self) -> Floats:
        """(tasks,): the error to expect of new rows."""
        return self.expected.error

    @property
    def forecast_interval(self) -> Floats:
        """(tasks, 2): around it."""
        return self.expected.interval

    @property
    def single_task_error(self) -> Floats:
        """(tasks,): the forecast, and what the other tasks save."""
        return np.clip(self.expected.error + self.expected.saved.total, 0.0, 1.0)

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
        *(*rules, absent, np.concatenate([scale, prepared.pooled.scale[:1]])),
        expected,
        combination.shares(),
        problem.multi_class,
        [combination.task_weights()],
        np.zeros(len(counts), dtype=np.intp),
        Reached(reached, counts, n_classes, _chance(options.priors, counts, is_new)),
        threshold=expected.threshold if isinstance(expected, Expected) else None,
    )


def _chance(priors: Floats, counts: Floats, is_new: Mask) -> Floats:
    """(tasks,): the error of who always answers the most frequent class."""
    can_be = np.where((counts > 0) | is_new[:, None], priors, 0.0)
    return np.asarray(1.0 - can_be.max(axis=1) / np.maximum(can_be.sum(axis=1), 1e-300))


def _expected(
    combination: Combination, options: Options, energies: Energies, counts: Floats
) -> Expected | Told:
    """From left-out rows, when somebody asks, and without any of them by the formula of the paper.

    Now where rules follow from them, or where what they follow from is large.
    """
    if combination.evidence is None:
        found = expected_by_formula(combination, options)
    else:
        told = Told.of(combination, options, energies)
        if not told.is_something:
            found = expected_by_formula(combination, options)
            found = Expected(*found[:3], *told.expected()[3:])
        elif told.can_wait and not newcomers(counts).any():
            return told
        else:
            found = told.expected()
    is_new = newcomers(counts)
    return _with_newcomers(found, is_new, combination, options) if is_new.any() else found


def _with_newcomers(
    expected: Expected, is_new: Mask, combination: Combination, options: Options
) -> Expected:
    """Known tasks pretend to be new; a new task alone can only guess."""
    shared = Shared.of(combination.reference.prepared, combination.reference.share, options.priors)
    assert shared.places is not None
    isotropic = formula(combination.reference, options).error
    n_classes = shared.pooled.present[~is_new].sum(axis=1)
    n_rows = 0 if combination.evidence is None else len(combination.evidence.own)
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
