"""The file of finished rows: one line per set, target, draw and method, appended immediately."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import NamedTuple

from benchmarks._measure import RESULTS
from benchmarks._resumable import whole_lines
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
    rows = [_parsed(line) for line in list(csv.reader(whole_lines(path)))[1:]]
    return {row.key: row for row in rows}


def append(path: Path, row: Row) -> None:
    """Add a row, after a header if the file is new."""
    new = not path.exists() or path.stat().st_size == 0
    with path.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(Row._fields)
        figures = f"{row.accuracy:.5f}", f"{row.seconds:.4g}", f"{row.our_seconds:.4g}"
        writer.writerow([*row.key, *figures, json.dumps(row.parameters)])


def forget(path: Path, sets: list[str], methods: list[str]) -> None:
    """Remove the rows of some methods on some sets, so that they are measured again."""
    kept = [r for r in read(path).values() if r.set not in sets or r.method not in methods]
    rest = path.with_suffix(".kept")
    rest.unlink(missing_ok=True)
    rest.touch()
    for row in kept:
        append(rest, row)
    rest.replace(path)


def _parsed(line: list[str]) -> Row:
    of_set, target, draw, method, *figures, parameters = line
    accuracy, seconds, our_seconds = map(float, figures)
    return Row(
        of_set, target, int(draw), method, accuracy, seconds, our_seconds, json.loads(parameters)
    )
