"""What the cells of a column of text are: numbers, dates, or true and false."""

from __future__ import annotations

from typing import Any

from kinspan.tables.arrow import pyarrow
from kinspan.tables.dialect import Dialect, as_numbers, is_number, no_numbers, present

_DAY = (
    r"\d{4}-(?:02-(?:0[1-9]|[12]\d)|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)"
    r"|(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01]))"
)
_ZONE = r"(?:Z|[+-]\d{2}(?::?\d{2})?)"
_TIME = rf"(?:[01]\d|2[0-3])(?::[0-5]\d(?::[0-5]\d(?:\.\d{{1,9}})?)?)?{_ZONE}?"
_DATE = rf"^\s*{_DAY}(?:[ T]{_TIME})?\s*$"
_PART, _TWO = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0[1-9]|[12]\d|3[01])"
_MONTH = (
    r"(?i:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_OTHER_DAYS = "|".join(
    rf"{_PART}{m}{_PART}{m}\d{{4}}|\d{{4}}{m}{_PART}{m}{_PART}" for m in (r"\.", "/")
)
_SHORT_YEARS = rf"{_TWO}\.{_TWO}\.\d\d|{_PART}/{_PART}/\d\d"  # 1.2.24 may be a version
_NAMED_MONTHS = (
    rf"{_PART}\.?[- /]{_MONTH}\.?[-, /]+\d{{2}}(?:\d{{2}})?|{_MONTH}\.?[- ]{_PART}[-, ]+\d{{4}}"
)
_OTHER_DATE = (
    rf"^\s*(?:{_OTHER_DAYS}|{_PART}-{_PART}-\d{{4}}|{_SHORT_YEARS}|{_NAMED_MONTHS})"
    r"(?:[ T]\d{1,2}:\d{2}.*)?\s*$"
)
_SIGN = "[%€$£¥]"
_NUMBER = r"[-+]?\d[\d.,' ]*"
_WITH_SIGN = (
    rf"^\s*(?:{_SIGN}\s*{_NUMBER}|{_NUMBER}(?:{_SIGN}| °?\pL{{1,3}})|[A-Z]{{3}} {_NUMBER}"
    rf"|\({_NUMBER}\))\s*$"
)
_TIME_OF_DAY = r"^\s*(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?\s*$"
_TRUTH = "^(?:0|1|true|True|TRUE|false|False|FALSE)$"


def is_date(cells: Any) -> Any:
    """Which cells are dates, with or without a time: 2024-05-01, 2024-05-01 08:15:00."""
    return pyarrow("pyarrow.compute").match_substring_regex(cells, _DATE)


def has_zone(dates: Any) -> Any:
    """Which dates have a time with a zone."""
    return pyarrow("pyarrow.compute").match_substring_regex(dates, r"\d[ T]\d.*[Z+-]")


def is_other_date(cells: Any) -> Any:
    """Which cells are dates in other notations; many do not say the order of their parts."""
    return pyarrow("pyarrow.compute").match_substring_regex(cells, _OTHER_DATE)


def has_sign(cells: Any) -> Any:
    """Which cells are numbers with a sign, a unit or a currency, or in brackets: 5 %, 1.5 kg."""
    return pyarrow("pyarrow.compute").match_substring_regex(cells, _WITH_SIGN)


def is_time_of_day(cells: Any) -> Any:
    """Which cells are times without a day: 08:15, 23:59:59."""
    return pyarrow("pyarrow.compute").match_substring_regex(cells, _TIME_OF_DAY)


def is_truth(cells: Any) -> Any:
    """Which cells are true or false."""
    return pyarrow("pyarrow.compute").match_substring_regex(cells, _TRUTH)


def as_instants(cells: Any, dialect: Dialect) -> Any:
    """Cells that are dates as instants, those with a zone as UTC; ArrowInvalid for others."""
    pa, compute = pyarrow(), pyarrow("pyarrow.compute")
    plain = compute.utf8_trim_whitespace(held(cells, dialect))
    try:
        return plain.cast(pa.timestamp("us"))
    except pa.ArrowInvalid as error:
        try:
            return plain.cast(pa.timestamp("us", "UTC"))
        except pa.ArrowInvalid:
            raise error from None


def held(cells: Any, dialect: Dialect) -> Any:
    """Cells with null where they stand for nothing, as in columns of numbers."""
    pa, compute = pyarrow(), pyarrow("pyarrow.compute")
    is_none = compute.is_in(cells, no_numbers(dialect))
    return compute.if_else(is_none, pa.scalar(None, pa.string()), cells)


def without_empty_type(column: Any) -> Any:
    """A column; one of missing values alone as one of no type."""
    pa, compute = pyarrow(), pyarrow("pyarrow.compute")
    is_empty = compute.all(compute.is_null(column, nan_is_null=True)).as_py()
    return pa.chunked_array([pa.nulls(len(column))]) if is_empty else column


def as_in_a_file(cells: Any, dialect: Dialect) -> Any:
    """A column of text as a text file has it: numbers, dates or truth if all of its cells are."""
    pa, compute = pyarrow(), pyarrow("pyarrow.compute")
    there = held(cells, dialect)
    if there.null_count == len(there):
        return pa.chunked_array([pa.nulls(len(there))])
    if compute.all(is_number(there, dialect)).as_py():
        return present(as_numbers(there, dialect), dialect)
    if compute.all(is_truth(there)).as_py():
        return there.cast(pa.bool_())
    if not compute.all(is_date(there)).as_py():
        return cells
    try:
        return as_instants(there, dialect)
    except pa.ArrowInvalid:  # with and without a zone
        return cells
