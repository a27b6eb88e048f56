"""Weights that are not negative: of least squares, and for many problems as for one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import nnls

from kinspan._rows.by_task import RowsByTask
from kinspan.selection.nonnegative import nonnegative, nonnegative_each, nonnegative_moved


def random_problem(rng: Any, size: int) -> tuple[Any, Any]:
    """A curvature, badly scaled, and a target of which some coordinates want to be negative."""
    root = rng.normal(size=(size, size + 2)) * 10.0 ** rng.uniform(-2, 2, size)[:, None]
    return root @ root.T, root @ rng.normal(size=size + 2)


@pytest.mark.parametrize("size", [1, 2, 5, 16])
def test_weights_that_are_not_negative_are_those_of_least_squares(size: int) -> None:
    rng = np.random.default_rng(size)
    for _ in range(30):
        curvature, target = random_problem(rng, size)
        root = np.linalg.cholesky(curvature)
        expected = nnls(root.T, np.linalg.solve(root, target))[0]
        found = nonnegative(curvature, target)
        units = np.sqrt(np.diagonal(curvature))
        np.testing.assert_allclose(found * units, expected * units, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_many_small_problems_at_once_are_each_of_them(size: int) -> None:
    rng = np.random.default_rng(size)
    problems = [random_problem(rng, size) for _ in range(40)]
    curvature, target = (np.array([problem[i] for problem in problems]) for i in (0, 1))
    units = np.sqrt(np.einsum("tjj->tj", curvature))
    expected = np.array([nonnegative(*problem) for problem in problems])
    for guess in (expected > 0, expected < 0, rng.random(expected.shape) < 0.5):
        found = nonnegative_each(curvature, target, guess)
        np.testing.assert_allclose(found * units, expected * units, rtol=1e-6, atol=1e-6)
        assert (found == 0).any() == (expected == 0).any()


def test_a_weight_that_was_negative_can_be_needed_after_all() -> None:
    """Leaving out all negative weights is a guess, which is checked."""
    rng = np.random.default_rng(7)
    problems = [random_problem(rng, 4) for _ in range(3000)]
    curvature, target = (np.array([problem[i] for problem in problems]) for i in (0, 1))
    free = np.linalg.solve(curvature, target[..., None])[..., 0]
    found = nonnegative_each(curvature, target, free > 0)
    assert ((free < 0) & (found > 0)).any()
    slope = np.einsum("tij,tj->ti", curvature, found) - target
    units = np.sqrt(np.einsum("tjj->tj", curvature))
    assert (found >= 0).all()
    assert (slope / units > -1e-6 * np.abs(target / units).max()).all()
    assert np.abs(found * slope).max() < 1e-6


@pytest.mark.parametrize("size", [1, 2, 5])
def test_targets_that_move_are_solved_as_if_anew(size: int) -> None:
    """Small moves keep the weights that are used, large ones do not."""
    rng = np.random.default_rng(size)
    problems = [random_problem(rng, size) for _ in range(10)]
    curvature, target = (np.array([problem[i] for problem in problems]) for i in (0, 1))
    used = nonnegative_each(curvature, target, np.ones_like(target, dtype=bool)) > 0
    of_problem = np.sort(rng.integers(0, 10, 60))
    moves = target[of_problem] * rng.normal(size=(60, size)) * rng.choice([0.01, 1.0, 5.0], (60, 1))
    found = nonnegative_moved(curvature, target, used, moves, RowsByTask(of_problem))
    moved = target[of_problem] + moves
    expected = nonnegative_each(curvature[of_problem], moved, used[of_problem])
    units = np.sqrt(np.einsum("tjj->tj", curvature))[of_problem]
    np.testing.assert_allclose(found * units, expected * units, rtol=1e-5, atol=1e-5)
