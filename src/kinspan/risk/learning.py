"""Energies and forecasts → learning curves: the error of a task as a function of its labels.

T is the energy (squared distance in the metric) between the classes of a task, and A the part of it
that the other tasks contribute. The task's own n labels estimate the rest, E = T − A, with noise
N/n: the known energy is A + E²/(E + N/n), the limit of the paper for the optimal labels. Its root
is proportional to the distance of the classes from the threshold. At no more labels the curve is
the forecast, and its interval that of the forecast.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Floats
from kinspan.risk.distances import distance_of_two, distances_at
from kinspan.risk.energies import Energies
from kinspan.risk.gaussian import error_of_equal_classes, error_of_two
from kinspan.risk.usual_task import UsualTask

_POOLED_LABELS = 200.0  # the mean of all tasks counts as much as this number of a task's labels


class Learning(NamedTuple):
    """The learning curve of every task."""

    passed_on: Floats  # (tasks,): A
    own: Floats  # (tasks,): E
    spread: Floats  # (tasks, classes)
    counts: Floats  # (tasks, classes): present numbers of labels
    present: Floats  # (tasks,): the forecast
    ends: Floats  # (tasks, 2): of its interval
    n_classes: Floats  # (tasks,): number of classes that a row can belong to
    chance: Floats  # (tasks,): the error of a guess

    def error(self, task: int, more: Floats, mix: Floats | None = None) -> Floats:
        """Errors of a task with `more` additional labels in each of its classes.

        With a mix (classes,), each of them is so many labels of every class.
        """
        return self._after(task, self.present[task], self.growth(task, more, mix))

    def interval(self, task: int, more: Floats, mix: Floats | None = None) -> Floats:
        """(..., 2): the interval of the forecast after `more` labels."""
        growth = self.growth(task, more, mix)
        ends = [self._after(task, end, growth) for end in self.ends[task]]
        return np.stack(ends, axis=-1)

    def limit(self, task: int) -> float:
        """The limit of the error for infinitely many labels."""
        return float(self.error(task, np.array(np.inf)))

    def growth(self, task: int, more: Floats, mix: Floats | None = None) -> Floats:
        """By how much the distance between the classes grows, eq. (45) of docs/theory.md."""
        none = np.zeros(self.counts.shape[1])
        of_each = none + 1.0 if mix is None else mix
        with np.errstate(invalid="ignore"):  # very many rows have none of a class that has no part
            added = np.asarray(more, dtype=np.float64)[..., None] * of_each
        added = np.nan_to_num(added, nan=0.0, posinf=np.inf)
        return np.sqrt(self._known(task, added) / self._known(task, none))

    def _known(self, task: int, added: Floats) -> Floats:
        n = self.counts[task] + added
        noise = np.divide(self.spread[task], n, out=np.full(n.shape, np.inf), where=n > 0)
        noise = np.where(self.spread[task] > 0, noise, 0.0).sum(axis=-1)
        own = self.own[task]
        total = np.where(own + noise > 0, own + noise, 1.0)
        return np.asarray(self.passed_on[task] + own * (own / total))

    def _after(self, task: int, error: float, growth: Floats) -> Floats:
        """The error when the distance behind it has grown; no better than a guess stays so."""
        m, chance = int(self.n_classes[task]), float(self.chance[task])
        if m < 2:
            return np.full(np.shape(growth), np.nan)
        if m == 2 and chance < 0.5:  # how often the rarer class occurs
            distance = distance_of_two(error, chance)
            before, after = (error_of_two(distance * g, chance) for g in (1.0, growth))
        else:
            distance = distances_at(np.array([error]), np.array([m]))[0]
            before, after = (error_of_equal_classes(distance * g, m) for g in (1.0, growth))
        return np.asarray(error * (after / before))


def learning_curves(
    energies: Energies,
    counts: Floats,
    error: Floats,
    interval: Floats,
    n_classes: Floats,
    chance: Floats,
) -> Learning:
    """Curves from the present forecasts on; energies of few labels are drawn to those of all."""
    n = counts.sum(axis=1)
    trust = n / (n + _POOLED_LABELS)
    usual = UsualTask.of(energies, counts, n if n.any() else np.ones(len(n)))
    total = np.maximum(usual.total + trust * (energies.total - usual.total), 1e-12)
    # If a task seems to know more than is usual with so few labels, most of the difference is luck.
    luck = (1.0 - trust) * np.maximum(energies.known - usual.known, 0.0)
    known = np.clip(energies.known - luck, 1e-9 * total, 0.98 * total)
    known = _with_newcomers(known, total, distances_at(error, n_classes))
    unknown = (energies.spread > 0) & (counts == 0)
    noise = np.where(unknown, np.inf, energies.spread / np.where(counts > 0, counts, 1.0))
    passed_on = _passed_on(total, known, noise.sum(axis=1))
    own = total - passed_on
    return Learning(passed_on, own, energies.spread, counts, error, interval, n_classes, chance)


def _with_newcomers(known: Floats, total: Floats, distance: Floats) -> Floats:
    """New tasks know no energy of their own: that which their forecast has in the other tasks."""
    is_new = np.isnan(known)
    usable = ~is_new & np.isfinite(distance)
    root = np.sqrt(known[usable])
    factor = max(float(distance[usable] @ root) / max(float(root @ root), 1e-300), 1e-9)
    from_forecast = (np.nan_to_num(distance) / factor) ** 2
    return np.where(is_new, np.clip(from_forecast, 1e-9 * total, 0.98 * total), known)


def _passed_on(total: Floats, known: Floats, noise: Floats) -> Floats:
    """A, from A + E²/(E + N) = known and A + E = total: total − known = E N/(E + N)."""
    missing = total - known
    finite = np.isfinite(noise)
    rest = np.where(finite, noise, 1.0)
    more = np.where(rest > missing, rest - missing, 1.0)
    own = np.where(rest > missing, missing * (rest / more), total)
    own = np.where(finite, own, missing)
    return np.asarray(total - np.clip(own, 0.0, total))
