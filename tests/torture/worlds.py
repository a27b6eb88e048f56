"""Related tasks that every torture starts from, and rows whose offset costs them no digit."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.worlds import World

SPREADS = (1e-150, 1e-75, 1.0, 1e75, 1e150)
OFFSETS = (1e3, 1e6, 1e9, 1e12)
SETTINGS: list[dict[str, Any]] = [
    {},
    {"labels": "plugin"},
    {"labels": "naive"},
    {"labels": "single"},
    {"multi_class": "one-vs-all"},
    {"scale": "task"},
    {"scale": None},
    {"metric": 0.0, "row_sample": 0},
]


def related(seed: int = 0, n: int = 240, p: int = 6, n_tasks: int = 4, n_classes: int = 2) -> World:
    """Tasks whose class means are alike; every cell has rows."""
    rng = np.random.default_rng(seed)
    y, task = np.arange(n) % n_classes, np.arange(n) // n_classes % n_tasks
    means = rng.normal(size=(n_classes, p)) + 0.5 * rng.normal(size=(n_tasks, n_classes, p))
    X = means[task, y] + rng.normal(size=(n, p)) * rng.uniform(0.5, 2.0, p)
    return World(X, y, task)


def representable(X: Any, offset: Any) -> Any:
    """The rows as they would be, had they once had the offset: adding it is then exact."""
    return (X + offset) - offset
