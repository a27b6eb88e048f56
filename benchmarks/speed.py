"""Speed and memory of fit and predict, as ratios: `make bench`.

The bars: fit without sampled rows at most 3.5 × X.sum(axis=0) and 32 MB more memory, with the
defaults at most 10 ×; predict at most 2 × X @ W; 1 000 targets from ready moments at most 3 × one
eigendecomposition of that size.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid

from benchmarks._measure import Row, compare, report
from kinspan import ClassMoments, MultiTaskSPCA

N_SAMPLES, N_FEATURES, N_TASKS = 100_000, 512, 20


def samples() -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N_SAMPLES, N_FEATURES), dtype=np.float32)
    y, task = rng.integers(0, 2, N_SAMPLES), rng.integers(0, N_TASKS, N_SAMPLES)
    X[:, 0] += y
    return X, y, task


def fitting(X: Any, y: Any, task: Any) -> Iterator[Row]:
    reference = lambda: X.sum(axis=0)  # noqa: E731
    name = "X.sum(axis=0)"
    yield compare("copy of X", X.copy, reference, name)
    yield compare(
        "class moments", lambda: ClassMoments.from_samples(X, y, task), reference, name, "≤ 3.5"
    )
    plain, default = MultiTaskSPCA(metric=0, row_sample=0), MultiTaskSPCA()
    for what, model, bar in (
        ("MultiTaskSPCA(metric=0, row_sample=0).fit", plain, "≤ 3.5"),
        ("MultiTaskSPCA().fit", default, "≤ 10"),
    ):
        yield compare(what, partial(model.fit, X, y, task=task), reference, name, bar)
    cells = task * 2 + y
    peers = {
        "NearestCentroid.fit on cells": (NearestCentroid(), cells, 3),
        "GaussianNB.fit on cells": (GaussianNB(), cells, 3),
        "LogisticRegression.fit, pooled": (LogisticRegression(), y, 1),
        "LinearDiscriminantAnalysis.fit, pooled": (LinearDiscriminantAnalysis(), y, 1),
    }
    for what, (peer, target, repeat) in peers.items():
        yield compare(what, partial(peer.fit, X, target), reference, name, repeat=repeat)


def predicting(X: Any, y: Any, task: Any) -> Iterator[Row]:
    model = MultiTaskSPCA().fit(X, y, task=task)
    W = np.ascontiguousarray(model.coef_[:, 0].T.astype(np.float32))
    reference, name = lambda: X @ W, "X @ W (features, tasks)"
    work = lambda: model.predict(X, task=task)  # noqa: E731
    yield compare("MultiTaskSPCA.predict, mixed tasks", work, reference, name, "≤ 2")


def many_tasks() -> Iterator[Row]:
    rng = np.random.default_rng(1)
    k, m, p = 1_000, 2, N_FEATURES
    moments = ClassMoments(
        np.arange(k),
        np.arange(m),
        np.full((k, m), 20.0),
        rng.standard_normal((k, m, p)),
        rng.chisquare(19, (k, m, p)),
    )
    square = rng.standard_normal((k, k))
    square = square @ square.T
    model = MultiTaskSPCA()
    yield compare(
        "1 000 targets from ready moments",
        lambda: model.fit_moments(moments),
        lambda: np.linalg.eigh(square),
        "eigh(1000)",
        "≤ 3",
    )


def main() -> None:
    X, y, task = samples()
    report([*fitting(X, y, task), *predicting(X, y, task), *many_tasks()], "speed")


if __name__ == "__main__":
    main()
