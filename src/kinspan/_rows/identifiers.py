"""Ids of tasks and classes, any hashable values → sorted ids, positions, and plain data.

Ids travel as one-dimensional arrays without repetition. They are sorted where they can be compared,
otherwise by the name of their type and their representation, so that the order never depends on
the order of the rows.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from kinspan._rows.types import Codes, Ids, Mask

_PLAIN = {str: "U", bool: "b", int: "i", float: "f"}
_JSON_SCALARS = (str, bool, int, float)
_JSON_TYPES = {"b": (bool,), "i": (int,), "u": (int,), "f": (float, int), "U": (str,), "M": (str,)}
_STORED_DTYPE = re.compile(r"[<>|=]?(?:([biuf])[1248]|(U)\d{1,10}|(M)8(?:\[\w{1,12}\])?)")


def as_array(values: Any) -> Ids:
    """One-dimensional array of ids; tuples stay whole and mixed types stay apart."""
    if not isinstance(values, (list, tuple)):
        return np.asarray(values)
    values = [_plain(value) for value in values]
    if any(isinstance(value, str) and value.endswith("\0") for value in values):
        # Arrays of text, and `item` of their entries, drop null characters at the end.
        return _objects(["".join(value) if isinstance(value, str) else value for value in values])
    if values and {type(value) for value in values} <= set(_PLAIN):
        return np.asarray(values) if len({type(v) for v in values}) == 1 else _objects(values)
    array = _objects(values)
    is_nested = any(isinstance(value, (list, np.ndarray)) for value in values)
    is_numpy = all(isinstance(value, np.generic) for value in values)
    return np.asarray(values) if is_nested or is_numpy else array


def _plain(value: Any) -> Any:
    """A number instead of an array without dimensions of another library."""
    if isinstance(value, (*_PLAIN, np.generic)) or getattr(value, "shape", None) != ():
        return value
    return value.item() if hasattr(value, "item") else value


def _objects(values: Sequence[Any]) -> Ids:
    array = np.empty(len(values), dtype=object)
    for position, value in enumerate(values):
        array[position] = value
    return array


def repeated(value: Ids, n_values: int) -> Ids:
    """One id, in an array of length one, for many rows, without memory for them."""
    return np.broadcast_to(value, n_values)


def is_repeated(values: Any) -> bool:
    """Whether values are one id for many rows."""
    return isinstance(values, np.ndarray) and values.strides == (0,) and len(values) > 0


def encode(values: Ids) -> tuple[Ids, Codes]:
    """Sorted distinct ids, and the position of every value among them."""
    values = np.asarray(values)
    if is_repeated(values):
        return values[:1].copy(), np.zeros(len(values), dtype=np.intp)
    if values.dtype.kind in "iu" and len(values):
        low, high = int(values.min()), int(values.max())
        if high - low < 4 * len(values) and high < 2**62:
            return _encode_small_integers(values, low)
    if values.dtype.kind in "OU":  # a dictionary is much faster than sorting text
        ids = _objects(_ordered(list(dict.fromkeys(values.tolist()))))
        ids = ids.astype(values.dtype) if values.dtype.kind == "U" else ids
        return ids, _look_up(ids, values)
    ids, codes = np.unique(values, return_inverse=True)
    return ids, codes.astype(np.intp, copy=False)


def _encode_small_integers(values: Ids, low: int) -> tuple[Ids, Codes]:
    """Without sorting, which would cost as much as a pass over the rows."""
    places = values.astype(np.int64) - low
    seen = np.bincount(places) > 0
    ids = (np.flatnonzero(seen) + low).astype(values.dtype)
    return ids, places if seen.all() else (np.cumsum(seen) - 1)[places]


def _ordered(values: list[Any]) -> list[Any]:
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=lambda value: (type(value).__name__, repr(value)))


def lookup(ids: Ids, values: Ids) -> Codes:
    """Position of every value among the ids, −1 where it is not one of them."""
    values = np.asarray(values)
    if len(ids) == 0 or ids.dtype.kind == "O" or ids.dtype.kind != values.dtype.kind:
        return _look_up(ids, values)
    sought = values
    if ids.dtype.kind == "U":
        if len(values) > len(ids) // 32:  # a dictionary of all ids pays for many values only
            return _look_up(ids, values)
        sought = values.astype(ids.dtype)  # cut off, if need be, rather than copy all ids
    codes = np.minimum(np.searchsorted(ids, sought), len(ids) - 1)
    return np.where(ids[codes] == values, codes, -1)


def _look_up(ids: Ids, values: Ids) -> Codes:
    position = {value: code for code, value in enumerate(ids.tolist())}
    found = (position.get(value, -1) for value in values.tolist())
    return np.fromiter(found, dtype=np.intp, count=len(values))


def union(*parts: Ids) -> Ids:
    """All ids of all parts."""
    some = [part for part in parts if len(part)] or [parts[-1]]  # the type of no ids says nothing
    first, *others = some
    if all(part is first or np.array_equal(part, first) for part in others):
        return first
    if len({part.dtype.kind for part in some}) == 1:
        return encode(np.concatenate(some))[0]
    return encode(_objects([name for part in some for name in part.tolist()]))[0]


def same(first: Ids, second: Ids) -> Mask:
    """Where two arrays of ids agree, whatever their types."""
    if object not in (first.dtype, second.dtype):
        return np.asarray(first == second)
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    return np.fromiter((a == b for a, b in pairs), dtype=bool, count=len(first))


def is_missing(value: Hashable) -> bool:
    """Whether a value is missing: None, NaN, NaT, pandas' NA."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


def to_json(ids: Ids) -> dict[str, Any]:
    """A JSON form that `from_json` turns into the same ids again."""
    if ids.dtype.kind in "biufU":
        return {"dtype": ids.dtype.str, "values": ids.tolist()}
    if ids.dtype.kind == "M":
        return {"dtype": ids.dtype.str, "values": np.datetime_as_string(ids).tolist()}
    return {"dtype": "object", "values": [_tagged(value) for value in ids.tolist()]}


def from_json(stored: dict[str, Any]) -> Ids:
    """The ids of a JSON form; anything that is not one is a ValueError or a TypeError."""
    dtype, values = stored["dtype"], stored["values"]
    if not isinstance(values, list) or not isinstance(dtype, str):
        raise TypeError("the values of ids are a list, and their dtype is text")
    if dtype == "object":
        ids = _objects([_untagged(value) for value in values])
    else:
        ids = _of_dtype(dtype, values)
    if any(map(is_missing, ids.tolist())):
        raise ValueError("an id is missing")
    return ids


def _of_dtype(dtype: str, values: list[Any]) -> Ids:
    known = _STORED_DTYPE.fullmatch(dtype)
    kind = "" if known is None else known[known.lastindex or 0]
    if not kind or not all(type(value) in _JSON_TYPES[kind] for value in values):
        raise ValueError(f"ids of dtype {dtype[:40]!r} cannot be read")
    if kind != "U":
        with np.errstate(all="raise"):
            return np.array(values, dtype=dtype)
    width = max(map(len, values), default=1)
    if width * len(values) > 8 * sum(map(len, values)) + 10_000:
        return _objects(values)  # an array would give every id the space of the longest
    return np.array(values, dtype=f"U{max(width, 1)}")


def _tagged(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return ["tuple", [_tagged(part) for part in value]]
    value = value.item() if isinstance(value, np.generic) else value
    if type(value) in _JSON_SCALARS:
        return ["scalar", value]
    raise TypeError(
        f"the id {value!r} of type {type(value).__name__} cannot be stored; "
        "use strings, numbers, booleans or tuples of them as task ids and class labels"
    )


def _untagged(stored: Any) -> Hashable:
    tag, value = stored
    if tag == "tuple":
        return tuple(_untagged(part) for part in value)
    if tag == "scalar" and isinstance(value, _JSON_SCALARS):
        return value
    raise ValueError(f"{tag!r} is not a kind of id")
