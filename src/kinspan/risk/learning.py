"""Energies and forecasts → learning curves: the error of a task as a function of its labels.

T is the energy (squared distance in the metric) between the classes of a task, and A the part of it
that the other tasks contribute. The task's own n labels estimate the rest, E = T − A, with noise
N/n: the known energy is A + E²/(E + N/n), the limit of the paper for the optimal labels. Its root
is proportional to the distance of the classes from the threshold; the factor is chosen so that the
curve passes through the present forecast.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._meta_analysis import variance_between
from kinspan._rows.types import Floats
from kinspan.risk.distances import distances_at
from kinspan.risk.gaussian import error_of_equal_classes

_FEW_NODES, _FEW_WEIGHTS = np.polynomial.hermite_e.hermegauss(9)
_FEW_WEIGHTS = _FEW_WEIGHTS / _FEW_WEIGHTS.sum()
_ERRORS_OF_INTERVAL = 2.0 * 1.6449  # width of a 90 % interval in standard errors
_POOLED_LABELS = 200.0  # the mean of all tasks counts as much as this number of a task's labels


class Energies(NamedTuple):
    """Squared distances between the classes of every task, in the metric of its rule."""

    total: Floats  # (tasks,): T, without noise
    known: Floats  # (tasks,): the part of T that the present rule captures
    spread: Floats  # (tasks, classes): noise with one row per class; divide by the number of rows


class Learning(NamedTuple):
    """The learning curve of every task."""

    passed_on: Floats  # (tasks,): A
    own: Floats  # (tasks,): E
    spread: Floats  # (tasks, classes)
    counts: Floats  # (tasks, classes): present numbers of labels
    factor: Floats  # (tasks,): distance over the root of the known energy
    doubt: Floats  # (tasks,): standard deviation of the estimated factor
    n_classes: Floats  # (tasks,): number of classes that a row can belong to

    def error(self, task: int, more: Floats) -> Floats:
        """Errors of a task with `more` additional labels in each of its classes."""
        n = self.counts[task] + np.asarray(more, dtype=np.float64)[..., None]
        noise = np.divide(self.spread[task], n, out=np.full(n.shape, np.inf), where=n > 0)
        noise = np.where(self.spread[task] > 0, noise, 0.0).sum(axis=-1)
        own = self.own[task]
        return self._error_of(task, self.passed_on[task] + own * _share(own, noise))

    def limit(self, task: int) -> float:
        """The limit of the error for infinitely many labels."""
        return float(self._error_of(task, self.passed_on[task] + self.own[task]))

    def _error_of(self, task: int, known: Floats) -> Floats:
        """The error for a known energy, averaged over the distribution of the factor."""
        if self.n_classes[task] < 2:
            return np.full(np.shape(known), np.nan)
        factors = np.maximum(self.factor[task] + self.doubt[task] * _FEW_NODES, 0.0)
        distance = factors * np.sqrt(np.asarray(known)[..., None])
        return np.asarray(
            error_of_equal_classes(distance, int(self.n_classes[task])) @ _FEW_WEIGHTS
        )


def _share(own: Floats, noise: Floats) -> Floats:
    return own / np.where(own + noise > 0, own + noise, 1.0)


def learning_curves(
    energies: Energies, counts: Floats, error: Floats, interval: Floats, n_classes: Floats
) -> Learning:
    """Curves through the present forecasts; those of few labels are shrunk towards all tasks."""
    n = counts.sum(axis=1)
    trust = n / (n + _POOLED_LABELS)
    usual, usually_known = (
        float(n @ np.nan_to_num(values)) / max(float(n.sum()), 1.0)
        for values in (energies.total, energies.known)
    )
    total = np.maximum(usual + trust * (energies.total - usual), 1e-12)
    # If a task with few labels seems to know more than usual, most of the difference is luck.
    luck = (1.0 - trust) * np.maximum(energies.known - usually_known, 0.0)
    known = np.clip(energies.known - luck, 1e-9 * total, 0.98 * total)
    distance, precision = _distances(error, interval, n_classes)
    is_new = np.isnan(known)  # new tasks have no energy of their own, only a forecast
    root = np.sqrt(np.where(is_new, 1.0, known))
    precision = np.where(is_new, 0.0, precision * root**2)
    common, factor, doubt = _drawn_together(distance / root, precision)
    from_forecast = np.clip((distance / max(common, 1e-9)) ** 2, 1e-9 * total, 0.98 * total)
    known = np.where(is_new, from_forecast, known)
    unknown = (energies.spread > 0) & (counts == 0)
    noise = np.where(unknown, np.inf, energies.spread / np.where(counts > 0, counts, 1.0))
    passed_on = _passed_on(total, known, noise.sum(axis=1))
    own = total - passed_on
    return Learning(passed_on, own, energies.spread, counts, factor, doubt, n_classes)


def _drawn_together(values: Floats, precision: Floats) -> tuple[float, Floats, Floats]:
    """The common value, every value shrunk towards it, and the deviation that remains.

    The variance between tasks is that of DerSimonian and Laird. Few values estimate it badly, so
    that it is reduced by (n − 1)/(n + 5).
    """
    total = float(precision.sum())
    if total <= 0:
        return 1.0, np.ones_like(values), np.zeros_like(values)
    common, n = float(precision @ values) / total, int((precision > 0).sum())
    between = variance_between(values, precision, n) * (n - 1.0) / (n + 5.0)
    trust = between * precision / (1.0 + between * precision)
    return common, common + trust * (values - common), np.sqrt(between * (1.0 - trust))


def _passed_on(total: Floats, known: Floats, noise: Floats) -> Floats:
    """A, from A + E²/(E + N) = known and A + E = total: total − known = E N/(E + N)."""
    missing = total - known
    finite = np.isfinite(noise)
    rest = np.where(finite, noise, 1.0)
    more = np.where(rest > missing, rest - missing, 1.0)
    own = np.where(rest > missing, missing * (rest / more), total)
    own = np.where(finite, own, missing)
    return np.asarray(total - np.clip(own, 0.0, total))


def _distances(error: Floats, interval: Floats, n_classes: Floats) -> tuple[Floats, Floats]:
    """(tasks,): standardised distances of the forecasts and their precisions; zero without one."""
    distance, far, near = (
        distances_at(values, n_classes) for values in (error, interval[:, 0], interval[:, 1])
    )
    width = np.maximum(far - near, 1e-6) / _ERRORS_OF_INTERVAL
    usable = np.isfinite(distance) & np.isfinite(width)
    return np.where(usable, distance, 0.0), np.where(usable, 1.0 / width**2, 0.0)
