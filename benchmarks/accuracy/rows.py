"""The file of finished rows: one line per set, target, draw and method, appended immediately."""

from __future__ import annotations

import json
from typing import NamedTuple

from benchmarks._measure import RESULTS
from benchmarks._resumable import RowFile
from benchmarks.peers.peer import Parameters

ROWS = RESULTS / "accuracy_rows.csv"
FRESH_ROWS = RESULTS / "accuracy_fresh_rows.csv"


class Key(NamedTuple):
    """What a row measures."""

    set: str
    target: str
    draw: int
    method: str


class Row(NamedTuple):
    """One fit, with the time of kinspan on the same draw in the same run."""

    set: str
    target: str
    draw: int
    method: str
    accuracy: float
    seconds: float  # processor time to fit
    our_seconds: float
    parameters: Parameters

    @property
    def key(self) -> Key:
        """What it measures."""
        return Key(*self[:4])


def cells(row: Row) -> list[object]:
    figures = f"{row.accuracy:.5f}", f"{row.seconds:.4g}", f"{row.our_seconds:.4g}"
    return [*row.key, *figures, json.dumps(row.parameters)]


def parsed(line: list[str]) -> Row:
    of_set, target, draw, method, *figures, parameters = line
    accuracy, seconds, our_seconds = map(float, figures)
    return Row(
        of_set, target, int(draw), method, accuracy, seconds, our_seconds, json.loads(parameters)
    )


FILE = RowFile(Row._fields, cells, parsed)
