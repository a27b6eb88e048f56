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
_RATE = 0.2  # the kernel of n rows has n**-0.2 of their deviation


class Shares(NamedTuple):
    """What left-out rows say of every class of every task."""

    rows: Floats  # (tasks, classes): how many could be left out
    counted: Floats  # (tasks, classes): the share of them that was misclassified
    smoothed: Floats  # (tasks, classes): the same from margins


def wrong_shares(
    scores: Floats, tasks: Codes, classes: Codes, weights: Floats, priors: Floats
) -> Shares:
    """Shares of cells, from (rows, classes) scores; rows that were not left out have NaN.

    A weight is that number of equal rows; priors (tasks, classes) are zero for absent classes.
    """
    usable = ~np.isnan(scores[:, 0])
    t, c = tasks[usable], classes[usable]
    masked = np.where(priors[t] > 0, scores[usable], -np.inf)
    cells = _Cells(t, c, weights[usable], priors.shape)
    rows = cells.sum(np.ones(len(t)))
    margins = _margins(masked, c)
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
    deviation = np.sqrt(_variances(cells.sum(around**2), np.maximum(rows - 1.0, 0.0)))
    width = kernel_width(rows)
    centre = means[here] + np.sqrt(1.0 - width**2)[here] * around
    return np.asarray(ndtr(-centre / np.maximum(width * deviation, 1e-300)[here]))


def kernel_width(rows: Floats) -> Floats:
    """The kernel around each of so many margins, in standard deviations of all."""
    return np.asarray(np.maximum(rows, 1.0) ** -_RATE)


def _variances(scatter: Floats, freedom: Floats) -> Floats:
    """(tasks, classes): those of few rows are drawn to that of their class in all tasks."""
    of_class = freedom.sum(axis=0)
    common = scatter.sum(axis=0) / np.where(of_class > 0, of_class, 1.0)
    of_all = scatter.sum() / max(float(freedom.sum()), 1.0)
    common = np.where(of_class > 0, common, of_all)
    return np.asarray((scatter + COMMON_ROWS * common) / (freedom + COMMON_ROWS))
