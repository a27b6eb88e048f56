"""Left-out rows of more than two classes → the scores to expect of every task.

There is no distribution of scores by two numbers here: rows themselves are drawn, with random
weights within their classes, and a task is drawn to the others as far as its scores are unsure.
What ranks rows is the mean over classes of one against the rest, as in `kinspan.metrics`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logit, softmax

from kinspan._meta_analysis.others import given_others
from kinspan._rows.types import Codes, Floats, Mask
from kinspan.risk.drawn_scores import DRAWN, ScoreForecast, Sorted
from kinspan.risk.forecast import FLEET_ROWS
from kinspan.risk.left_out_rows import LeftOutRows

_DRAWS = 100
_DEVIATIONS = 1.6449  # of a 90 % interval
_SURE = 1e-15  # from certain probabilities, as in `kinspan.metrics`


class DrawnRows(NamedTuple):
    """Rows of a task, with masses that differ from draw to draw."""

    probabilities: Floats  # (rows, classes)
    classes: Codes  # (rows,)
    answers: Codes  # (rows,)
    masses: Floats  # (draws, rows): one in all
    occur: Codes  # classes of which there are rows

    def ranked(self, p: Floats, is_positive: Mask) -> Sorted:
        """By a probability (rows,) of something that is so or not."""
        order = np.argsort(-p, kind="stable")
        masses, positive = self.masses[:, order], is_positive[order]
        log_odds = logit(np.clip(p[order], _SURE, 1.0 - _SURE))
        scores = np.broadcast_to(log_odds, masses.shape)
        return Sorted(scores, np.where(positive, 0.0, masses), np.where(positive, masses, 0.0), 0.0)

    def answered(self) -> Floats:
        """(draws, classes, classes): masses of the true classes by the answers."""
        m = self.probabilities.shape[1]
        cells = self.classes * m + self.answers
        found = [np.bincount(cells, masses, minlength=m * m) for masses in self.masses]
        return np.array(found, dtype=np.float64).reshape(-1, m, m)


def forecast_of_several(
    rows: LeftOutRows, counts: Floats, shares: Floats | None, name: str, level: Any
) -> ScoreForecast:
    """A score of the registry; shares (tasks, classes) of new rows, or None: as in the labels."""
    measure = _MEASURES.get(name) or _one_against_the_rest(name)
    found, n = np.full((2, len(counts)), np.nan), np.zeros(len(counts))
    for t in range(len(counts)):
        drawn = _drawn(rows, t, counts[t], None if shares is None else shares[t])
        if len(drawn.occur) > 1:
            values = measure(drawn, level)
            found[:, t] = values.mean(), values.var()
            n[t] = rows.weights[rows.tasks == t].sum()
    known = n > 0
    # Tasks whose losses are small seem to be sure of them: a row is as unsure in all tasks.
    of_a_row = max(float((found[1] * n)[known].mean()), 1e-12) if known.any() else 1.0
    with np.errstate(divide="ignore"):
        variance = of_a_row / n
    between = (of_a_row / np.array(FLEET_ROWS)).tolist()
    given = given_others(np.where(known, found[0], 0.0), variance, between)
    half = _DEVIATIONS * np.sqrt(given.variance)
    most = np.inf if name in _UNBOUNDED else 1.0
    ends = np.clip(np.stack([given.mean - half, given.mean + half], axis=1), 0.0, most)
    return ScoreForecast(np.clip(given.mean, 0.0, most), ends)


def _drawn(rows: LeftOutRows, t: int, counts: Floats, shares: Floats | None) -> DrawnRows:
    """The rows of a task; weights vary as much more as rows that are in each other's rules."""
    here = rows.tasks == t
    classes, weights = rows.classes[here], rows.weights[here]
    scores = np.where(counts > 0, rows.scores[here], -np.inf)
    n = np.bincount(classes, weights, minlength=len(counts))
    rng = np.random.default_rng(0)
    shape = weights / (1.0 + rows.noise_share[t])
    masses = rng.gamma(shape, size=(_DRAWS, len(classes)))
    member = np.eye(len(counts))[classes]
    occur = np.flatnonzero(n)
    if shares is None:
        of_class = rng.dirichlet(counts[occur] + 0.5, size=_DRAWS)
    else:
        of_class = np.tile(shares[occur] / shares[occur].sum(), (_DRAWS, 1))
    factor = np.zeros((_DRAWS, len(counts)))
    factor[:, occur] = of_class / (masses @ member)[:, occur]
    p, answers = softmax(scores, axis=1), scores.argmax(axis=1)
    return DrawnRows(p, classes, answers, masses * factor[:, classes], occur)


def _one_against_the_rest(name: str) -> Callable[[DrawnRows, Any], Floats]:
    def measure(of: DrawnRows, level: Any) -> Floats:
        values = [
            DRAWN[name](of.ranked(of.probabilities[:, c], of.classes == c), level) for c in of.occur
        ]
        return np.asarray(np.mean(values, axis=0))

    return measure


def _cost(of: DrawnRows, level: Floats) -> Floats:
    return np.asarray((of.answered() * level).sum(axis=(1, 2)))


def _error(of: DrawnRows, level: Any) -> Floats:
    return _cost(of, 1.0 - np.eye(of.probabilities.shape[1]))


def _balanced_error(of: DrawnRows, level: Any) -> Floats:
    found = of.answered()[:, of.occur]
    right = np.take_along_axis(found, of.occur[None, :, None], axis=2)[..., 0]
    return np.asarray(1.0 - (right / found.sum(axis=2)).mean(axis=1))


def _f1(of: DrawnRows, level: Any) -> Floats:
    found = of.answered()
    right = np.diagonal(found, axis1=1, axis2=2)
    both = found.sum(axis=1) + found.sum(axis=2)
    return np.asarray((2.0 * right / np.maximum(both, 1e-300))[:, of.occur].mean(axis=1))


def _log_loss(of: DrawnRows, level: Any) -> Floats:
    p = of.probabilities[np.arange(len(of.classes)), of.classes]
    return np.asarray(of.masses @ -np.log(np.maximum(p, _SURE)))


def _brier_score(of: DrawnRows, level: Any) -> Floats:
    m = of.probabilities.shape[1]
    return np.asarray(of.masses @ ((of.probabilities - np.eye(m)[of.classes]) ** 2).sum(axis=1))


def _calibration_error(of: DrawnRows, level: Any) -> Floats:
    best = of.probabilities.argmax(axis=1)
    found = of.ranked(of.probabilities.max(axis=1), best == of.classes)
    return DRAWN["calibration_error"](found, level)


_UNBOUNDED = ("cost", "log_loss", "brier_score", "lift_at_budget")
_MEASURES: dict[str, Callable[[DrawnRows, Any], Floats]] = {
    **{"error": _error, "balanced_error": _balanced_error, "cost": _cost, "f1": _f1},
    **{"log_loss": _log_loss, "brier_score": _brier_score},
    "calibration_error": _calibration_error,
}
