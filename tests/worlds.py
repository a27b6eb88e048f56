"""Small random multi-task worlds, and the oracles that several test files share."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kinspan import MultiTaskSPCA
from kinspan.metric import SampledRows


class World(NamedTuple):
    """Rows of several tasks."""

    X: Any
    y: Any
    task: Any


def random_world(
    seed: int, n: int = 300, p: int = 7, n_tasks: int = 4, n_classes: int = 3, offset: float = 0.0
) -> World:
    rng = np.random.default_rng(seed)
    y, task = rng.integers(0, n_classes, n), rng.integers(0, n_tasks, n)
    means = rng.normal(size=(n_tasks, n_classes, p))
    X = means[task, y] + rng.normal(size=(n, p)) * rng.uniform(0.5, 2.0, p) + offset
    return World(X, y, task)


def naive_moments(X: Any, y: Any, task: Any, weights: Any = None) -> tuple[Any, Any, Any]:
    """Counts, means and squares, cell by cell, straight from their definitions."""
    X = np.asarray(X, dtype=np.longdouble)
    w = np.ones(len(X)) if weights is None else np.asarray(weights, dtype=float)
    tasks, classes = np.unique(task), np.unique(y)
    shape = (len(tasks), len(classes))
    counts, means, squares = np.zeros(shape), np.zeros((*shape, X.shape[1])), None
    squares = np.zeros_like(means)
    for a, t in enumerate(tasks):
        for b, c in enumerate(classes):
            rows = (np.asarray(task) == t) & (np.asarray(y) == c) & (w > 0)
            counts[a, b] = w[rows].sum()
            if rows.any():
                mean = np.average(X[rows], axis=0, weights=w[rows])
                means[a, b] = mean
                squares[a, b] = (w[rows, None] * (X[rows] - mean) ** 2).sum(axis=0)
    return counts, means, squares


def fitted(seed: int = 0, n_classes: int = 2, **parameters: Any) -> tuple[MultiTaskSPCA, Any]:
    """A model without covariance in its metric, whose rules are plain sums of labelled samples."""
    world = random_world(seed, n_classes=n_classes)
    parameters = {"metric": 0.0, **parameters}
    return MultiTaskSPCA(**parameters).fit(world.X, world.y, task=world.task), world


def sampled_rows(cells: Any, weights: Any = None) -> SampledRows:
    """Rows of cells, each as often as it is told."""
    cells = np.asarray(cells)
    weights = np.ones(len(cells)) if weights is None else weights
    counts = np.bincount(cells, weights)[cells]
    return SampledRows(cells, counts, weights, np.arange(len(cells), dtype=np.uint64))
