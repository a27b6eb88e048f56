"""Small simulated tasks for the questions; each is easy for a method that can handle it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.comparison.subjects import Labelled

N_FEATURES = 5


def alike(tasks: str, n: int, seed: int = 0, *, signs: Any = 1.0, distance: float = 3) -> Labelled:
    """Tasks named by letters with n rows per class, in one direction; signs may flip some."""
    rng = np.random.default_rng(seed)
    task = np.repeat(list(tasks), 2 * n)
    y = np.tile(np.repeat([0, 1], n), len(tasks))
    X = rng.standard_normal((len(y), N_FEATURES))
    sign = np.repeat(np.broadcast_to(signs, len(tasks)), 2 * n)
    X[:, 0] += distance * sign * (2 * y - 1)
    return Labelled(X, y, task)


def three_classes(seed: int = 0) -> Labelled:
    """Task a has three classes, z the first two of them."""
    rows = alike("az", 90, seed)
    y = np.tile(np.repeat([0, 1, 2], 60), 2)
    X = np.random.default_rng(seed).standard_normal(rows.X.shape)
    X[np.arange(len(y)), y] += 5
    return some(Labelled(X, y, rows.task), (rows.task == "a") | (y < 2))


def rings(seed: int = 0) -> Labelled:
    """One class around the other, in two tasks."""
    rng = np.random.default_rng(seed)
    y, task = np.tile(np.repeat([0, 1], 200), 2), np.repeat(["a", "z"], 400)
    angle, radius = rng.uniform(0, 2 * np.pi, len(y)), np.where(y == 0, 1.0, 3.0)
    X = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return Labelled(X + 0.2 * rng.standard_normal(X.shape), y, task)


def with_gaps(seed: int = 0) -> Labelled:
    """One fifth of the numbers are missing."""
    rows = alike("az", 200, seed)
    X = rows.X.copy()
    X[:, 1] = X[:, 0]  # a number that is missing in one feature is in the other
    X[np.random.default_rng(seed).uniform(size=X.shape) < 0.2] = np.nan
    return rows._replace(X=X)


def colours(seed: int = 0) -> Labelled:
    """A frame with a number and a category; the class depends on the category in no order."""
    pandas = import_module("pandas")
    rng = np.random.default_rng(seed)
    names = np.array(["amber", "blue", "cyan", "grey", "lime", "mauve"])
    code = rng.integers(0, 6, 400)
    frame = {"size": rng.standard_normal(400), "colour": pandas.Categorical(names[code], names)}
    return Labelled(pandas.DataFrame(frame), code % 2, np.repeat(["a", "z"], 200))


def numbers(seed: int = 0) -> Labelled:
    """A number to predict instead of a class."""
    rows = alike("az", 200, seed)
    noise = np.random.default_rng(seed + 1).standard_normal(len(rows.y))
    return rows._replace(y=rows.X @ np.arange(1.0, N_FEATURES + 1) + 0.1 * noise)


def moved(rows: Labelled) -> Labelled:
    """The same tasks, shifted along the direction that separates the classes."""
    return rows._replace(X=rows.X + 8.0 * np.eye(N_FEATURES)[0])


def stretched(rows: Labelled) -> Labelled:
    """The same tasks with differently correlated features: the rule of the other tasks fails.

    The rows X are mapped to X S⁻¹R, where S² and R² are the covariances before and after.
    """
    R = np.eye(N_FEATURES)
    R[:2, :2] = [[1, 3], [3, 10]]
    S = np.diag([np.sqrt(10.0), 1, 1, 1, 1])
    return rows._replace(X=rows.X @ np.linalg.inv(S) @ R)


def some(rows: Labelled, kept: Any) -> Labelled:
    """Some of the rows."""
    return Labelled(rows.X[kept], rows.y[kept], rows.task[kept])
