"""The file of finished rows: one line per set, target, draw and method, appended immediately."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from benchmarks._measure import RESULTS
from benchmarks._resumable import append_line, finished, rewrite
from benchmarks.accuracy.peers import Parameters

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
    seconds: float
    our_seconds: float
    parameters: Parameters

    @property
    def key(self) -> Key:
        """What it measures."""
        return Key(*self[:4])


def read(path: Path) -> dict[Key, Row]:
    """All finished rows; a half-written last line is removed from the file."""
    return {row.key: row for row in map(_parsed, finished(path))}


def append(path: Path, row: Row) -> None:
    """Add a row, after a header if the file is new."""
    figures = f"{row.accuracy:.5f}", f"{row.seconds:.4g}", f"{row.our_seconds:.4g}"
    append_line(path, Row._fields, [*row.key, *figures, json.dumps(row.parameters)])


def forget(path: Path, sets: list[str], methods: list[str]) -> None:
    """Remove the rows of some methods on some sets, so that they are measured again."""
    kept = [r for r in read(path).values() if r.set not in sets or r.method not in methods]
    rewrite(path, kept, append)


def _parsed(line: list[str]) -> Row:
    of_set, target, draw, method, *figures, parameters = line
    accuracy, seconds, our_seconds = map(float, figures)
    return Row(
        of_set, target, int(draw), method, accuracy, seconds, our_seconds, json.loads(parameters)
    )
