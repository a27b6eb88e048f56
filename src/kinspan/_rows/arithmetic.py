"""Moments of cells and those of other rows → moments of their sum, or of their difference.

Both are the update of Chan, Golub and LeVeque, forwards and backwards. With n₂ of n rows in the
second part and δ = mean₂ − mean₁,

    mean = mean₁ + δ n₂/n,    squares = squares₁ + squares₂ + δ² n₁ n₂/n.

Where values are missing, n is the number of values of each feature that are there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._rows.sums import CellMoments
from kinspan._rows.types import Floats, Mask, Moments

_RESOLUTION = 64.0 * float(np.finfo(np.float64).eps)  # of means, after a few roundings
_OF_SQUARES = 1e-13  # the same of second moments
_COARSE = 1.0 / 8.0  # of a standard deviation: errors that are not small against it


def added(first: Moments, second: Moments) -> CellMoments:
    """Moments of the rows of both; cells are (tasks, classes), the same of both."""
    counts = first.counts + second.counts
    share = _ratio(second.numbers, first.numbers + second.numbers)
    with np.errstate(over="ignore", invalid="ignore"):
        delta = second.means - first.means
        means = first.means + delta * share
        between = delta * (delta * share * first.numbers)
        return CellMoments(counts, means, first.squares + second.squares + between)


class Rest(NamedTuple):
    """What subtraction leaves of every cell, and how well it is known."""

    moments: CellMoments
    error: Floats  # (tasks, classes, features): of means and deviations
    typical: Floats  # (features,): deviations of the rows that are left, or of those removed
    impossible: Mask  # (tasks, classes, features): second moments below zero, rounding aside
    numbers: Floats  # (tasks, classes, 1 or features): values that are left

    def is_doubtful(self, typical: Floats | float = 0.0) -> Mask:
        """Where errors are not small against deviations, which may be known from elsewhere too."""
        typical = np.maximum(self.typical, typical)
        return np.asarray((typical > 0) & (self.error > _COARSE * typical))


def subtracted(whole: Moments, part: Moments) -> Rest:
    """Moments of the rows that are not in the part; cells are the same of both."""
    n1, mean1, squares1 = whole.numbers, whole.means, whole.squares
    n2, mean2, squares2 = part.numbers, part.means, part.squares
    counts, numbers = _left(whole.counts, part.counts), _left(n1, n2)
    left, share = numbers > 0, _ratio(n2, numbers)
    both = numbers * n2 / np.where(n1 > 0, n1, 1.0)
    with np.errstate(over="ignore", invalid="ignore"):
        means = np.where(left, mean1 + (mean1 - mean2) * share, 0.0)
        between = (mean2 - means) * ((mean2 - means) * both)
        squares = np.where(left, squares1 - squares2 - between, 0.0)
        rounding = np.where(left & (share > 0), _rounding(whole, part, share), 0.0)
        doubt = both * rounding * (np.abs(mean2 - means) + rounding)
        parts = squares1 + squares2 + between
        impossible = squares < -(1e-6 * parts + doubt)
        is_rounding = np.isfinite(squares) & ~(squares > _OF_SQUARES * parts + doubt)
        squares = np.where(is_rounding, 0.0, squares)
        means = _of_constants(means, (squares == 0) & left & (share > 0), rounding, counts)
        lost = np.sqrt(_OF_SQUARES * parts / np.where(left, numbers, 1.0))
        error = np.maximum(rounding / 16.0, lost * (share > 0))  # 16: bounds are seldom reached
        typical = np.maximum(_deviation(squares, numbers), _deviation(squares2, n2))
    moments = CellMoments(counts, means, squares)
    return Rest(moments, np.where(left, error, 0.0), typical, impossible, numbers)


def _left(whole: Floats, part: Floats) -> Floats:
    """Numbers of rows or values that are left; zero where the rest is rounding."""
    return np.where(whole - part > 1e-9 * whole, whole - part, 0.0)


def subtracted_weights(whole: Floats, part: Floats, counts: Floats) -> Floats:
    """Σw² of the rows that are left; where rounding hides it, as if they were one row."""
    rest, single = whole - part, np.minimum(counts, counts**2)
    return np.where(rest > 1e-12 * whole, np.minimum(rest, single), single)


def _ratio(numbers: Floats, counts: Floats) -> Floats:
    """(tasks, classes, 1 or features): numbers of values over others, zero where there are none."""
    return np.divide(numbers, counts, out=np.zeros(counts.shape), where=counts > 0)


def _rounding(whole: Moments, part: Moments, share: Floats) -> Floats:
    """How far means may be from those of the rows that are left."""
    n = np.where(whole.numbers > 0, whole.numbers, 1.0)
    size = (np.abs(whole.means) + np.sqrt(whole.squares / n)) * (1.0 + share)
    return np.asarray(_RESOLUTION * (size + np.abs(part.means) * share))


def _of_constants(means: Floats, is_flat: Mask, rounding: Floats, counts: Floats) -> Floats:
    """Of a feature that does not vary: zero, or its constant in other cells, if within rounding."""
    means = np.where(is_flat & (np.abs(means) <= rounding), 0.0, means)
    elsewhere = np.where(is_flat.any(axis=2), 0.0, counts).ravel()
    elsewhere = elsewhere if elsewhere.any() else counts.ravel()
    constant = means.reshape(-1, means.shape[2])[elsewhere.argmax()]
    return np.where(is_flat & (np.abs(means - constant) <= rounding), constant, means)


def _deviation(squares: Floats, numbers: Floats) -> Floats:
    """(features,): within cells."""
    freedom = np.maximum(np.maximum(numbers - 1.0, 0.0).sum(axis=(0, 1)), 1.0)
    return np.asarray(np.sqrt(squares.sum(axis=(0, 1)) / freedom))
