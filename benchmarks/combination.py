"""The default, fitted to rows, in the simulated settings of `relatedness`: `make combination`.

Mean errors over draws of the tasks that count, by the population means, next to fixed rules and to
the oracle, which knows the true relatedness and has no thresholds to learn. Limits: with two tasks
at most .01 over the better of plug-in and single, with 256 tasks at most .012 over the oracle.
"""

from __future__ import annotations

import csv
import sys
from typing import Any

import numpy as np
from scipy.stats import norm

from benchmarks._measure import RESULTS
from benchmarks.settings import P, Tasks, draw
from kinspan import MultiTaskSPCA

SIZES = {2: 40, 8: 10, 32: 4, 256: 2}  # tasks: draws
SETTINGS = ("figure 3", "clusters", "identical", "some unrelated")
RULES: dict[str, dict[str, Any]] = {
    "default": {},
    "naive": {"labels": "naive", "scale": None},
    "plugin": {"labels": "plugin", "scale": None},
    "single": {"labels": "single", "scale": None},
}
FIELDS = ["setting", "tasks", "draws", "oracle", *RULES, "standard_error"]


def rows_of(tasks: Tasks, rng: np.random.Generator) -> tuple[Any, Any, Any]:
    """X, y and task: n rows per class of every task around ∓μ."""
    n = tasks.n.astype(int)
    task = np.repeat(np.arange(len(n)), 2 * n)
    y = np.concatenate([np.repeat([0, 1], size) for size in n])
    signs = np.where(y == 1, 1.0, -1.0)[:, None]
    return signs * tasks.means[task] + rng.standard_normal((len(y), P)), y, task


def true_error(model: MultiTaskSPCA, tasks: Tasks) -> float:
    """The mean over the tasks that count of the error of their linear rules."""
    coef, intercept = model.coef_[:, 0], model.intercept_[:, 0]
    length = np.linalg.norm(coef, axis=1)
    gap = (coef * tasks.means).sum(axis=1)
    errors = 0.5 * (norm.sf((gap + intercept) / length) + norm.sf((gap - intercept) / length))
    return float(errors[tasks.judged].mean())


def row(setting: str, k: int, n_draws: int, first: int) -> list[float]:
    """Mean errors of the oracle and of every rule, and the standard error of the default's."""
    found = []
    for seed in range(first, first + n_draws):
        world = draw(setting, k, seed)
        X, y, task = rows_of(world.tasks, np.random.default_rng([seed, k]))
        oracle = world.errors(world.oracle())[world.tasks.judged].mean()
        models = [MultiTaskSPCA(**options).fit(X, y, task=task) for options in RULES.values()]
        found.append([oracle, *(true_error(model, world.tasks) for model in models)])
    errors = np.array(found)
    over = errors[:, 1] - errors[:, 0]
    return [*errors.mean(axis=0), float(over.std(ddof=1) / np.sqrt(n_draws))]


def main(first: int) -> None:
    """Draws from the seed `first` on; from 1000 on they are for development, and not written."""
    lines = []
    for setting in SETTINGS:
        for k, n_draws in SIZES.items():
            figures = [f"{value:.4f}" for value in row(setting, k, n_draws, first)]
            print(f"{setting:<20}{k:>5}{n_draws:>4}  " + "  ".join(figures), flush=True)
            lines.append([setting, k, n_draws, *figures])
    if first < 1000:
        RESULTS.mkdir(exist_ok=True)
        with (RESULTS / "combination.csv").open("w", newline="") as file:
            csv.writer(file).writerows([FIELDS, *lines])


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
