"""Columns that look like the tasks of rows, where a user names none."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np

from kinspan.tables.arrow import INTEGERS, NUMBERS, TEXT, kind_of_type, pyarrow
from kinspan.tables.ids import values_of_categories

_NAMES = {
    *("account", "branch", "center", "centre", "client", "clinic", "cohort", "company"),
    *("customer", "dataset", "device", "domain", "factory", "hospital", "id", "lab"),
    *("laboratory", "machine", "organisation", "organization", "participant", "patient"),
    *("plant", "school", "sensor", "shop", "site", "station", "store", "subject", "task"),
    *("tenant", "user", "ward"),
}
_FEWEST, _FEWEST_NUMBERED = 3, 8  # distinct values; stages and quarters are numbered too
_USES = 5  # rows of a value, on average


class TaskLike(NamedTuple):
    """A column that looks like the tasks of rows."""

    name: str
    n_values: int
    n_rows: int


def task_like(columns: Any) -> TaskLike | None:
    """The column of some rows that looks most like tasks: of those, the one with most values.

    Its values are used again and again, and its name is one of those that tasks have, or its
    values are numbered: `site-1`, `site-2`.
    """
    found = [_described(name, columns.column(name)) for name in columns.column_names]
    return max((one for one in found if one is not None), key=lambda one: one[1], default=None)


def _described(name: str, column: Any) -> TaskLike | None:
    is_named = bool(_NAMES & set(_words(name)))
    kind = kind_of_type(column.type)
    is_text = kind == TEXT
    if not (is_text or (is_named and kind in (INTEGERS, NUMBERS))):
        return None
    if pyarrow().types.is_dictionary(column.type):
        column = values_of_categories(column)
    values = column.drop_null().unique().to_pylist()
    like = TaskLike(name, len(values), len(column))
    if like.n_values < _FEWEST or like.n_rows < _USES * like.n_values:
        return None
    if is_named:
        return like if is_text or all(np.floor(v) == v for v in values) else None
    return like if _are_numbered(values) else None


def _words(name: str) -> list[str]:
    """`siteId` and `site_id` → site, id; and tasks → task."""
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)
    words = [part.lower() for part in parts]
    return [*words, *(word.removesuffix("s") for word in words)]


def _are_numbered(values: list[str]) -> bool:
    """Whether all values are one word followed by different numbers."""
    parts = [re.fullmatch(r"(\D*[A-Za-z]\D*?)[-_ ]?0*(\d+)", value) for value in values]
    if len(values) < _FEWEST_NUMBERED or not all(parts):
        return False
    return len({part[1] for part in parts if part is not None}) == 1
