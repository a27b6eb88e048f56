"""Minima of quadratic functions over weights that are not negative: of one, and of many at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import nnls

from kinspan._rows.by_task import RowsByTask
from kinspan._rows.types import Floats, Mask

_EXCHANGES = 6  # of weights that are used, before problems are solved one by one


def nonnegative(curvature: Floats, target: Floats) -> Floats:
    """The w ≥ 0 that minimises ½ wᵀ curvature w − targetᵀ w."""
    diagonal = np.diagonal(curvature)
    size = np.sqrt(np.maximum(diagonal, max(1e-12 * float(diagonal.max()), 1e-100)))
    scaled = curvature / size[:, None] / size + 1e-12 * np.eye(len(size))
    root = np.linalg.cholesky(scaled)
    return np.asarray(nnls(root.T, np.linalg.solve(root, target / size))[0] / size)


def nonnegative_each(curvature: Floats, target: Floats, used: Mask) -> Floats:
    """(problems, weights): the same for each of many problems with few weights.

    From a guess of the weights that are used: those that are negative are left out, and those that
    would gain by growing come back, which nearly always ends at once. Where it does not, the
    problems are solved one by one.
    """
    diagonal = np.einsum("tjj->tj", curvature)
    least = np.maximum(1e-12 * diagonal.max(axis=1, keepdims=True), 1e-100)
    size = np.sqrt(np.maximum(diagonal, least))
    scaled = curvature / size[:, :, None] / size[:, None, :] + 1e-12 * np.eye(target.shape[1])
    aim = target / size
    found, rest = np.empty(aim.shape), np.arange(len(aim))
    matrices, aims = scaled, aim
    for _ in range(_EXCHANGES):
        solved = _among(matrices, aims, used)
        wrong = _on_the_wrong_side(matrices, aims, solved, used)
        found[rest] = solved
        again = np.flatnonzero(_transposed(wrong).any(axis=0))
        if not len(again):
            return np.asarray(found / size)
        rest, used = rest[again], (used ^ wrong)[again]
        matrices, aims = matrices[again], aims[again]
    found[rest] = [nonnegative(*problem) for problem in zip(matrices, aims, strict=True)]
    return np.asarray(found / size)


def nonnegative_moved(
    curvature: Floats, target: Floats, used: Mask, moves: Floats, by_problem: RowsByTask
) -> Floats:
    """(moves, weights): minima of problems, each after its target has moved.

    The weights that were used (problems, weights) nearly always stay those that are used; where
    they do not, the problem is solved anew.
    """
    aim = by_problem.of_rows(target) + moves
    found = by_problem.times(aim, inverse_among(curvature, used))
    slope = by_problem.times(found, curvature) - aim
    size = np.sqrt(np.einsum("tjj->tj", curvature))  # of a slope, and of one over weights
    safe = by_problem.of_rows(np.where(size > 0, size, 1.0))
    size, is_used = by_problem.of_rows(size), used.take(by_problem.codes, axis=0)
    least = -1e-9 * _transposed(np.abs(aim / safe)).max(axis=0)[:, None]
    holds = (found * size >= least) & (is_used | (slope >= least * size))
    anew = np.flatnonzero(~_transposed(holds).all(axis=0))
    if len(anew):
        guess = np.where(is_used[anew], found[anew] > 0, slope[anew] < 0)
        again = curvature.take(by_problem.codes[anew], axis=0)
        found[anew] = nonnegative_each(again, aim[anew], guess)
    return np.asarray(np.maximum(found, 0.0))


def _transposed(values: Any) -> Any:
    """In memory: rows that are short are compared much faster across than along."""
    return np.ascontiguousarray(values.T)


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
