"""`python -m benchmarks.worlds`: plain worlds, then hostile ones.

`python -m benchmarks.worlds 20` runs the first twenty plain worlds,
`python -m benchmarks.worlds hostile 20` twenty hostile worlds of every kind, and
`python -m benchmarks.worlds hostile 20 1000 minority` those of one kind from seed 1000 on. Only
worlds of all kinds from seed 0 on are results that are kept.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from benchmarks._measure import RESULTS
from benchmarks.worlds.bars import figures, print_standings, standings
from benchmarks.worlds.hostile import KINDS, hostile_world
from benchmarks.worlds.judged import Outcome, outcome
from benchmarks.worlds.plain import losses, random_world

N_PLAIN, N_HOSTILE = 500, 80


def plain(n_worlds: int) -> None:
    rows, differences = [], []
    for seed in _shown(range(n_worlds)):
        world = random_world(seed)
        ours, alone, gap = losses(world)
        figures = {"ours": ours.mean(), "alone": alone.mean(), "worst": (ours - alone).max()}
        rows.append({**world.settings, **_rounded(figures), "gap": round(gap, 4)})
        differences.append(ours - alone)
    _write("worlds.csv", rows)
    means = np.array([difference.mean() for difference in differences])
    targets = np.concatenate(differences)
    shown = [means.mean(), np.quantile(means, 0.95), means.max()]
    shown += [np.quantile(targets, 0.99), targets.max(), np.mean([row["gap"] for row in rows])]
    mean, high, worst, high_target, worst_target, off = (f"{value:+.4f}" for value in shown)
    print(f"{n_worlds} worlds: mean {mean} (< 0), 95th percentile {high} (≤ .01),")
    print(
        f"maximum {worst} (≤ .03); {len(targets)} targets: 99th percentile {high_target} (≤ .035),"
    )
    print(f"maximum {worst_target}; mean absolute gap of the forecast {off}. Worst worlds:")
    for i in np.argsort(-means)[:10]:
        print(f"  {means[i]:+.4f}", rows[i])


def hostile(kinds: Sequence[str], n_worlds: int, first: int = 0) -> None:
    rows: list[dict[str, Any]] = []
    for kind in kinds:
        for seed in _shown(range(first, first + n_worlds)):
            world = hostile_world(kind, seed)
            rows.append({**world.settings, **_rounded(_figures(outcome(world)))})
    found = standings(rows)
    if first == 0 and list(kinds) == list(KINDS):
        _write("hostile_worlds.csv", rows)
        _write("hostile_bars.csv", [standing._asdict() for standing in found])
    _print_hostile(kinds, rows)
    print_standings(found)


def _print_hostile(kinds: Sequence[str], rows: list[dict[str, Any]]) -> None:
    title = "our error − error alone: mean   95 %    max | of a target: 99 %    max | "
    print(f"{'':<28}{title}− by itself | forecast off by")
    for kind in kinds:
        here = [row for row in rows if row["kind"] == kind]
        _print_line(kind, here)
        for variant in sorted({row["variant"] for row in here}):
            _print_line(f"  {variant}", [row for row in here if row["variant"] == variant])
    print("Worst worlds:")
    for row in sorted(rows, key=lambda row: row["alone"] - row["ours"])[:15]:
        print(f"  {row['ours'] - row['alone']:+.4f}", row)


def _figures(found: Outcome) -> dict[str, float]:
    return {
        "ours": found.ours.mean(),
        "alone": found.alone.mean(),
        "by_itself": found.by_itself.mean(),
        "worst": (found.ours - found.alone).max(),
        "gap": np.abs(found.forecast - found.ours).mean(),
        **figures(found),
    }


def _print_line(name: str, rows: list[dict[str, Any]]) -> None:
    loss, alike = (
        np.array([r["ours"] - r[other] for r in rows]) for other in ("alone", "by_itself")
    )
    worst, gap = (np.array([row[column] for row in rows]) for column in ("worst", "gap"))
    high, high_target = np.quantile(loss, 0.95), np.quantile(worst, 0.99)
    print(
        f"{name:<28}{len(rows):>3} worlds:{'':<10}{loss.mean():+.4f} {high:+.4f} "
        f"{loss.max():+.4f} |{'':<8}{high_target:+.4f} {worst.max():+.4f} | "
        f"{alike.mean():+.4f} {alike.max():+.4f} | {gap.mean():.4f}"
    )


def _rounded(figures: dict[str, Any]) -> dict[str, float]:
    return {name: round(float(value), 4) for name, value in figures.items()}


def _shown(seeds: range) -> Iterable[int]:
    for seed in seeds:
        yield seed
        if sys.stderr.isatty():
            print(f"\r{seed - seeds.start + 1}/{len(seeds)} worlds", end="", file=sys.stderr)


def _write(name: str, rows: list[dict[str, Any]]) -> None:
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / name).open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def main(wanted: list[str]) -> None:
    is_hostile, numbers = wanted[:1] == ["hostile"], [int(n) for n in wanted if n.isdigit()]
    if not is_hostile:
        plain(*(numbers or [N_PLAIN]))
    if is_hostile or not wanted:
        kinds = [word for word in wanted[1:] if not word.isdigit()]
        hostile(kinds or list(KINDS), *(numbers or [N_HOSTILE]))


if __name__ == "__main__":
    main(sys.argv[1:])
