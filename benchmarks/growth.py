"""How time grows with rows, features, tasks and classes, on log–log axes; part of `make bench`.

Limits: linear in rows, linear in features for moments and rules (the default fit has an
eigendecomposition, which is cubic), and never worse than cubic in tasks.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from benchmarks._measure import RESULTS, Work, machine, seconds
from kinspan import ClassMoments, MultiTaskSPCA
from kinspan._rows import machine_code

LARGEST = 3  # sizes that an exponent is fitted to


class Growth(NamedTuple):
    """One line of the table."""

    what: str
    axis: str  # what grows
    sizes: str
    exponent: float
    bar: str
    seconds: str  # at the sizes


class Case(NamedTuple):
    """One way of growing."""

    what: str
    axis: str
    sizes: list[int]
    work: Callable[[int], Work]
    bar: str


def rows(n: int, p: int, k: int, m: int = 2) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p), dtype=np.float32)
    y, task = np.arange(n) % m, np.arange(n) // m % k
    X[:, 0] += y
    return X, y, task


def moments(p: int, k: int, m: int = 2) -> ClassMoments:
    """Moments of tasks that share three directions, twenty rows per class."""
    rng = np.random.default_rng(1)
    shared = rng.standard_normal((3, m, p)) * 0.3
    means = np.einsum("ks,smp->kmp", rng.standard_normal((k, 3)), shared)
    means += rng.standard_normal((k, m, p)) / np.sqrt(20)
    squares = rng.chisquare(19, (k, m, p))
    return ClassMoments(np.arange(k), np.arange(m), np.full((k, m), 20.0), means, squares)


def fit_rows(n: int, p: int, k: int, m: int = 2, **settings: Any) -> Work:
    X, y, task = rows(n, p, k, m)
    return lambda: MultiTaskSPCA(**settings).fit(X, y, task=task)


def fit_moments(p: int, k: int, m: int = 2) -> Work:
    given = moments(p, k, m)
    return lambda: MultiTaskSPCA().fit_moments(given)


def predict(n: int, p: int, k: int, m: int) -> Work:
    X, _, task = rows(n, p, k, m)
    model = MultiTaskSPCA().fit_moments(moments(p, k, m))
    return lambda: model.predict(X, task=task)


PLAIN: dict[str, Any] = {"metric": 0, "row_sample": 0}
CASES = [
    Case(
        "fit, moments only", "rows", [100_000, 200_000, 400_000, 800_000],
        lambda n: fit_rows(n, 128, 20, **PLAIN), "≤ 1.1",
    ),
    Case(
        "fit, default", "rows", [100_000, 200_000, 400_000, 800_000],
        lambda n: fit_rows(n, 128, 20), "≤ 1.1",
    ),
    Case(
        "fit, moments only", "features", [128, 256, 512, 1024],
        lambda p: fit_rows(100_000, p, 20, **PLAIN), "≤ 1.1",
    ),
    Case("fit, default", "features", [128, 256, 512, 1024], lambda p: fit_rows(20_000, p, 20), ""),
    Case(
        "from moments", "features", [256, 512, 1024, 2048], lambda p: fit_moments(p, 200), "≤ 1.1",
    ),
    Case("from moments", "tasks", [500, 1000, 2000, 4000], lambda k: fit_moments(128, k), "≤ 3"),
    Case("from moments", "classes", [8, 16, 32, 64], lambda m: fit_moments(128, 50, m), ""),
    Case(
        "predict", "tasks", [10, 100, 1000, 10_000], lambda k: predict(20_000, 128, k, 5), "≤ 1"
    ),
]  # fmt: skip


def measured() -> Iterator[Growth]:
    for case in CASES:
        times = []
        for size in case.sizes:
            work = case.work(size)
            work()
            times.append(min(seconds(work) for _ in range(3)))
        slope = np.polyfit(np.log(case.sizes[-LARGEST:]), np.log(times[-LARGEST:]), 1)[0]
        yield Growth(
            case.what,
            case.axis,
            ", ".join(f"{size:g}" for size in case.sizes),
            float(slope),
            case.bar,
            ", ".join(f"{t:.3g}" for t in times),
        )


def main() -> None:
    with patch.object(machine_code, "MANY_NUMBERS", 0):  # compiled at every size
        _main()


def _main() -> None:
    found = []
    print(f"\n{'time grows with':<30} exponent   bar    seconds at these sizes")
    for line in measured():
        found.append(line)
        name = f"{line.what}: {line.axis}"
        print(f"{name:<30} {line.exponent:8.2f} {line.bar:>6}  {line.seconds} at {line.sizes}")
    with (RESULTS / "growth.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([f"# {machine()}"])
        writer.writerow(Growth._fields)
        writer.writerows([*line[:3], f"{line.exponent:.3g}", *line[4:]] for line in found)


if __name__ == "__main__":
    main()
