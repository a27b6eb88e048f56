"""What hostile worlds are made of: a small plain world without rows, and rows that are drawn."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.worlds.plain import NOISES, RELATIONS, noise_root, related_means

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
N_TEST = 20_000


class Population(NamedTuple):
    """The distribution of new rows of every task: mean + noise @ root."""

    means: Floats  # (tasks, classes, features)
    roots: Floats  # (1 or tasks, features, features)
    noise: Floats | None = None  # (rows, features) of new rows; None is Gaussian


class Hostile(NamedTuple):
    """A population and a training set."""

    settings: dict[str, Any]  # what it is like
    population: Population
    X: Floats
    y: Codes
    task: Codes
    honest: NDArray[np.bool_]  # (tasks,): those that are judged
    attacked: NDArray[np.bool_]  # (tasks,): those that the harm is meant for


def plain_base(
    rng: np.random.Generator, most: float = 300.0
) -> tuple[dict[str, Any], Population, NDArray[Any]]:
    """A small plain world without rows: its description, its population and its cell sizes."""
    p, k = int(np.exp(rng.uniform(np.log(5), np.log(120)))), int(np.exp(rng.uniform(0.7, 2.5)))
    m = 2 if rng.uniform() < 0.6 else int(rng.integers(3, 6))
    relation, noise = str(rng.choice(RELATIONS)), str(rng.choice(NOISES))
    size = np.exp(rng.uniform(np.log(3), np.log(most)))
    counts = size * np.exp(rng.uniform(0, 1.0) * rng.normal(size=(k, m)))
    counts = np.clip(counts, 3, most).astype(int)
    root = noise_root(rng, p, noise)
    means = related_means(rng, k, m, p, relation) * rng.uniform(0.8, 3.5)
    means = means @ root if rng.uniform() < 0.5 else means * np.sqrt((root**2).sum() / p)
    means = means + 3 * rng.normal(size=(k, 1, p))
    settings = {"p": p, "tasks": k, "classes": m, "relation": relation, "noise": noise}
    settings["median_size"] = int(np.median(counts))
    return settings, Population(means, root[None]), counts


def drawn(
    rng: np.random.Generator, population: Population, counts: NDArray[np.int_], noise: Any = None
) -> tuple[Floats, Codes, Codes]:
    """Rows of cells of these sizes: X, y, task."""
    k, m = counts.shape
    cells = np.repeat(np.arange(k * m), counts.ravel())
    y, task = cells % m, cells // m
    values = rng.normal(size=(len(cells), population.means.shape[2])) if noise is None else noise
    X = population.means[task, y]
    for t in range(k):
        X[task == t] += values[task == t] @ population.roots[t % len(population.roots)]
    return X, y, task
