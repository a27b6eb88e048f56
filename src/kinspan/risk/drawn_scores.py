"""Distributions of scores → every score of the registry, in all draws at once.

The same numbers as `kinspan.metrics` for rows with these weights, which tests compare.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betaincinv, expit

from kinspan._rows.types import Floats
from kinspan.risk.distributions import N_DRAWS, Draws, ScoreDistributions

_LEVEL = 0.90
_BINS = 10
_AT_ONE_PLACE = ("error", "balanced_error", "f1", "cost")
_OF_TAILS = ("average_precision", "recall_at_precision")
_LUCK = np.random.default_rng(1).permuted(
    np.tile((np.arange(N_DRAWS) + 0.5) / N_DRAWS, (2, 1)), axis=1
)  # of both classes, the same for all tasks and models


class Sorted(NamedTuple):
    """Masses of both classes at scores from the largest to the smallest."""

    scores: Floats  # (draws, points)
    negative: Floats  # (draws, points): masses, which sum to one with the positive ones
    positive: Floats  # (draws, points)
    threshold: float  # rows above it are answered by the second class
    rows: Floats | None = None  # (classes,): that the shape of a class is made of
    in_doubt: bool = False  # how many of so many rows are above a threshold is luck

    @classmethod
    def of(cls, draws: Draws, threshold: float) -> Sorted:
        """Both classes of all draws."""
        n, _, points = draws.scores.shape
        scores = draws.scores.reshape(n, -1)
        order = np.argsort(-scores, axis=1, kind="stable")
        is_positive = order >= points
        of_points = np.broadcast_to(draws.masses, draws.scores.shape).reshape(n, -1)
        masses = np.take_along_axis(of_points, order, axis=1) / draws.masses.sum(axis=-1).mean()
        share = draws.share[:, None]
        return cls(
            np.take_along_axis(scores, order, axis=1),
            np.where(is_positive, 0.0, masses * (1.0 - share)),
            np.where(is_positive, masses * share, 0.0),
            threshold,
            draws.rows,
        )

    @property
    def share(self) -> Floats:
        """(draws,): of the second class."""
        return np.asarray(self.positive.sum(axis=1))

    def answered(self) -> Floats:
        """(draws, 2, 2): masses of the true classes by the answers."""
        above = self.scores > self.threshold
        of_class = self.negative, self.positive
        parts = np.array([[(m * ~above).sum(axis=1), (m * above).sum(axis=1)] for m in of_class])
        if self.in_doubt and self.rows is not None:
            total = parts.sum(axis=1)
            counted = self.rows[:, None] * parts[:, 1] / np.maximum(total, 1e-300)
            missed = self.rows[:, None] - counted
            share = betaincinv(counted + 0.5, missed + 0.5, _LUCK)  # Jeffreys
            parts = np.stack([(1.0 - share) * total, share * total], axis=1)
        return parts.transpose(2, 0, 1)


class ScoreForecast(NamedTuple):
    """A score to expect of every task."""

    value: Floats  # (tasks,); NaN where nothing is known
    interval: Floats  # (tasks, 2): 90 %


def forecast_score(
    distributions: ScoreDistributions, name: str, level: Any, thresholds: Floats
) -> ScoreForecast:
    """A score of the registry, for rules that answer the second class above a threshold."""
    if not distributions.is_known:
        unknown = np.full(len(thresholds), np.nan)
        return ScoreForecast(unknown, np.stack([unknown, unknown], axis=1))
    found = [
        drawn(name, level, distributions.draws(t), threshold)
        for t, threshold in enumerate(thresholds)
    ]
    return summarised(np.array(found))


def drawn(name: str, level: Any, draws: Draws, threshold: float) -> Floats:
    """(2, draws): the values of a score, and those between which its interval lies.

    Scores that look at one threshold look at few rows, of which nobody knows how many there are,
    and those that tails decide at shapes that few rows tell.
    """
    of = Sorted.of(draws, threshold)
    values = DRAWN[name](of, level)
    ends = values
    if name in _AT_ONE_PLACE:
        ends = DRAWN[name](of._replace(in_doubt=True), level)
    if name in _OF_TAILS:
        others = DRAWN[name](Sorted.of(with_other_shapes(draws), threshold), level)
        ends = np.clip(others + (values.mean() - others.mean()), 0.0, 1.0)
    return np.stack([values, ends])


def with_other_shapes(draws: Draws) -> Draws:
    """Every draw with shapes that as many rows make likely, at its locations and spreads."""
    rows = (draws.rows + 1.0)[:, None]  # one of them is normal
    masses = np.random.default_rng(2).standard_gamma(
        np.maximum(rows * draws.masses, 1e-9), size=draws.scores.shape
    )
    masses = masses / masses.sum(axis=2, keepdims=True)
    (mean, spread), (wanted, width) = (_moments(draws.scores, m) for m in (masses, draws.masses))
    scores = wanted + (draws.scores - mean) * (width / np.maximum(spread, 1e-9))
    return draws._replace(scores=scores, masses=masses)


def _moments(scores: Floats, masses: Floats) -> tuple[Floats, Floats]:
    """(draws, classes, 1) means and deviations."""
    mean = (masses * scores).sum(axis=2, keepdims=True)
    return mean, np.sqrt((masses * (scores - mean) ** 2).sum(axis=2, keepdims=True))


def summarised(values: Floats) -> ScoreForecast:
    """Means and intervals of (points, 2, draws) values."""
    ends = [(1.0 - _LEVEL) / 2.0, (1.0 + _LEVEL) / 2.0]
    low, high = np.quantile(values[:, 1], ends, axis=1)
    value = values[:, 0].mean(axis=1)
    return ScoreForecast(value, np.stack([np.minimum(low, value), np.maximum(high, value)], axis=1))


def error(of: Sorted, level: Any) -> Floats:
    """The mass that is answered wrongly."""
    return cost(of, 1.0 - np.eye(2))


def balanced_error(of: Sorted, level: Any) -> Floats:
    """The mean over classes of their shares that are answered wrongly."""
    found = of.answered()
    rates = found / found.sum(axis=2, keepdims=True)
    return np.asarray(0.5 * (rates[:, 0, 1] + rates[:, 1, 0]))


def cost(of: Sorted, level: Floats) -> Floats:
    """Σ mass · cost."""
    return np.asarray((of.answered() * level).sum(axis=(1, 2)))


def f1(of: Sorted, level: Any) -> Floats:
    """2 tp / (2 tp + fp + fn)."""
    found = of.answered()
    right = 2.0 * found[:, 1, 1]
    return np.asarray(right / (right + found[:, 0, 1] + found[:, 1, 0]))


def log_loss(of: Sorted, level: Any) -> Floats:
    """−log p for positives, −log(1 − p) for negatives."""
    losses = of.positive * np.logaddexp(0.0, -of.scores)
    return np.asarray((losses + of.negative * np.logaddexp(0.0, of.scores)).sum(axis=1))


def brier_score(of: Sorted, level: Any) -> Floats:
    """(p − y)²."""
    p = expit(of.scores)
    return np.asarray((of.positive * (1.0 - p) ** 2 + of.negative * p**2).sum(axis=1))


def calibration_error(of: Sorted, level: Any) -> Floats:
    """|Σ (y − p)| of ten groups of equal mass."""
    masses = of.positive + of.negative
    excess = of.positive - masses * expit(of.scores)
    middle = np.cumsum(masses, axis=1) - 0.5 * masses
    group = np.minimum((_BINS * middle).astype(np.intp), _BINS - 1)
    sums = np.zeros((len(masses), _BINS))
    np.add.at(sums, (np.arange(len(masses))[:, None], group), excess)
    return np.asarray(np.abs(sums).sum(axis=1))


def roc_auc(of: Sorted, level: Any) -> Floats:
    """Σ negative mass · positive mass above it."""
    above = np.cumsum(of.positive, axis=1)
    return np.asarray((of.negative * above).sum(axis=1) / (of.share * (1.0 - of.share)))


def average_precision(of: Sorted, level: Any) -> Floats:
    """Σ precision · gain of recall."""
    return np.asarray((of.positive * _precision(of)).sum(axis=1) / of.share)


def recall_at_precision(of: Sorted, level: float) -> Floats:
    """The largest recall where the precision is at least the level."""
    recall = np.cumsum(of.positive, axis=1) / of.share[:, None]
    reached = _precision(of) >= level - 1e-12
    return np.asarray(np.where(reached, recall, 0.0).max(axis=1))


def recall_at_budget(of: Sorted, level: float) -> Floats:
    """The share of the class among the first rows."""
    chosen = np.cumsum(of.positive + of.negative, axis=1)
    recall = np.cumsum(of.positive, axis=1) / of.share[:, None]
    start = np.zeros(1)
    return np.array(
        [
            np.interp(level, np.concatenate([start, c]), np.concatenate([start, r]))
            for c, r in zip(chosen, recall, strict=True)
        ]
    )


def lift_at_budget(of: Sorted, level: float) -> Floats:
    """How many times as frequent the class is there."""
    return recall_at_budget(of, level) / level


def precision_at_budget(of: Sorted, level: float) -> Floats:
    """The share of these rows that is of the class."""
    return lift_at_budget(of, level) * of.share


def _precision(of: Sorted) -> Floats:
    above = np.cumsum(of.positive + of.negative, axis=1)
    return np.asarray(np.cumsum(of.positive, axis=1) / np.maximum(above, 1e-300))


DRAWN: dict[str, Callable[[Sorted, Any], Floats]] = {
    measure.__name__: measure
    for measure in (
        *(error, balanced_error, cost, f1, log_loss, brier_score, calibration_error),
        *(roc_auc, average_precision, recall_at_precision),
        *(recall_at_budget, precision_at_budget, lift_at_budget),
    )
}
