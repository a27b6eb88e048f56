"""The rules that were chosen → what the estimator keeps: rules, forecasts and learning curves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinspan._rows.types import Codes, Floats, Mask
from kinspan.labels import TaskWeights
from kinspan.labels.shrinkage import pooled_energies
from kinspan.metric import ScaledMoments
from kinspan.risk import Energies, Learning, learning_curves, spread_of_scores
from kinspan.scores import (
    ABSENT_PENALTY,
    Agreement,
    LinearRules,
    discriminant_rules,
    in_input_units,
)
from kinspan.selection.candidates import Judged, Options
from kinspan.selection.new_tasks import (
    Places,
    forecast_of_newcomers,
    known_classes,
    newcomers,
    places,
)
from kinspan.selection.prepared import Prepared
from kinspan.selection.solutions import (
    Problem,
    Solution,
    agreed,
    isotropic_error,
    shared_rule,
    squares,
)


class Reached(NamedTuple):
    """What learning curves follow from."""

    energies: Energies  # how far apart classes are, and how much of that is known
    counts: Floats  # (tasks, classes): labels that there are
    n_classes: Floats  # (tasks,): classes that a row can belong to


@dataclass(frozen=True, eq=False)
class FittedRules:
    """What the estimator keeps. The last rule is the shared one, for tasks that are not fitted."""

    coef: Floats  # (tasks + 1, 1 or classes, features), in the units of the input
    intercept: Floats  # (tasks + 1, 1 or classes)
    absent: Mask  # (tasks + 1, classes): classes that are never answered
    scale: Floats  # (tasks + 1, features)
    forecast_error: Floats  # (tasks,)
    forecast_interval: Floats  # (tasks, 2)
    single_task_error: Floats  # (tasks,)
    metric: Floats  # (tasks,): the share of the covariance
    multi_class: str  # the contrasts that the weights are for
    task_weights: list[list[TaskWeights]]  # for every metric that some task has
    weights_of_task: Codes  # (tasks,): which of these
    curves: Learning | Reached  # learning curves, or what they follow from

    @property
    def learning(self) -> Learning:
        """The error that more labels would bring, computed when somebody asks."""
        curves = self.curves
        if isinstance(curves, Reached):
            energies, counts, n_classes = curves
            error, interval = self.forecast_error, self.forecast_interval
            curves = learning_curves(energies, counts, error, interval, n_classes)
            object.__setattr__(self, "curves", curves)  # the same knowledge in another form
        return curves


class Chosen(NamedTuple):
    """The rules that were chosen."""

    shares: Floats  # (metrics,): of the covariance, in the metrics that some task has
    together: Sequence[Judged]  # (metrics,): the chosen rules
    alone: Sequence[Judged]  # (metrics,): those of every task alone
    of_task: Codes  # (tasks,): the metric of each
    optimism: float  # how much too small forecasts are


class _Shared(NamedTuple):
    """What tasks agree on in one metric."""

    pooled: ScaledMoments
    agreement: Agreement
    places: Places | None  # of new tasks, where there are some

    @classmethod
    def of(cls, prepared: Prepared, share: float, priors: Floats) -> _Shared:
        pooled, unlabelled = prepared.shared_in_metric(share)
        agreement, found = agreed(pooled), None
        if newcomers(pooled.counts).any():
            found = places(pooled, agreement, priors, unlabelled)
        return cls(pooled, agreement, found)


def outcome(chosen: Chosen, prepared: Prepared, options: Options) -> FittedRules:
    """Every task with the rules of its metric; the shared rule has the metric of most."""
    counts, of_task = prepared.scaled.counts, chosen.of_task
    most = np.append(of_task, np.bincount(of_task).argmax())
    shared = [_Shared.of(prepared, share, options.priors) for share in chosen.shares]
    parts = list(zip(chosen.shares, chosen.together, chosen.alone, shared, strict=True))
    rules = _picked_each((_rules(j, share, s, prepared, options) for share, j, _, s in parts), most)
    expected = _picked_each((_expected(j, a, s, options) for _, j, a, s in parts), of_task)
    known = _picked_each((_energies(j.solution, j.problem) for j in chosen.together), of_task)
    is_new = newcomers(counts)
    doubt = np.where(is_new, 0.0, chosen.optimism)
    error, interval, alone = (np.minimum((e.T + doubt).T, 1.0) for e in expected)
    n_classes = np.where(is_new, counts.shape[1], (counts > 0).sum(axis=1))
    reached = _of_newcomers(Energies(*known), is_new)
    return FittedRules(
        *(rules[0], rules[1], rules[2], rules[3]),
        error,
        interval,
        alone,
        chosen.shares[of_task],
        chosen.together[0].problem.multi_class,
        [judged.solution.weights for judged in chosen.together],
        of_task,
        Reached(reached, counts, n_classes),
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


def _rules(
    judged: Judged, share: float, shared: _Shared, prepared: Prepared, options: Options
) -> tuple[Floats, Floats, Mask, Floats]:
    """Coefficients, intercepts, absent classes and scales of all tasks and of the shared rule."""
    pooled, agreement, where = shared
    scaled, log_priors = judged.problem.scaled, options.log_priors
    is_new = newcomers(pooled.counts)
    own, absent = _fill_absent(judged, agreement.contrasts, options)
    common = shared_rule(agreement, pooled, log_priors)
    moved = common.offset - log_priors.mean(axis=0) + log_priors
    coef = np.append(np.where(is_new[:, None, None], common.coef, own.coef), common.coef, 0)
    offset = np.append(np.where(is_new[:, None], moved, own.offset), common.offset, 0)
    absent = np.where(is_new[:, None], ~known_classes(pooled.counts), absent)
    absent = np.concatenate([absent, np.zeros_like(absent[:1])])
    centres = scaled.centres
    if where is not None:
        centres = np.where(is_new[:, None], where.centres, centres)
    centres = np.concatenate([centres, agreement.centre])
    base = np.concatenate([log_priors, log_priors.mean(axis=0)[None]])
    factor = judged.calibration.factor
    offset = np.where(absent, offset, base + factor * (offset - base))
    rules = LinearRules(coef * factor, offset)
    turned = rules.coef
    if prepared.covariance is not None:
        turned = prepared.covariance.turned_back(rules.coef, share)
    scale = np.where(is_new[:, None], pooled.scale, scaled.scale)
    scale = np.concatenate([scale, pooled.scale])
    coef, intercept = in_input_units(rules, turned, centres, scale)
    return coef, intercept - coef @ prepared.origin, absent, scale


def _fill_absent(judged: Judged, agreed: Floats, options: Options) -> tuple[LinearRules, Mask]:
    """Rules for classes without samples in a task: never answered, or borrowed; and which."""
    scaled, rules = judged.problem.scaled, judged.solution.rules
    absent = ~scaled.present
    if not options.share_classes:
        coef = np.where(absent[..., None], 0.0, rules.coef)
        return LinearRules(coef, np.where(absent, ABSENT_PENALTY, rules.offset)), absent
    relative = agreed[None] - (scaled.class_shares @ agreed)[:, None, :]
    ones = np.ones(len(absent))
    borrowed = discriminant_rules(relative, ones, scaled.noise_level, options.log_priors)
    coef = np.where(absent[..., None], borrowed.coef, rules.coef)
    offset = np.where(absent, borrowed.offset, rules.offset)
    return LinearRules(coef, offset), np.zeros_like(absent)


def _expected(
    judged: Judged, alone: Judged, shared: _Shared, options: Options
) -> tuple[Floats, Floats, Floats]:
    """Forecast errors, their intervals and errors alone; a new task alone can only guess."""
    error, interval, single = judged.forecast.error, judged.forecast.interval, alone.forecast.error
    if shared.places is None:
        return error, interval, single
    is_new = newcomers(shared.pooled.counts)
    isotropic = isotropic_error(judged.solution, judged.problem, options.priors)
    n_rows = 0 if judged.rows is None else len(judged.rows.tasks)
    n_classes = shared.pooled.present[~is_new].sum(axis=1)
    inflation = spread_of_scores(isotropic[~is_new], error[~is_new], n_classes, n_rows)
    new_error, new_interval = forecast_of_newcomers(
        shared.pooled, options.log_priors, options.priors, shared.places, inflation
    )
    return (
        np.where(is_new, new_error, error),
        np.where(is_new[:, None], new_interval, interval),
        np.where(is_new, 1.0 - options.priors.max(axis=1), single),
    )


def _energies(solution: Solution, problem: Problem) -> Energies:
    """How far apart classes are, and how much of that the rules know.

    The square of a direction, times a common share that is signal, says more about a task of few
    labels than its own estimate of the signal.
    """
    scaled, contrasts, rules = problem.scaled, problem.class_means, problem.contrasts
    squared_weights = (contrasts.coefficients**2).sum(axis=1)
    n_contrasts = np.maximum(scaled.present.sum(axis=1) - 1.0, 0.0)
    several = np.where(n_contrasts > 0, n_contrasts, 1.0)
    power_of_means = squares(contrasts.values) / several
    noise = (squared_weights * scaled.cell_noise).sum(axis=1)
    least = np.where(power_of_means > 0, power_of_means, 1.0) * several
    noise = np.maximum(noise, 1e-12 * least)
    freedom = scaled.dimension * (n_contrasts > 0)
    variance = noise / several / scaled.dimension
    total = several * pooled_energies(power_of_means, freedom, variance)
    signal = rules.per_target([w.signal for w in solution.weights]).sum(axis=1)
    share = rules.per_target([w.noise_share for w in solution.weights]).mean(axis=1)
    power = squares(rules.combine(solution.weights))
    lent = share < 0.999
    ratio = max(signal[lent].sum(), 0.0) / max(power[lent].sum(), 1e-300)
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
