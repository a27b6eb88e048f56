"""The file of finished rows: one line per set, labels, draw and method, appended immediately."""

from __future__ import annotations

from typing import NamedTuple

from benchmarks._measure import RESULTS
from benchmarks._resumable import RowFile

ROWS = RESULTS / "accuracy_few_rows.csv"
DEVELOPMENT_ROWS = RESULTS.parents[1] / "build" / ROWS.name  # kept out of the results
FIRST_DEVELOPMENT = 1000  # seed


class Key(NamedTuple):
    """What a row measures."""

    set: str
    labels: int  # per class, in every task
    draw: int
    method: str


class Row(NamedTuple):
    """One method on one draw."""

    set: str
    labels: int
    draw: int
    method: str
    error: float  # per cent, mean over tasks of the mean over classes
    forecast: float | None  # of the error, mean over tasks; None if the method has none
    seconds: float  # processor time to fit and predict

    @property
    def key(self) -> Key:
        """What it measures."""
        return Key(*self[:4])


def cells(row: Row) -> list[object]:
    forecast = "" if row.forecast is None else f"{row.forecast:.3f}"
    return [*row.key, f"{row.error:.3f}", forecast, f"{row.seconds:.3g}"]


def parsed(line: list[str]) -> Row:
    of_set, labels, draw, method, error, forecast, seconds = line
    forecast_error = float(forecast) if forecast else None
    return Row(of_set, int(labels), int(draw), method, float(error), forecast_error, float(seconds))


FILE = RowFile(Row._fields, cells, parsed)
