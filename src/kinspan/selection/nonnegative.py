"""Minima of quadratic functions over weights that are not negative: of one, and of many at once."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.optimize import nnls

from kinspan._rows.types import Codes, Floats, Mask

_EXCHANGES = 6  # of weights that are used, before all subsets are tried


def nonnegative(curvature: Floats, target: Floats) -> Floats:
    """The w ≥ 0 that minimises ½ wᵀ curvature w − targetᵀ w."""
    diagonal = np.diagonal(curvature)
    size = np.sqrt(np.maximum(diagonal, max(1e-12 * float(diagonal.max()), 1e-100)))
    scaled = curvature / size[:, None] / size + 1e-12 * np.eye(len(size))
    root = np.linalg.cholesky(scaled)
    return np.asarray(nnls(root.T, np.linalg.solve(root, target / size))[0] / size)


def nonnegative_each(curvature: Floats, target: Floats) -> Floats:
    """(problems, weights): the same for each of many problems with few weights.

    If no weight of the solution is negative, it is the one. Else the weights that are negative are
    left out, and those that would gain by growing come back, which nearly always ends at once.
    Where it does not, the solution is the best of all subsets of the weights, of which there are
    few, on which it is not negative.
    """
    diagonal = np.einsum("tjj->tj", curvature)
    least = np.maximum(1e-12 * diagonal.max(axis=1, keepdims=True), 1e-100)
    size = np.sqrt(np.maximum(diagonal, least))
    scaled = curvature / size[:, :, None] / size[:, None, :] + 1e-12 * np.eye(target.shape[1])
    aim = target / size
    found = np.linalg.solve(scaled, aim[..., None])[..., 0]
    rest = np.flatnonzero((found < 0).any(axis=1))
    used = found[rest] > 0
    for _ in range(_EXCHANGES):
        if len(rest):
            found[rest] = _among(scaled[rest], aim[rest], used)
            wrong = _on_the_wrong_side(scaled[rest], aim[rest], found[rest], used)
            again = wrong.any(axis=1)
            rest, used = rest[again], (used ^ wrong)[again]
    if len(rest):
        found[rest] = _best_of_subsets(scaled[rest], aim[rest])
    return np.asarray(found / size)


def nonnegative_moved(
    curvature: Floats, target: Floats, used: Mask, moves: Floats, problems: Codes
) -> Floats:
    """(moves, weights): minima of problems, each after its target has moved.

    The weights that were used (problems, weights) nearly always stay those that are used; where
    they do not, the problem is solved anew.
    """
    aim = target[problems] + moves
    found = np.einsum("nij,nj->ni", inverse_among(curvature, used)[problems], aim)
    size = np.sqrt(np.einsum("tjj->tj", curvature))[problems]  # of a slope, and of one over weights
    slope = np.einsum("nij,nj->ni", curvature[problems], found) - aim
    least = -1e-9 * np.abs(aim / np.where(size > 0, size, 1.0)).max(axis=1, keepdims=True)
    holds = (found * size >= least) & (used[problems] | (slope >= least * size))
    anew = np.flatnonzero(~holds.all(axis=1))
    if len(anew):
        found[anew] = nonnegative_each(curvature[problems[anew]], aim[anew])
    return np.asarray(np.maximum(found, 0.0))


def inverse_among(curvature: Floats, used: Mask) -> Floats:
    """(problems, weights, weights): inverses over the weights that are used; zero for others."""
    both = used[:, :, None] & used[:, None, :]
    largest = np.einsum("tjj->tj", curvature).max(axis=1)[:, None, None]
    rounding = 1e-12 * largest + 1e-100
    among = np.where(both, curvature, 0.0) + rounding * np.eye(used.shape[1])
    return np.where(both, np.linalg.inv(among), 0.0)


def _among(curvature: Floats, target: Floats, used: Mask) -> Floats:
    """(problems, weights): minima over the weights that are used; zero for others."""
    both = used[:, :, None] & used[:, None, :]
    among = np.where(both, curvature, np.eye(target.shape[1]))
    return np.linalg.solve(among, np.where(used, target, 0.0)[..., None])[..., 0]


def _on_the_wrong_side(curvature: Floats, target: Floats, found: Floats, used: Mask) -> Mask:
    """(problems, weights): negative ones, and unused ones that would gain by growing."""
    slope = np.einsum("tij,tj->ti", curvature, found) - target
    return np.where(used, found < 0, slope < 0)


def _best_of_subsets(curvature: Floats, target: Floats) -> Floats:
    n, size = target.shape
    best, value = np.zeros((n, size)), np.zeros(n)
    for k in range(1, size):
        for subset in combinations(range(size), k):
            some = np.array(subset)
            found = np.linalg.solve(curvature[:, some[:, None], some], target[:, some, None])
            found = found[..., 0]
            gained = 0.5 * np.einsum("tj,tj->t", found, target[:, some])
            better = np.flatnonzero((found >= 0).all(axis=1) & (gained > value))
            value[better], best[better] = gained[better], 0.0
            best[better[:, None], some] = found[better]
    return best
