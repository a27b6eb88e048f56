"""A table that is written point by point, so that an interrupted run continues where it stopped."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks._measure import machine
from benchmarks._resumable import whole_lines
from numpy.typing import NDArray
from tqdm import tqdm

Row = dict[str, Any]
Point = dict[str, Any]  # the columns that identify what is measured, with their values


def fill(path: Path, points: list[Point], measure: Callable[[Point], Row]) -> list[Row]:
    """Measure and append the points that the file lacks; return all rows, in order."""
    path.parent.mkdir(parents=True, exist_ok=True)
    done = read(path)
    if not done:  # a file without any row may lack its header
        path.unlink(missing_ok=True)
    todo = [point for point in points if not any(_is_of(row, point) for row in done)]
    for point in tqdm(todo, desc=path.stem, disable=None):
        _append(path, point | _rounded(measure(point)))
    rows = read(path)
    return [row for point in points for row in rows if _is_of(row, point)]


def read(path: Path) -> list[Row]:
    """The rows of the complete lines of a file, with numbers converted."""
    lines = [line for line in whole_lines(path) if not line.startswith("#")]
    return [{name: _value(text) for name, text in row.items()} for row in csv.DictReader(lines)]


def select(rows: Iterable[Row], **columns: Any) -> list[Row]:
    """The rows with these values."""
    return [row for row in rows if _is_of(row, columns)]


def column(rows: Iterable[Row], name: str) -> NDArray[np.float64]:
    """The numbers of one column."""
    return np.array([float(row[name]) for row in rows])


def values(rows: Iterable[Row], name: str) -> list[Any]:
    """The distinct values of a column, in order of appearance."""
    return list(dict.fromkeys(row[name] for row in rows))


def _is_of(row: Row, point: Point) -> bool:
    return all(row.get(name) == value for name, value in point.items())


def _append(path: Path, row: Row) -> None:
    """Add one line; the first is preceded by the machine and the names of the columns."""
    new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        if new:
            file.write(f"# {machine()}, one BLAS thread\n")
        writer = csv.DictWriter(file, list(row), lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow(row)


def _rounded(measured: Row) -> Row:
    return {n: f"{v:.6g}" if isinstance(v, float) else v for n, v in measured.items()}


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
