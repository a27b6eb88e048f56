"""The rows of `benchmarks.speed`, and how fits of them are measured."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np

from benchmarks._measure import Row, Work, compare

N_SAMPLES, N_FEATURES, N_TASKS = 100_000, 512, 20
PLAIN: dict[str, Any] = {"metric": 0, "row_sample": 0}


def samples() -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N_SAMPLES, N_FEATURES), dtype=np.float32)
    y, task = rng.integers(0, 2, N_SAMPLES), rng.integers(0, N_TASKS, N_SAMPLES)
    X[:, 0] += y
    return X, y, task


def against_sum(X: Any, what: str, work: Work, bar: str = "", repeat: int = 7) -> Row:
    """Times are those of the processor, of all threads together: other programs matter little."""
    reference = partial(X.sum, axis=0)
    return compare(what, work, reference, "X.sum(axis=0)", bar, repeat, time.process_time)
