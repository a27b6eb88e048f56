"""The mean error over many draws, and the draws: of the Gaussian models and of real data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from experiments.methods import fit
from experiments.rows import Row
from kinspan.datasets import GaussianTasks, TaskDataset
from kinspan.theory import optimal_labels

Floats = NDArray[np.float64]
Seed = Sequence[int]


def average(trial: Callable[[Seed], float], seeds: Sequence[Seed], name: str = "error") -> Row:
    """Mean of a trial over draws, with its standard error."""
    found = np.array([trial(seed) for seed in seeds])
    deviation = found.std(ddof=1) if len(found) > 1 else np.nan
    spread = deviation / np.sqrt(len(found))
    return {name: float(found.mean()), "standard_error": float(spread), "draws": len(found)}


def theory(value: float) -> Row:
    """A limit, which needs no draws, in the columns of :func:`average`."""
    return {"error": float(value), "standard_error": 0.0, "draws": 0}


def gaussian_error(w: Floats, offset: float, means: Floats) -> float:
    """The error of a linear rule on rows N(mean, I) of two classes: exact, without test rows."""
    scores = (means @ w + offset) / np.linalg.norm(w)
    return float((norm.sf(-scores[0]) + norm.sf(scores[1])) / 2)


def fitted_error(
    method: str, model: Any, train: GaussianTasks, target: int, unlabelled: Any = None
) -> float:
    """Fit and measure on the population of a target."""
    fit(method, model, train, target, unlabelled)
    t = list(model.tasks_).index(target)
    return gaussian_error(model.coef_[t, 0], model.intercept_[t, 0], train.means[target])


def oracle_error(train: GaussianTasks, target: int) -> float:
    """The optimal labels of the true relatedness, and the true threshold: zero for means ∓μ."""
    labels = optimal_labels(train.mean_gram, train.counts, train.X.shape[1], target=target)
    w = train.X.T @ labels[train.task, train.y]
    return gaussian_error(-w, 0.0, train.means[target])


class Split(NamedTuple):
    """Labelled rows, and rows of the target to predict."""

    train: TaskDataset
    test: TaskDataset


def split(
    data: TaskDataset, target: str, n_labelled: Callable[[str, int], int], seed: Seed
) -> Split:
    """Draw without replacement `n_labelled(task, size)` rows of every class of every task.

    Test rows are all other rows of the target, or its test part if the data have one.
    """
    rng = np.random.default_rng(seed)
    train = np.concatenate(
        [rng.permutation(rows)[: n_labelled(task, len(rows))] for task, rows in _cells(data)]
    )
    others = np.setdiff1d(np.flatnonzero(data.task == target), train)
    test = others if data.split is None else others[data.split[others] == "test"]
    return Split(take(data, train), take(data, test))


@lru_cache(maxsize=1)
def _cells(data: TaskDataset) -> list[tuple[str, NDArray[np.intp]]]:
    """The rows of every class of every task that may be labelled."""
    free = np.ones(len(data.y), bool) if data.split is None else data.split == "train"
    return [
        (str(task), np.flatnonzero(free & (data.task == task) & (data.y == label)))
        for task in np.unique(data.task)
        for label in np.unique(data.y)
    ]


def take(data: TaskDataset, rows: NDArray[Any]) -> TaskDataset:
    """Some rows of a dataset."""
    return TaskDataset(data.name, data.X[rows], data.y[rows], data.task[rows])


def quarter(target: str) -> Callable[[str, int], int]:
    """All rows of the sources and a quarter of each class of the target."""
    return lambda task, size: size if task != target else max(1, round(size / 4))


def answered(method: str, model: Any, parts: Split, target: str) -> float:
    """Fit, predict the test rows and return the error."""
    fit(method, model, parts.train, target, parts.test.X)
    return 1.0 - float(model.score(parts.test.X, parts.test.y, task=target))
