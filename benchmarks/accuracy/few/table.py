"""Rows → the page for readers: every setting, means over settings, and whether limits are kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from benchmarks._measure import machine
from benchmarks.accuracy.few.methods import METHODS
from benchmarks.accuracy.few.rows import Row
from benchmarks.accuracy.few.sets import LABELS, SETS
from benchmarks.accuracy.few.summary import Gap, Place, errors, gaps, means
from benchmarks.accuracy.table import table
from benchmarks.peers.peer import OURS

LIMIT = 1.0  # points

NOTES = Path(__file__).parent / "notes.md"


def page(rows: list[Row]) -> str:
    """In the order of sets, labels and methods, not of the runs."""
    rows = sorted(rows, key=in_order)
    compared = gaps(errors(rows))
    parts = [heading()]
    if compared:
        parts += [by_setting(compared, forecasts(rows)), over_settings(compared), limits(compared)]
    return "\n".join([*parts, NOTES.read_text(encoding="utf-8")])


def in_order(row: Row) -> tuple[int, int, int, int]:
    """Place of a row in the tables."""
    sets, methods = [*SETS, row.set], [*METHODS, row.method]
    return sets.index(row.set), row.labels, methods.index(row.method), row.draw


def heading() -> str:
    return (
        "# Few labels everywhere\n\n"
        "Per cent of new rows that are predicted wrongly, mean over tasks of the mean over "
        "classes. All tasks have n labels per class; a class with fewer than 2n rows gives half of "
        "them. At most 200 other rows of every class and task are test rows. *The best other* "
        "method of a setting is known only afterwards; *difference* is kinspan minus the best "
        "other, paired by draw, ± its standard error.\n\n"
        f"{machine()}, one thread.\n"
    )


def forecasts(rows: list[Row]) -> dict[Place, float]:
    """What the default forecasts at every place, mean over draws."""
    found: dict[Place, list[float]] = defaultdict(list)
    for row in rows:
        if row.method == OURS.name and row.forecast is not None:
            found[row.set, row.labels].append(row.forecast)
    return {place: float(np.mean(of_draws)) for place, of_draws in found.items()}


def by_setting(compared: Mapping[Place, list[Gap]], forecast: Mapping[Place, float]) -> str:
    lines = [
        [
            best.place[0],
            str(best.place[1]),
            str(best.draws),
            f"{best.ours:.2f}",
            f"{forecast[place]:.2f}",
            best.method,
            f"{best.other:.2f}",
            f"{best.loss:+.2f} ± {best.error:.2f}",
            "" if best.loss <= LIMIT else f"over {LIMIT}",
        ]
        for place, (best, *_) in compared.items()
    ]
    head = ["set", "n", "draws", "kinspan", "forecast", "best other", "its error", "difference", ""]
    return table("Every setting", head, lines)


def over_settings(compared: Mapping[Place, list[Gap]]) -> str:
    """Every method next to the default in the settings in which both ran."""
    lines = [
        [
            mean.method,
            str(mean.settings),
            f"{mean.other:.2f}",
            f"{mean.ours:.2f}",
            f"{mean.ours - mean.other:+.2f} ± {mean.error:.2f}",
        ]
        for mean in means(compared)
    ]
    head = ["method", "settings", "its error", "kinspan there", "difference"]
    return table("Mean over settings", head, lines)


def limits(compared: Mapping[Place, list[Gap]]) -> str:
    """How many settings keep the limit, the worst of them, and how many methods are worse."""
    best = [of_place[0] for of_place in compared.values()]
    return "## Limits\n\n" + "\n".join(f"- {line}" for line in limit_lines(best, compared)) + "\n"


def limit_lines(best: list[Gap], compared: Mapping[Place, list[Gap]]) -> Iterator[str]:
    within = sum(gap.loss <= LIMIT for gap in best)
    yield f"Within {LIMIT} point of the best other: {within} of {len(best)} settings."
    worst = max(best, key=lambda gap: gap.loss)
    where = f"{worst.place[0]}, {worst.place[1]} labels"
    yield (
        f"Worst setting: {where}, {worst.loss:+.2f} ± {worst.error:.2f} points compared with "
        f"{worst.method}."
    )
    found = means(compared)
    worse = sum(mean.ours < mean.other for mean in found)
    yield f"Better in the mean over settings than {worse} of {len(found)} other methods."
    complete = len(SETS) * len(LABELS)
    yield f"Settings measured: {len(best)} of {complete} (see the notes for those left out)."
