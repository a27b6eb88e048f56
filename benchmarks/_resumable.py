"""Files that a run fills line by line: a line that an interruption cut off is not a row."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar


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
    """The cells of all finished lines but notes and the header."""
    lines = csv.reader(whole_lines(path))
    return [line for line in lines if not line[0].startswith("# ")][1:]


def append_line(path: Path, header: Iterable[str], cells: Iterable[object], note: str = "") -> None:
    """Add a line, after a header if the file is new; a note stands above the header."""
    new = not path.exists() or path.stat().st_size == 0
    path.parent.mkdir(exist_ok=True)
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerows([[f"# {note}"]] if note else [])
            writer.writerow(header)
        writer.writerow(cells)


class Keyed(Protocol):
    """A row that says what it measures."""

    @property
    def key(self) -> Any:
        """The cells that no other row has."""


R = TypeVar("R", bound=Keyed)


@dataclass(frozen=True)
class RowFile(Generic[R]):
    """How the rows of a benchmark are written in a file, each as soon as it is measured."""

    header: Sequence[str]
    cells: Callable[[R], Sequence[object]]
    parsed: Callable[[list[str]], R]
    note: Callable[[], str] = str  # empty

    def read(self, path: Path) -> dict[Any, R]:
        """All finished rows by their keys; a half-written last line is removed from the file."""
        return {row.key: row for row in map(self.parsed, finished(path))}

    def append(self, path: Path, row: R) -> None:
        """Add a row."""
        append_line(path, self.header, self.cells(row), self.note())

    def forget(self, path: Path, unwanted: Callable[[R], bool]) -> None:
        """Remove some rows, so that they are measured again: all of them or none."""
        rest = path.with_suffix(".kept")
        rest.unlink(missing_ok=True)
        rest.parent.mkdir(exist_ok=True)
        rest.touch()
        for row in self.read(path).values():
            if not unwanted(row):
                self.append(rest, row)
        rest.replace(path)
