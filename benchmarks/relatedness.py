"""The rules for the weights of tasks, in many simulated settings: `make relatedness`.

Mean errors over draws, next to those of the oracle (true relatedness) and of every task alone, with
the worst configurations. Limits: at most oracle + .012 for 32 tasks or more and + .025 for 8; at
most single + .008 for 8 tasks or more and + .012 for 2; forecasts within .04 (.06 with ten labels
per class) with a mean signed gap of at most .015 for 32 tasks or more.
"""

from __future__ import annotations

import csv

import numpy as np

from benchmarks._measure import RESULTS
from benchmarks.settings import SETTINGS, draw
from kinspan.labels import task_weights

SIZES = (2, 4, 8, 16, 32, 64, 128, 256)
FIELDS = ["setting", "tasks", "oracle", "single", "naive", "plugin", "spectral"]
FIELDS += ["over_oracle", "over_single", "forecast_gap", "signed_gap"]


def row(setting: str, k: int, n_draws: int) -> list[float]:
    """Mean errors of one configuration, and how far the forecast is off."""
    errors, gaps = [], []
    for seed in range(n_draws):
        world = draw(setting, k, seed)
        counts = np.tile(world.tasks.n[:, None], (1, 2))
        rules = [
            task_weights(rule, world.spectrum, counts)
            for rule in ("single", "naive", "plugin", "spectral")
        ]
        found = [world.errors(weights) for weights in [world.oracle(), *rules]]
        errors.append([error[world.tasks.judged].mean() for error in found])
        gap = world.forecast(rules[-1]) - found[-1]
        gaps.append([np.abs(gap).mean(), gap.mean()])
    mean, gap = np.mean(errors, axis=0), np.mean(gaps, axis=0)
    return [*mean, mean[-1] - mean[0], mean[-1] - mean[1], *gap]


def main() -> None:
    print(("{:<20}{:>6}" + "{:>13}" * 9).format(*FIELDS))
    RESULTS.mkdir(exist_ok=True)
    rows = []
    with (RESULTS / "relatedness.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(FIELDS)
        for setting in SETTINGS:
            for k in SIZES if setting != "orthogonal" else SIZES[:-1]:
                figures = row(setting, k, max(10, 400 // k))
                rows.append((setting, k, figures))
                print(f"{setting:<20}{k:>6}" + "".join(f"{value:>13.4f}" for value in figures))
                writer.writerow([setting, k, *(f"{value:.4f}" for value in figures)])
    for what, column, sizes in (
        ("over the oracle, 32 tasks or more", 5, range(32, 1000)),
        ("over the oracle, 8 and 16 tasks", 5, range(8, 32)),
        ("over single task, 8 tasks or more", 6, range(8, 1000)),
        ("over single task, 2 and 4 tasks", 6, range(2, 8)),
        ("forecast gap, 32 tasks or more", 7, range(32, 1000)),
    ):
        worst = max((r for r in rows if r[1] in sizes), key=lambda r: r[2][column])
        print(f"worst {what}: {worst[2][column]:+.4f} ({worst[0]}, {worst[1]} tasks)")


if __name__ == "__main__":
    main()
