"""How the cells of text files are written: delimiter, encoding, numbers and missing values."""

from __future__ import annotations

import codecs
import re
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from kinspan._rows.types import Floats
from kinspan.tables.arrow import pyarrow


class Dialect(NamedTuple):
    """What a user says about text files; None is what most of them do."""

    delimiter: str | None = None  # None: a tab in .tsv, else a comma
    encoding: str | None = None  # None: UTF-8
    decimal: str | None = None  # None: a point
    thousands: str | None = None  # None: thousands are not separated
    missing_values: tuple[str, ...] | None = None  # cells that are missing, besides empty ones

    def over(self, other: Dialect) -> Dialect:
        """This dialect where it says something, elsewhere the other, without marks that it uses."""
        if self.decimal is not None and self.decimal == other.thousands:
            other = other._replace(thousands=None)
        if self.thousands is not None and self.thousands == other.decimal:
            other = other._replace(decimal=None)
        return other._replace(**{k: v for k, v in self._asdict().items() if v is not None})

    @classmethod
    def of_json(cls, stored: dict[str, Any]) -> Dialect:
        """A dialect that was stored with `_asdict`."""
        texts = {name: text for name, text in stored.items() if name != "missing_values"}
        missing = stored.get("missing_values")
        known = [*texts.values(), *(missing or ())]
        if not all(text is None or isinstance(text, str) for text in known):
            raise TypeError("a dialect is described by text")
        return cls(**texts, missing_values=None if missing is None else tuple(missing))


def check_dialect(
    delimiter: Any = None,
    encoding: Any = None,
    decimal: Any = None,
    thousands: Any = None,
    missing_values: tuple[str, ...] | None = None,
) -> Dialect:
    """A dialect that can be read, without contradictions."""
    if delimiter is not None and (not isinstance(delimiter, str) or len(delimiter) != 1):
        raise ValueError(f"delimiter={delimiter!r}; use one character, such as ';' or '\\t'")
    if encoding is not None and not _is_encoding(encoding):
        raise ValueError(
            f"encoding={encoding!r} is not known; use a name such as 'latin-1', 'windows-1252' or "
            "'utf-16'"
        )
    if decimal not in (None, ".", ","):
        raise ValueError(f"decimal={decimal!r}; use '.' or ','")
    if thousands is not None and (len(thousands) != 1 or thousands.isalnum()):
        raise ValueError(f"thousands={thousands!r}; use one character, such as ',' or ' '")
    if thousands is not None and thousands == decimal:
        raise ValueError(f"thousands and decimal are both {decimal!r}; name two marks")
    if thousands == "." and decimal is None:
        raise ValueError("thousands='.' is the decimal mark; name that with decimal=','")
    return Dialect(delimiter, encoding, decimal, thousands, missing_values)


def _is_encoding(name: Any) -> bool:
    try:
        codecs.lookup(name)
    except (LookupError, TypeError, ValueError):
        return False
    return True


def is_number(cells: Any, dialect: Dialect) -> Any:
    """Which cells of a column of text are numbers."""
    return pyarrow("pyarrow.compute").match_substring_regex(cells, _pattern(dialect))


def no_numbers(dialect: Dialect) -> Any:
    """Cells of a text file that stand for a missing number."""
    known = pyarrow("pyarrow.csv").ConvertOptions().null_values
    return pyarrow().array([*known, *(dialect.missing_values or ())], pyarrow().string())


@cache
def missing_numbers(dialect: Dialect) -> Floats:
    """Numbers among the missing values, as a number may be written in many ways: -999 and -999.0.

    In single precision too, because a number such as -99.9 is another one there.
    """
    given = pyarrow().array(dialect.missing_values or (), pyarrow().string())
    found = np.asarray(as_numbers(given.filter(is_number(given, dialect)), dialect).to_numpy())
    return np.unique([found, found.astype(np.float32)])


def present(column: Any, dialect: Dialect) -> Any:
    """A column of numbers with null where one stands for a missing value."""
    pa, compute, nothing = pyarrow(), pyarrow("pyarrow.compute"), missing_numbers(dialect)
    if not len(nothing):
        return column
    is_none = compute.is_in(column.cast(pa.float64(), safe=False), pa.array(nothing))
    return compute.if_else(is_none, pa.scalar(None, column.type), column)


def as_numbers(cells: Any, dialect: Dialect) -> Any:
    """Cells that are numbers as numbers, without the marks between thousands."""
    compute = pyarrow("pyarrow.compute")
    plain = compute.utf8_trim_whitespace(cells)
    plain = compute.utf8_ltrim(plain, "+")
    if dialect.thousands is not None:
        plain = compute.replace_substring_regex(plain, _thousands(dialect.thousands), "")
    if dialect.decimal is not None:
        plain = compute.replace_substring(plain, dialect.decimal, ".")
    return plain.cast(pyarrow().float64())


def _pattern(dialect: Dialect) -> str:
    """Thousands have three digits between their marks and no zero first: not 1.5, not 0.512."""
    point = re.escape(dialect.decimal or ".")
    whole = r"\d+"
    if dialect.thousands is not None:
        whole = rf"(?:[1-9]\d{{0,2}}(?:{_thousands(dialect.thousands)}\d{{3}})+|\d+)"
    digits = rf"(?:{whole}(?:{point}\d*)?|{point}\d+)(?:[eE][+-]?\d+)?"
    return rf"^\s*[-+]?(?:{digits}|(?i:inf|infinity))\s*$"


def _thousands(mark: str) -> str:
    """A space may be one that does not break a line."""
    return "[ \u00a0\u202f]" if mark == " " else re.escape(mark)


def other_delimiter(header: str) -> str:
    """How to read a table whose header has no delimiter in it, as the end of a message."""
    found = [mark for mark in ";\t|," if mark in header]
    return f". Use delimiter={found[0]!r}" if found else ""
