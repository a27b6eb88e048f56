"""Estimates of several tasks, each with its own error → what every task is, given the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from kinspan._rows.types import Floats


class Before(NamedTuple):
    """What is expected of all tasks before there are any."""

    value: float
    variance: float  # infinite: nothing is expected


NOTHING = Before(0.0, np.inf)


class GivenOthers(NamedTuple):
    """A normal distribution for every task."""

    mean: Floats  # (tasks,)
    variance: Floats  # (tasks,)
    own: Floats  # (tasks,): how much of the mean is the task's own estimate, 0 to 1


def given_others(
    values: Floats, variances: Floats, between: Sequence[float], before: Before = NOTHING
) -> GivenOthers:
    """The posterior of every task; its prior is made of the other tasks, and of what was before.

    How much tasks differ is one of several variances between tasks, averaged by the likelihood of
    all values, each predicted by the others. A task whose variance is infinite has no estimate.
    """
    found = [_given(values, variances, amount, before) for amount in between]
    likely = softmax([log_likelihood for *_, log_likelihood in found])
    means, spreads, own = (np.array([f[i] for f in found]) for i in range(3))
    mean = likely @ means
    return GivenOthers(mean, likely @ (spreads + (means - mean) ** 2), likely @ own)


def _given(
    values: Floats, variances: Floats, between: float, before: Before
) -> tuple[Floats, Floats, Floats, float]:
    """Mean, variance and own share for one variance between tasks, and its log likelihood."""
    known = np.isfinite(variances)
    x = np.where(known, values, 0.0)
    precision = 1.0 / (variances + between)
    first = 1.0 / (before.variance + between)
    of_others = first + precision.sum() - precision
    lonely = of_others <= 1e-9 * precision.sum()  # rounding, if it is the only one
    safe = np.where(lonely, 1.0, of_others)
    centre = (first * before.value + precision @ x - precision * x) / safe
    prior = np.where(lonely, 0.0, 1.0 / (1.0 / safe + between))  # precision
    total = 1.0 / variances + prior
    own = np.where(total > 0, 1.0 / variances, 1.0) / np.where(total > 0, total, 1.0)
    mean = np.where(total > 0, own * x + (1.0 - own) * np.where(lonely, 0.0, centre), np.nan)
    judged = known & ~lonely
    spread = variances[judged] + 1.0 / prior[judged]
    log_likelihood = -0.5 * np.sum(np.log(spread) + (x - centre)[judged] ** 2 / spread)
    return mean, 1.0 / np.where(total > 0, total, np.nan), own, float(log_likelihood)
