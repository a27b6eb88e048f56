"""Rows → means, standard errors, ranks, and where another method beats kinspan."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from benchmarks.accuracy.rows import Row
from benchmarks.peers.peer import OURS

Place = tuple[str, str]  # a set and a target


class Cell(NamedTuple):
    """A method at a place, over draws."""

    draws: int
    mean: float  # of the accuracy
    error: float  # standard error of the mean; NaN for a single draw
    time: float  # median of the time to fit, over that of ours
    rank: float  # of the mean among all methods at this place; 1 is best, ties share


class Gap(NamedTuple):
    """By how much a method is better than kinspan at a place, on the draws that both have."""

    place: Place
    method: str
    mean: float
    error: float


Cells = Mapping[Place, Mapping[str, Cell]]


def summarise(rows: Iterable[Row]) -> Cells:
    """All cells, in the order of the rows."""
    places: dict[Place, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        places[row.set, row.target][row.method].append(row)
    return {place: _cells(methods) for place, methods in places.items()}


def _cells(methods: Mapping[str, list[Row]]) -> dict[str, Cell]:
    means = [float(np.mean([row.accuracy for row in rows])) for rows in methods.values()]
    ranks = rankdata(np.round([-mean for mean in means], 9))
    return {
        method: Cell(
            len(rows),
            mean,
            standard_error([row.accuracy for row in rows]),
            float(np.median([row.seconds / row.our_seconds for row in rows])),
            float(rank),
        )
        for (method, rows), mean, rank in zip(methods.items(), means, ranks, strict=True)
    }


def standard_error(values: list[float]) -> float:
    """Standard error of the mean; NaN for a single value."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else np.nan


def mean_ranks(cells: Cells) -> dict[str, float]:
    """Mean ranks over the places where a method ran, best first."""
    ranks: dict[str, list[float]] = defaultdict(list)
    for methods in cells.values():
        for method, cell in methods.items():
            ranks[method].append(cell.rank)
    return dict(
        sorted(((m, float(np.mean(r))) for m, r in ranks.items()), key=lambda pair: pair[1])
    )


def gaps(rows: Iterable[Row]) -> list[Gap]:
    """Every other method compared with kinspan at every place, paired by draw."""
    accuracy = {row.key: row.accuracy for row in rows}
    differences: dict[tuple[Place, str], list[float]] = defaultdict(list)
    for key, value in accuracy.items():
        ours = accuracy.get(key._replace(method=OURS.name))
        if ours is not None and key.method != OURS.name:
            differences[(key.set, key.target), key.method].append(value - ours)
    return [
        Gap(place, method, float(np.mean(values)), standard_error(values))
        for (place, method), values in differences.items()
    ]


def worst_loss(found: Iterable[Gap], method: str) -> Gap:
    """Where kinspan loses most to a method, or wins least."""
    return max((gap for gap in found if gap.method == method), key=lambda gap: gap.mean)


def beaten(found: Iterable[Gap]) -> dict[Place, list[Gap]]:
    """The methods that are better than kinspan by more than two standard errors, best first."""
    places: dict[Place, list[Gap]] = defaultdict(list)
    for gap in found:
        if gap.mean > 2 * gap.error:
            places[gap.place].append(gap)
    return {place: sorted(of, key=lambda gap: -gap.mean) for place, of in places.items()}
