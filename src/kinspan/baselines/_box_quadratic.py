"""Convex function → its minimum in a box, by L-BFGS-B; means over groups may be prescribed.

L-BFGS-B keeps the box exactly and needs no matrix. The few equations are met by the method of
multipliers around it, with a penalty that grows where they are not met fast enough.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import Bounds, minimize
from threadpoolctl import threadpool_limits

from kinspan._rows.types import Codes, Floats

Objective = Callable[[Floats], tuple[float, Floats]]  # x → value and gradient
_OPTIONS: Any = {
    "maxiter": 10_000,
    "maxfun": 100_000,
    "ftol": 1e-14,
    "gtol": 1e-9,
    "maxcor": 20,
}
_ROUNDS, _CLOSE = 50, 1e-7


def minimise_in_box(objective: Objective, start: Floats, upper: float) -> Floats:
    """argmin over 0 ≤ x ≤ upper of a convex function."""
    # The matrices are so small that threads of BLAS would only wait for each other.
    with threadpool_limits(1, user_api="blas"):
        found = minimize(
            objective,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=Bounds(0.0, upper),
            options=_OPTIONS,
        )
    return np.asarray(found.x)


def minimise_with_means(objective: Objective, groups: Codes, mean: float) -> Floats:
    """argmin over 0 ≤ x ≤ 1 of a convex function, with the same mean over every group."""
    sizes = np.bincount(groups).astype(np.float64)
    x, multipliers, miss = np.full(len(groups), mean), np.zeros(len(sizes)), np.inf
    penalty = 10.0 * max(float(np.abs(objective(x)[1]).sum()), 1e-12) / mean

    def misses(x: Floats) -> Floats:
        return np.asarray(np.bincount(groups, weights=x) / sizes - mean)

    def lagrangian(x: Floats) -> tuple[float, Floats]:
        value, gradient = objective(x)
        off = misses(x)
        value += float(multipliers @ off + 0.5 * penalty * off @ off)
        return value, gradient + ((multipliers + penalty * off) / sizes)[groups]

    for _ in range(_ROUNDS):
        x = minimise_in_box(lagrangian, x, 1.0)
        off = misses(x)
        multipliers = multipliers + penalty * off
        last, miss = miss, float(np.abs(off).max())
        if miss <= _CLOSE * mean:
            break
        penalty *= 5.0 if miss > 0.25 * last else 1.0
    return x
