"""The tables of docs/measured.md about missing values are their files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
from benchmarks.missing import DRAWS, FIRST_DRAW

from tests.repository.test_numbers import RESULTS

PAGE = Path(__file__).parents[2] / "docs" / "measured.md"
WAYS = ("kinspan", "means of columns", "nearest neighbours", "iterative", "boosted trees")


def tables() -> list[list[list[str]]]:
    """The cells of every table of the section."""
    section = PAGE.read_text(encoding="utf-8").split("## How it copes with holes")[1]
    section = section.split("\n## ")[0].replace("−", "-").replace("**", "")
    found: list[list[list[str]]] = [[]]
    for line in section.splitlines():
        if line.startswith("|"):
            found[-1].append([cell.strip() for cell in line.strip("|").split("|")])
        elif found[-1]:
            found.append([])
    return [rows[2:] for rows in found if rows]


def number(cell: str) -> float:
    return float(cell.split(maxsplit=1)[0])


def test_accuracies_forecasts_and_times_are_those_of_the_file() -> None:
    found: Any = pd.read_csv(RESULTS / "missing.csv")
    first = found[found.draw < FIRST_DRAW + DRAWS].groupby(["data", "holes", "way"]).accuracy.mean()
    own = found[found.way == "kinspan"]
    gaps = (own.forecast - own["true error"]).groupby([own.data, own.holes]).mean()
    times = own.groupby(["data", "holes"]).seconds.mean()
    rows = tables()[0]
    assert len(rows) == len(gaps)
    for data, holes, *cells in rows:
        for way, cell in zip((*WAYS, "columns of all"), cells, strict=False):
            assert bool(cell) == ((data, holes, way) in first.index)
            assert not cell or abs(number(cell) - first[data, holes, way]) <= 0.051, (data, holes)
        assert abs(number(cells[6]) - gaps[data, holes]) <= 0.00051, (data, holes)
        assert abs(number(cells[7]) - times[data, holes] / times[data, "none"]) <= 0.051


def test_times_of_large_fits_are_those_of_the_file() -> None:
    found: Any = pd.read_csv(RESULTS / "missing_time.csv", skiprows=1, index_col="what")
    rows = tables()[1]
    assert 2 * len(rows) == len(found)
    for size, holes, none in rows:
        assert abs(number(holes) - found.ratio[f"{size}, holes"]) <= 0.051, size
        assert abs(number(none) - found.ratio[f"{size}, none"]) <= 0.0051, size
