"""Scores of left-out rows → the share of wrong rows of every cell, counted and smoothed.

The margin of a row is the score of its class minus the best of the others. A count of negative
margins converges whatever their distribution, but is coarse where rows are few; a Gaussian tail
with the mean and deviation of the cell uses all margins, but need not converge. The smoothed share
is in between: a kernel around every margin, as wide as the cell if rows are few, and narrower the
more there are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from kinspan._rows.types import Codes, Floats

COMMON_ROWS = 2.0  # the deviation of a class in all tasks counts as much as this number of rows
SHAPE_ROWS = 100.0  # rows, of all tasks or one, that tell of a shape as much as a smooth tail does
_RATE = 0.2  # the kernel of n rows has n**-0.2 of their deviation
_MIDDLE = 0.6745  # half of the rows of a Gaussian class are no more deviations from its mean


class Shares(NamedTuple):
    """What left-out rows say of every class of every task."""

    rows: Floats  # (tasks, classes): how many could be left out
    counted: Floats  # (tasks, classes): the share of them that was misclassified
    smoothed: Floats  # (tasks, classes): the same from margins


def wrong_shares(
    scores: Floats,
    tasks: Codes,
    classes: Codes,
    weights: Floats,
    priors: Floats,
    sized: Floats | None = None,
) -> Shares:
    """Shares of cells, from (rows, classes) scores; rows that were not left out have NaN.

    A weight is that number of equal rows; priors (tasks, classes) are zero for absent classes.
    Margins are those of sized scores, or of scores if there are none.
    """
    usable = ~np.isnan(scores[:, 0])
    t, c = tasks[usable], classes[usable]
    masked, of_size = (
        np.where(priors[t] > 0, of[usable], -np.inf)
        for of in (scores, scores if sized is None else sized)
    )
    cells = _Cells(t, c, weights[usable], priors.shape)
    rows = cells.sum(np.ones(len(t)))
    margins = _margins(of_size, c)
    return Shares(
        rows,
        cells.mean((_first_of_best(masked) != c).astype(np.float64), rows),
        cells.mean(_chance_to_be_negative(margins, cells, rows), rows),
    )


class _Cells(NamedTuple):
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

    def mean(self, values: Floats, rows: Floats) -> Floats:
        """(tasks, classes): zero for cells without rows."""
        return self.sum(values) / np.where(rows > 0, rows, 1.0)


def _first_of_best(scores: Floats) -> Codes:
    """(rows,): the class with the largest score; the first if scores differ only by rounding."""
    best = scores.max(axis=1, keepdims=True)
    is_best = scores >= best - 1e-9 * np.maximum(np.abs(best), 1.0)
    return np.asarray(is_best.argmax(axis=1))


def _margins(scores: Floats, classes: Codes) -> Floats:
    places = np.arange(len(scores))
    rivals = scores.copy()
    rivals[places, classes] = -np.inf
    return np.asarray(scores[places, classes] - rivals.max(axis=1, initial=-np.inf))


def _chance_to_be_negative(margins: Floats, cells: _Cells, rows: Floats) -> Floats:
    """(rows,): eq. (39) of docs/theory.md.

    Margins are drawn to their mean, so that with the kernel they spread as much as before.
    """
    here = (cells.tasks, cells.classes)
    means = cells.mean(margins, rows)
    around = margins - means[here]
    freedom = np.maximum(rows - 1.0, 0.0)
    deviation = np.sqrt(_variances(cells.sum(around**2), freedom))
    larger = np.sqrt(rows / np.maximum(freedom, 1.0)) / np.maximum(deviation, 1e-300)
    away = np.where((freedom > 0)[here], np.abs(larger[here] * around), np.nan)
    width = kernel_width(rows) * _width_of_the_middle(away, cells)
    centre = means[here] + np.sqrt(1.0 - width**2)[here] * around
    return np.asarray(ndtr(-centre / np.maximum(width * deviation, 1e-300)[here]))


def kernel_width(rows: Floats) -> Floats:
    """The kernel around each of so many margins, in standard deviations of all."""
    return np.asarray(np.maximum(rows, 1.0) ** -_RATE)


def _width_of_the_middle(away: Floats, cells: _Cells) -> Floats:
    """(classes,): of half of the rows of a class, over that of Gaussian ones; at most one.

    From (rows,) deviations from the means of cells; NaN for single rows. Of heavy tails the
    deviation is that of few rows, and a kernel as wide would blur all others. Of few rows, in all
    tasks together, the middle says little: eq. (39a) of docs/theory.md.
    """
    ratios = np.ones(cells.shape[1])
    for c in range(len(ratios)):
        here = (cells.classes == c) & np.isfinite(away)
        if here.any():
            rows = cells.weights[here].sum()
            half = _middle(away[here], cells.weights[here]) / _MIDDLE
            ratios[c] = min(half, 1.0) ** (rows / (rows + SHAPE_ROWS))
    return ratios


def _middle(values: Floats, weights: Floats) -> float:
    """The median; between two rows their mean, so that rounding does not decide."""
    order = np.argsort(values)
    until = np.cumsum(weights[order])
    places = np.searchsorted(until, until[-1] * np.array([0.5 - 1e-9, 0.5 + 1e-9]))
    return float(values[order][places].mean())


def _variances(scatter: Floats, freedom: Floats) -> Floats:
    """(tasks, classes): those of few rows are drawn to that of their class in all tasks."""
    of_class = freedom.sum(axis=0)
    common = scatter.sum(axis=0) / np.where(of_class > 0, of_class, 1.0)
    of_all = scatter.sum() / max(float(freedom.sum()), 1.0)
    common = np.where(of_class > 0, common, of_all)
    return np.asarray((scatter + COMMON_ROWS * common) / (freedom + COMMON_ROWS))
