"""Parts of error messages that several checks share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sized
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any, TypeVar

_LONGEST = 80  # characters of a value in a message
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
    """The known name that an unknown one may stand for, as a question; nothing if there is none.

    Numbers in it are the same: shop 99 is another one than shop 39.
    """
    if not isinstance(name, str):
        return ""
    names = [one for one in known[:MOST_COMPARED] if isinstance(one, str)]
    alike = [one for one in names if _numbers(one) == _numbers(name)]
    by_case = {one.casefold(): one for one in reversed(alike)}
    found = get_close_matches(name.casefold(), by_case, n=1)
    return f"; did you mean {by_case[found[0]]!r}?" if found else ""


def _numbers(name: str) -> list[str]:
    """'Shop 07' → ['7']."""
    return [digits.lstrip("0") for digits in re.findall(r"\d+", name)]


def of_length(values: _Column, n_samples: int, name: str) -> _Column:
    """The values, if there is one for every row."""
    if getattr(values, "ndim", 1) == 0:
        raise ValueError(f"{name} is {short(values)}, a single value; pass one per row")
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
        text = str(error)
        if text.startswith("Complex data"):  # all of the data would follow
            text = text.partition("\n")[0]
        raise kind(f"{name}: {text}") from error


def short(value: Any) -> str:
    """A value in one line, of which a long one is cut off."""
    text = " ".join(repr(value).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
