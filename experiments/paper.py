"""The values printed in the paper: all coordinates of its figures, all entries of its tables.

`paper_values.csv` contains them as they are written in the source of the paper. Figure 4 has its
error as `x` and its seconds as `value`; the table of datasets has the numbers of tasks and classes.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from experiments.rows import Row, select, values

Floats = NDArray[np.float64]


class Printed(NamedTuple):
    """One number of the paper, as text."""

    figure: str  # the name of the command
    curve: str  # as in its legend
    x: str
    value: str


@cache
def printed() -> list[Printed]:
    """All of them."""
    with Path(__file__).with_name("paper_values.csv").open(encoding="utf-8", newline="") as file:
        return [Printed(**row) for row in csv.DictReader(file)]


def entries(figure: str, curve: str) -> dict[str, float]:
    """The values of a curve, by the text of their x coordinate."""
    return {row.x: float(row.value) for row in printed() if row[:2] == (figure, curve)}


def coordinates(figure: str, curve: str) -> tuple[Floats, Floats]:
    """The x coordinates and values of a curve."""
    found = entries(figure, curve)
    return np.array([float(x) for x in found]), np.array(list(found.values()))


def curves_beside(
    figure: str, x: str, rows: list[Row], curve_of: Callable[[str, str], str]
) -> list[str]:
    """Every method and kind of the rows, with the curve of the paper that it corresponds to."""
    return [
        beside(
            f"{method}, {kind}",
            select(rows, method=method, kind=kind),
            x,
            coordinates(figure, curve_of(method, kind)),
        )
        for kind in ("theory", "empirical")
        for method in values(select(rows, kind=kind), "method")
    ]


def beside(
    name: str, rows: Iterable[Row], x: str, at_places: tuple[Floats, Floats], value: str = "error"
) -> str:
    """Our values, and below them the paper's where it has a point at the same x."""
    places, mine, known = [], [], []
    for row in rows:
        at = np.isclose(at_places[0], float(row[x]), atol=1e-6)
        places.append(f"{row[x]:.4g}")
        mine.append(f"{row[value]:.4f}")
        known.append(f"{at_places[1][at][0]:.4f}" if at.any() else "–")
    lines = [(x, places), ("ours", mine), ("the paper's", known)]
    return "\n".join(
        [name, *(f"  {n:<12}" + "".join(f"{v:>11}" for v in line) for n, line in lines)]
    )
