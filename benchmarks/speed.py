"""Speed and memory of fit and predict, as ratios: `make bench`.

Limits: fit without sampled rows at most 3.5 × X.sum(axis=0) and 32 MB of extra memory, with the
defaults at most 10 ×; the compiled pass over rows at most 1.6 × on one thread; predict at most
2 × X @ W; 1 000 targets from given moments at most 3 × one eigendecomposition of that size. Times
are those of the processor, of all threads together: other programs matter little.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any
from unittest.mock import patch

import dask
import dask.array as da
import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid

from benchmarks import growth
from benchmarks._measure import Row, compare, report
from benchmarks.speed_rows import N_FEATURES, N_SAMPLES, PLAIN, against_sum, samples
from kinspan import ClassMoments, MultiTaskSPCA
from kinspan._rows import machine_code
from kinspan.engines import dask as dask_engine
from kinspan.engines import files


def fitting(X: Any, y: Any, task: Any) -> Iterator[Row]:
    plain, default = MultiTaskSPCA(**PLAIN), MultiTaskSPCA()
    fit = partial(plain.fit, X, y, task=task)
    moments = partial(ClassMoments.from_samples, X, y, task)
    with numpy_alone():
        yield against_sum(X, "copy of X", X.copy)
        yield against_sum(X, "class moments", moments, "≤ 3.5")
        yield against_sum(X, "fit, moments only", fit, "≤ 3.5")
    with one_thread():
        yield against_sum(X, "class moments, compiled, one thread", moments, "≤ 1.6")
    yield against_sum(X, "class moments, compiled, two threads", moments)
    yield against_sum(X, "fit, moments only, compiled", fit)
    yield against_sum(X, "fit, default", partial(default.fit, X, y, task=task), "≤ 10")


def elsewhere(X: Any, y: Any, task: Any) -> Iterator[Row]:
    """The same rows as a stream, from a file, through Dask."""
    for name, settings in (("moments only", PLAIN), ("default", {})):
        work = partial(streamed, X, y, task, settings)
        yield against_sum(X, f"100 batches by partial_fit, {name}", work)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.npy"
        np.save(path, X)
        mapped = np.load(path, mmap_mode="r")
        for name, settings in (("moments only", PLAIN), ("default", {})):
            work = partial(MultiTaskSPCA(**settings).fit, mapped, y, task=task)
            yield against_sum(X, f"memory-mapped file, {name}", work)
        work = partial(files.fit, MultiTaskSPCA(**PLAIN), path, task=task, label=y, progress=False)
        yield against_sum(X, "engines.files, .npy, moments only", work)
    from_array: Any = da.from_array
    blocks = [from_array(a, chunks=(N_SAMPLES // 16, *a.shape[1:])) for a in (X, y, task)]
    with dask.config.set(scheduler="threads", num_workers=2):
        for name, settings in (("moments only", PLAIN), ("default", {})):
            model = MultiTaskSPCA(**settings)
            work = partial(dask_engine.fit, model, *blocks[:2], task=blocks[2])
            yield against_sum(X, f"Dask, 16 blocks, two threads, {name}", work)


def streamed(X: Any, y: Any, task: Any, settings: dict[str, Any]) -> Any:
    model = MultiTaskSPCA(**settings)
    for rows in np.split(np.arange(len(X)), 100):
        batch = slice(rows[0], rows[-1] + 1)
        model.partial_fit(X[batch], y[batch], task=task[batch])
    return model.coef_


def peers(X: Any, y: Any, task: Any) -> Iterator[Row]:
    cells = task * 2 + y
    others = {
        "NearestCentroid.fit on cells": (NearestCentroid(), cells, 3),
        "GaussianNB.fit on cells": (GaussianNB(), cells, 3),
        "LogisticRegression.fit, pooled": (LogisticRegression(), y, 1),
        "LinearDiscriminantAnalysis.fit, pooled": (LinearDiscriminantAnalysis(), y, 1),
    }
    for what, (peer, target, repeat) in others.items():
        yield against_sum(X, f"scikit-learn {what}", partial(peer.fit, X, target), repeat=repeat)


@contextmanager
def numpy_alone() -> Iterator[None]:
    """Without compiled code, as if numba were not installed."""
    with patch.object(machine_code, "MANY_NUMBERS", np.inf):
        yield


@contextmanager
def one_thread() -> Iterator[None]:
    with patch("os.cpu_count", return_value=1):
        yield


def predicting(X: Any, y: Any, task: Any) -> Iterator[Row]:
    model = MultiTaskSPCA().fit(X, y, task=task)
    W = np.ascontiguousarray(model.coef_[:, 0].T.astype(np.float32))
    reference, name = lambda: X @ W, "X @ W (features, tasks)"
    work = lambda: model.predict(X, task=task)  # noqa: E731
    what = "MultiTaskSPCA.predict, mixed tasks"
    yield compare(what, work, reference, name, "≤ 2", clock=time.process_time)


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
        clock=time.process_time,
    )


def main() -> None:
    rows = samples()
    parts = fitting(*rows), elsewhere(*rows), predicting(*rows), many_tasks(), peers(*rows)
    report(chain(*parts), "speed")
    growth.main()


if __name__ == "__main__":
    main()
