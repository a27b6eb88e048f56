"""Quadratic problems in a box: the optimality conditions, and another solver."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from kinspan.baselines._box_quadratic import minimise_in_box, minimise_with_means


def quadratic(seed: int, n: int, rank: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    F, c = rng.normal(size=(rank, n)), rng.normal(size=n)
    return (lambda x: (0.5 * (F @ x) @ (F @ x) + c @ x, F.T @ (F @ x) + c)), F, c


@pytest.mark.parametrize(("n", "rank"), [(30, 30), (80, 10)])
def test_the_box_alone_meets_its_optimality_conditions(n: int, rank: int) -> None:
    objective, _, _ = quadratic(0, n, rank)
    x = minimise_in_box(objective, np.zeros(n), 1.0)
    gradient = objective(x)[1]
    assert x.min() >= 0
    assert x.max() <= 1
    assert np.abs(gradient[(x > 1e-6) & (x < 1 - 1e-6)]).max(initial=0.0) < 1e-4
    assert gradient[x <= 1e-6].min(initial=0.0) > -1e-4
    assert gradient[x >= 1 - 1e-6].max(initial=0.0) < 1e-4


@pytest.mark.parametrize(("n", "rank", "mean"), [(24, 24, 0.5), (40, 6, 0.3), (30, 5, 0.95)])
def test_prescribed_means_agree_with_sequential_programming(n: int, rank: int, mean: float) -> None:
    objective, _, _ = quadratic(1, n, rank)
    groups = np.arange(n) % 3
    x = minimise_with_means(objective, groups, mean)
    indicator = np.eye(3)[groups].T
    equations: Any = {
        "type": "eq",
        "fun": lambda x: indicator @ x - mean * indicator.sum(axis=1),
        "jac": lambda x: indicator,
    }
    peer = minimize(
        objective,
        np.full(n, mean),
        jac=True,
        method="SLSQP",
        bounds=[(0, 1)] * n,
        constraints=equations,
        options={"maxiter": 1000, "ftol": 1e-14},
    )
    np.testing.assert_allclose(indicator @ x, mean * indicator.sum(axis=1), rtol=1e-6)
    assert objective(x)[0] == pytest.approx(peer.fun, rel=1e-6)
    assert x.min() >= 0
    assert x.max() <= 1


def test_a_full_box_has_one_point() -> None:
    objective, _, _ = quadratic(2, 12, 4)
    x = minimise_with_means(objective, np.arange(12) % 2, 1.0)
    np.testing.assert_allclose(x, 1.0, rtol=1e-6)  # as close as the means are prescribed
