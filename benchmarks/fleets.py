"""Very many tasks, from moments and with rows: `python -m benchmarks.fleets`, about five minutes.

Two classes × 64 features. The limits are two minutes and 12 GB for one million tasks from moments,
minutes and 8 GB for 100 000 tasks. Times are those of the processor; memory is the largest of the
process so far, with its input, so that larger fits come later.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from functools import partial

import numpy as np

from benchmarks._measure import Row, Work, report, seconds
from kinspan import ClassMoments, MultiTaskSPCA

P = 64


def moments(n_tasks: int) -> ClassMoments:
    """Of ten rows in every cell; tasks share their class means, and have a little of their own."""
    rng = np.random.default_rng(0)
    means = 0.32 * rng.standard_normal((n_tasks, 2, P))
    means += rng.normal(size=(2, P)) * 2 / np.sqrt(P)
    squares = rng.chisquare(9, means.shape)
    return ClassMoments(
        np.arange(n_tasks), np.arange(2), np.full((n_tasks, 2), 10.0), means, squares
    )


def from_moments(n_tasks: int) -> Work:
    return partial(MultiTaskSPCA().fit_moments, moments(n_tasks))


def from_rows(n_tasks: int) -> Work:
    """Ten rows in every cell."""
    rng = np.random.default_rng(0)
    y, task = np.arange(20 * n_tasks) % 2, np.repeat(np.arange(n_tasks), 20)
    X = rng.standard_normal((len(y), P), dtype=np.float32)
    X += (rng.normal(size=(2, P)) * 2 / np.sqrt(P)).astype(np.float32)[y]
    return partial(MultiTaskSPCA().fit, X, y, task=task)


def fleets() -> Iterator[Row]:
    cases = (
        ("100 000 tasks from moments", from_moments, 100_000),
        ("100 000 tasks × 20 rows", from_rows, 100_000),
        ("1 000 000 tasks from moments", from_moments, 1_000_000),
    )
    for what, work, n_tasks in cases:
        taken = seconds(work(n_tasks), time.process_time)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        yield Row(f"{what}, in units of 120 s", taken / 120.0, "120 s", "≤ 1", taken, peak)


def main() -> None:
    report(fleets(), "fleets")


if __name__ == "__main__":
    main()
