"""Scores of left-out rows → the expected error of every task, and its interval."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri
from scipy.stats import beta

from kinspan._rows.types import Codes, Floats
from kinspan.risk.leave_one_out import LeftOut

_LEVEL = 0.90
_TAIL_DOUBT = 0.05  # relative uncertainty of distances, because tails may not be Gaussian


class Forecast(NamedTuple):
    """The expected error of the rule of every task."""

    error: Floats  # (tasks,); NaN if too few rows could be left out
    interval: Floats  # (tasks, 2): 90 % interval for the error of this rule on new rows
    wrong: Floats  # (rows,): one if the row was misclassified, NaN if it was not left out


def forecast_of_scores(
    left_out: LeftOut, tasks: Codes, classes: Codes, weights: Floats, priors: Floats
) -> Forecast:
    """The forecast: for two classes from Gaussian tails, for more by counting errors."""
    scores, present = left_out.scores, priors > 0
    masked = np.where(present[tasks], scores, -np.inf)
    wrong = np.where(np.isnan(scores[:, 0]), np.nan, _first_of_best(masked) != classes)
    usable = ~np.isnan(wrong)
    tables = _Tables(tasks[usable], classes[usable], weights[usable], priors.shape)
    if priors.shape[1] == 2:
        margin = scores[usable, 1] - scores[usable, 0]
        error, interval = _gaussian_tails(margin, left_out.inflation[usable], tables, priors)
    else:
        error, interval = _counted(wrong[usable], tables, priors)
    enough = _has_all(tables, present)
    if priors.shape[1] == 2:  # the deviation needs more rows than there are class means
        enough &= tables.sum(np.ones(usable.sum())).sum() > enough.sum() * 2
    return Forecast(
        np.where(enough, error, np.nan), np.where(enough[:, None], interval, np.nan), wrong
    )


def _first_of_best(scores: Floats) -> Codes:
    """(rows,): the class with the largest score; the first if scores differ only by rounding."""
    best = scores.max(axis=1, keepdims=True)
    is_best = scores >= best - 1e-9 * np.maximum(np.abs(best), 1.0)
    return np.asarray(is_best.argmax(axis=1))


class _Tables(NamedTuple):
    """Sums over the rows of every cell."""

    tasks: Codes
    classes: Codes
    weights: Floats
    shape: tuple[int, ...]

    def sum(self, values: Floats) -> Floats:
        """(tasks, classes)."""
        cells = self.tasks * self.shape[1] + self.classes
        size = self.shape[0] * self.shape[1]
        sums = np.bincount(cells, self.weights * values, minlength=size)
        return sums.reshape(self.shape).astype(np.float64)


def _has_all(tables: _Tables, present: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether a task has at least two classes, and rows in each of them."""
    counts = tables.sum(np.ones(len(tables.tasks)))
    return np.asarray(((counts > 0) | ~present).all(axis=1) & (present.sum(axis=1) > 1))


def _gaussian_tails(
    margin: Floats, inflation: Floats, tables: _Tables, priors: Floats
) -> tuple[Floats, Floats]:
    """ε = Σ_j π_j Q(±mean_j/deviation), with the deviation pooled over the classes of a task.

    The rule of all rows has the same signal as the rules without one row, but less noise in its
    direction: deviations are divided by the root of the inflation of its squared length.
    """
    n = tables.sum(np.ones(len(margin)))
    safe = np.where(n > 0, n, 1.0)
    means = tables.sum(margin) / safe
    scatter = tables.sum((margin - means[tables.tasks, tables.classes]) ** 2).sum(axis=1)
    freedom = np.maximum(n.sum(axis=1) - 2.0, 0.0)
    noisier = tables.sum(inflation).sum(axis=1) / np.maximum(n.sum(axis=1), 1e-300)
    deviation = np.sqrt(_pooled_variance(scatter, freedom) / np.maximum(noisier, 1.0))
    standard = means * np.array([-1.0, 1.0]) / deviation[:, None]
    total = np.where(priors.any(axis=1), priors.sum(axis=1), 1.0)
    error = (priors * ndtr(-standard)).sum(axis=1) / total
    # The interval shifts both tails by the same distance. Its width combines the sampling errors of
    # the means and of the deviation, and the unknown shape of the tails; the last two grow with the
    # distance of the threshold.
    centre = standard.mean(axis=1)
    shape = 1.0 / (2.0 * np.maximum(freedom, 1.0)) + _TAIL_DOUBT**2
    width = np.sqrt((1.0 / safe).sum(axis=1) / 4.0 + centre**2 * shape)
    half = -ndtri((1.0 - _LEVEL) / 2.0) * width
    ends = [
        (priors * ndtr(-(standard + sign * half[:, None]))).sum(axis=1) / total
        for sign in (1.0, -1.0)
    ]
    return error, np.stack(ends, axis=1)


def _pooled_variance(scatter: Floats, freedom: Floats) -> Floats:
    """Variances of tasks; those with few rows are shrunk towards the common variance."""
    total = max(freedom.sum(), 1.0)
    common = max(scatter.sum() / total, 1e-30)
    return np.asarray((scatter + 2.0 * common) / (freedom + 2.0))


def _counted(wrong: Floats, tables: _Tables, priors: Floats) -> tuple[Floats, Floats]:
    """Share of errors, with classes weighted by their priors, and its Jeffreys interval."""
    n = tables.sum(np.ones(len(wrong)))
    rate = tables.sum(wrong) / np.where(n > 0, n, 1.0)
    share = priors / np.maximum(priors.sum(axis=1, keepdims=True), 1e-300)
    error = (share * rate).sum(axis=1)
    # Effective number of rows: that many would give the prior-weighted error the same variance.
    total = 1.0 / np.maximum((share**2 / np.where(n > 0, n, np.inf)).sum(axis=1), 1e-300)
    tail = (1.0 - _LEVEL) / 2.0
    low, high = (
        beta.ppf(q, error * total + 0.5, (1.0 - error) * total + 0.5) for q in (tail, 1.0 - tail)
    )
    ends = [np.where(error > 0, low, 0.0), np.where(error < 1, high, 1.0)]
    return error, np.stack(ends, axis=1)
