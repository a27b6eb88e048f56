"""What a stranger may do to stored bytes: blindly, or knowing the layout and its checksum."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

PREFIX = 48  # magic, version, length of the header, checksum


@dataclass
class Opened:
    """A container taken apart, so that any part of it may lie."""

    header: Any
    arrays: list[bytes]

    @classmethod
    def of(cls, stored: bytes) -> Opened:
        length = struct.unpack("<I", stored[12:16])[0]
        header = json.loads(stored[PREFIX : PREFIX + length])
        arrays, start = [], PREFIX + length
        for entry in header["arrays"]:
            size = int(np.prod(entry["shape"])) * np.dtype(entry["dtype"]).itemsize
            arrays.append(stored[start : start + size])
            start += size
        return cls(header, arrays)

    def closed(self) -> bytes:
        return closed(json.dumps(self.header).encode(), b"".join(self.arrays))


def closed(header: bytes, rest: bytes, version: int = 1, length: int | None = None) -> bytes:
    """A container with a right checksum, whatever is in it."""
    body = header + rest
    told = len(header) if length is None else length
    digest = hashlib.sha256(body).digest()
    return struct.pack("<8sII32s", b"kinspan\0", version, told, digest) + body


def deep(levels: int) -> Any:
    nested: Any = 1
    for _ in range(levels):
        nested = [nested]
    return nested


NUMBERS = [0, -1, 1, 2, 3, 7, 2**31, 2**53 + 1, 2**63, -(2**63), 10**30, 10**400]
FLOATS = [float("nan"), float("inf"), -float("inf"), -0.0, 0.5, 1e-308, 1e160, 1e308, -1e308]
TEXTS = [
    *("", "x", "object", "shared", "auto", "scalar", "tuple", "x" * 5000, "\0", "\ud800", "NaT"),
    *(
        "<f8",
        "<f4",
        "<i8",
        "<u8",
        "|b1",
        "|O",
        "<U0",
        "<U5",
        "<U999999999",
        "<M8[ns]",
        "<M8",
        ">f8",
    ),
    *("<f2", "f8,f8", "(9999,)f8", "(1,(f8", "a5", "2020-01-01", "1e5", "<m8[s]", "|V8", "<c16"),
]
VALUES: list[Any] = [None, True, False, [], {}, [[]], deep(60), *NUMBERS, *FLOATS, *TEXTS]
NUMBERS_IN_ARRAYS = [*FLOATS, 0.0, 1.0, -1.0, 3.0, 1e15, 2.0**63, 5e-324, 1e-30]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where values lie in JSON."""
    inside: Any = value.items() if isinstance(value, dict) else ()
    inside = enumerate(value) if isinstance(value, list) else inside
    found = [place for key, part in inside for place in places(part, (*path, key))]
    return [path, *found] if path else found


def holder(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path[:-1]:
        value = value[key]
    return value


def replace_value(opened: Opened, rng: Random) -> None:
    path = rng.choice(places(opened.header))
    holder(opened.header, path)[path[-1]] = rng.choice(VALUES)


def copy_value(opened: Opened, rng: Random) -> None:
    """A value from elsewhere in the header: of a right kind in a wrong place."""
    here, there = rng.choice(places(opened.header)), rng.choice(places(opened.header))
    value = json.loads(json.dumps(holder(opened.header, there)[there[-1]]))
    holder(opened.header, here)[here[-1]] = value


def remove_value(opened: Opened, rng: Random) -> None:
    path = rng.choice(places(opened.header))
    del holder(opened.header, path)[path[-1]]


def repeat_value(opened: Opened, rng: Random) -> None:
    path = rng.choice(places(opened.header))
    inside = holder(opened.header, path)
    if isinstance(inside, list):
        inside.insert(rng.randrange(len(inside) + 1), inside[path[-1]])
    else:
        inside[rng.choice(["", "x", "sample", "rules", "unlabelled"])] = inside[path[-1]]


def shift_number(opened: Opened, rng: Random) -> None:
    paths = [p for p in places(opened.header) if type(_at(opened.header, p)) in (int, float)]
    if paths:
        path = rng.choice(paths)
        holder(opened.header, path)[path[-1]] += rng.choice([-1, 1, 10**6, 0.5])


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    return holder(value, path)[path[-1]]


def change_text(opened: Opened, rng: Random) -> None:
    paths = [p for p in places(opened.header) if isinstance(_at(opened.header, p), str)]
    path = rng.choice(paths)
    text = list(_at(opened.header, path)) or ["x"]
    text[rng.randrange(len(text))] = rng.choice(["", "\0", "é", "9", "<", "U", "[", "1000000"])
    holder(opened.header, path)[path[-1]] = "".join(text)


def drop_array(opened: Opened, rng: Random) -> None:
    at = rng.randrange(len(opened.arrays))
    del opened.arrays[at], opened.header["arrays"][at]


def repeat_array(opened: Opened, rng: Random) -> None:
    """Twice under one name, or under that of another."""
    at, other = (rng.randrange(len(opened.arrays)) for _ in range(2))
    entries = opened.header["arrays"]
    entries.append({**entries[at], "name": entries[other]["name"]})
    opened.arrays.append(opened.arrays[at])


def swap_names(opened: Opened, rng: Random) -> None:
    entries = opened.header["arrays"]
    first, second = rng.choice(entries), rng.choice(entries)
    first["name"], second["name"] = second["name"], first["name"]


def other_shape(opened: Opened, rng: Random) -> None:
    """As many numbers in another arrangement, or a lie."""
    entry = rng.choice(opened.header["arrays"])
    shape = list(entry["shape"])
    whole = int(np.prod(shape))
    rng.shuffle(shape)
    choices = [
        shape,
        [whole],
        [1, whole],
        [whole, 1],
        [],
        [0],
        [0, 2**60, 2**60],
        [2**40],
        [whole + 1],
    ]
    entry["shape"] = rng.choice([*choices, [-1, whole], [1] * 40 + [whole], [1] * 70 + [whole]])


def other_dtype(opened: Opened, rng: Random) -> None:
    at = rng.randrange(len(opened.arrays))
    entry = opened.header["arrays"][at]
    dtype = rng.choice(["<f8", "<f4", "<i8", "<i4", "<u8", "|b1", "|u1"])
    if rng.random() < 0.5:
        with np.errstate(all="ignore"):
            values = np.frombuffer(opened.arrays[at], entry["dtype"])
            opened.arrays[at] = values.astype(dtype).tobytes()
    entry["dtype"] = dtype


def change_numbers(opened: Opened, rng: Random) -> None:
    """One number, a few, or all of an array."""
    at = rng.randrange(len(opened.arrays))
    entry = opened.header["arrays"][at]
    values = np.frombuffer(opened.arrays[at], entry["dtype"]).copy()
    if len(values) == 0:
        return
    some = slice(None) if rng.random() < 0.2 else [rng.randrange(len(values)) for _ in range(2)]
    with np.errstate(all="ignore"):
        if rng.random() < 0.3:
            values[some] = values[some] * np.array(rng.choice([-1, 0, 3, 1e6, 1e-9, 1e200])).astype(
                values.dtype
            )
        else:
            values[some] = np.array(rng.choice(NUMBERS_IN_ARRAYS)).astype(values.dtype)
    opened.arrays[at] = values.tobytes()


def cut_array(opened: Opened, rng: Random) -> None:
    """Fewer or more rows, and a shape that says so."""
    at = rng.randrange(len(opened.arrays))
    entry, data = opened.header["arrays"][at], opened.arrays[at]
    if not entry["shape"] or entry["shape"][0] == 0:
        return
    row = len(data) // entry["shape"][0]
    n_rows = rng.choice([0, 1, entry["shape"][0] - 1, entry["shape"][0] + 1, 500])
    opened.arrays[at] = (data * (n_rows // entry["shape"][0] + 1))[: n_rows * row]
    entry["shape"][0] = n_rows


def many_ids(opened: Opened, rng: Random) -> None:
    """Names of more tasks and classes than there are rows for."""
    paths = [p for p in places(opened.header) if p[-1] in ("tasks", "classes")]
    for path in paths if rng.random() < 0.5 else [rng.choice(paths)] if paths else []:
        n = rng.choice([0, 1, 5, 30_000])
        holder(opened.header, path)[path[-1]] = {"dtype": "<i8", "values": list(range(n))}


def far_cells(opened: Opened, rng: Random) -> None:
    """A sampled row in the last of very many cells."""
    for path in places(opened.header):
        if "sample" in path and path[-1] in ("tasks", "classes"):
            values = list(range(rng.choice([3, 30_000])))
            holder(opened.header, path)[path[-1]] = {"dtype": "<i8", "values": values}
    for entry, at in zip(opened.header["arrays"], range(len(opened.arrays)), strict=True):
        if entry["name"].endswith("cells") and entry["dtype"] == "<i8":
            cells = np.frombuffer(opened.arrays[at], "<i8").copy()
            cells[-1:] = rng.choice([30_000**2 - 1, 2**40, 2**62])
            opened.arrays[at] = cells.tobytes()


INSIDE: list[Callable[[Opened, Random], None]] = [
    *(replace_value, copy_value, remove_value, repeat_value, shift_number, change_text),
    *(drop_array, repeat_array, swap_names, other_shape, other_dtype, change_numbers, cut_array),
    *(change_numbers, many_ids, far_cells),
]
