"""Sizes that people have, single rows, and many tasks and classes: part of `make bench`.

Everyday sizes are compared with one untuned `LogisticRegression().fit` on the same rows, all tasks
as one; answers to one row with its answers. What needs many rows next to many tasks, classes or
features is compared with the same fit from moments alone; `python -m benchmarks.everyday --large`
adds what takes minutes. Times are those of the processor, so that other programs matter little.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from benchmarks._measure import Row, compare, peak_megabytes, report, seconds
from kinspan import MultiTaskSPCA
from kinspan.datasets import load_amazon_reviews, load_digit_pairs

Rows = tuple[Any, Any, Any]
on_processor = partial(compare, clock=time.process_time)


def gaussian(n_tasks: int, n_rows: int, n_features: int, n_classes: int = 2) -> Rows:
    """Tasks that share their class means; rows of a task, classes in turn."""
    rng = np.random.default_rng(0)
    y = np.arange(n_tasks * n_rows) % n_classes
    task = np.repeat(np.arange(n_tasks), n_rows)
    means = rng.normal(size=(n_classes, n_features)) * 2 / np.sqrt(n_features)
    return rng.normal(size=(len(y), n_features)) + means[y], y, task


def digits() -> Rows:
    pairs = load_digit_pairs(n_per_class=3)
    return pairs.X, pairs.y, pairs.task


def reviews(features: Any) -> Rows:
    """200 reviews of each of the four domains."""
    data = load_amazon_reviews(features)
    X = data.X.toarray() if sp.issparse(data.X) else data.X
    rng, ids = np.random.default_rng(0), np.unique(data.task)
    of_tasks = [np.flatnonzero(data.task == one) for one in ids]
    kept = np.concatenate([np.sort(rng.choice(rows, 200, replace=False)) for rows in of_tasks])
    return X[kept], data.y[kept], data.task[kept]


EVERYDAY: dict[str, tuple[Callable[[], Rows], str]] = {
    "1 × 200 × 20": (partial(gaussian, 1, 200, 20), "≤ 1"),
    "45 × 6 × 64, digits": (digits, "≤ 1.1"),
    "20 × 100 × 100": (partial(gaussian, 20, 100, 100), "≤ 3"),
    "1 000 × 20 × 50": (partial(gaussian, 1000, 20, 50), "≤ 7"),
    "4 × 200 × 400": (partial(gaussian, 4, 200, 400), "≤ 2"),
    "4 × 200 × 5 000": (partial(gaussian, 4, 200, 5000), "≤ 6"),
    "4 × 100 × 1 280, ten classes": (partial(gaussian, 4, 100, 1280, 10), "≤ 5"),
}
REVIEWS: dict[str, tuple[Callable[[], Rows], str]] = {
    "4 × 200 × 400, reviews": (partial(reviews, "tfidf400"), "≤ 7"),
    "4 × 200 × 5 000, reviews": (partial(reviews, "counts5000"), "≤ 7.5"),
}


def fits() -> Iterator[Row]:
    cases = EVERYDAY | (REVIEWS if "KINSPAN_DATA" in os.environ else {})
    for name, (rows, bar) in cases.items():
        X, y, task = rows()
        work = partial(MultiTaskSPCA().fit, X, y, task=task)
        reference = partial(LogisticRegression().fit, X, y)
        yield on_processor(f"fit, {name}", work, reference, "LogisticRegression.fit", bar, repeat=5)


def answers() -> Iterator[Row]:
    """One row of one task, a hundred times."""
    for n_tasks, n_classes in ((20, 2), (20, 10), (100_000, 2)):
        X, y, task = gaussian(n_tasks, 100 if n_tasks == 20 else 2, 64, n_classes)
        settings: dict[str, Any] = {} if n_tasks == 20 else {"row_sample": 0}
        model = MultiTaskSPCA(**settings).fit(X, y, task=task)
        peer = LogisticRegression(max_iter=10).fit(X[:2000], y[:2000])
        for method in ("predict", "predict_proba"):
            work = partial(getattr(model, method), X[:1], task=task[:1])
            reference = partial(getattr(peer, method), X[:1])
            yield on_processor(
                f"{method} of one row, {n_tasks} tasks, {n_classes} classes",
                partial(repeated, work),
                partial(repeated, reference),
                f"LogisticRegression.{method}",
                "≤ 1",
            )


def repeated(work: Callable[[], Any]) -> None:
    for _ in range(100):
        work()


def importing() -> Iterator[Row]:
    """Of an interpreter that imports kinspan, over one that imports nothing."""
    start = [sys.executable, "-c"]
    work, reference = (
        partial(subprocess.run, [*start, code], check=True) for code in ("import kinspan", "pass")
    )
    taken, plain = (min(seconds(one, of_children) for _ in range(5)) for one in (work, reference))
    yield Row("import kinspan, in units of .1 s", (taken - plain) / 0.1, ".1 s", "≤ 1", taken, 0.0)


def of_children() -> float:
    """Processor time of the programs that this one has started."""
    times = os.times()
    return times.children_user + times.children_system


def from_moments(name: str, rows: Rows, bar: str = "") -> Row:
    """The default fit, over the fit without rows."""
    X, y, task = rows
    work = partial(MultiTaskSPCA().fit, X, y, task=task)
    reference = partial(MultiTaskSPCA(row_sample=0).fit, X, y, task=task)
    return on_processor(f"fit, {name}", work, reference, "row_sample=0", bar, repeat=1)


def many() -> Iterator[Row]:
    yield from_moments("2 000 × 20 × 256", gaussian(2000, 20, 256), "≤ 3")
    yield from_moments("20 × 250 × 64, 50 classes", gaussian(20, 250, 64, 50))
    yield from_moments("10 × 200 × 5 000, CSR", sparse(5000, 0.005))


def larger() -> Iterator[Row]:
    yield from_moments("10 000 × 20 × 256", gaussian(10_000, 20, 256), "≤ 3")
    yield from_moments("20 × 500 × 64, 100 classes", gaussian(20, 500, 64, 100))
    yield from_moments("10 × 200 × 20 000, CSR", sparse(20_000, 0.001))
    yield wide_rows()
    yield many_classes()


def many_classes() -> Row:
    """Five rows of each of 1 000 classes in 20 tasks, over what may be waited for."""
    X, y, task = gaussian(20, 5000, 64, 1000)
    taken = seconds(partial(MultiTaskSPCA().fit, X, y, task=task), time.process_time)
    what = "fit, 20 × 5 000 × 64, 1 000 classes, in units of 20 s"
    return Row(what, taken / 20.0, "20 s", "≤ 1", taken, 0.0)


def wide_rows() -> Row:
    """A hundred words of 200 000 in each of 2 000 texts, over what may be waited for."""
    X, y, task = sparse(200_000, 0.0005)
    fit = partial(MultiTaskSPCA().fit, X, y, task=task)
    taken, what = seconds(fit, time.process_time), "fit, 10 × 200 × 200 000, CSR, in units of 10 s"
    return Row(what, taken / 10.0, "10 s", "≤ 1", taken, peak_megabytes(fit))


def sparse(p: int, density: float) -> Rows:
    """Ten tasks of 200 rows, most of whose values are zero."""
    _, y, task = gaussian(10, 200, 1)
    rng = np.random.default_rng(0)
    return sp.random_array((2000, p), density=density, format="csr", rng=rng), y, task


def main() -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)  # 100 iterations are all it is given
    parts = [fits(), answers(), importing(), many()]
    if "--large" in sys.argv[1:]:
        parts.append(larger())
    report(chain(*parts), "everyday")


if __name__ == "__main__":
    main()
