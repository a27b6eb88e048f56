"""Columns of text that are numbers, dates or truth but for a few cells, or written otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial, reduce
from typing import Any

from kinspan.tables.arrow import pyarrow
from kinspan.tables.dialect import Dialect, as_numbers, is_number, no_numbers
from kinspan.tables.kinds import (
    has_sign,
    has_zone,
    is_date,
    is_other_date,
    is_time_of_day,
    is_truth,
)

_OTHER_WAYS = (
    Dialect(),
    Dialect(decimal=","),
    Dialect(thousands=","),
    Dialect(decimal=",", thousands="."),
    Dialect(thousands="'"),
    Dialect(thousands=" "),
    Dialect(decimal=",", thousands=" "),
)
_SHOWN = 5  # strays, of which one more is kept to know whether these are all
_LOOKED_AT = 1_000_000  # rows of a file that is refused anyway


_DATES, _OTHER_DATES, _TRUTH, _SIGNS = "dates", "other dates", "truth", "signs"
_TIMES_OF_DAY = "times of day"
_OTHERS = {
    _OTHER_DATES: "dates such as {!r}; write them as 2024-05-01",
    _TIMES_OF_DAY: "times without a day, such as {!r}; write them as numbers, such as hours",
    _SIGNS: "numbers with a sign or a unit, such as {!r}; remove it",
}
_KINDS: dict[Any, str | None] = {
    **dict.fromkeys((_DATES, _OTHER_DATES), "dates"),
    _TRUTH: None,
    _TIMES_OF_DAY: "times",
}
_HOW = {"numbers": "in one way", "dates": "as 2024-05-01"}
_SINGLE = {_DATES: "is not a date", _TRUTH: "is neither true nor false"}
_SEVERAL = {_DATES: "are not dates", _TRUTH: "are neither true nor false"}


class Cells:
    """Counts of the cells of a column of text, by what they could be."""

    def __init__(self, name: str, dialect: Dialect) -> None:
        self.name = name
        others = [way for way in _OTHER_WAYS if way[2:4] != dialect[2:4]]
        others.sort(key=lambda way: dialect.over(way)[2:4] != way[2:4])  # as it is said first
        tests: dict[Any, Callable[[Any], Any]] = {
            way: partial(is_number, dialect=way) for way in (dialect, *others)
        }
        self._notations = {  # counted together where none is that of most cells
            "numbers": (*tests, _SIGNS),
            "dates": (_DATES, _OTHER_DATES),
        }
        self._n_alike = dict.fromkeys(self._notations, 0)
        self._apart: dict[Any, str] = {}  # a cell that is such in another notation
        self._n_zoned, self._zoned = 0, ""
        self._tests = {
            **tests,
            _TRUTH: is_truth,
            _DATES: is_date,
            _OTHER_DATES: is_other_date,
            _TIMES_OF_DAY: is_time_of_day,
            _SIGNS: has_sign,
        }
        self._usual = dialect
        self._n = 0
        self._n_such = dict.fromkeys(self._tests, 0)
        self._others: dict[Any, dict[str, None]] = {way: {} for way in self._tests}  # in order
        self._example: dict[Any, str] = {}  # a cell that is such, and no number as usual
        self._no_numbers = no_numbers(dialect)
        self.is_part = False  # whether there are more that are not counted

    def add(self, column: Any) -> None:
        """Count more cells; only distinct ones are examined."""
        compute = pyarrow("pyarrow.compute")
        counted = compute.value_counts(column.drop_null().cast(pyarrow().string()))
        counted = counted.filter(compute.invert(compute.is_in(counted.field(0), self._no_numbers)))
        cells, numbers = counted.field(0), counted.field(1)
        self._n += compute.sum(numbers).as_py() or 0
        unusual = compute.invert(is_number(cells, self._usual))
        found_as = {way: test(cells) for way, test in self._tests.items()}
        self._add_together(cells, numbers, found_as)
        for way, is_such in found_as.items():
            others = self._others[way]
            self._n_such[way] += compute.sum(numbers.filter(is_such)).as_py() or 0
            if len(others) <= _SHOWN:
                found = cells.filter(compute.invert(is_such))[: _SHOWN + 1].to_pylist()
                others.update(dict.fromkeys(found))
            if way not in self._example:
                for text in cells.filter(compute.and_(is_such, unusual))[:1].to_pylist():
                    self._example[way] = text

    def _add_together(self, cells: Any, numbers: Any, found_as: dict[Any, Any]) -> None:
        compute = pyarrow("pyarrow.compute")
        for kind, ways in self._notations.items():
            is_such = reduce(compute.or_, (found_as[way] for way in ways))
            self._n_alike[kind] += compute.sum(numbers.filter(is_such)).as_py() or 0
            for way in ways:
                apart = compute.and_(is_such, compute.invert(found_as[way]))
                for text in cells.filter(apart)[:1].to_pylist():
                    self._apart.setdefault(way, text)
        zoned = compute.and_(found_as[_DATES], has_zone(cells))
        self._n_zoned += compute.sum(numbers.filter(zoned)).as_py() or 0
        for text in cells.filter(zoned)[:1].to_pylist():
            self._zoned = self._zoned or text

    @property
    def _best(self) -> Any:
        """What most cells are, the first of equals; None where most are something else."""
        best = max(self._n_such, key=lambda way: self._n_such[way])
        return best if 2 * self._n_such[best] > self._n else None

    @property
    def are_values(self) -> bool:
        """Whether most cells are numbers as they are usually written, dates, or true or false."""
        return self._best in (self._usual, _DATES, _TRUTH)

    @property
    def kind(self) -> str | None:
        """What most cells are, however they are written; None for other text."""
        return self._mixed if self._best is None else _KINDS.get(self._best, "numbers")

    @property
    def _mixed(self) -> str | None:
        """What most cells are in several notations together."""
        return next((kind for kind, n in self._n_alike.items() if 2 * n > self._n), None)

    @property
    def _strays(self) -> list[str]:
        """Some of the other cells, one more than are shown where there are more."""
        return list(self._others[self._best])

    @property
    def strays(self) -> list[str]:
        """Some of the cells that are not what most are, where these are written as usual."""
        return self._strays[:_SHOWN] if self.are_values and self.fault is not None else []

    @property
    def fault(self) -> str | None:
        """What is wrong with a column of which most cells are alike; None for other text."""
        best = self._best
        if best is None:
            return self._in_several_notations
        if not self.are_values:
            return self._written_otherwise(best)
        n = self._n - self._n_such[best]
        if n == 0:  # meant to be text
            return self._in_zones_or_not if best == _DATES else None
        are = _SINGLE.get(best, "is not a number") if n == 1 else None
        are = are or _SEVERAL.get(best, "are not numbers")
        strays = ", ".join(map(repr, self._strays[:_SHOWN]))
        more = ", …" * (len(self._strays) > _SHOWN) + self._correctable
        return f"{n:,} of {self._all} values in {self.name!r} {are}: {strays}{more}"

    @property
    def _in_several_notations(self) -> str | None:
        kind = self._mixed
        if kind is None:
            return None
        ways = self._notations[kind]
        one = self._apart[max(ways, key=lambda way: self._n_such[way])]
        cell = pyarrow().array([one])
        other = self._apart[next(way for way in ways if self._tests[way](cell)[0].as_py())]
        shown = f"{self._n_alike[kind]:,} of {self._all} values in {self.name!r} are {kind}"
        return f"{shown}, such as {other!r} and {one!r}; write all {kind} {_HOW[kind]}"

    @property
    def _in_zones_or_not(self) -> str | None:
        n = self._n_zoned
        if n in (0, self._n):
            return None
        are = "is a date" if n == 1 else "are dates"
        return (
            f"{n:,} of {self._all} values in {self.name!r} {are} with a zone, such as "
            f"{self._zoned!r}, and the others have none; write all dates in one way"
        )

    @property
    def _correctable(self) -> str:
        """Strays that are what most cells are, but written otherwise."""
        ways: dict[Any, list[Any]] = {_DATES: [_OTHER_DATES], self._usual: [*_OTHER_WAYS, _SIGNS]}
        example = self._example
        way = next((way for way in ways.get(self._best, []) if way in example), None)
        if way is None:
            return ""
        are = _OTHERS.get(way, "numbers such as {!r}; write all numbers in one way")
        return f" (some are {are.format(example[way])})"

    def _written_otherwise(self, best: Any) -> str:
        example = self._example[best]
        found = f"{self._n_such[best]:,} of {self._all} values in {self.name!r} are"
        if best in _OTHERS:
            return f"{found} {_OTHERS[best].format(example)}"
        alike = [way for way in _OTHER_WAYS if self._n_such.get(way) == self._n_such[best]]
        alike = [way for way in alike if len(self._marks(way)) == len(self._marks(best)) == 1]
        alike = alike or [best]
        shown = [f"{self._read_with(way)} ({_value_of(example, way):.15g})" for way in alike]
        how = self._read_with(best) if len(alike) == 1 else " or ".join(shown)
        return f"{found} numbers such as {example!r}; read them with {how}"

    def _read_with(self, way: Dialect) -> str:
        return " and ".join(self._marks(way))

    def _marks(self, way: Dialect) -> list[str]:
        """The marks in numbers, as the arguments that name them, also in the place of the usual."""
        decimal = way.decimal if self._usual.decimal in (None, way.decimal) else way.decimal or "."
        named = {"decimal": decimal, "thousands": way.thousands}
        return [f"{what}={mark!r}" for what, mark in named.items() if mark is not None]

    @property
    def _all(self) -> str:
        return f"{'the first ' * self.is_part}{self._n:,}"


def _value_of(cell: str, way: Dialect) -> float:
    return float(as_numbers(pyarrow().array([cell]), way)[0].as_py())


def refusal_of(columns: Iterable[Cells]) -> str | None:
    """What is wrong with columns, with the way out; of strays, all columns are named at once."""
    faulty = [cells for cells in columns if cells.fault is not None]
    if not faulty:
        return None
    if not faulty[0].strays:
        return f"{faulty[0].fault}, or as_text={[faulty[0].name]!r} makes the column text"
    faulty = [cells for cells in faulty if cells.strays][:_SHOWN]
    strays = list(dict.fromkeys(stray for cells in faulty for stray in cells.strays))
    return (
        f"{'; '.join(str(cells.fault) for cells in faulty)}; {_as_missing(strays)}, or "
        f"as_text={[cells.name for cells in faulty]!r} makes the "
        f"{'column' if len(faulty) == 1 else 'columns'} text"
    )


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


def fault_of(name: str, column: Any, dialect: Dialect) -> str | None:
    """What is wrong with cells that should be alike, and how to read strays as missing."""
    cells = Cells(name, dialect)
    cells.add(column)
    return f"{cells.fault}; {_as_missing(cells.strays)}" if cells.strays else cells.fault


def _as_missing(strays: list[str]) -> str:
    return f"missing_values={strays!r} reads such values as missing"
