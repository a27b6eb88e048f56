"""Named plain arrays and JSON ↔ bytes: the one format of everything kinspan stores, never pickle.

Layout, all integers little-endian:

    bytes  0–7    magic: b"kinspan" and a zero byte
    bytes  8–11   version of this layout (1; 2 where values are missing; 3 with rows without labels)
    bytes 12–15   length of the header
    bytes 16–47   SHA-256 of everything after byte 47
    header        UTF-8 JSON: {"kind": …, "meta": {…}, "arrays": [{"name", "dtype", "shape"}, …]}
    arrays        the arrays one after another, C order, little-endian, no padding

Layout 2 is layout 1 with numbers of the values that are there (arrays called `observed`), which a
reader of layout 1 would overlook. Layout 3 may have statistics of rows without labels next to those
of the others (arrays called `unlabelled/moments/…`). Arrays never take more memory than the buffer
that they come from; the header, which is JSON, takes a few dozen times its own length at most.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinspan.exceptions import StoredDataError

MAGIC = b"kinspan\0"
VERSION = 3
_OF_LAYOUT_2 = "observed"
_OF_LAYOUT_3 = "unlabelled/moments/"
_PREFIX = struct.Struct("<8sII32s")
_BROKEN = (
    *(ValueError, TypeError, KeyError, IndexError, AttributeError),
    *(RecursionError, ArithmeticError),
)
_LONGEST_NAME = 1000
_DTYPES = ("<f8", "<f4", "<i8", "<i4", "<u8", "|b1", "|u1")


class Record(NamedTuple):
    """A value as plain data."""

    meta: dict[str, Any]  # small values, as JSON
    arrays: dict[str, NDArray[Any]]  # plain arrays by name

    def under(self, name: str) -> Record:
        """The same as a named part of a larger record."""
        return Record({name: self.meta}, {f"{name}/{key}": a for key, a in self.arrays.items()})

    def part(self, name: str) -> Record:
        """The named part of a larger record."""
        start = f"{name}/"
        inside = {key: a for key, a in self.arrays.items() if key.startswith(start)}
        arrays = {key.removeprefix(start): array for key, array in inside.items()}
        return Record(dict(self.meta[name]), arrays)


def together(*parts: Record) -> Record:
    """Several records as one."""
    meta: dict[str, Any] = {}
    arrays: dict[str, NDArray[Any]] = {}
    for part in parts:
        meta |= part.meta
        arrays |= part.arrays
    return Record(meta, arrays)


@contextmanager
def reading(kind: str) -> Iterator[None]:
    """Turn any error while reading a record into an error of stored data."""
    try:
        yield
    except StoredDataError:
        raise
    except _BROKEN as error:
        raise StoredDataError(f"not the {kind} of any samples: {error}") from None


class Contents(NamedTuple):
    """What a container holds."""

    kind: str  # what was stored, such as "class-moments"
    record: Record


def pack(contents: Contents) -> bytes:
    """The bytes of a container."""
    meta, arrays = contents.record
    stored = {name: _little_endian(array) for name, array in arrays.items()}
    described = [
        {"name": name, "dtype": array.dtype.str, "shape": array.shape}
        for name, array in stored.items()
    ]
    header = json.dumps(
        {"kind": contents.kind, "meta": meta, "arrays": described}, allow_nan=False
    ).encode()
    body = b"".join([header, *(array.tobytes() for array in stored.values())])
    prefix = MAGIC, _layout_of(arrays), len(header), hashlib.sha256(body).digest()
    return _PREFIX.pack(*prefix) + body


def _layout_of(arrays: dict[str, NDArray[Any]]) -> int:
    """The first layout whose readers understand these arrays."""
    if any(_OF_LAYOUT_3 in name for name in arrays):
        return 3
    return 2 if any(name.rpartition("/")[2] == _OF_LAYOUT_2 for name in arrays) else 1


def unpack(buffer: bytes | bytearray | memoryview, *kinds: str) -> Contents:
    """The contents of a container of one of some kinds; StoredDataError where it is not one."""
    if not isinstance(buffer, (bytes, bytearray, memoryview)):
        raise TypeError(f"buffer is of type {type(buffer).__name__}; pass the stored bytes")
    view = memoryview(buffer).cast("B")
    header_length = _checked_prefix(view)
    body = view[_PREFIX.size :]
    try:
        header = json.loads(bytes(body[:header_length]), parse_constant=_refuse_constant)
        kind = _text("kind", header["kind"])
        arrays = _read_arrays(header["arrays"], body[header_length:])
        contents = Contents(kind, Record(dict(header["meta"]), arrays))
    except StoredDataError:
        raise
    except _BROKEN as error:
        raise StoredDataError(f"the header of the stored data cannot be read: {error}") from None
    if contents.kind not in kinds:
        raise StoredDataError(f"this holds {contents.kind!r}, not {' or '.join(map(repr, kinds))}")
    return contents


def _text(what: str, value: Any) -> str:
    """A short text; a long one is not repeated in a message."""
    if not isinstance(value, str) or len(value) > _LONGEST_NAME:
        raise TypeError(f"the {what} is not a short text")
    return value


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number of JSON")


def _little_endian(array: NDArray[Any]) -> NDArray[Any]:
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))


def _checked_prefix(view: memoryview) -> int:
    if len(view) < _PREFIX.size:
        raise StoredDataError(f"only {len(view)} bytes: the stored data is truncated")
    magic, version, header_length, digest = _PREFIX.unpack(view[: _PREFIX.size])
    if magic != MAGIC:
        raise StoredDataError("this is not kinspan data: its first eight bytes differ")
    if version < 1:
        raise StoredDataError(f"layout {version} of stored data never existed")
    if version > VERSION:
        raise StoredDataError(
            f"stored by a newer kinspan (layout {version}; this one reads up to {VERSION}): upgrade"
        )
    if hashlib.sha256(view[_PREFIX.size :]).digest() != digest:
        raise StoredDataError("the stored data is corrupted or truncated: its checksum differs")
    if header_length > len(view) - _PREFIX.size:
        raise StoredDataError(f"a header of {header_length} bytes does not fit in the stored data")
    return int(header_length)


def _read_arrays(described: list[dict[str, Any]], body: memoryview) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any]] = {}
    start = 0
    for entry in described:
        name, shape = _text("name of an array", entry["name"]), tuple(entry["shape"])
        dtype = _text("dtype of an array", entry["dtype"])
        if name in arrays:
            raise StoredDataError(f"array {name!r} occurs twice")
        if dtype not in _DTYPES:
            raise StoredDataError(f"array {name!r} has dtype {dtype!r}: only {_DTYPES} are stored")
        if not all(type(length) is int and length >= 0 for length in shape):
            raise StoredDataError(f"array {name!r} has the impossible shape {shape}")
        end = start + math.prod(shape) * np.dtype(dtype).itemsize
        if end > len(body):
            raise StoredDataError(
                f"array {name!r} of shape {shape} does not fit in the stored data"
            )
        values = np.frombuffer(body[start:end], dtype=dtype).reshape(shape)
        arrays[name] = values.astype(values.dtype.newbyteorder("="))
        start = end
    if start != len(body):
        raise StoredDataError(f"{len(body) - start} bytes belong to no array")
    return arrays
