"""Columns of text that are numbers but for a few cells, or numbers written in another way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from kinspan._validation.messages import some
from kinspan.tables.arrow import pyarrow
from kinspan.tables.dialect import Dialect, is_number, no_numbers

_OTHER_WAYS = (
    Dialect(decimal=","),
    Dialect(thousands=","),
    Dialect(decimal=",", thousands="."),
    Dialect(thousands="'"),
    Dialect(thousands=" "),
    Dialect(decimal=",", thousands=" "),
)
_SHOWN = 5
_LOOKED_AT = 1_000_000  # rows of a file that is refused anyway


class Cells:
    """Counts of the cells of a column of text, by the ways in which they could be numbers."""

    def __init__(self, name: str, dialect: Dialect) -> None:
        self.name = name
        self._ways = [dialect, *(way for way in _OTHER_WAYS if way[2:4] != dialect[2:4])]
        self._n, self._n_numbers = 0, [0] * len(self._ways)
        self._strays: dict[str, None] = {}  # distinct, in their order
        self._no_numbers = no_numbers(dialect)
        self.is_part = False  # whether there are more that are not counted

    def add(self, column: Any) -> None:
        """Count more cells."""
        compute = pyarrow("pyarrow.compute")
        cells = column.filter(compute.invert(compute.is_in(column, self._no_numbers))).drop_null()
        self._n += len(cells)
        for i, way in enumerate(self._ways):
            numeric = is_number(cells, way)
            self._n_numbers[i] += compute.sum(numeric).as_py() or 0
            if i == 0 and len(self._strays) < _SHOWN:
                others = compute.unique(cells.filter(compute.invert(numeric))).to_pylist()
                self._strays.update(dict.fromkeys(others[:_SHOWN]))

    @property
    def fault(self) -> str | None:
        """What is wrong with a column of which most cells are numbers; None for other text."""
        best = max(range(len(self._ways)), key=lambda i: self._n_numbers[i])  # the first of them
        if 2 * self._n_numbers[best] <= self._n:
            return None
        strays = list(self._strays)[:_SHOWN]
        if best > 0:
            way = self._ways[best]
            marks = {"decimal": way.decimal, "thousands": way.thousands}
            given = [f"{what}={mark!r}" for what, mark in marks.items() if mark is not None]
            return (
                f"{self._n_numbers[best]:,} of {self._all} values in {self.name!r} are numbers "
                f"such as {strays[0]!r}; read them with {' and '.join(given)}"
            )
        n = self._n - self._n_numbers[0]
        if n == 0:  # numbers that are meant to be text
            return None
        are = "is not a number" if n == 1 else "are not numbers"
        return f"{n:,} of {self._all} values in {self.name!r} {are}: {some(strays)}"

    @property
    def _all(self) -> str:
        return f"{'the first ' * self.is_part}{self._n:,}"

    @property
    def refusal(self) -> str | None:
        """The same with the way out."""
        fault = self.fault
        if fault is None:
            return None
        missing = f"missing_values={list(self._strays)[:_SHOWN]!r} reads such values as missing"
        way_out = "" if "; read them with" in fault else f"; {missing}"
        return f"{fault}{way_out}, or as_text=[{self.name!r}] makes the column text"


def look(batches: Iterable[Any], names: Sequence[str], dialect: Dialect) -> list[Cells]:
    """Count the cells of columns in the first rows of a file, which is refused anyway."""
    found = [Cells(name, dialect) for name in names]
    n_rows = 0
    for batch in batches:
        for cells in found:
            cells.is_part = n_rows >= _LOOKED_AT
            if not cells.is_part:
                cells.add(batch.column(cells.name))
        if n_rows >= _LOOKED_AT:
            break
        n_rows += batch.num_rows
    return found
