"""Wrong labels, heavy tails, copies and giants of noise: honest tasks stay about where alone is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from benchmarks.worlds.hostile import KINDS, Hostile, hostile_world
from benchmarks.worlds.judged import errors

from kinspan import MultiTaskSPCA


def losses(world: Hostile) -> Any:
    """(honest tasks,): our error minus that of every task alone."""
    honest = np.flatnonzero(world.honest)
    ours, alone = (
        errors(
            MultiTaskSPCA(labels=labels).fit(world.X, world.y, task=world.task),
            world.population,
            honest,
        )
        for labels in ("auto", "single")
    )
    return ours - alone


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::kinspan.UnitsWarning")
def test_the_bars_of_the_benchmark_hold_in_other_worlds() -> None:
    found = []
    for kind in KINDS:
        worlds = (hostile_world(kind, seed) for seed in range(1000, 1015))
        found += [losses(world).mean() for world in worlds if world.X.size < 50_000]
    assert len(found) > 40
    assert np.mean(found) < 0
    # Which rows of large tasks are sampled moves it from .0113 to .0128; seeds from 2000 on have
    # .0149 with either sample.
    assert np.quantile(found, 0.95) <= 0.015
    # .026: two tasks with wrong labels and 15 rows together, which cannot tell yet that they are
    # of no use to each other; all others lose less than .022.
    assert sorted(found)[-2] <= 0.025
    assert max(found) <= 0.035


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_is_a_world(kind: str) -> None:
    first, again, other = (hostile_world(kind, seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first.X, again.X)
    assert first.X.shape != other.X.shape or (first.X != other.X).any()
    assert first.attacked[first.honest].any()
    assert len(first.honest) == len(np.unique(first.task))


def rows(rng: Any, n: int, mean: Any) -> tuple[Any, Any]:
    """As many rows of two classes at ∓ mean."""
    y = np.repeat([0, 1], n)
    return rng.normal(size=(2 * n, len(mean))) + np.where(y == 1, 1.0, -1.0)[:, None] * mean, y


def attacked_by(attack: Any, seed: int) -> tuple[float, float]:
    """Errors of a target of 20 rows per class, ours and alone, with three like it and an attack."""
    rng = np.random.default_rng(seed)
    mean = rng.normal(size=30) / 5
    parts = [(*rows(rng, 20, mean), t) for t in range(4)]
    parts.append((*attack(rng, *parts[0][:2]), 4))
    X, y = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
    task = np.concatenate([np.full(len(part[1]), part[2]) for part in parts])
    new, new_y = rows(rng, 2000, mean)
    models = [MultiTaskSPCA(labels=labels).fit(X, y, task=task) for labels in ("auto", "single")]
    ours, alone = (1 - model.score(new, new_y, task=0) for model in models)
    return ours, alone


@pytest.mark.long
def test_a_task_of_pure_noise_with_a_hundred_times_the_rows_takes_nothing_away() -> None:
    def noise(rng: Any, X: Any, y: Any) -> tuple[Any, Any]:
        return rng.normal(size=(4000, 30)), rng.integers(0, 2, 4000)

    found = np.array([attacked_by(noise, seed) for seed in range(8)])
    assert (found[:, 0] - found[:, 1]).max() < 0.01
    assert (found[:, 0] - found[:, 1]).mean() < -0.01  # the tasks that are like it still help


@pytest.mark.long
@pytest.mark.parametrize("flipped", [0, 1])
def test_a_copy_of_the_target_with_right_or_flipped_labels_costs_little(flipped: int) -> None:
    found = np.array([attacked_by(lambda _, X, y: (X, abs(y - flipped)), s) for s in range(8)])
    assert (found[:, 0] - found[:, 1]).max() < 0.02
    assert (found[:, 0] - found[:, 1]).mean() < 0.0
