"""Files that a run fills line by line: a line that an interruption cut off is not a row."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any


def whole_lines(path: Path) -> list[str]:
    """The complete lines; a half-written last line is removed from the file."""
    if not path.exists():
        return []
    text = path.read_bytes()  # an interruption may have split a character
    end = text.rfind(b"\n") + 1
    if end < len(text):
        os.truncate(path, end)  # in one step, so that another interruption loses no line
    return text[:end].decode().splitlines(keepends=True)


def finished(path: Path) -> list[list[str]]:
    """The cells of all finished lines but the header; a half-written last line is removed."""
    return list(csv.reader(whole_lines(path)))[1:]


def append_line(path: Path, header: Iterable[str], cells: Iterable[object]) -> None:
    """Add a line, after a header if the file is new."""
    new = not path.exists() or path.stat().st_size == 0
    path.parent.mkdir(exist_ok=True)
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(header)
        writer.writerow(cells)


def rewrite(path: Path, rows: Iterable[Any], append: Callable[[Path, Any], None]) -> None:
    """Replace a file by one with these rows only, all of it or nothing."""
    rest = path.with_suffix(".kept")
    rest.unlink(missing_ok=True)
    rest.parent.mkdir(exist_ok=True)
    rest.touch()
    for row in rows:
        append(rest, row)
    rest.replace(path)
