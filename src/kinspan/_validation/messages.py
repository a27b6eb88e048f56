"""Parts of error messages that several checks share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sized
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any, TypeVar

_Column = TypeVar("_Column", bound=Sized)
NOT_FREQUENCIES = "sample_weight contains negative, infinite or NaN values; use frequencies"
MOST_ROWS = 2.0**53  # doubles count one by one up to here
MOST_COMPARED = 10_000  # names that are compared with one that is unknown: a second
TOO_MANY = "sample_weight has a frequency of more than 2**53 rows; divide all by a constant"
ALL_ZERO = "sample_weight is zero for every row; at least one must be positive"


def some(values: list[Any], at_most: int = 5) -> str:
    """The first few values, and how many there are."""
    shown = ", ".join(map(repr, values[:at_most]))
    return shown if len(values) <= at_most else f"{shown}, … ({len(values)} in all)"


def near(name: Any, known: list[Any]) -> str:
    """The known name that an unknown one may stand for, as a question; nothing if there is none."""
    names = [one for one in known[:MOST_COMPARED] if isinstance(one, str)]
    if not isinstance(name, str):
        return ""
    same = [one for one in names if _without_zeros(one) == _without_zeros(name)]
    found = same or get_close_matches(name, names, n=1)
    return f"; did you mean {found[0]!r}?" if found else ""


def _without_zeros(name: str) -> str:
    """'Shop 07' → 'shop 7'."""
    return re.sub(r"(?<!\d)0+(?=\d)", "", name).casefold()


def of_length(values: _Column, n_samples: int, name: str) -> _Column:
    """The values, if there is one for every row."""
    if len(values) != n_samples:
        raise ValueError(
            f"{name} has {len(values)} values for {n_samples} rows: found input variables with "
            "inconsistent numbers of samples; pass one per row"
        )
    return values


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Put the name of an argument before an error message of a library that does not name it."""
    try:
        yield
    except (ValueError, TypeError, OverflowError) as error:
        if re.search(rf"\b{re.escape(name)}\b", str(error)):
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{name}: {error}") from error
