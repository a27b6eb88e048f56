"""Tasks with some labels and many rows without."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.stats import norm

from kinspan import MultiTaskSPCA


class World(NamedTuple):
    X: Any
    y: Any  # NaN for rows without labels
    task: Any
    means: Any  # (tasks, features): half of the difference between the classes


def gaussian(seed: int, n: int = 6, free: int = 60, gap: float = 1.6, p: int = 30) -> World:
    """Four related tasks, with some labels and many rows without."""
    rng = np.random.default_rng(seed)
    means = rng.standard_normal(p) + 0.4 * rng.standard_normal((4, p))
    means *= gap / np.linalg.norm(means, axis=1, keepdims=True)
    task = np.repeat(np.arange(4), 2 * (n + free))
    y = np.tile(np.arange(2 * (n + free)) % 2, 4).astype(float)
    X = rng.standard_normal((len(y), p)) + (2 * y - 1)[:, None] * means[task]
    y[np.tile(np.arange(2 * (n + free)) >= 2 * n, 4)] = np.nan
    return World(X, y, task, means)


def labelled(world: World) -> World:
    there = ~np.isnan(world.y)
    return world._replace(X=world.X[there], y=world.y[there], task=world.task[there])


def fitted(world: World) -> MultiTaskSPCA:
    return MultiTaskSPCA().fit(world.X, world.y, task=world.task)


def true_error(model: MultiTaskSPCA, means: Any) -> Any:
    w, b = model.coef_[:, 0], model.intercept_[:, 0]
    size, gap = np.linalg.norm(w, axis=1), (w * means).sum(axis=1)
    return 0.5 * (norm.sf((gap + b) / size) + norm.sf((gap - b) / size))


def with_and_without(seed: int, **parameters: Any) -> list[MultiTaskSPCA]:
    """Fits to all rows of a world, and to those with labels."""
    world = gaussian(seed)
    return [
        MultiTaskSPCA(**parameters).fit(some.X, some.y, task=some.task)
        for some in (world, labelled(world))
    ]


def one_label(seed: int) -> World:
    """Four tasks with one label per class, whose classes are far apart."""
    return gaussian(seed, n=1, gap=2.5)
