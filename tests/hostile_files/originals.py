"""Small stored things of every kind, which the mutations start from."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from kinspan import MultiTaskSPCA, Statistics
from kinspan._saving import model_file
from tests.worlds import random_world

NOTES = {
    "recipe": {
        "columns": [{"name": "x", "categories": None}],
        "task": "t",
        "label": "y",
        "kinds": {"task": "text", "label": "text"},
        "missing": "error",
    }
}


@cache
def originals() -> dict[str, bytes]:
    """Bytes by name, all of them readable."""
    X, y, task = random_world(0, n=40, p=3, n_tasks=3, n_classes=2)
    names, when = np.array(["a", "b", "c"])[task], np.array(["2024-01-01", "2025-01-01"], "M8[D]")
    pairs = np.empty(len(task), dtype=object)
    pairs[:] = [("eu", int(t)) for t in task]
    clf = MultiTaskSPCA(row_sample=4).fit(X, y, task=names)
    many = random_world(1, n=40, p=2, n_tasks=2, n_classes=3)
    three = MultiTaskSPCA(row_sample=3, priors=[0.4, 0.3, 0.2, 0.1], unseen="shared")
    three.partial_fit(many.X, many.y, task=many.task, classes=[0, 1, 2, 3])
    fading = MultiTaskSPCA(forget=0.05, row_sample=3, class_weight={0: 1.0, 1: 2.0})
    fading.fit(X, y, task=names).add_task("new", X[:5])
    statistics = Statistics.from_samples(X, when[y], pairs, row_sample=3)
    stored: dict[str, Any] = {
        "model": clf,
        "model of three classes": three,
        "model that forgets": fading,
        "statistics": statistics,
        "statistics without rows": Statistics.from_samples(X, y, task, row_sample=0),
        "moments": statistics.moments,
    }
    found = {name: model_file.to_bytes(what) for name, what in stored.items()}
    return found | {"model with notes": model_file.to_bytes(clf, NOTES)}
