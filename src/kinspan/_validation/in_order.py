"""One value for every row, as a user gives them: collections that have no order are refused."""

from __future__ import annotations

from collections.abc import Iterator, KeysView, Mapping, Set, ValuesView
from typing import Any

from kinspan._arrays.libraries import is_sparse


def in_order(values: Any, name: str) -> Any:
    """The values, if they can be looked at by row, and more than once.

    A generator would be one id, which all rows share. A frozen set is an id, as a tuple can be.
    """
    kind = type(values).__name__
    if isinstance(values, (Iterator, KeysView, ValuesView)):
        raise TypeError(f"{name} is of type {kind}; pass list({name}), with one entry per row")
    is_id = isinstance(values, frozenset)
    if (isinstance(values, (Mapping, Set)) and not is_id) or is_sparse(values):
        raise TypeError(f"{name} is of type {kind}; pass a list or array with one entry per row")
    return values
