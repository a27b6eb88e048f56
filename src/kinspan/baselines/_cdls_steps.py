"""Rows of two domains → the map of the source, and the weights of landmarks: the steps of CDLS.

With weights α of source rows s, labelled target rows t, and weights β and pseudo-classes of
unlabelled target rows u, t and u projected, and e = 1/(ab + bn + na) for the total weights a, b and
the n labelled rows of a class, both steps lower the same function,

    ‖mean(Pᵀs) − mean(t, u)‖² + Σ_c ‖mean_c(Pᵀs) − mean_c(t, u)‖²
    + Σ_c e Σ (α_i‖Pᵀs_i − t_j‖² + β_j‖t_i − u_j‖² + α_iβ_j‖Pᵀs_i − u_j‖²) + ½‖P‖²,

with weighted means. A class without rows on one side counts in the first term only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve

from kinspan._rows.types import Codes, Floats
from kinspan.baselines._box_quadratic import minimise_with_means


class Pool(NamedTuple):
    """Rows with weights and classes."""

    rows: Floats  # (rows, features)
    classes: Codes  # (rows,); −1 is no class
    weights: Floats  # (rows,)

    def totals(self, n_classes: int) -> Floats:
        """(classes,) sums of the weights."""
        known = self.classes >= 0
        totals = np.bincount(self.classes[known], self.weights[known], minlength=n_classes)
        return totals.astype(np.float64)

    def sums(self, n_classes: int) -> Floats:
        """(classes, features) weighted sums of the rows."""
        indicator = self.classes == np.arange(n_classes)[:, None]
        return np.asarray((indicator * self.weights) @ self.rows)

    def sum(self) -> Floats:
        """(features,) weighted sum of all rows, with or without a class."""
        return np.asarray(self.weights @ self.rows)


class Target(NamedTuple):
    """Projected rows of the target."""

    labelled: Pool
    unlabelled: Pool


def source_map(source: Pool, target: Target, n_classes: int) -> Floats:
    """(features, dimensions) P = (S H_S Sᵀ + I/2)⁻¹ (S H_SL Tᵀ + S H_SU Uᵀ).

    S H_S Sᵀ = FᵀF, with rows of F the mean of S, its class means, and √(e(b + n)α)·s. The right
    side is made of the same means.
    """
    a, n, b = (pool.totals(n_classes) for pool in (source, *target))
    e = _reciprocal(a * b + b * n + n * a)
    mean = source.sum() / source.weights.sum()
    class_means = source.sums(n_classes) * _reciprocal(a * (b + n > 0))[:, None]
    spread = np.sqrt((e * (b + n))[source.classes] * source.weights)
    F = np.vstack([mean, class_means, spread[:, None] * source.rows])
    pulls = _class_sums(target, n_classes) * (_reciprocal(b + n) + e * a)[:, None]
    right = np.outer(mean, _mean(target)) + class_means.T @ pulls
    return _ridge(F, right)


def _ridge(F: Floats, right: Floats) -> Floats:
    """(FᵀF + I/2)⁻¹ right, through the smaller of FᵀF and FFᵀ."""
    size, p = F.shape
    if p <= size:
        return np.asarray(solve(F.T @ F + 0.5 * np.eye(p), right, assume_a="pos"))
    inner = solve(F @ F.T + 0.5 * np.eye(size), F @ right, assume_a="pos")
    return np.asarray(2.0 * (right - F.T @ inner))


def source_landmarks(source: Pool, target: Target, n_classes: int, share: float) -> Floats:
    """(rows,) α for projected source rows, with mean δ = share in every class."""
    n, b = (pool.totals(n_classes) for pool in target)
    a = share * source._replace(weights=np.ones(len(source.rows))).totals(n_classes)
    e = _reciprocal(a * b + b * n + n * a)
    sums = _class_sums(target, n_classes)
    return _landmarks(
        source,
        Pull(np.asarray(a.sum()), _mean(target)),
        Pull(a * (b + n > 0), sums * _reciprocal(b + n)[:, None]),
        _costs(source, e * (b + n), e[:, None] * sums),
        share,
    )


def target_landmarks(source: Pool, target: Target, n_classes: int, share: float) -> Floats:
    """(rows,) β for unlabelled target rows, with mean δ = share in every pseudo-class."""
    labelled, unlabelled = target
    a, n = source.totals(n_classes), labelled.totals(n_classes)
    b = share * unlabelled._replace(weights=np.ones(len(unlabelled.rows))).totals(n_classes)
    e = _reciprocal(a * b + b * n + n * a)
    source_sums, labelled_sums = source.sums(n_classes), labelled.sums(n_classes)
    total = b.sum() + len(labelled.weights)
    pull = source.sum() / source.weights.sum() - labelled.sum() / total
    class_pulls = (
        source_sums * _reciprocal(a)[:, None] - labelled_sums * _reciprocal(b + n)[:, None]
    )
    return _landmarks(
        unlabelled,
        Pull(total, pull),
        Pull((b + n) * (a > 0), class_pulls),
        _costs(unlabelled, e * (a + n), e[:, None] * (source_sums + labelled_sums)),
        share,
    )


class Pull(NamedTuple):
    """Points towards which weighted means are pulled: of all rows, or of every class."""

    totals: Floats  # () or (classes,); zero: no pull
    points: Floats  # (dimensions,) or (classes, dimensions)


def _costs(pool: Pool, squares: Floats, crosses: Floats) -> Floats:
    """(rows,) cost of weight on a row by its distances: e Σ_j ‖x − z_j‖² up to a constant."""
    own = np.einsum("nd,nd->n", pool.rows, pool.rows)
    across = np.einsum("nd,nd->n", pool.rows, crosses[pool.classes])
    return np.asarray(squares[pool.classes] * own - 2.0 * across)


def _landmarks(pool: Pool, overall: Pull, by_class: Pull, costs: Floats, share: float) -> Floats:
    """argmin over 0 ≤ x ≤ 1 with mean δ in every class; constants of a class do not matter."""
    if not len(pool.rows):
        return np.empty(0)
    order = np.argsort(pool.classes, kind="stable")
    rows, linear = pool.rows[order], costs[order]
    present, starts, groups = np.unique(pool.classes[order], return_index=True, return_inverse=True)
    inverse, inverses = _reciprocal(overall.totals), _reciprocal(by_class.totals)[present, None]
    points = by_class.points[present] * (inverses > 0)

    def objective(x: Floats) -> tuple[float, Floats]:
        sums = np.add.reduceat(x[:, None] * rows, starts)
        miss, misses = inverse * sums.sum(axis=0) - overall.points, inverses * sums - points
        value = miss @ miss + np.einsum("cd,cd->", misses, misses) + linear @ x
        pull = (inverse * miss + inverses * misses)[groups]
        return float(value), 2.0 * np.einsum("nd,nd->n", rows, pull) + linear

    weights = np.empty(len(rows))
    weights[order] = minimise_with_means(objective, groups, share)
    return weights


def _mean(target: Target) -> Floats:
    """(dimensions,) weighted mean of all target rows."""
    total = target.labelled.weights.sum() + target.unlabelled.weights.sum()
    return np.asarray((target.labelled.sum() + target.unlabelled.sum()) / total)


def _class_sums(target: Target, n_classes: int) -> Floats:
    return target.labelled.sums(n_classes) + target.unlabelled.sums(n_classes)


def _reciprocal(values: Floats) -> Floats:
    """1/values, zero where they are zero."""
    positive = np.asarray(values) > 0
    return np.where(positive, 1.0 / np.where(positive, values, 1.0), 0.0)
