"""Scores of left-out rows → how scores of new rows of both classes will be distributed.

A class of a task has a location, a spread and a shape. The distance between both locations, in
units of the spread of the task, the middle between them and the spreads are posteriors: what the
left-out rows of the task say, drawn to what the other tasks say, as errors are (`forecast`). The
shape is that of the task's rows, smoothed, with rows of the other tasks added. Whatever somebody
wants to know of the scores is computed from a fixed set of draws of these (`drawn_scores`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv, ndtr

from kinspan._meta_analysis.others import GivenOthers, given_others
from kinspan._rows.types import Floats
from kinspan.risk.forecast import FLEET_ROWS, SHAPE_ROWS
from kinspan.risk.left_out_rows import LeftOutRows
from kinspan.risk.tails import COMMON_ROWS, kernel_width

_SHARED_RULE = 1.5  # left-out rows share a rule: so many say as much of it as one new row
_GRID = np.linspace(-6.0, 6.0, 121)  # standard deviations from the location
_EDGES = np.concatenate([[-np.inf], 0.5 * (_GRID[1:] + _GRID[:-1]), [np.inf]])
_GAUSSIAN = np.diff(ndtr(_EDGES))
_BLOCK = 1 << 13  # rows that are smoothed at once
_UNKNOWNS = 5  # distance, middle, two spreads, share


def _normals(n: int) -> Floats:
    """(n, unknowns): normal numbers with exactly their means and covariances."""
    half = np.random.default_rng(0).normal(size=(n // 2, _UNKNOWNS))
    root = np.linalg.cholesky(half.T @ half / len(half))
    white = np.linalg.solve(root, half.T).T
    return np.concatenate([white, -white])


_NORMALS = _normals(100)  # the same for all tasks and models, which are then compared fairly


class Draws(NamedTuple):
    """Distributions of the scores of a task that its left-out rows make likely."""

    scores: Floats  # (draws, classes, points)
    masses: Floats  # (classes, points): of every class, one in all
    share: Floats  # (draws,): of the second class


class ScoreDistributions(NamedTuple):
    """What is known of the scores of two classes in every task."""

    distance: GivenOthers  # between the locations, in units
    unit: Floats  # (tasks,): a spread of the task
    middle: GivenOthers  # between the locations, without priors
    lean: Floats  # (tasks,): how the middle moves with the distance
    log_variance: tuple[GivenOthers, GivenOthers]  # of both classes
    shapes: Floats  # (tasks, 2, points)
    offset: Floats  # (tasks,): log odds of the second class before a row is seen
    counts: Floats  # (tasks, 2): labels
    shares: Floats | None  # (tasks,): of the second class, if given; None: as in the labels

    def draws(self, t: int) -> Draws:
        """Those of one task."""
        e = _NORMALS
        distance = self.distance.mean[t] + np.sqrt(self.distance.variance[t]) * e[:, 0]
        moved = self.middle.own[t] * self.lean[t] * (distance - self.distance.mean[t])
        middle = self.middle.mean[t] + moved + np.sqrt(self.middle.variance[t]) * e[:, 1]
        half = 0.5 * self.unit[t] * distance
        locations = np.stack([middle - half, middle + half], axis=1) + self.offset[t]
        spreads = [
            np.exp(0.5 * (of.mean[t] + np.sqrt(of.variance[t]) * e[:, 2 + c]))
            for c, of in enumerate(self.log_variance)
        ]
        mean = self.shapes[t] @ _GRID
        deviation = np.sqrt(np.maximum(self.shapes[t] @ _GRID**2 - mean**2, 1e-12))
        points = (_GRID - mean[:, None]) / deviation[:, None]
        scores = locations[..., None] + np.stack(spreads, axis=1)[..., None] * points
        return Draws(scores, self.shapes[t], self._share(t, e[:, 4]))

    def _share(self, t: int, e: Floats) -> Floats:
        if self.shares is not None:
            return np.full(len(e), self.shares[t])
        negative, positive = self.counts[t] + 0.5  # Jeffreys
        return np.asarray(betaincinv(positive, negative, ndtr(e)))


class _Cells(NamedTuple):
    """Moments of left-out scores without priors."""

    scores: Floats  # (rows,)
    n: Floats  # (tasks, 2)
    means: Floats  # (tasks, 2)
    scatter: Floats  # (tasks, 2)

    @classmethod
    def of(cls, rows: LeftOutRows) -> _Cells:
        shape = rows.log_priors.shape
        cells = rows.tasks * 2 + rows.classes

        def summed(values: Floats) -> Floats:
            sums = np.bincount(cells, rows.weights * values, minlength=shape[0] * 2)
            return sums.reshape(shape).astype(np.float64)

        scores = np.diff(rows.scores - rows.log_priors[rows.tasks], axis=1)[:, 0]
        n = summed(np.ones(len(cells)))
        means = summed(scores) / np.where(n > 0, n, 1.0)
        around = scores - means[rows.tasks, rows.classes]
        return cls(scores, n, means, summed(around**2))


def score_distributions(
    rows: LeftOutRows, counts: Floats, shares: Floats | None
) -> ScoreDistributions:
    """From left-out rows of two classes, labels (tasks, 2) and shares (tasks,), if known."""
    cells = _Cells.of(rows)
    log_variance = _log_variances(cells)
    variance = np.exp(np.stack([of.mean for of in log_variance], axis=1))
    n = np.maximum(cells.n, 1e-9)
    unit = np.sqrt((n * variance).sum(axis=1) / n.sum(axis=1))
    with np.errstate(divide="ignore"):
        error = _SHARED_RULE * variance / cells.n  # infinite without rows
    distance, middle, lean = _locations(cells.means, error, unit)
    offset = np.diff(rows.log_priors, axis=1)[:, 0]
    shapes = _shapes(rows, cells, variance)
    return ScoreDistributions(
        *(distance, unit, middle, lean, log_variance, shapes, offset, counts, shares)
    )


def _locations(
    means: Floats, error: Floats, unit: Floats
) -> tuple[GivenOthers, GivenOthers, Floats]:
    """Distance and middle, and how the latter moves with the former.

    The mean of both locations, weighted by their precisions, has an error that does not depend on
    that of their distance.
    """
    between = 1.0 / np.array(FLEET_ROWS)
    apart = (means[:, 1] - means[:, 0]) / unit
    distance = given_others(apart, error.sum(axis=1) / unit**2, between.tolist())
    precision = 1.0 / error
    total = precision.sum(axis=1)
    first = np.where(total > 0, precision[:, 0] / np.where(total > 0, total, 1.0), 0.5)
    centre = first * means[:, 0] + (1.0 - first) * means[:, 1]
    lean = (first - 0.5) * unit
    with np.errstate(divide="ignore"):
        doubt = 1.0 / total
    middle = given_others(
        centre + lean * distance.mean, doubt, (float(np.mean(unit**2)) * between).tolist()
    )
    return distance, middle, lean


def _log_variances(cells: _Cells) -> tuple[GivenOthers, GivenOthers]:
    """Of every class; the variance of n rows is known up to a factor of about 1 ± √(2/n)."""
    freedom = np.maximum(cells.n - 1.0, 0.0)
    of_class = cells.scatter.sum(axis=0) / np.maximum(freedom.sum(axis=0), 1.0)
    of_all = cells.scatter.sum() / max(float(freedom.sum()), 1.0)
    common = np.where(of_class > 0, of_class, of_all if of_all > 0 else 1.0)
    rows = freedom + COMMON_ROWS
    logarithms = np.log((cells.scatter + COMMON_ROWS * common) / rows)
    between = (2.0 / np.array(FLEET_ROWS)).tolist()
    first, second = (given_others(logarithms[:, c], 2.0 / rows[:, c], between) for c in (0, 1))
    return first, second


def _shapes(rows: LeftOutRows, cells: _Cells, variance: Floats) -> Floats:
    """(tasks, 2, points): masses of standardised scores, smoothed, with rows of other tasks."""
    here = rows.tasks, rows.classes
    freedom = np.maximum(cells.n - 1.0, 0.0)
    own = (cells.scatter + COMMON_ROWS * variance) / (freedom + COMMON_ROWS)
    z = (cells.scores - cells.means[here]) / np.sqrt(own)[here]
    width = kernel_width(cells.n)[here]
    centre = np.sqrt(1.0 - width**2) * z
    found = np.zeros((*cells.n.shape, len(_GRID)))
    for start in range(0, len(z), _BLOCK):
        some = slice(start, start + _BLOCK)
        masses = np.diff(ndtr((_EDGES - centre[some, None]) / width[some, None]), axis=1)
        masses *= rows.weights[some, None]
        np.add.at(found, (rows.tasks[some], rows.classes[some]), masses)
    others = found.sum(axis=0) - found
    n = others.sum(axis=2, keepdims=True)
    found += others * (SHAPE_ROWS / (SHAPE_ROWS + n)) + _GAUSSIAN  # one row, where there is none
    return np.asarray(found / found.sum(axis=2, keepdims=True))
