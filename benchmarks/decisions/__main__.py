"""`python -m benchmarks.decisions`: tables, and files of results.

`python -m benchmarks.decisions 1000 Amazon` shows worlds whose names contain a word, from a seed
on; only all worlds from seed 0 on are results that are kept.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from benchmarks._measure import RESULTS
from benchmarks.decisions import forecasts, more_labels, shops, thresholds
from benchmarks.decisions.worlds import World, worlds


class Part(NamedTuple):
    """A table: how its rows are measured, and on how many draws of a world."""

    name: str
    fields: Sequence[str]
    rows: Callable[[World, range], Sequence[Any]]
    draws: int


PARTS = (
    Part("decisions", forecasts.Row._fields, forecasts.rows, 20),
    Part("decisions_thresholds", thresholds.Row._fields, thresholds.rows, 4),
    Part("decisions_logistic", shops.Row._fields, shops.rows, 4),
    Part("decisions_more_labels", more_labels.Row._fields, more_labels.rows, 6),
)


def main(wanted: list[str]) -> None:
    first = int(wanted.pop(0)) if wanted and wanted[0].isdigit() else 0
    chosen = [world for world in worlds() if all(word in world.name for word in wanted)]
    for part in PARTS:
        print("  ".join(part.fields))
        found = []
        for world in chosen:
            for row in part.rows(world, range(first, first + part.draws)):
                found.append([f"{v:.4f}" if isinstance(v, float) else v for v in row])
                print("  ".join(map(str, found[-1])), flush=True)
        if first == 0 and not wanted:
            with (RESULTS / f"{part.name}.csv").open("w", newline="") as file:
                csv.writer(file).writerows([part.fields, *found])


if __name__ == "__main__":
    main(sys.argv[1:])
