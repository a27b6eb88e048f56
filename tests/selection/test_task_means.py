"""Means of tasks with holes are drawn to that of all, as far as tasks differ by chance only."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinspan import ClassMoments
from kinspan.selection.task_means import means_of_tasks
from tests._rows.test_holes import with_holes
from tests.selection.naive_filling import naive_means


def means(X: Any, y: Any, task: Any) -> Any:
    return means_of_tasks(ClassMoments.from_samples(X, y, task), None)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("seed", range(3))
def test_they_are_those_of_the_naive_formula(seed: int, share: float) -> None:
    X, y, task = with_holes(seed, share)
    found, naive = means(X, y, task), naive_means(X, task)
    np.testing.assert_allclose(found, [naive[t] for t in (0, 1, 2, 3, None)], rtol=1e-9, atol=1e-12)


def noise(seed: int, between: float) -> tuple[Any, Any, Any]:
    """Forty tasks with ten values of thirty features, and tasks that differ or do not."""
    rng = np.random.default_rng(seed)
    task, y = np.repeat(np.arange(40), 10), np.tile([0, 1], 200)
    X = rng.normal(size=(400, 30)) + between * rng.normal(size=(40, 30))[task]
    return X, y, task


def test_tasks_that_differ_by_chance_have_the_mean_of_all() -> None:
    """A mean of ten values deviates by .32; drawn ones deviate by a fifth of that."""
    found = means(*noise(1, 0.0))
    assert np.abs(found[:-1] - found[-1]).mean() < 0.2 * 0.8 * 10**-0.5


def test_tasks_that_differ_keep_their_means() -> None:
    X, y, task = noise(2, 10.0)
    own = np.array([X[task == t].mean(axis=0) for t in range(40)])
    np.testing.assert_allclose(means(X, y, task)[:-1], own, atol=0.05)


def test_they_are_nearer_to_the_truth_than_means_of_values() -> None:
    rng = np.random.default_rng(3)
    truth, (X, y, task) = rng.normal(size=(40, 30)) * 0.3, noise(3, 0.0)
    X = X + truth[task]
    own = np.array([X[task == t].mean(axis=0) for t in range(40)])
    errors = [((found - truth) ** 2).mean() for found in (means(X, y, task)[:-1], own)]
    assert errors[0] < 0.6 * errors[1]  # by the formula .047 for .1


def test_a_feature_that_does_not_vary_within_tasks_keeps_its_values() -> None:
    X, y, task = with_holes(4)
    X[:, 2] = np.where(np.isnan(X[:, 2]), np.nan, np.array([0.1, 0.7, -3.0, 0.2])[task])
    np.testing.assert_allclose(means(X, y, task)[:-1, 2], [0.1, 0.7, -3.0, 0.2], rtol=1e-12)


def test_one_task_and_absent_features() -> None:
    X, y, task = with_holes(5)
    np.testing.assert_allclose(means(X, y, 0 * task)[0], np.nanmean(X, axis=0), rtol=1e-12)
    X[:, 1], X[task == 2, 3] = np.nan, np.nan
    found = means(X, y, task)
    assert not found[:, 1].any()
    assert found[2, 3] == found[-1, 3]
