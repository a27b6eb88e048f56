"""Regimes of real data: labels are drawn from its rows, and the others are test rows."""

from __future__ import annotations

import os
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy.few.sets import load_digits
from benchmarks.forecast.populations import Draw, Floats
from benchmarks.forecast.simulated import Regime
from kinspan import MultiTaskSPCA
from kinspan.datasets import TaskDataset, load_amazon_reviews

_SOURCES = 100  # labels per class of the other products


def regimes() -> list[Regime]:
    """Digits, and Amazon reviews where they are stored."""
    found = [Regime(f"digits, {n} per class", 20, partial(digits, n=n)) for n in (3, 5, 10)]
    if os.environ.get("KINSPAN_DATA"):
        found += [
            Regime(f"Amazon, {n} per class", 100, partial(amazon, n=n)) for n in (5, 10, 20, 50)
        ]
        found += [
            Regime(f"Amazon, {n}, others {_SOURCES}", 200, partial(amazon_target, n=n))
            for n in (10, 20, 50)
        ]
    return found


@cache
def _reviews() -> TaskDataset:
    return load_amazon_reviews()


@cache
def _pairs() -> TaskDataset:
    return load_digits(data=None)


def digits(seed: int, n: int) -> Draw:
    data = _pairs()
    return _draw(data, seed, dict.fromkeys(np.unique(data.task), n))


def amazon(seed: int, n: int) -> Draw:
    """All products with n labels per class."""
    data = _reviews()
    return _draw(data, seed, dict.fromkeys(np.unique(data.task), n))


def amazon_target(seed: int, n: int) -> Draw:
    """One product, in turn, with n labels per class; only this one is judged."""
    data = _reviews()
    names = np.unique(data.task)
    counts = dict.fromkeys(names, _SOURCES) | {names[seed % len(names)]: n}
    return _draw(data, seed // len(names), counts, judged=str(names[seed % len(names)]))


def _draw(data: TaskDataset, seed: int, counts: dict[Any, int], judged: str | None = None) -> Draw:
    rng = np.random.default_rng(seed)
    train, test = [], []
    for t, n in counts.items():
        for c in (0, 1):
            order = rng.permutation(np.flatnonzero((data.task == t) & (data.y == c)))
            train.append(order[:n])
            test.append(order[n:])
    rows, held_out = np.concatenate(train), np.concatenate(test)
    true_errors = partial(_errors, data, held_out, judged)
    half_a_row = 0.25 / min(len(part) for part in test)
    return Draw(data.X[rows], data.y[rows], data.task[rows], {}, true_errors, half_a_row)


def _errors(
    data: TaskDataset, rows: NDArray[np.intp], judged: str | None, model: MultiTaskSPCA
) -> Floats:
    """(tasks,): the mean over classes; NaN for tasks that are not judged."""
    errors = np.full(len(model.tasks_), np.nan)
    for t, name in enumerate(model.tasks_):
        if judged in (None, name):
            here = rows[data.task[rows] == name]
            wrong = model.predict(data.X[here], task=name) != data.y[here]
            errors[t] = np.mean([wrong[data.y[here] == c].mean() for c in (0, 1)])
    return errors
