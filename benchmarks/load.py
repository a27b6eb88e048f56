"""A day of traffic: 10 000 batches over 2 000 tasks, with predictions in between.

`make load`. Each batch comes from a few tasks, new tasks and classes appear at any time, and after
every `ASK_EVERY` batches the model predicts rows of mixed tasks. Every row of
benchmarks/results/load.csv is a moment of the day: resident memory, and the seconds that learning
and predicting took since the previous row. At the end the model is compared with one that was
fitted to all rows at once, which are kept on disk.
"""

from __future__ import annotations

import csv
import gc
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks._measure import RESULTS
from kinspan import MultiTaskSPCA

Floats = NDArray[np.float64]
TASKS, FEATURES, CLUSTERS, ROWS, TASKS_A_BATCH, NEW_A_BATCH = 2_000, 32, 20, 200, 5, 2
BATCHES, ASK_EVERY, SHOWN = 10_000, 40, 20


class Batch(NamedTuple):
    """Rows of a few tasks."""

    X: Floats
    y: NDArray[np.intp]
    task: NDArray[np.intp]


def traffic(n_batches: int) -> Iterator[Batch]:
    """Batches of five tasks, two of them new until all tasks have appeared."""
    rng = np.random.default_rng(0)
    shared = rng.normal(size=(CLUSTERS, FEATURES))
    contrast = shared[rng.integers(CLUSTERS, size=TASKS)] + 0.3 * rng.normal(size=(TASKS, FEATURES))
    contrast *= 0.8 / np.linalg.norm(contrast, axis=1, keepdims=True)
    offset = 3 * rng.normal(size=(TASKS, FEATURES))
    for number in range(n_batches):
        so_far = min(NEW_A_BATCH * (number + 1), TASKS)
        new = np.arange(NEW_A_BATCH * number, so_far)
        present = np.append(new, rng.integers(so_far, size=TASKS_A_BATCH - len(new)))
        task, y = rng.choice(present, ROWS), rng.integers(2, size=ROWS)
        noise = rng.normal(size=(ROWS, FEATURES))
        X = offset[task] + (2 * y - 1)[:, None] * contrast[task] + noise
        yield Batch(X, y, task)


def resident() -> float:
    """Resident memory of the process in megabytes."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def day(model: MultiTaskSPCA, n_batches: int, kept: Path) -> list[dict[str, Any]]:
    """Learn and predict; the rows are also written to a file, for one fit to all of them."""
    moments, learning, answering, asked = [], 0.0, 0.0, 0
    right: list[float] = []
    with kept.open("wb") as file:
        for number, batch in enumerate(traffic(n_batches), start=1):
            if number > 1 and number % ASK_EVERY == 0:
                known = np.isin(batch.task, model.tasks_)
                start = time.perf_counter()
                answers = model.predict(batch.X[known], task=batch.task[known])
                answering, asked = answering + time.perf_counter() - start, asked + 1
                right.append(float((answers == batch.y[known]).mean()))
            start = time.perf_counter()
            model.partial_fit(batch.X, batch.y, task=batch.task)
            learning += time.perf_counter() - start
            np.column_stack([batch.task, batch.y, batch.X]).tofile(file)
            if number % max(n_batches // SHOWN, 1) == 0:
                shown: dict[str, Any] = {"batches": number, "tasks": len(model.tasks_)}
                shown |= {
                    "megabytes": round(resident()),
                    "accuracy": round(float(np.mean(right)), 4),
                }
                shown |= {"learning_s": round(learning, 2), "answering_s": round(answering, 2)}
                moments.append({**shown, "predictions": asked})
                print(moments[-1], file=sys.stderr)
                learning, answering, asked, right = 0.0, 0.0, 0, []
    return moments


def difference(model: MultiTaskSPCA, kept: Path) -> dict[str, float]:
    """The largest relative difference from one fit to all rows."""
    rows = np.fromfile(kept).reshape(-1, FEATURES + 2)
    task, y = rows[:, 0].astype(np.intp), rows[:, 1].astype(np.intp)
    whole = MultiTaskSPCA().fit(np.ascontiguousarray(rows[:, 2:]), y, task=task)
    names = ("coef_", "intercept_", "forecast_error_", "forecast_interval_")
    return {name: _apart(getattr(model, name), getattr(whole, name)) for name in names}


def _apart(one: Floats, other: Floats) -> float:
    return float(np.abs(one - other).max() / np.abs(other).max())


def main(n_batches: int) -> None:
    model = MultiTaskSPCA()
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "rows"
        moments = day(model, n_batches, kept)
        apart = difference(model, kept)
    with (RESULTS / "load.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, moments[0])
        writer.writeheader()
        writer.writerows(moments)
    half = [moment["megabytes"] for moment in moments[len(moments) // 2 :]]
    print(f"{n_batches} batches; memory in the second half {min(half)} to {max(half)} MB")
    print("largest relative difference from one fit to all rows:", apart)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else BATCHES)
