"""Rows that were read → sentences about the dropped, filled and unknown values among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Advance = Callable[[int], Any]  # is told how many more rows were read


def whole(n: float) -> float:
    """A number of rows: an integer unless rows have weights."""
    return int(n) if n == int(n) else n


def number(n: float, what: str) -> str:
    """1 row, 2 rows."""
    if n == 1:
        return f"1 {what}"
    n = whole(n)
    shown = f"{n:,}" if isinstance(n, int) else f"{n:,.6g}"
    return f"{shown} {what}{'es' if what.endswith('s') else 's'}"


@dataclass
class Tally:
    """Counts of rows and of values that could not be used as they were."""

    rows: int = 0
    dropped: int = 0  # rows without a value that is needed
    filled: int = 0  # missing values that were replaced
    unknown: Counter[str] = field(default_factory=Counter)  # rows with a new category, by column
    unlabelled: int = 0  # rows without a label, of those that were not dropped

    @classmethod
    def of_json(cls, stored: dict[str, Any]) -> Tally:
        """The counts of rows that were read before."""
        unknown = Counter({str(name): int(n) for name, n in stored["unknown"].items()})
        rows, dropped, filled, unlabelled = (
            int(stored[name]) for name in ("rows", "dropped", "filled", "unlabelled")
        )
        return cls(rows, dropped, filled, unknown, unlabelled)

    def notes(self, filled: str = "filled in") -> list[str]:
        """What a user should know, in sentences; what is done to missing values is said so."""
        notes = []
        if self.dropped:
            rows = number(self.rows, "row")
            notes.append(f"{self.dropped:,} of {rows} dropped: a value is missing")
        if self.filled:
            notes.append(f"{number(self.filled, 'missing value')} {filled}")
        return notes + self.notes_of_unknown()

    def notes_of_unknown(self) -> list[str]:
        """Sentences about new categories."""
        return [
            f"unknown category of {name!r} in {number(n, 'row')}: it counts as none"
            for name, n in self.unknown.items()
        ]
