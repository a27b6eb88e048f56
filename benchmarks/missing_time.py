"""What holes cost: the time of fits with 30 % of holes, compared with none: `make missing`.

Ten tasks of two classes, processor time. Limits: with holes at most three times as long as without,
and without at most 1.05 times as long as where holes are refused.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from benchmarks._measure import Row, compare, report
from kinspan import MultiTaskSPCA

SIZES: tuple[tuple[int, int, str], ...] = (
    (400, 60, "float64"),
    (2_000, 100, "float64"),
    (3_000, 1_500, "float64"),
    (20_000, 300, "float64"),
    (200_000, 50, "float64"),
    (1_000_000, 20, "float64"),
    (200_000, 50, "float32"),
    (100_000, 512, "float64"),
    (100_000, 512, "float32"),
    (20_000, 2_000, "sparse"),
)
TASKS, SHARE, STORED = 10, 0.3, 0.02


def rows(n: int, p: int, kind: str) -> tuple[Any, Any, NDArray[Any], NDArray[Any]]:
    """Rows without holes, the same with holes, labels and tasks."""
    rng = np.random.default_rng(1000)
    y, task = rng.integers(0, 2, n), rng.integers(0, TASKS, n)
    if kind == "sparse":
        X: Any = sp.random(n, p, density=STORED, format="csr", random_state=rng)
        holed = X.copy()
        holed.data[rng.random(X.nnz) < SHARE] = np.nan
        return X, holed, y, task
    X = rng.standard_normal((n, p), dtype=np.float32).astype(kind)
    X[:, :5] += (0.5 * y[:, None]).astype(kind)
    holed = X.copy()
    for column in range(p):
        holed[rng.random(n, dtype=np.float32) < SHARE, column] = np.nan
    return X, holed, y, task


def costs() -> Iterator[Row]:
    for n, p, kind in SIZES:
        X, holed, y, task = rows(n, p, kind)
        impute, refuse = MultiTaskSPCA().fit, MultiTaskSPCA(missing="refuse").fit
        whole, clock = partial(impute, X, y, task=task), time.process_time
        with_holes = partial(impute, holed, y, task=task)
        refused = partial(refuse, X, y, task=task)
        what = f"{n:,} × {p:,} {kind}".replace(",", " ")
        yield compare(f"{what}, holes", with_holes, whole, "none", "≤ 3", clock=clock)
        yield compare(f"{what}, none", whole, refused, "refused", "≤ 1.05", clock=clock)


def main() -> None:
    report(costs(), "missing_time")


if __name__ == "__main__":
    main()
