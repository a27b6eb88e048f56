"""Tasks with a rare class, and many new rows of each: simulated ones, and Amazon reviews."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.forecast.populations import Floats, Population, related_means
from benchmarks.forecast.simulated import forty_shops
from kinspan.datasets import TaskDataset, load_amazon_reviews

_TESTED = 4000  # new rows per class, weighted to the shares of the population


class NewRows(NamedTuple):
    """Rows of a task that nobody has learnt from."""

    X: Any
    y: NDArray[np.intp]
    weights: Floats  # one in all


class Draw(NamedTuple):
    """Rows to learn from, and new rows of every task, in the order of their ids."""

    X: Any
    y: NDArray[np.intp]
    task: NDArray[Any]
    new: list[NewRows]
    population: Population | None = None  # of simulated rows


class World(NamedTuple):
    """What is drawn from a seed."""

    name: str
    draw: Callable[[int], Draw]


def shops(seed: int) -> Draw:
    """Forty shops with 5 to 20 % positives and 30 to 2 000 rows; skewed features."""
    rng = np.random.default_rng(seed)
    population, counts, share = forty_shops(rng)
    return _drawn(rng, population, counts, share, seed)


def landmines(seed: int) -> Draw:
    """29 tasks of about 500 rows and nine features, about 6 % of them positive."""
    rng = np.random.default_rng(seed)
    k = 29
    sizes, share = rng.integers(445, 691, size=k), rng.uniform(0.03, 0.09, size=k)
    ones = np.maximum(rng.binomial(sizes, share), 2)
    counts = np.stack([sizes - ones, ones], axis=1)
    means = related_means(rng, k, 9, 1.6, agree=0.8)
    return _drawn(rng, Population(means, np.array([1.0, 1.3])), counts, share, seed)


def one_in(seed: int, negatives: int, positives: int) -> Draw:
    """Twenty tasks with the same numbers of both classes."""
    rng = np.random.default_rng(seed)
    k = 20
    counts = np.tile([negatives, positives], (k, 1))
    share = np.full(k, positives / (positives + negatives))
    return _drawn(rng, Population(related_means(rng, k, 20, 2.0), np.ones(2)), counts, share, seed)


def _drawn(
    rng: np.random.Generator, population: Population, counts: Any, share: Floats, seed: int
) -> Draw:
    known = population.drawn(rng, counts)
    new = []
    for t, q in enumerate(share):
        rng = np.random.default_rng([seed, t])
        X = np.concatenate([population.rows(rng, t, c, _TESTED) for c in (0, 1)])
        weights = np.repeat([1.0 - q, q], _TESTED) / _TESTED
        new.append(NewRows(X, np.repeat([0, 1], _TESTED), weights))
    return Draw(known.X, known.y, known.task, new, population)


@cache
def _reviews() -> TaskDataset:
    return load_amazon_reviews()


def amazon(seed: int, positives: int) -> Draw:
    """Four products with 200 reviews of one class and fewer of the other; the rest are new."""
    data, rng, known, new = _reviews(), np.random.default_rng(seed), [], []
    q = positives / (200.0 + positives)
    y = (data.y == data.y.max()).astype(np.intp)
    for t in np.unique(data.task):
        of_class = [rng.permutation(np.flatnonzero((data.task == t) & (y == c))) for c in (0, 1)]
        known += [of_class[0][:200], of_class[1][:positives]]
        parts = of_class[0][200:], of_class[1][positives:]
        weights = [np.full(len(r), w / len(r)) for r, w in zip(parts, (1.0 - q, q), strict=True)]
        rows = np.concatenate(parts)
        new.append(NewRows(data.X[rows], y[rows], np.concatenate(weights)))
    rows = np.concatenate(known)
    return Draw(data.X[rows], y[rows], data.task[rows], new)


def worlds() -> list[World]:
    """All of them; reviews where they are stored."""
    found = [
        World("40 shops", shops),
        World("29 landmine fields", landmines),
        *(
            World(f"1:{ratio}, {n} positives", partial(one_in, negatives=ratio * n, positives=n))
            for ratio in (10, 50)
            for n in (20, 4)
        ),
    ]
    if os.environ.get("KINSPAN_DATA"):
        found += [World(f"Amazon, 200:{n}", partial(amazon, positives=n)) for n in (20, 4)]
    return found
