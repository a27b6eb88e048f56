"""What more labels of a task would buy: its error as a function of their number.

In the metric the classes of a task differ by an energy T, of which the other tasks pass on A. Its
own n labels find the rest E = T − A as well as its noise N/n allows: what is known is worth
A + E²/(E + N/n), the limit of the paper for the optimal labels. Its root is proportional to the
distance of the classes from the threshold; the factor is that of the present forecast.
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
        return np.asarray(
            error_of_equal_classes(distance, int(self.n_classes[task])) @ _FEW_WEIGHTS
        )


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
    between = variance_between(values, precision, n) * (n - 1.0) / (n + 5.0)
    trust = between * precision / (1.0 + between * precision)
    return common, common + trust * (values - common), np.sqrt(between * (1.0 - trust))


def _passed_on(total: Floats, known: Floats, noise: Floats) -> Floats:
    """A of A + E²/(E + N) = known and A + E = total: what is missing is E N/(E + N)."""
    missing = total - known
    finite = np.isfinite(noise)
    rest = np.where(finite, noise, 1.0)
    more = np.where(rest > missing, rest - missing, 1.0)
    own = np.where(rest > missing, missing * (rest / more), total)
    own = np.where(finite, own, missing)
    return np.asarray(total - np.clip(own, 0.0, total))


def _distances(error: Floats, interval: Floats, n_classes: Floats) -> tuple[Floats, Floats]:
    """(tasks,): standard distances of the forecasts, and their precision; zero without one."""
    distance, far, near = (
        distances_at(values, n_classes) for values in (error, interval[:, 0], interval[:, 1])
    )
    width = np.maximum(far - near, 1e-6) / _ERRORS_OF_INTERVAL
    usable = np.isfinite(distance) & np.isfinite(width)
    return np.where(usable, distance, 0.0), np.where(usable, 1.0 / width**2, 0.0)
