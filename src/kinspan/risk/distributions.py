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
from scipy.special import betaincinv, expit, logit, ndtr, ndtri

from kinspan._meta_analysis.others import NOTHING, Before, GivenOthers, given_others
from kinspan._rows.types import Floats
from kinspan.risk.forecast import FLEET_ROWS
from kinspan.risk.left_out_rows import LeftOutRows
from kinspan.risk.tails import COMMON_ROWS, SHAPE_ROWS, kernel_width

_LESS_THAN_A_ROW = (0.3, 0.1)  # where classes are many units apart, tasks differ by units too
_HALF_OF_GUESSING = Before(-2.0 * float(ndtri(0.25)), 2.0)  # distance of a row of each class
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


N_DRAWS = 100
_NORMALS = _normals(N_DRAWS)  # the same for all tasks and models, which are then compared fairly


class Draws(NamedTuple):
    """Distributions of the scores of a task that its left-out rows make likely."""

    scores: Floats  # (draws, classes, points)
    masses: Floats  # (classes, points): of every class, one in all
    share: Floats  # (draws,): of the second class
    rows: Floats  # (classes,): how many the shape of a class is made of
    offset: float = 0.0  # what of the scores is not about the row

    def probabilities(self) -> Floats:
        """(draws, classes, points): of the second class, if scores are the log odds of rows."""
        before = logit(self.share) - self.offset
        return np.asarray(expit(self.scores + before[:, None, None]))


class Pair(NamedTuple):
    """What is known of a number of both classes, such as their location, in every task.

    The mean of both, weighted by their precisions, has an error that does not depend on that of
    their difference: the middle between them moves with the difference as far as it leans.
    """

    difference: GivenOthers
    middle: GivenOthers
    lean: Floats  # (tasks,): how the middle moves with the difference

    @classmethod
    def of(
        cls,
        values: Floats,
        variances: Floats,
        between: list[float],
        inexact: Floats | float = 0.0,
        before: Before = NOTHING,
    ) -> Pair:
        """From estimates (tasks, 2) of both classes, each task drawn to the others.

        Differences may be inexact by further variances (tasks,).
        """
        apart = values[:, 1] - values[:, 0]
        difference = given_others(apart, variances.sum(axis=1) + inexact, between, before)
        precision = 1.0 / variances
        total = precision.sum(axis=1)
        first = np.where(total > 0, precision[:, 0] / np.where(total > 0, total, 1.0), 0.5)
        lean = first - 0.5
        weighted = first * values[:, 0] + (1.0 - first) * values[:, 1]
        with np.errstate(divide="ignore"):
            doubt = 1.0 / total
        return cls(
            difference, given_others(weighted + lean * difference.mean, doubt, between), lean
        )

    def means(self) -> Floats:
        """(tasks, 2): of both classes."""
        return self.middle.mean[:, None] + np.array([-0.5, 0.5]) * self.difference.mean[:, None]

    def draws(self, t: int, e: Floats) -> tuple[Floats, Floats]:
        """Middle and difference of a task, by normal numbers (draws, 2)."""
        moved = np.sqrt(self.difference.variance[t]) * e[:, 0]
        leant = self.middle.own[t] * self.lean[t] * moved
        middle = self.middle.mean[t] + leant + np.sqrt(self.middle.variance[t]) * e[:, 1]
        return middle, self.difference.mean[t] + moved


class ScoreDistributions(NamedTuple):
    """What is known of the scores of two classes in every task."""

    locations: Pair  # in units, without priors
    unit: Floats  # (tasks,): a spread of the task
    log_variances: Pair
    shapes: Floats  # (tasks, 2, points)
    rows: Floats  # (tasks, 2): that shapes are made of
    offset: Floats  # (tasks,): log odds of the second class before a row is seen
    counts: Floats  # (tasks, 2): labels
    shares: Floats | None  # (tasks,): of the second class, if given; None: as in the labels

    @property
    def is_known(self) -> bool:
        """Whether rows of both classes could be left out, of any task."""
        return bool(self.rows.any(axis=0).all())

    def draws(self, t: int, growth: float = 1.0) -> Draws:
        """Those of one task; if the distance between its classes grew, those of its new rule.

        Log odds become larger as what they are the odds of becomes surer, so that the distance
        grows in units, and the units of the scores as well: eq. (56) of docs/theory.md.
        """
        middle, distance = self.locations.draws(t, _NORMALS[:, :2])
        level, ratio = self.log_variances.draws(t, _NORMALS[:, 2:4])
        locations = self.unit[t] * _both(middle, growth * distance)
        spreads = np.exp(0.5 * _both(level, ratio))
        mean = self.shapes[t] @ _GRID
        deviation = np.sqrt(np.maximum(self.shapes[t] @ _GRID**2 - mean**2, 1e-12))
        points = (_GRID - mean[:, None]) / deviation[:, None]
        scores = growth * (locations[..., None] + spreads[..., None] * points)
        share, offset = self._share(t, _NORMALS[:, 4]), float(self.offset[t])
        return Draws(scores + offset, self.shapes[t], share, self.rows[t], offset)

    def _share(self, t: int, e: Floats) -> Floats:
        if self.shares is not None:
            return np.full(len(e), self.shares[t])
        negative, positive = self.counts[t] + 0.5  # Jeffreys
        return np.asarray(betaincinv(positive, negative, ndtr(e)))


class _Cells(NamedTuple):
    """Moments of left-out scores without priors, as if all were by the rule of their task."""

    scores: Floats  # (rows,)
    n: Floats  # (tasks, 2)
    means: Floats  # (tasks, 2)
    scatter: Floats  # (tasks, 2)

    @classmethod
    def of(cls, rows: LeftOutRows) -> _Cells:
        scores = np.diff(rows.scores - rows.log_priors[rows.tasks], axis=1)[:, 0] + rows.resized
        shape = rows.log_priors.shape
        cells = rows.tasks * 2 + rows.classes

        def summed(values: Floats) -> Floats:
            sums = np.bincount(cells, rows.weights * values, minlength=shape[0] * 2)
            return sums.reshape(shape).astype(np.float64)

        n = summed(np.ones(len(cells)))
        means = summed(scores) / np.where(n > 0, n, 1.0)
        around = scores - means[rows.tasks, rows.classes]
        return cls(scores, n, means, summed(around**2))

    def freedom(self) -> Floats:
        """(tasks, 2): degrees of freedom of a variance, with those of the usual one."""
        return np.maximum(self.n - 1.0, 0.0) + COMMON_ROWS

    def variances(self, usual: Floats) -> Floats:
        """(tasks, 2): those of the rows of the task, with few of which they are the usual ones."""
        return np.asarray((self.scatter + COMMON_ROWS * usual) / self.freedom())

    def usual(self) -> Floats:
        """(tasks, 2): variances by the rows of both classes, and the ratio that all tasks have."""
        freedom = np.maximum(self.n - 1.0, 0.0)
        of_all = self.scatter.sum() / max(float(freedom.sum()), 1.0) or 1.0
        of_task = self.scatter.sum(axis=1, keepdims=True) + COMMON_ROWS * of_all
        of_task = of_task / (freedom.sum(axis=1, keepdims=True) + COMMON_ROWS)
        of_class = (self.scatter / of_task).sum(axis=0) / np.maximum(freedom.sum(axis=0), 1.0)
        return np.asarray(of_task * np.where(of_class > 0, of_class, 1.0))

    def doubt_of_variance(self, rows: LeftOutRows, variances: Floats) -> float:
        """The variance of the logarithm of a variance, times its rows: 2 for normal scores."""
        here = rows.tasks, rows.classes
        squares = (self.scores - self.means[here]) ** 2 / variances[here]
        fourth = rows.weights @ squares**2 + 3.0 * COMMON_ROWS
        return float(fourth / (rows.weights.sum() + COMMON_ROWS)) - 1.0


def score_distributions(
    rows: LeftOutRows, counts: Floats, shares: Floats | None
) -> ScoreDistributions:
    """From left-out rows of two classes, labels (tasks, 2) and shares (tasks,), if known."""
    cells = _Cells.of(rows)
    with_usual = cells.variances(cells.usual())
    doubt = cells.doubt_of_variance(rows, with_usual)
    # Tasks that are surer than others are so for both classes: the ratio of both is much alike in
    # all tasks, and rare rows need only say that.
    of_tasks = (2.0 / np.array(FLEET_ROWS)).tolist()
    log_variances = Pair.of(np.log(with_usual), doubt / cells.freedom(), of_tasks)
    variance = np.exp(log_variances.means())
    n = np.maximum(cells.n, 1e-9)
    unit = np.sqrt((n * variance).sum(axis=1) / n.sum(axis=1))
    own = cells.variances(variance)
    together = 1.0 + rows.noise_share[:, None]  # left-out rows are in the rules of each other
    with np.errstate(divide="ignore"):
        # A row is scored by what its class is without it: by one row less, infinite without rows.
        error = together * np.maximum(own, variance) / np.maximum(cells.n - 1.0, 0.0)
    between = (1.0 / np.array([*FLEET_ROWS, *_LESS_THAN_A_ROW])).tolist()
    means = cells.means / unit[:, None]
    # A distance in units is known no better than the unit.
    relative = 0.25 * doubt / cells.freedom().sum(axis=1)
    inexact = np.mean(np.diff(means, axis=1) ** 2) * relative
    error = error / unit[:, None] ** 2
    locations = Pair.of(means, error, between, inexact, _HALF_OF_GUESSING)
    offset = np.diff(rows.log_priors, axis=1)[:, 0]
    others = cells.n.sum(axis=0) - cells.n
    of_shapes = cells.n + _held(others) * others
    shapes = _shapes(rows, cells, variance, of_shapes)
    parts = locations, unit, log_variances, shapes, of_shapes, offset
    return ScoreDistributions(*parts, counts, shares)


def _both(middle: Floats, difference: Floats) -> Floats:
    """(draws, 2): both classes."""
    return np.stack([middle - 0.5 * difference, middle + 0.5 * difference], axis=1)


def _shapes(rows: LeftOutRows, cells: _Cells, variance: Floats, n: Floats) -> Floats:
    """(tasks, 2, points): masses of standardised scores, smoothed, with rows of other tasks."""
    here = rows.tasks, rows.classes
    z = (cells.scores - cells.means[here]) / np.sqrt(cells.variances(variance))[here]
    width = kernel_width(n)[here]
    centre = np.sqrt(1.0 - width**2) * z
    found = np.zeros((*cells.n.shape, len(_GRID)))
    for start in range(0, len(z), _BLOCK):
        some = slice(start, start + _BLOCK)
        masses = np.diff(ndtr((_EDGES - centre[some, None]) / width[some, None]), axis=1)
        masses *= rows.weights[some, None]
        np.add.at(found, (rows.tasks[some], rows.classes[some]), masses)
    others = found.sum(axis=0) - found
    found += (
        others * _held(cells.n.sum(axis=0) - cells.n)[..., None] + _GAUSSIAN
    )  # one row, where there is none
    return np.asarray(found / found.sum(axis=2, keepdims=True))


def _held(n: Floats) -> Floats:
    """What a row of another task counts, so that n of them count as a hundred at most."""
    return np.asarray(SHAPE_ROWS / (SHAPE_ROWS + n))
