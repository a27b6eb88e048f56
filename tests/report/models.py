"""Fitted models that a report has trouble with."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from kinspan import MultiTaskSPCA

HOSTILE = (
    '</script><img src=x onerror="window.hurt=1">',
    "<!--<script>window.hurt=1</script>",
    "<b>bold</b> & &lt;co&gt;",
    '<a href="https://example.org">link</a>',
    "%{x} $x^2$ `${window.hurt=1}` {{y}}",
    "\u202egnip-gnol",
    "line\nbreak\ttab",
    "\udcff alone",
    "",
    "a very long name of a task " * 8,
)


def hostile_model() -> MultiTaskSPCA:
    """Tasks, classes and features with names that mean something to a browser."""
    rng = np.random.default_rng(0)
    names = np.array(HOSTILE, dtype=object)
    classes = np.array(["</script>", "<i>yes</i>"], dtype=object)
    y, task = np.tile([0, 1], 60), np.arange(120) // 2 % (len(names) - 1)
    X = rng.normal(size=(120, 4)) + y[:, None]
    X[:, 3] = 7.0
    columns = ["<svg onload=alert(1)>", "b", "c", "</style>"]
    frame = pd.DataFrame(X, columns=columns)
    model = MultiTaskSPCA().fit(frame, classes[y], task=names[task])
    return model.add_task(HOSTILE[-1])


def many_tasks(n_tasks: int, seed: int = 0) -> MultiTaskSPCA:
    """Four kinds of tasks, some reversed, with few labels."""
    rng = np.random.default_rng(seed)
    directions = rng.normal(size=(4, 30)) / np.sqrt(30)
    sign = rng.choice([1.0, 1.0, -1.0], n_tasks)
    along = directions[rng.integers(0, 4, n_tasks)] * sign[:, None]
    counts = rng.integers(4, 20, (n_tasks, 2)).ravel()
    task = np.repeat(np.repeat(np.arange(n_tasks), 2), counts)
    y = np.repeat(np.tile([0, 1], n_tasks), counts)
    X = rng.normal(size=(len(y), 30)) + 1.5 * np.where(y == 1, 1, -1)[:, None] * along[task]
    names = np.array([f"store {i:04d}" for i in range(n_tasks)])
    return MultiTaskSPCA().fit(X, np.array(["leaves", "stays"])[y], task=names[task])


def rows_of(n_tasks: int = 4, n_classes: int = 2, seed: int = 0, n: int = 200) -> Any:
    """Rows, labels and tasks with something to learn."""
    rng = np.random.default_rng(seed)
    y, task = rng.integers(0, n_classes, n), rng.integers(0, n_tasks, n)
    means = rng.normal(size=(n_classes, 6))
    return rng.normal(size=(n, 6)) + means[y], y, task
