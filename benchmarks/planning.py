"""Is the learning curve right? The error at 40 labels per class, forecast at 10: `make planning`.

Amazon reviews (folder KINSPAN_DATA), each product in turn with 10 and then 40 labels per class and
the others with 100; scikit-learn's digits, five pairs at a time, each in turn with 10 and then 40
and the others with 40. Limits: a mean absolute gap of at most .03 (Amazon) and .01 (digits), and
errors that are reached at 40 labels called out of reach in at most 5 % of the tasks. An error of
no test row is one of half a row: no test can tell it from that.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from benchmarks._measure import RESULTS
from kinspan import MultiTaskSPCA
from kinspan.datasets import load_amazon_reviews

FEW, MANY = 10, 40
FIELDS = ["data", "target", "error at 10", "error at 40", "promised", "gap", "verdict"]
LIMITS = {"Amazon": 0.03, "digits": 0.01}


class World(NamedTuple):
    """Rows of some tasks, and the number of labels per class of the sources."""

    name: str
    X: Any
    y: NDArray[np.int64]
    task: NDArray[Any]
    of_sources: int


def worlds(draws: int) -> Iterator[tuple[World, np.random.Generator]]:
    reviews = load_amazon_reviews()
    images, digits = load_digits(return_X_y=True)
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        yield World("Amazon", reviews.X, reviews.y, reviews.task, 100), rng
        pair_of, side = np.divmod(np.argsort(rng.permutation(10)), 2)
        yield World("digits", images, side[digits], pair_of[digits], MANY), rng


def forecast_and_true(world: World, rng: np.random.Generator) -> Iterator[list[Any]]:
    """Every task as the target."""
    cells = {
        (t, c): rng.permutation(np.flatnonzero((world.task == t) & (world.y == c)))
        for t in np.unique(world.task)
        for c in (0, 1)
    }
    for target in np.unique(world.task):
        test = np.concatenate([cells[target, c][MANY:] for c in (0, 1)])
        fitted = {n: _fitted(world, cells, target, n) for n in (FEW, MANY)}
        few, many = (
            1.0 - m.score(world.X[test], world.y[test], task=target) for m in fitted.values()
        )
        promised = float(fitted[FEW].learning_curve(target, [MANY - FEW])[0])
        verdict = fitted[FEW].labels_needed(target, max(many, 0.5 / len(test))).verdict
        yield [world.name, target, few, many, promised, abs(promised - many), verdict]


def _fitted(world: World, cells: dict[Any, Any], target: Any, n: int) -> MultiTaskSPCA:
    parts = [rows[: n if t == target else world.of_sources] for (t, _), rows in cells.items()]
    rows = np.concatenate(parts)
    return MultiTaskSPCA().fit(world.X[rows], world.y[rows], task=world.task[rows])


def main(draws: int = 10) -> None:
    found = [row for world, rng in worlds(draws) for row in forecast_and_true(world, rng)]
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / "planning.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(FIELDS)
        writer.writerows(
            [*row[:2], *(f"{value:.4f}" for value in row[2:6]), row[6]] for row in found
        )
    for name, limit in LIMITS.items():
        here = [row for row in found if row[0] == name]
        few, many, promised, gap = np.mean([row[2:6] for row in here], axis=0)
        false = np.mean([row[6] == "out of reach" for row in here])
        print(
            f"{name}: error {few:.3f} at 10 labels per class, {many:.3f} at 40, promised "
            f"{promised:.3f}, mean absolute gap {gap:.3f} (≤ {limit}); what is reached was called "
            f"out of reach in {false:.0%} (≤ 5 %)"
        )


if __name__ == "__main__":
    main()
