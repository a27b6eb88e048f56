"""Sampled rows with holes → how a missing value follows from the other values of its row.

Let z be the deviations of rows from the means of their tasks, in a unit of each feature, with what
is filled in without this regression in the holes. With weights w of the rows, N their sum and
A = (w/N)^½ z, the ridge regression of every feature on all others is in one matrix,

    Q = (I + AᵀA)⁻¹ = I − AᵀB,    B = A (I + AᵀA)⁻¹ = (I + AAᵀ)⁻¹ A,

eqs. (47c) to (47e) of docs/theory.md: z_p is expected to be z_p − (Qz)_p/Q_pp, whatever z_p is. The
same without the row itself follows from its leverage Σ_p A_ip B_ip. Because rows to predict have
holes too, features are regressed on rows with holes. The ridge of one is the variance of a feature.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import inv

from kinspan._meta_analysis import beyond_chance
from kinspan._rows.types import Floats, Mask


class OtherValues(NamedTuple):
    """What the holes of a row take beyond their fills, linear in what its values are beyond theirs.

    Fills have no deviation: a row that is all holes takes fills and offset.
    """

    steps: tuple[Floats, ...]  # matrices, from features to features, to multiply by in turn
    offset: Floats  # (features,)

    def of(self, deviations: Floats) -> Floats:
        """(rows, features), for (rows, features) deviations from the fills, zero in holes."""
        for step in self.steps:
            deviations = deviations @ step
        return deviations + self.offset


class Regressed(NamedTuple):
    """The regression of every feature on the others."""

    others: OtherValues | None  # for rows that are not among these; None if they say nothing
    left_out: Floats  # (rows, features): for these, each by a regression that has not seen it


class _Ridge(NamedTuple):
    """The ridge regression of every column of z on all others."""

    rows: Floats  # A
    solved: Floats  # B
    precision: Floats  # (features,): the diagonal of Q

    @classmethod
    def of(cls, rows: Floats) -> _Ridge:
        """In the smaller of the spaces of rows and features."""
        n, p = rows.shape
        gram = rows @ rows.T if n < p else rows.T @ rows
        gram[np.diag_indices_from(gram)] += 1.0
        inverse = np.asarray(inv(gram, overwrite_a=True))
        solved = inverse @ rows if n < p else rows @ inverse
        return cls(rows, solved, 1.0 - np.einsum("ip,ip->p", rows, solved))

    def left_out(self, z: Floats, root: Floats) -> Floats:
        """(rows, features): every value as the other values, and the other rows, expect it."""
        others = 1.0 - np.einsum("ip,ip->i", self.rows, self.solved)[:, None]
        below = self.solved**2  # one array of this size, not five
        below += others * self.precision
        np.divide(self.solved, below, out=below)
        below /= root
        return np.subtract(z, below, out=below)


def regressed(
    deviations: Floats, holes: Mask, weights: Floats, shift: Floats, rounding: Floats
) -> Regressed:
    """From (rows, features) deviations from fills, zero in holes.

    Fills are means of tasks plus a (features,) shift; deviations up to `rounding` are none. What is
    expected counts as much as it is worth for values that are there, each left out in turn.
    """
    varies = np.abs(np.where(holes, 0.0, deviations + shift)).max(axis=0, initial=0.0) > rounding
    shift = np.where(varies, shift, 0.0)
    around_means = np.where(varies, deviations + shift, 0.0)
    unit = _units(np.where(holes, 0.0, around_means), weights)
    z, root = around_means / unit, np.sqrt(weights / max(weights.sum(), 1e-300))[:, None]
    ridge = _Ridge.of(z * root)
    there = (root**2 * ~holes).sum(axis=0)
    expected = ridge.left_out(z, np.where(root > 0, root, 1.0))
    factor = _slope(np.where(holes, 0.0, expected), z, root[:, 0] ** 2, there)
    if not factor.any():
        return Regressed(None, np.zeros_like(z))
    steps = _steps(ridge, unit, factor)
    own = OtherValues(steps, shift * factor * (1.0 - 1.0 / ridge.precision))
    return Regressed(OtherValues(steps, own.of(shift)), unit * factor * expected)


def _steps(ridge: _Ridge, unit: Floats, factor: Floats) -> tuple[Floats, ...]:
    """The linear part of what is expected, times a factor, in the fewest products."""
    first, second = ridge.rows.T / unit[:, None], ridge.solved * (unit * factor / ridge.precision)
    return (first @ second,) if len(unit) <= 2 * len(ridge.rows) else (first, second)


def _slope(expected: Floats, z: Floats, weights: Floats, there: Floats) -> Floats:
    """(features,): what values that are there have for every unit that is expected of them.

    A regression on all rows is one on rows of which a share lacks the value: it is that much less.
    The slope counts as far as it is beyond chance, where rows are independent and values are not.
    """
    share = np.where(there > 0, there, 1.0)
    expected = expected / share
    squares, products = (
        weights * np.einsum("ip,ip->i", expected, values) for values in (expected, z)
    )
    total = float(squares.sum())
    if total == 0:
        return np.zeros(len(share))
    slope = float(products.sum()) / total
    error = float(np.linalg.norm(products - slope * squares)) / total
    return np.asarray(max(beyond_chance(slope, error), 0.0) / share)


def _units(deviations: Floats, weights: Floats) -> Floats:
    """(features,): deviations of Gaussian values with these moments; one for constant features.

    It is (m₄/3m₂)^½, so that a feature that few rows show is measured by these.
    """
    largest = np.abs(deviations).max(axis=0, initial=0.0)
    squares = (deviations / np.where(largest > 0, largest, 1.0)) ** 2
    second, fourth = weights @ squares, weights @ np.square(squares, out=squares)
    unit = largest * np.sqrt(fourth / np.where(second > 0, 3.0 * second, 1.0))
    return np.asarray(np.where(unit > 0, unit, 1.0))
