"""Holes that depend on the value say where missing values lie; holes at random say nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinspan import ClassMoments, MultiTaskSPCA
from kinspan.selection.filling import fills_of
from kinspan.selection.selective_holes import shift_of_holes
from kinspan.selection.task_means import means_of_tasks


def world(seed: int, n: int = 40, p: int = 30) -> tuple[Any, Any, Any]:
    """Three tasks whose classes differ in every feature, and features in units of their own."""
    rng = np.random.default_rng(seed)
    y, task = (a.ravel() for a in np.meshgrid([0, 1] * n, [0, 1, 2]))
    side = rng.choice([-1.0, 1.0], p)
    X = rng.normal(size=(len(y), p)) + 0.6 * side * (2.0 * y[:, None] - 1.0) + task[:, None]
    return X * np.geomspace(0.01, 100.0, p), y, task


def selective(X: Any, task: Any, slope: Any, seed: int) -> Any:
    """Rows with holes; the log odds of one rise by a slope per deviation within tasks."""
    rng = np.random.default_rng(seed)
    centred = np.concatenate([X[task == t] - X[task == t].mean(axis=0) for t in np.unique(task)])
    holes = rng.random(X.shape) < 1.0 / (1.0 + np.exp(1.0 - slope * centred / centred.std(axis=0)))
    return np.where(holes, np.nan, X)


def distance(X: Any, holed: Any, task: Any) -> Any:
    """(features,): how far missing values really lie from the others of their task."""
    lost = np.isnan(holed)
    means = np.array([np.nanmean(holed[task == t], axis=0) for t in range(3)])[task]
    return np.where(lost, X - means, 0.0).sum(axis=0) / lost.sum(axis=0)


@pytest.mark.parametrize("seed", range(10))
def test_holes_at_random_are_means(seed: int) -> None:
    X, y, task = world(seed)
    holed = np.where(np.random.default_rng(seed).random(X.shape) < 0.4, np.nan, X)
    moments = ClassMoments.from_samples(holed, y, task)
    assert not shift_of_holes(moments).any()
    np.testing.assert_array_equal(fills_of(moments), means_of_tasks(moments, None))


@pytest.mark.parametrize("slope", [-0.8, 0.5, 0.8])
def test_missing_values_lie_where_the_holes_say(slope: float) -> None:
    ratios = []
    for seed in range(5):
        X, y, task = world(seed)
        holed = selective(X, task, slope, seed)
        found = shift_of_holes(ClassMoments.from_samples(holed, y, task))
        ratios.append(np.mean(found / distance(X, holed, task)))
    assert np.mean(ratios) == pytest.approx(1.0, abs=0.2)


def test_features_may_differ() -> None:
    X, y, task = world(0)
    slopes = np.where(np.arange(30) % 2, 1.5, -1.5)
    holed = selective(X, task, slopes, 0)
    found = shift_of_holes(ClassMoments.from_samples(holed, y, task))
    assert (np.sign(found) == np.sign(slopes)).mean() > 0.9


def test_units_directions_and_places_do_not_matter() -> None:
    X, y, task = world(1)
    holed = selective(X, task, 0.8, 1)
    found = shift_of_holes(ClassMoments.from_samples(holed, y, task))
    assert (found > 0).all()
    moved = ClassMoments.from_samples(3.0 * holed + 5.0 * task[:, None], y, task)
    np.testing.assert_allclose(shift_of_holes(moved), 3.0 * found, rtol=1e-6)
    for factor in (1e-140, 1e140):
        scaled = ClassMoments.from_samples(factor * holed, y, task)
        np.testing.assert_allclose(shift_of_holes(scaled), factor * found, rtol=1e-6)
    turned = ClassMoments.from_samples(-holed, y, task)
    np.testing.assert_allclose(shift_of_holes(turned), -found, rtol=1e-9)


def test_habits_of_tasks_say_nothing() -> None:
    X, y, task = world(2)
    chance = np.array([0.1, 0.3, 0.6])[task][:, None]
    holed = np.where(np.random.default_rng(2).random(X.shape) < chance, np.nan, X)
    assert not shift_of_holes(ClassMoments.from_samples(holed, y, task)).any()


def counted(more: float, spread: float = 1.0, n: float = 100.0) -> ClassMoments:
    """One feature of two classes, of which the second has more holes."""
    there = np.array([[[70.0 + more / 2], [70.0 - more / 2]]])
    means = np.array([[[-spread], [spread]]])
    counts = np.full((1, 2), n)
    ids = np.array([0]), np.array([0, 1])
    return ClassMoments(*ids, counts, means, np.ones((1, 2, 1)), observed=there)


def test_a_slope_counts_beyond_four_standard_errors() -> None:
    error = np.sqrt(200 * 0.3 * 0.7)  # of the difference in holes
    least = 4.0 * error
    assert not shift_of_holes(counted(0.999 * least)).any()
    assert shift_of_holes(counted(1.001 * least))[0] > 0
    assert shift_of_holes(counted(-1.001 * least))[0] < 0


def test_missing_values_lie_as_far_as_variances_allow_and_noise_says_nothing() -> None:
    class_means = counted(59.0, spread=0.02)
    assert shift_of_holes(class_means)[0] == pytest.approx(
        np.sqrt((2.0 + 0.0004 * 140.0 * (1.0 - (59.0 / 140.0) ** 2)) / 140.0 / (0.3 * 0.7))
    )
    assert not shift_of_holes(counted(59.0, spread=1e-3)).any()


def test_distances_that_are_no_numbers_move_nothing() -> None:
    far = counted(59.0, spread=1e200)
    assert not shift_of_holes(far).any()
    assert not shift_of_holes(counted(59.0, spread=0.0)).any()


def test_a_fit_is_better_for_it_and_stays_so_in_parts() -> None:
    X, y, task = world(3, n=120, p=12)
    holed = selective(X, task, 1.5, 3)
    train = np.arange(len(y)) % 240 < 80
    model = MultiTaskSPCA().fit(holed[train], y[train], task=task[train])
    means = np.array([np.nanmean(holed[train & (task == t)], axis=0) for t in range(3)])
    filled = np.where(np.isnan(holed), means[task], holed)
    plain = MultiTaskSPCA().fit(filled[train], y[train], task=task[train])
    new = ~train
    right = model.score(holed[new], y[new], task=task[new])
    assert right > plain.score(filled[new], y[new], task=task[new]) + 0.01
    parts = MultiTaskSPCA()
    for rows in np.array_split(np.flatnonzero(train), 3):
        parts.partial_fit(holed[rows], y[rows], task=task[rows], classes=[0, 1])
    np.testing.assert_allclose(parts.coef_, model.coef_, rtol=1e-6, atol=1e-9)
