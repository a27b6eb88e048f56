"""Rows that break an assumption of forecasts: `python -m benchmarks.forecast.broken`.

docs/limits.md says how far forecasts are off then; nothing here is a limit to keep.
"""

from __future__ import annotations

import csv
from functools import partial

import numpy as np

from benchmarks._measure import RESULTS
from benchmarks.forecast.populations import Draw, Floats, Population, related_means
from benchmarks.forecast.simulated import Regime, repeated
from benchmarks.forecast.table import Row, row
from kinspan import MultiTaskSPCA
from kinspan._rows.types import Codes


def drifting(seed: int, turn: float) -> Draw:
    """Contrasts of six tasks that turn by so many radians while 3 000 rows come."""
    rng = np.random.default_rng(seed)
    n, k, p = 3000, 6, 20
    first, last = (related_means(rng, k, p, 2.0) for _ in range(2))
    centres = first.mean(axis=1)
    first, last = ((of - of.mean(axis=1, keepdims=True))[:, 1] for of in (first, last))
    y, task = rng.integers(0, 2, n), rng.integers(0, k, n)

    def half(at: Floats, of: Codes) -> Floats:
        """Half the contrast of tasks after a part of the turn."""
        angle = turn * at[:, None]
        return np.asarray(np.cos(angle) * first[of] + np.sin(angle) * last[of])

    sides = (2 * y - 1)[:, None] * half(np.arange(n) / n, task)
    now = half(np.ones(k), np.arange(k))
    means = centres[:, None] + np.stack([-now, now], axis=1)
    X = centres[task] + sides + rng.normal(size=(n, p))
    return Draw(X, y, task, {"forget": 0.02}, Population(means, np.ones(2)).true_errors)


def copied(seed: int) -> Draw:
    """Eight tasks that are the same rows with the same labels."""
    rng = np.random.default_rng(seed)
    means = related_means(rng, 1, 50, 1.5)
    one = Population(means, np.ones(2)).drawn(rng, 20)
    X, y = np.tile(one.X, (8, 1)), np.tile(one.y, 8)
    all_tasks = Population(np.repeat(means, 8, axis=0), np.ones(2))
    return Draw(X, y, np.repeat(np.arange(8), len(one.y)), {}, all_tasks.true_errors)


def several_labels(seed: int) -> Draw:
    """Eight related questions about the same sixty rows."""
    rng = np.random.default_rng(seed)
    k, n, p = 8, 60, 50
    common = rng.normal(size=p)
    along = (0.8 * common + 0.6 * rng.normal(size=(k, p))) * 2.0 / np.sqrt(p)

    def answers(X: Floats) -> Codes:
        return np.asarray(X @ along.T + 0.5 * rng.logistic(size=(len(X), k)) > 0, dtype=np.intp)

    X, X_new = rng.normal(size=(n, p)), rng.normal(size=(4000, p))
    y, y_new = answers(X), answers(X_new)

    def on_new_rows(model: MultiTaskSPCA) -> Floats:
        return np.array([1.0 - model.score(X_new, y_new[:, t], task=t) for t in range(k)])

    return Draw(np.tile(X, (k, 1)), y.T.ravel(), np.repeat(np.arange(k), n), {}, on_new_rows)


def stranger(seed: int) -> Draw:
    """Nine tasks that agree, and one with two labels of a class that has nothing in common."""
    rng = np.random.default_rng(seed)
    means = related_means(rng, 10, 20, 2.0, agree=1.0)
    means[9] = related_means(rng, 1, 20, 2.0)[0]
    counts = np.full((10, 2), 20)
    counts[9] = [20, 2]
    population = Population(means, np.ones(2))
    drawn = population.drawn(rng, counts)

    def of_the_stranger(model: MultiTaskSPCA) -> Floats:
        return np.where(np.arange(10) == 9, population.true_errors(model), np.nan)

    return drawn._replace(true_errors=of_the_stranger)


REGIMES = [
    Regime("forget=.02, turned by .5", 40, partial(drifting, turn=0.5)),
    Regime("forget=.02, turned by 1.5", 40, partial(drifting, turn=1.5)),
    Regime("one task eight times", 60, copied),
    Regime("eight labels of the same rows", 40, several_labels),
    Regime("a stranger with two labels", 200, stranger),
    Regime("60 % copies", 30, partial(repeated, n=80, away=1.0)),
    Regime("60 % copies up to .001", 30, partial(repeated, n=80, away=1.0, off=1e-3)),
]


def main() -> None:
    with (RESULTS / "forecast_broken.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(Row._fields)
        for regime in REGIMES:
            found = row(regime, 0, regime.draws)
            writer.writerow([f"{v:.4f}" if isinstance(v, float) else v for v in found])
            print(found, flush=True)


if __name__ == "__main__":
    main()
