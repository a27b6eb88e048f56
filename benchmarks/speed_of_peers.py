"""Other libraries on the rows of `benchmarks.speed`, in an environment of their own.

`make bench-peers` runs this in the environment with scikit-lego, skada and adapt. skada and adapt
fit one target at a time, scikit-lego fits one model per task; kinspan fits all tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks._measure import Row, report
from benchmarks.speed_rows import PLAIN, against_sum, samples
from kinspan import MultiTaskSPCA


def works(X: Any, y: Any, task: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    yield "kinspan, moments only", lambda: MultiTaskSPCA(**PLAIN).fit(X, y, task=task)
    yield "kinspan, default", lambda: MultiTaskSPCA().fit(X, y, task=task)
    own = task == 0
    grouped = import_module("sklego.meta").GroupedClassifier(LogisticRegression(), 0)
    with_column = np.column_stack([task.astype(np.float32), X])
    yield "scikit-lego GroupedClassifier of logistic", lambda: grouped.fit(with_column, y)
    weighting = import_module("adapt.instance_based").BalancedWeighting
    yield (
        "adapt BalancedWeighting of logistic, one target",
        lambda: weighting(LogisticRegression(), Xt=X[own], yt=y[own], gamma=0.5, verbose=0).fit(
            X[~own], y[~own]
        ),
    )
    skada = import_module("skada")
    domain = np.where(own, -1, task + 1)
    yield (
        "skada CORAL with logistic, one target",
        lambda: skada.make_da_pipeline(
            skada.CORALAdapter(), LogisticRegression(), mask_target_labels=False
        ).fit(X, y, sample_domain=domain),
    )


def measured() -> Iterator[Row]:
    X, y, task = samples()
    for what, work in works(X, y, task):
        repeat = 3 if what.startswith("kinspan") else 1
        yield against_sum(X, what, work, repeat=repeat)


if __name__ == "__main__":
    report(measured(), "speed_of_peers")
