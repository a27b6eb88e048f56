"""Hostile bytes, each from a seed of its own: any case can be made again from its number."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from tests.hostile_files.mutations import INSIDE, PREFIX, Opened, closed
from tests.hostile_files.originals import originals


class Case(NamedTuple):
    """What was done to which bytes."""

    name: str
    stored: bytes


def case(number: int) -> Case:
    """The hostile bytes of a number."""
    rng = Random(number)
    name = rng.choice(list(originals()))
    stored = originals()[name]
    if rng.random() < 0.25:
        change = rng.choice(OUTSIDE)
        return Case(f"{change.__name__} of {name}", change(stored, rng))
    opened, done = Opened.of(stored), []
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        change_inside = rng.choice(INSIDE)
        done.append(change_inside.__name__)
        try:
            change_inside(opened, rng)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError):
            break  # the change before has left nothing that this one could change
    return Case(f"{', '.join(done)} of {name}", opened.closed())


def flipped(stored: bytes, rng: Random) -> bytes:
    changed = bytearray(stored)
    for _ in range(rng.choice([1, 2, 8])):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def flipped_and_sealed(stored: bytes, rng: Random) -> bytes:
    return _sealed(stored, flipped(stored[PREFIX:], rng))


def truncated(stored: bytes, rng: Random) -> bytes:
    return stored[: rng.randrange(len(stored))]


def truncated_and_sealed(stored: bytes, rng: Random) -> bytes:
    return _sealed(stored, stored[PREFIX : rng.randrange(PREFIX, len(stored))])


def longer(stored: bytes, rng: Random) -> bytes:
    more = rng.choice([b"\0", b"x" * 100, stored])
    return _sealed(stored, stored[PREFIX:] + more) if rng.random() < 0.5 else stored + more


def spliced(stored: bytes, rng: Random) -> bytes:
    other = originals()[rng.choice(list(originals()))]
    cut, there = rng.randrange(PREFIX, len(stored)), rng.randrange(PREFIX, len(other))
    return _sealed(stored, stored[PREFIX:cut] + other[there:])


def repeated(stored: bytes, rng: Random) -> bytes:
    first, second = sorted(rng.randrange(PREFIX, len(stored)) for _ in range(2))
    kept = first if rng.random() < 0.5 else second
    return _sealed(stored, stored[PREFIX:second] + stored[kept:])


def other_version(stored: bytes, rng: Random) -> bytes:
    version = rng.choice([0, 2, 2**31, 2**32 - 1])
    return stored[:8] + struct.pack("<I", version) + stored[12:]


def lying_length(stored: bytes, rng: Random) -> bytes:
    length = struct.unpack("<I", stored[12:16])[0]
    told = rng.choice([0, 1, length - 1, length + 1, length + 8, len(stored), 2**32 - 1])
    return stored[:12] + struct.pack("<I", told) + stored[16:]


def deep_header(stored: bytes, rng: Random) -> bytes:
    levels = rng.choice([50, 900, 5_000, 100_000])
    opened = rng.choice([b"[", b'{"arrays":', b'["tuple",['])
    return closed(opened * levels, b"")


def wide_header(stored: bytes, rng: Random) -> bytes:
    part = rng.choice(['"a"', "{}", "[]", "1", "1e9", "null", '{"name":"a","dtype":"<f8"}'])
    listed = f"[{','.join([part] * rng.choice([10, 1000, 100_000]))}]"
    place = rng.choice(["arrays", "meta", "kind"])
    header = {"kind": "model", "meta": {}, "arrays": [], place: "HERE"}
    return closed(json.dumps(header).replace('"HERE"', listed).encode(), b"")


def noise(stored: bytes, rng: Random) -> bytes:
    start = rng.choice([b"", b"kinspan\0", b"PK\x03\x04", b"\x80\x04", stored[:PREFIX]])
    return start + rng.randbytes(rng.choice([0, 10, 1000]))


def _sealed(stored: bytes, body: bytes) -> bytes:
    length = struct.unpack("<I", stored[12:16])[0]
    return closed(body, b"", length=length)


OUTSIDE: list[Callable[[bytes, Random], bytes]] = [
    *(flipped, flipped_and_sealed, flipped_and_sealed, truncated, truncated_and_sealed, longer),
    *(spliced, repeated, other_version, lying_length, deep_header, wide_header, noise),
]
