"""The situations in which methods are compared: a seed in, a sample out."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from benchmarks import settings
from benchmarks.accuracy.sets import SETS, held_out_rows, targets, training_rows
from benchmarks.comparison.samples import prepared
from benchmarks.peers.samples import Codes, Floats, Sample
from kinspan.datasets import gaussian_mixture, load_amazon_reviews, load_digit_pairs

FRESH = 5000  # seeds from here on: draws of Amazon that were never used while kinspan was built


class Situation(NamedTuple):
    """A situation, and how often it is drawn."""

    name: str
    make: Callable[[int], Sample]
    what: str  # tasks and their labels
    seeds: int = 5
    turns: int = 1  # number of tasks that take turns as the target

    @property
    def one_task(self) -> bool:
        """Whether there is nothing to share."""
        return self.make is one_task

    @property
    def few_labels(self) -> bool:
        """Whether tasks that are alike, but not the same, have few labels each."""
        return self.make in (digit_pairs, clusters, small_clusters, new_domain)


def digit_pairs(seed: int) -> Sample:
    d = load_digit_pairs(n_per_class=3, random_state=seed)
    names = np.unique(d.task)
    codes = [np.searchsorted(names, task) for task in (d.task, d.task_test)]
    return prepared((d.X, d.y, codes[0]), (d.X_test, d.y_test, codes[1]))


def clusters(seed: int) -> Sample:
    rng = np.random.default_rng(seed)
    tasks = settings.clusters(rng, 60)
    return _drawn(tasks.means, rng.integers(5, 21, 60), seed)


def small_clusters(seed: int) -> Sample:
    rng = np.random.default_rng(seed)
    tasks = settings.clusters(rng, 24)
    return _drawn(tasks.means, rng.integers(3, 16, 24), seed)


def identical(seed: int) -> Sample:
    tasks = settings.identical(np.random.default_rng(seed), 20)
    return _drawn(tasks.means, tasks.n, seed)


def strangers(seed: int) -> Sample:
    tasks = settings.orthogonal(np.random.default_rng(seed), 10)
    return _drawn(tasks.means, tasks.n, seed)


def new_domain(seed: int) -> Sample:
    """Products take turns as the target; the others have a hundred labels per class."""
    data = _amazon()
    names = targets(data)
    target = names[seed % len(names)]
    train = training_rows(data, SETS["Amazon 400, 20 per class"], target, FRESH + seed)
    task = np.searchsorted(names, data.task)
    X = np.asarray(data.X, float)
    test = held_out_rows(data, target, train)
    return prepared((X[train], data.y[train], task[train]), (X[test], data.y[test], task[test]))


def rings(seed: int) -> Sample:
    """One class around the other, at a different place in every task, and four noise features."""
    rng = np.random.default_rng(seed)
    centres = 3 * rng.standard_normal((6, 2))

    def draw(n: int) -> tuple[Floats, Codes, Codes]:
        task, y = np.repeat(np.arange(6), 2 * n), np.tile(np.repeat([0, 1], n), 6)
        angle = rng.uniform(0, 2 * np.pi, len(y))
        radius = np.where(y == 0, 1.0, 2.5) + 0.4 * rng.standard_normal(len(y))
        ring = centres[task] + radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        return np.hstack([ring, rng.standard_normal((len(y), 4))]), y, task

    return prepared(draw(200), draw(100))


def shops(seed: int) -> Sample:
    """Numbers and categories whose effects interact and differ slightly between shops."""
    rng = np.random.default_rng(seed)
    slope, level = rng.normal(0, 2, 6), rng.normal(0, 1, 4)
    own_level, own_slope = rng.normal(0, 0.7, 8), rng.normal(0, 0.7, 8)

    def draw(n: int) -> tuple[Floats, Codes, Codes]:
        task = np.repeat(np.arange(8), n)
        x = rng.standard_normal((len(task), 5))
        a, b = rng.integers(0, 6, len(task)), rng.integers(0, 4, len(task))
        score = slope[a] * x[:, 0] + 1.5 * x[:, 1] * x[:, 2] + level[b]
        score += own_level[task] + own_slope[task] * x[:, 3]
        y = (score + rng.logistic(0, 0.5, len(task)) > 0).astype(np.int64)
        return np.column_stack([x, a, b]), y, task

    return prepared(draw(300), draw(200), n_categorical=2)


def one_task(seed: int) -> Sample:
    X, y = load_breast_cancer(return_X_y=True)
    X, X_new, y, y_new = train_test_split(X, y, train_size=0.5, stratify=y, random_state=seed)
    return prepared((X, y, np.zeros(len(y), int)), (X_new, y_new, np.zeros(len(y_new), int)))


@cache
def _amazon() -> Any:
    return load_amazon_reviews()


def _drawn(means: Floats, n: Any, seed: int) -> Sample:
    """Tasks ∓μ with unit noise; a hundred new rows of every class of every task."""
    counts = np.stack([n, n], axis=1).astype(int)
    train = gaussian_mixture(np.stack([-means, means], axis=1), counts, random_state=seed)
    new = train.sample(100, random_state=seed)
    return prepared((train.X, train.y, train.task), (new.X, new.y, new.task))


SITUATIONS = {
    s.name: s
    for s in [
        Situation("digit pairs", digit_pairs, "45 pairs of digits, 3 labels per class, 64 pixels"),
        Situation(
            "clusters",
            clusters,
            "60 simulated tasks in 4 clusters, random signs, 5–20 labels per class, 200 features",
        ),
        Situation(
            "small clusters", small_clusters, "the same with 24 tasks and 3–15 labels per class"
        ),
        Situation(
            "new domain",
            new_domain,
            "Amazon reviews: one product with 20 labels per class, three with 100; 400 words",
            8,
            4,
        ),
        Situation(
            "identical",
            identical,
            "20 simulated tasks that are all the same, 10 labels per class, 200 features",
        ),
        Situation(
            "strangers",
            strangers,
            "10 simulated tasks with nothing in common, 50 labels per class, 200 features",
        ),
        Situation(
            "rings",
            rings,
            "6 simulated tasks, one class around the other, 200 labels per class, 6 features",
        ),
        Situation(
            "shops",
            shops,
            "8 simulated shops, 300 labels each, 5 numbers and 2 categories that interact",
        ),
        Situation(
            "one task",
            one_task,
            "scikit-learn's breast cancer data, half of the 569 rows labelled, 30 features",
        ),
    ]
}
