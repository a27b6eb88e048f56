"""A target whose own rows clearly prefer it goes alone."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from benchmarks.worlds import losses, random_world

from kinspan import MultiTaskSPCA
from kinspan.labels import TaskWeights, with_some_alone
from kinspan.selection.evidence import better_as_one, in_errors, means_of, smaller_mean
from tests.selection.stored_worlds import WORLDS, with_a_stranger


def test_some_targets_go_alone_and_the_others_stay() -> None:
    rng = np.random.default_rng(0)
    left, right, ones = rng.normal(size=(4, 2)), rng.normal(size=(2, 4)), np.ones(4)
    together = TaskWeights(left, right, rng.normal(size=4), 0.3 * ones, 2 * ones)
    alone = TaskWeights(np.zeros((4, 0)), np.zeros((0, 4)), ones, ones, 5 * ones)
    mixed = with_some_alone(together, alone, np.array([False, True, False, True]))
    expected = together.matrix()
    expected[[1, 3]] = np.eye(4)[[1, 3]]
    np.testing.assert_allclose(mixed.matrix(), expected)
    np.testing.assert_array_equal(mixed.noise_share, [0.3, 1, 0.3, 1])
    np.testing.assert_array_equal(mixed.signal, [2, 5, 2, 5])


def test_means_in_units_of_their_standard_errors() -> None:
    rng = np.random.default_rng(0)
    groups, weights = np.repeat([0, 1, 2, 3], 50), rng.integers(1, 4, 200).astype(float)
    values = rng.normal(size=200) + np.array([0.0, 0.5, -0.5, 0.0])[groups]
    values[0] = np.nan
    values[groups == 3] = 0.0
    found = in_errors(*means_of(values, groups, weights, 5))
    for g in range(3):
        rows = np.repeat(values[groups == g], weights[groups == g].astype(int))
        rows = rows[np.isfinite(rows)]
        expected = rows.mean() / (rows.std(ddof=1) / np.sqrt(len(rows)))
        assert found[g] == pytest.approx(expected)
    np.testing.assert_array_equal(found[3:], 0.0)


def test_a_stranger_among_like_tasks_is_left_alone() -> None:
    rng = np.random.default_rng(0)
    X, y, task, means = with_a_stranger(rng, 0.4)
    pooled = MultiTaskSPCA(labels="naive").fit(X, y, task=task)
    clf = MultiTaskSPCA().fit(X, y, task=task)
    alone = MultiTaskSPCA(labels="single").fit(X, y, task=task)
    new_y = np.tile([0, 1], 2000)
    new = rng.normal(size=(4000, 30)) + np.where(new_y == 1, 1.0, -1.0)[:, None] * means[-1]
    errors = [1 - model.score(new, new_y, task=11) for model in (clf, alone, pooled)]
    assert errors[0] < errors[1] + 0.02 < errors[2]


@pytest.mark.long
def test_random_worlds_are_never_much_worse_than_alone() -> None:
    """The bars of `benchmarks.worlds` on other worlds, small ones."""
    found: list[Any] = []
    for seed in range(500, 620):
        world = random_world(seed)
        if world.X.size < 100_000:
            ours, alone, _ = losses(world)
            found.append((ours - alone).mean())
    assert len(found) > 40
    assert np.mean(found) < 0
    assert np.quantile(found, 0.95) <= 0.01
    assert max(found) <= 0.03


def test_tasks_with_one_label_a_class_still_help_each_other() -> None:
    """No row can be left out of 29 of the 30 tasks: the guard has nobody to ask."""
    rng = np.random.default_rng(0)
    y, task = np.tile([0, 1], 30), np.repeat(np.arange(30), 2)
    y, task = np.append(y, [0, 0, 1, 1]), np.append(task, [0, 0, 0, 0])
    direction = 0.4 * rng.normal(size=40)
    X = rng.normal(size=(64, 40)) + np.where(y == 1, 1, -1)[:, None] * direction
    new_y, new_task = np.tile([0, 1], 3000), np.repeat(np.arange(30), 200)
    new = rng.normal(size=(6000, 40)) + np.where(new_y == 1, 1, -1)[:, None] * direction
    clf, alone = (
        MultiTaskSPCA(labels=labels).fit(X, y, task=task) for labels in ("spectral", "single")
    )
    gain = clf.score(new, new_y, task=new_task) - alone.score(new, new_y, task=new_task)
    assert gain > 0.05


def test_tasks_that_all_go_alone_are_exactly_those_of_single_task() -> None:
    """World 507: four unrelated tasks of three labels; alone another metric suits them."""
    world = random_world(507)
    ours, alone = (
        MultiTaskSPCA(labels=labels).fit(world.X, world.y, task=world.task)
        for labels in ("spectral", "single")
    )
    np.testing.assert_array_equal(ours.coef_, alone.coef_)
    np.testing.assert_array_equal(ours.transfer_gain_, 0.0)


def test_one_rule_for_all_tasks_needs_rows_and_evidence() -> None:
    rng = np.random.default_rng(0)
    tasks, weights = np.repeat([0, 1], 200), np.ones(400)
    gains = 0.05 + 0.5 * rng.normal(size=400)
    found = smaller_mean(gains, tasks, weights, 2)
    assert found == pytest.approx(gains.mean() / (gains.std(ddof=1) / 20), rel=0.02)
    one_task = np.where(tasks == 0, gains + 0.2, gains - 0.3)  # the mean of the tasks disagrees
    assert smaller_mean(one_task, tasks, weights, 2) < 0
    assert smaller_mean(np.full(400, np.nan), tasks, weights, 2) == 0.0


def test_tasks_without_a_say_follow_and_those_that_object_do_not() -> None:
    """Four tasks: two prefer one rule for all, no row of the third can be left out, one objects."""
    rng = np.random.default_rng(0)
    tasks = np.repeat(np.arange(4), 200)
    rows: Any = SimpleNamespace(tasks=tasks, classes=np.zeros(800, int), weights=np.ones(800))

    def family(losses: Any) -> Any:
        return [SimpleNamespace(losses=losses)]

    losses = 1.0 + 0.1 * rng.normal(size=800)
    losses[tasks == 2] = np.nan
    gain = np.array([0.3, 0.3, 0.0, -0.05])[tasks]
    may = better_as_one(family(losses - gain), family(losses), rows, (4, 2))
    np.testing.assert_array_equal(may, [True, True, True, False])
    assert not better_as_one(family(losses), family(losses), rows, (4, 2)).any()


def test_only_the_stranger_goes_alone() -> None:
    """The rule of a task that left is exactly its own; the others still lend to each other."""
    labels = WORLDS["a stranger"]().labels_
    lends = [np.delete(np.abs(labels[t]).max(axis=(0, 2)), t).any() for t in range(12)]
    assert lends == [True] * 11 + [False]
