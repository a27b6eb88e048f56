"""What more labels of a task would buy: its error as a function of their number.

In the metric the classes of a task differ by an energy T, of which the other tasks pass on A. Its
own n labels find the rest E = T − A as well as its noise N/n allows: what is known is worth
A + E²/(E + N/n), the limit of the paper for the optimal labels. Its root is proportional to the
distance of the classes from the threshold; the factor is that of the present forecast.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from kinspan._cell_sums import Floats

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(64)
_FEW_NODES, _FEW_WEIGHTS = np.polynomial.hermite_e.hermegauss(9)
_FEW_WEIGHTS = _FEW_WEIGHTS / _FEW_WEIGHTS.sum()
_DISTANCES = np.linspace(0.0, 12.0, 2401)
_ERRORS_OF_INTERVAL = 2.0 * 1.6449  # standard errors from end to end of one of 90 %
_POOLED_LABELS = 200.0  # what all tasks say counts as much as so many labels of a task


class Energies(NamedTuple):
    """How far apart the classes of every task are, in the metric of its rule."""

    total: Floats  # (tasks,): T, without noise
    known: Floats  # (tasks,): what the present rule reaches of it
    spread: Floats  # (tasks, classes): what one row a class would leave of noise; over the rows


class Learning(NamedTuple):
    """The learning curve of every task."""

    passed_on: Floats  # (tasks,): A
    own: Floats  # (tasks,): E
    spread: Floats  # (tasks, classes)
    counts: Floats  # (tasks, classes): labels that there are
    factor: Floats  # (tasks,): distance over the root of the known energy
    doubt: Floats  # (tasks,): standard deviation of the factor, for what is known of it
    n_classes: Floats  # (tasks,): classes that a row can belong to

    def error(self, task: int, more: Floats) -> Floats:
        """Errors of a task after some more labels in each of its classes."""
        n = self.counts[task] + np.asarray(more, dtype=np.float64)[..., None]
        noise = np.divide(self.spread[task], n, out=np.full(n.shape, np.inf), where=n > 0)
        noise = np.where(self.spread[task] > 0, noise, 0.0).sum(axis=-1)
        own = self.own[task]
        return self._error_of(task, self.passed_on[task] + own * _share(own, noise))

    def limit(self, task: int) -> float:
        """The error that its labels tend to as they become many."""
        return float(self._error_of(task, self.passed_on[task] + self.own[task]))

    def _error_of(self, task: int, known: Floats) -> Floats:
        """The mean over what the factor may be."""
        if self.n_classes[task] < 2:
            return np.full(np.shape(known), np.nan)
        factors = np.maximum(self.factor[task] + self.doubt[task] * _FEW_NODES, 0.0)
        distance = factors * np.sqrt(np.asarray(known)[..., None])
        return np.asarray(error_at(distance, int(self.n_classes[task])) @ _FEW_WEIGHTS)


def _share(own: Floats, noise: Floats) -> Floats:
    return own / np.where(own + noise > 0, own + noise, 1.0)


def learning_curves(
    energies: Energies, counts: Floats, error: Floats, interval: Floats, n_classes: Floats
) -> Learning:
    """Curves through the present forecasts; those of few labels are drawn to what all tasks say."""
    n = counts.sum(axis=1)
    trust = n / (n + _POOLED_LABELS)
    usual, usually_known = (
        float(n @ np.nan_to_num(values)) / max(float(n.sum()), 1.0)
        for values in (energies.total, energies.known)
    )
    total = np.maximum(usual + trust * (energies.total - usual), 1e-12)
    # What few labels seem to know beyond what others know is mostly luck.
    luck = (1.0 - trust) * np.maximum(energies.known - usually_known, 0.0)
    known = np.clip(energies.known - luck, 1e-9 * total, 0.98 * total)
    distance, precision = _distances(error, interval, n_classes)
    is_new = np.isnan(known)  # known by its forecast alone
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
    """What all say, what each says drawn towards it (DerSimonian and Laird), and its deviation.

    Few values say little about how much they really differ: less is believed of it.
    """
    total = float(precision.sum())
    if total <= 0:
        return 1.0, np.ones_like(values), np.zeros_like(values)
    common, n = float(precision @ values) / total, int((precision > 0).sum())
    excess = float(precision @ (values - common) ** 2) - (n - 1.0)
    between = max(excess / max(total - float(precision @ precision) / total, 1e-300), 0.0)
    between *= (n - 1.0) / (n + 5.0)
    trust = between * precision / (1.0 + between * precision)
    return common, common + trust * (values - common), np.sqrt(between * (1.0 - trust))


def _passed_on(total: Floats, known: Floats, noise: Floats) -> Floats:
    """A of A + E²/(E + N) = known and A + E = total: what is missing is E N/(E + N)."""
    missing = total - known
    finite = np.isfinite(noise)
    rest = np.where(finite, noise, 1.0)
    own = np.where(rest > missing, missing * rest / np.maximum(rest - missing, 1e-300), total)
    own = np.where(finite, own, missing)
    return np.asarray(total - np.clip(own, 0.0, total))


def _distances(error: Floats, interval: Floats, n_classes: Floats) -> tuple[Floats, Floats]:
    """(tasks,): standard distances of the forecasts, and their precision; zero without one."""
    distance, far, near = (
        _distances_at(values, n_classes) for values in (error, interval[:, 0], interval[:, 1])
    )
    width = np.maximum(far - near, 1e-6) / _ERRORS_OF_INTERVAL
    usable = np.isfinite(distance) & np.isfinite(width)
    return np.where(usable, distance, 0.0), np.where(usable, 1.0 / width**2, 0.0)


def spread_of_scores(
    isotropic: Floats, error: Floats, n_classes: NDArray[Any], n_rows: int
) -> float:
    """Variance of scores over what it would be without correlations, from errors with and without.

    Errors are those of tasks with so many classes each; with few rows behind them they say little.
    """
    both = np.array([_distances_at(e, n_classes) for e in (isotropic, error)])
    plain, actual = both[:, np.isfinite(both).all(axis=0)].sum(axis=1)
    if plain <= 0:
        return 1.0
    ratio = float(np.clip((plain / max(actual, 1e-9)) ** 2, 0.1, 100.0))
    return float(ratio ** (n_rows / (n_rows + _POOLED_LABELS)))


def with_spread(isotropic: Floats, spread: float, n_classes: NDArray[Any]) -> Floats:
    """Errors that were found without correlations, with scores that spread more."""
    distance = _distances_at(isotropic, n_classes) / np.sqrt(spread)
    errors = np.full(len(isotropic), np.nan)
    for m in np.unique(n_classes[np.isfinite(distance)]):
        errors[n_classes == m] = error_at(distance[n_classes == m], int(m))
    return errors


def error_at(distance: Floats, n_classes: int) -> Floats:
    """The error with classes at a standard distance from each other's threshold."""
    right = sum(
        w * ndtr(np.sqrt(2.0) * np.asarray(distance)[..., None] + z)[..., 0] ** (n_classes - 1)
        for z, w in zip(_NODES, _WEIGHTS / _WEIGHTS.sum(), strict=True)
    )
    return np.asarray(1.0 - right)


@cache
def _errors_of(n_classes: int) -> Floats:
    return error_at(_DISTANCES, n_classes)


def _distances_at(errors: Floats, n_classes: NDArray[Any]) -> Floats:
    """The standard distances of errors; zero for chance and worse, NaN for NaN."""
    distances = np.full(len(errors), np.nan)
    for m in np.unique(n_classes):
        table, of_m = _errors_of(max(int(m), 2)), n_classes == m
        distances[of_m] = np.interp(np.maximum(errors[of_m], 1e-6), table[::-1], _DISTANCES[::-1])
    return np.where(np.isfinite(errors), distances, np.nan)
