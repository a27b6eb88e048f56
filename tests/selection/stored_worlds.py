"""Fits whose results are stored: `python -m tests.selection.stored_worlds` writes them again.

Run it only when results are meant to change, and say in the commit why they do.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from kinspan import MultiTaskSPCA
from kinspan._saving.model_file import to_bytes
from kinspan.datasets import load_digit_pairs

STORED = Path(__file__).parent.parent / "stored" / "fits.npz"
MODEL = STORED.with_name("third-version.model")


def related_tasks(
    seed: int,
    *,
    n: int = 12,
    p: int = 20,
    n_tasks: int = 6,
    n_classes: int = 2,
    own: float = 0.3,
    common: float = 1.5,
    correlation: float = 0.0,
    degrees: float | None = None,
) -> tuple[Any, Any, Any]:
    """Rows of tasks that share their class means but for a part of their own."""
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(1, n_classes, p)) * common / np.sqrt(p)
    means = shared + rng.normal(size=(n_tasks, n_classes, p)) * own / np.sqrt(p)
    centres = rng.normal(size=(n_tasks, 1, p))
    task = np.repeat(np.arange(n_tasks), n * n_classes)
    y = np.tile(np.repeat(np.arange(n_classes), n), n_tasks)
    noise = rng.normal(size=(len(y), p))
    if degrees is not None:
        noise = rng.standard_t(degrees, size=noise.shape)
    if correlation:
        noise = noise + correlation * rng.normal(size=(len(y), 1))
    return (means + centres)[task, y] + noise, y, task


def _fit(rows: tuple[Any, Any, Any], **parameters: Any) -> MultiTaskSPCA:
    X, y, task = rows
    return MultiTaskSPCA(**parameters).fit(X, y, task=task)


def _digits() -> MultiTaskSPCA:
    digits = load_digit_pairs(n_per_class=3)
    return _fit((digits.X, digits.y, digits.task))


def _some_classes_missing() -> MultiTaskSPCA:
    X, y, task = related_tasks(6, n_classes=4, n=9)
    kept = ~((task == 1) & (y == 2)) & ~((task == 3) & (y < 2)) & ~((task == 5) & (y > 0))
    return _fit((X[kept], y[kept], task[kept]), unseen_classes="share")


def _new_tasks() -> MultiTaskSPCA:
    X, y, task = related_tasks(7)
    model = _fit((X, y, task))
    return model.add_task(7, X[:5], y[:5]).add_task(8, X[:9] + 0.5).add_task(9)


def _some_classes_related() -> MultiTaskSPCA:
    """Twelve tasks share two classes; the other four mean something else in every task."""
    task, y = np.repeat(np.arange(12), 30), np.tile(np.repeat(np.arange(6), 5), 12)
    order = np.random.default_rng(1)
    meaning = np.array([[0, 1, *(2 + order.permutation(4))] for _ in range(12)])
    means = 1.1 * np.random.default_rng(2).normal(size=(6, 40)) / np.sqrt(2)
    noise = 1.5 * np.random.default_rng(0).normal(size=(len(y), 40))
    return _fit((means[meaning[task, y]] + noise, y, task))


def with_a_stranger(rng: Any, against: float) -> tuple[Any, Any, Any, Any]:
    """Rows, and their mean directions; eleven tasks are the same, the last is a stranger.

    It has a direction of its own, and a part of the common one reversed.
    """
    y, task = np.tile([0, 1], 360), np.repeat(np.arange(12), 60)
    shared, own = np.eye(30)[0], np.eye(30)[1]
    means = np.where(task[:, None] == 11, own - against * shared, shared)
    X = rng.normal(size=(720, 30)) + np.where(y == 1, 1.0, -1.0)[:, None] * means
    return X, y, task, means


def _a_stranger() -> MultiTaskSPCA:
    X, y, task, _ = with_a_stranger(np.random.default_rng(1), 0.8)
    return _fit((X @ np.linalg.cholesky(0.3 + 0.7 * np.eye(30)).T, y, task))


def _unequal_sizes() -> MultiTaskSPCA:
    X, y, task = related_tasks(9, n=80, n_tasks=4, correlation=0.5)
    kept = np.random.default_rng(9).random(len(y)) < np.array([1.0, 0.1, 0.5, 0.06])[task]
    weights = np.where(y == 1, 2.0, 1.0)[kept]
    model = MultiTaskSPCA(priors="empirical", class_weight={0: 1.0, 1: 3.0})
    return model.fit(X[kept], y[kept], task=task[kept], sample_weight=weights)


WORLDS: dict[str, Callable[[], MultiTaskSPCA]] = {
    "digits": _digits,
    "related": lambda: _fit(related_tasks(0)),
    "the same": lambda: _fit(related_tasks(1, n=40, own=0.0, n_tasks=12)),
    "unrelated": lambda: _fit(related_tasks(2, common=0.0, own=2.5, n_tasks=8)),
    "several classes": lambda: _fit(related_tasks(3, n_classes=3, common=2.5)),
    "correlated": lambda: _fit(related_tasks(4, n=40, correlation=2.0)),
    "heavy tails": lambda: _fit(related_tasks(5, n=30, degrees=2.1, common=4.0)),
    "fewer rows than features": lambda: _fit(related_tasks(10, n=4, p=80, common=3.0)),
    "missing classes": _some_classes_missing,
    "new tasks": _new_tasks,
    "some classes related": _some_classes_related,
    "a stranger": _a_stranger,
    "unequal sizes": _unequal_sizes,
    "one task": lambda: _fit(related_tasks(11, n_tasks=1)),
    "plug-in": lambda: _fit(related_tasks(12), labels="plugin"),
    "naive": lambda: _fit(related_tasks(13), labels="naive", scale=None),
    "single": lambda: _fit(related_tasks(14), labels="single", scale="task", metric=0.3),
    "one-vs-all": lambda: _fit(related_tasks(15, n_classes=3), multi_class="one-vs-all"),
    "no rows": lambda: _fit(related_tasks(16), row_sample=0),
    "forgetting": lambda: _fit(related_tasks(17), forget=0.05),
}


def values_of(model: MultiTaskSPCA) -> dict[str, Any]:
    """What a user reads from a fitted model."""
    names = (
        *("coef_", "intercept_", "forecast_error_", "forecast_interval_"),
        *("single_task_error_", "metric_", "relatedness_", "labels_"),
    )
    values = {name: np.asarray(getattr(model, name)) for name in names}
    curves = [model.learning_curve(task, [0, 5, 50]) for task in model.tasks_.tolist()]
    return values | {"learning_curve": np.array(curves)}


def main() -> None:
    """Fit all worlds and store their values, and one of them as a model file."""
    values = {
        f"{world}/{name}": value.astype(np.float32 if name == "labels_" else np.float64)
        for world, fitted in WORLDS.items()
        for name, value in values_of(fitted()).items()
        if value.size < 50_000
    }
    np.savez_compressed(STORED, **values)
    MODEL.write_bytes(to_bytes(WORLDS["new tasks"]()))
    print(f"{len(values)} arrays, {STORED.stat().st_size} bytes")


if __name__ == "__main__":
    main()
