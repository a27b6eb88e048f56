"""Ids of rows: the distinct ones, and which of them every row has.

Text is encoded by pyarrow, and only distinct ids are looked at here: Python never sees a row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kinspan._rows import identifiers
from kinspan._rows.types import Codes, Ids
from kinspan.engines.files._arrow import BOOLEANS, INTEGERS, NUMBERS, TEXT, TIMES

_KINDS = {"i": INTEGERS, "u": INTEGERS, "f": NUMBERS, "U": TEXT, "b": BOOLEANS, "M": TIMES}
_KINDS_OF_TYPES = {str: TEXT, int: INTEGERS, float: NUMBERS, bool: BOOLEANS}
_EXACT = 2.0**53  # beyond, different integers are the same number


class Encoded(NamedTuple):
    """Ids of rows."""

    ids: Ids  # distinct ones, sorted; some may be those of no row
    codes: Codes  # (rows,): which of them

    @classmethod
    def of(cls, values: Any) -> Encoded:
        return cls(*identifiers.encode(identifiers.as_array(values)))

    @classmethod
    def constant(cls, value: Any, n_rows: int) -> Encoded:
        return cls(identifiers.as_array([value]), np.zeros(n_rows, np.intp))

    @classmethod
    def of_dictionary(cls, distinct: Ids, codes: Codes) -> Encoded:
        """Ids that are distinct already, in any order."""
        ids, rank = identifiers.encode(distinct)
        return cls(ids, rank[codes])

    def values(self) -> Ids:
        """(rows,): the id of every row."""
        return np.asarray(self.ids[self.codes])


def kind_of(ids: Ids) -> str:
    """What ids are, in a word."""
    if ids.dtype.kind in _KINDS:
        return _KINDS[ids.dtype.kind]
    types = {type(value) for value in ids.tolist()}
    if len(types) == 1 and types <= set(_KINDS_OF_TYPES):
        return _KINDS_OF_TYPES[types.pop()]
    return "values of type " + " and ".join(sorted(kind.__name__ for kind in types))


def is_plain(kind: str) -> bool:
    """Whether columns of tables can hold ids of this kind."""
    return kind in _KINDS.values()


def refuse_missing(encoded: Encoded, what: str, first_row: int, *, blank: bool = False) -> None:
    """Every row has an id; in text files a blank is none."""
    for code, value in enumerate(encoded.ids.tolist()):
        if identifiers.is_missing(value) or (blank and value == ""):
            rows = np.flatnonzero(encoded.codes == code)
            if len(rows):
                raise ValueError(
                    f"{what} is missing in row {first_row + int(rows[0])} (counted from 0); "
                    "drop such rows, or fill them in"
                )


def refuse_lines(encoded: Encoded, what: str) -> None:
    """An id of several lines is one that swallowed the rows after it."""
    for value in encoded.ids.tolist():
        if isinstance(value, str) and "\n" in value:
            raise ValueError(f"{what} holds several lines, {value[:40]!r}…; is a quote not closed?")


def as_kind(encoded: Encoded, kind: str, what: str, first: str) -> Encoded:
    """Ids of the kind that the first file has: 1 and "1" are not the same task."""
    ids = encoded.ids
    found = kind_of(ids)
    if found == NUMBERS and (np.abs(ids) >= _EXACT).any():
        raise ValueError(f"{what} has numbers of more than 15 digits; store them as text")
    if {found, kind} == {INTEGERS, NUMBERS}:
        cast = ids.astype(np.int64 if kind == INTEGERS else np.float64)
        if (cast == ids).all():
            return Encoded(cast, encoded.codes)
    if found != kind:
        raise ValueError(other_kind(what, found, kind, first))
    if kind == INTEGERS and ids.dtype.kind in "iu" and (ids < 2**63).all():
        return Encoded(ids.astype(np.int64), encoded.codes)
    return encoded


def other_kind(what: str, found: str, kind: str, first: str) -> str:
    """Say what ids are here, and what they were before."""
    return (
        f"{what} holds {found}, but in {first} it holds {kind}; make them the same, or read a "
        "column of any type as text with as_text=[…]"
    )
