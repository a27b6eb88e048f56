"""Rows → the default and the best other method of every setting, and means over settings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from benchmarks.accuracy.few.rows import Row
from benchmarks.accuracy.summary import standard_error
from benchmarks.peers.peer import OURS

Place = tuple[str, int]  # a set and a number of labels
Errors = Mapping[Place, Mapping[str, Mapping[int, float]]]  # of every method and draw


class Gap(NamedTuple):
    """The error of the default minus that of another method, over the draws that both have."""

    place: Place
    method: str
    draws: int
    ours: float  # mean error of the default
    other: float  # mean error of the other method
    error: float  # standard error of their difference

    @property
    def loss(self) -> float:
        """By how much the default is worse."""
        return self.ours - self.other


class Mean(NamedTuple):
    """A method in the mean over the settings in which it ran."""

    method: str
    settings: int
    ours: float  # mean error of the default in the same settings
    other: float
    error: float  # standard error of their difference: settings are fixed, draws are random


def errors(rows: Iterable[Row]) -> Errors:
    """Errors by place, method and draw, in the order of the rows."""
    found: dict[Place, dict[str, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        found[row.set, row.labels][row.method][row.draw] = row.error
    return found


def gaps(found: Errors) -> dict[Place, list[Gap]]:
    """The default against every other method at every place where it ran, the best other first."""
    compared = {
        place: [
            gap(place, method, methods[OURS.name], of)
            for method, of in methods.items()
            if method != OURS.name and methods[OURS.name].keys() & of.keys()
        ]
        for place, methods in found.items()
        if OURS.name in methods
    }
    return {place: sorted(of, key=lambda g: -g.loss) for place, of in compared.items() if of}


def gap(place: Place, method: str, ours: Mapping[int, float], other: Mapping[int, float]) -> Gap:
    draws = sorted(ours.keys() & other.keys())
    mine, theirs = ([of[draw] for draw in draws] for of in (ours, other))
    differences = [a - b for a, b in zip(mine, theirs, strict=True)]
    means = float(np.mean(mine)), float(np.mean(theirs))
    return Gap(place, method, len(draws), *means, standard_error(differences))


def means(compared: Mapping[Place, list[Gap]]) -> list[Mean]:
    """Every other method in the mean over settings, the best compared with the default first."""
    by_method: dict[str, list[Gap]] = defaultdict(list)
    for of_place in compared.values():
        for each in of_place:
            by_method[each.method].append(each)
    found = [
        Mean(
            method,
            len(of),
            float(np.mean([g.ours for g in of])),
            float(np.mean([g.other for g in of])),
            float(np.sqrt(np.sum([g.error**2 for g in of])) / len(of)),
        )
        for method, of in by_method.items()
    ]
    return sorted(found, key=lambda mean: mean.other - mean.ours)
