"""Ids of rows: the distinct ones, and the code of every row.

Text is encoded by pyarrow, and only distinct ids are examined here: Python never sees a row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kinspan._rows import identifiers
from kinspan._rows.types import Codes, Ids
from kinspan.tables.arrow import BOOLEANS, INTEGERS, NUMBERS, TEXT, TIMES, kind_of_type, pyarrow

_KINDS = {"i": INTEGERS, "u": INTEGERS, "f": NUMBERS, "U": TEXT, "b": BOOLEANS, "M": TIMES}
_KINDS_OF_TYPES = {str: TEXT, int: INTEGERS, float: NUMBERS, bool: BOOLEANS}
_EXACT = 2.0**53  # beyond it, different integers are the same number


class CodedIds(NamedTuple):
    """Ids of rows."""

    ids: Ids  # distinct and sorted; some may belong to no row
    codes: Codes  # (rows,): positions among the ids; −1 is a row without label

    @classmethod
    def of(cls, values: Any) -> CodedIds:
        """Encode one id per row."""
        return cls(*identifiers.encode(identifiers.as_array(values)))

    @classmethod
    def constant(cls, value: Any, n_rows: int) -> CodedIds:
        """One id for all rows."""
        return cls(identifiers.as_array([value]), np.zeros(n_rows, np.intp))

    @classmethod
    def of_column(cls, column: Any, as_text: bool) -> CodedIds:
        """Encode a column of pyarrow."""
        if pyarrow().types.is_dictionary(column.type):
            column = values_of_categories(column)
        if as_text and kind_of_type(column.type) != TEXT:
            column = _as_text(column)
        if kind_of_type(column.type) == TEXT:
            coded = column.combine_chunks().dictionary_encode(null_encoding="encode")
            ids, rank = identifiers.encode(coded.dictionary.to_numpy(zero_copy_only=False))
            return cls(ids, rank[coded.indices.to_numpy()])
        if column.null_count:
            return cls.of(np.array(column.to_pylist(), dtype=object))
        return cls.of(column.to_numpy())

    def values(self) -> Ids:
        """(rows,): the id of every row; None where there is none."""
        if not (self.codes < 0).any():
            return np.asarray(self.ids[self.codes])
        return np.array([*self.ids.tolist(), None], dtype=object)[self.codes]

    def without_missing(self, unlabelled: Any = None, *, is_text: bool = False) -> CodedIds:
        """Labels that are there; in text files, one that is written as `unlabelled` is not."""
        lost = [_is_no_label(value, unlabelled, is_text) for value in self.ids.tolist()]
        if not any(lost):
            return self
        kept = np.flatnonzero(~np.array(lost))
        places = np.full(len(lost), -1)
        ids, places[kept] = identifiers.encode(identifiers.as_array(self.ids[kept].tolist()))
        return CodedIds(ids, places[self.codes])


def _is_no_label(value: Any, unlabelled: Any, is_text: bool) -> bool:
    if identifiers.is_missing(value) or (is_text and value == ""):
        return True
    if unlabelled is None:
        return False
    return bool(value == unlabelled) or (
        isinstance(unlabelled, str) and _written(value) == unlabelled
    )


def _written(value: Any) -> str:
    """A label as it is written in a table: 1 for 1.0."""
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _as_text(column: Any) -> Any:
    pa = pyarrow()
    try:
        return column.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise ValueError(f"a column of {column.type} cannot be read as text; convert it") from None


def values_of_categories(column: Any) -> Any:
    """A categorical column as its values; pyarrow cannot cast all kinds of text in one step."""
    pa = pyarrow()
    is_text = kind_of_type(column.type) == TEXT
    values = pa.string() if is_text else column.type.value_type
    coded = pa.DictionaryArray.from_arrays
    chunks = [coded(c.indices, c.dictionary.cast(values)).cast(values) for c in column.chunks]
    return pa.chunked_array(chunks, values)


def kind_of(ids: Ids) -> str:
    """The kind of some ids, in words."""
    if ids.dtype.kind in _KINDS:
        return _KINDS[ids.dtype.kind]
    types = {type(value) for value in ids.tolist()}
    if len(types) == 1 and types <= set(_KINDS_OF_TYPES):
        return _KINDS_OF_TYPES[types.pop()]
    return "values of type " + " and ".join(sorted(kind.__name__ for kind in types))


def is_plain(kind: str) -> bool:
    """Whether columns of tables can hold ids of this kind."""
    return kind in _KINDS.values()


def checked_ids(
    coded: CodedIds, what: str, kind: str, first: str, first_row: int, *, is_text: bool = False
) -> CodedIds:
    """Ids of the kind that the first file has; every row needs one.

    In text files an empty cell is no id, and an id of several lines contains the rows that follow
    an unclosed quote.
    """
    for code, value in enumerate(coded.ids.tolist()):
        if identifiers.is_missing(value) or (is_text and value == ""):
            rows = np.flatnonzero(coded.codes == code)
            if len(rows):
                raise ValueError(
                    f"{what} is missing in row {first_row + int(rows[0])} (counted from 0); "
                    "drop such rows, or fill them in"
                )
        if is_text and isinstance(value, str) and "\n" in value:
            raise ValueError(f"{what} holds several lines, {value[:40]!r}…; is a quote not closed?")
    return as_kind(coded, what, kind, first)


def as_kind(coded: CodedIds, what: str, kind: str, first: str) -> CodedIds:
    """Ids of the kind that the first file has: 1 and "1" are different tasks."""
    ids = coded.ids
    found = kind_of(ids)
    if found == NUMBERS and (np.abs(ids) >= _EXACT).any():
        raise ValueError(f"{what} has numbers of more than 15 digits; store them as text")
    if {found, kind} == {INTEGERS, NUMBERS}:
        cast = ids.astype(np.int64 if kind == INTEGERS else np.float64)
        if (cast == ids).all():
            return CodedIds(cast, coded.codes)
    if found != kind:
        raise ValueError(other_kind(what, found, kind, first))
    if kind == INTEGERS and ids.dtype.kind in "iu" and (ids < 2**63).all():
        return CodedIds(ids.astype(np.int64), coded.codes)
    return coded


def other_kind(what: str, found: str, kind: str, first: str) -> str:
    """The message about ids of another kind than before."""
    return (
        f"{what} holds {found}, but in {first} it holds {kind}; make them the same, or read a "
        "column of any type as text with as_text=[…]"
    )
