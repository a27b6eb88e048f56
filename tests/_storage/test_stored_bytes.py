"""The container: what goes in comes out, and nothing else is accepted."""

from __future__ import annotations

import hashlib
import json
import struct
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kinspan import ClassMoments, StoredDataError
from tests.worlds import random_world


@pytest.fixture(scope="module")
def buffer() -> bytes:
    return ClassMoments.from_samples(*random_world(0)).to_bytes()


def forged(buffer: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    """A buffer with another header and a right checksum, as a stranger could make it."""
    length = struct.unpack("<I", buffer[12:16])[0]
    header = json.loads(buffer[48 : 48 + length])
    change(header)
    new = json.dumps(header).encode()
    body = new + buffer[48 + length :]
    return buffer[:12] + struct.pack("<I", len(new)) + hashlib.sha256(body).digest() + body


@pytest.mark.parametrize(
    ("task", "labels"),
    [
        (["a", "b"], [0, 1]),
        ([("eu", 1), ("eu", 2)], ["no", "yes"]),
        ([1, "one"], [True, False]),
        ([1.5, 2.5], [("x",), "x"]),
        (np.array(["2024-01-01", "2025-01-01"], "M8[ns]"), np.array([1, 2], "u1")),
        (["a" * 20_000, "b"], ["", "é"]),
    ],
)
def test_round_trip_with_any_ids(task: Any, labels: Any) -> None:
    moments = ClassMoments.from_samples([[1.0, 2.0], [3.0, 5.0]], labels, task)
    copy = ClassMoments.from_bytes(moments.to_bytes())
    assert copy.tasks.tolist() == moments.tasks.tolist()
    assert copy.classes.tolist() == moments.classes.tolist()
    assert copy.tasks.dtype == moments.tasks.dtype
    for name in ("counts", "means", "squares"):
        np.testing.assert_array_equal(getattr(copy, name), getattr(moments, name))
    assert copy.to_bytes() == moments.to_bytes()


def test_one_long_id_does_not_make_room_for_all(buffer: bytes) -> None:
    ids = [f"{i:05d}" for i in range(300)] + ["z" * 100_000]
    moments = ClassMoments.from_samples(np.ones((301, 1)), np.zeros(301), ids)
    stored = moments.to_bytes()
    tracemalloc.start()
    copy = ClassMoments.from_bytes(stored)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert copy.tasks.tolist() == moments.tasks.tolist()
    assert peak < 20 * len(stored)


def test_ids_that_cannot_be_stored_are_named() -> None:
    moments = ClassMoments.from_samples([[1.0], [2.0]], [0, 1], [frozenset("a"), frozenset("b")])
    with pytest.raises(TypeError, match=r"frozenset.*cannot be stored; use strings"):
        moments.to_bytes()


@pytest.mark.parametrize("length", [0, 7, 8, 47, 48, 200, -1])
def test_truncated_buffers(buffer: bytes, length: int) -> None:
    with pytest.raises(StoredDataError):
        ClassMoments.from_bytes(buffer[:length])


def test_every_changed_byte_is_noticed(buffer: bytes) -> None:
    for position in np.random.default_rng(0).choice(len(buffer), 300, replace=False):
        changed = bytearray(buffer)
        changed[position] ^= 1 + position % 255
        with pytest.raises(StoredDataError):
            ClassMoments.from_bytes(changed)


def test_foreign_and_newer_data_say_what_they_are(buffer: bytes) -> None:
    with pytest.raises(StoredDataError, match="not kinspan data"):
        ClassMoments.from_bytes(b"PK\x03\x04" + bytes(100))
    with pytest.raises(StoredDataError, match="newer kinspan"):
        ClassMoments.from_bytes(buffer[:8] + struct.pack("<I", 4) + buffer[12:])
    with pytest.raises(StoredDataError, match="'other', not 'class-moments'"):
        ClassMoments.from_bytes(forged(buffer, lambda header: header.update(kind="other")))


HOSTILE: dict[str, Callable[[dict[str, Any]], None]] = {
    "huge shape": lambda h: h["arrays"][0].update(shape=[2**40, 2**20]),
    "negative shape": lambda h: h["arrays"][0].update(shape=[-1, -12]),
    "fractional shape": lambda h: h["arrays"][0].update(shape=[1.5, 8]),
    "huge product of shapes": lambda h: h["arrays"][0].update(shape=[0, 2**62, 2**62]),
    "object dtype": lambda h: h["arrays"][0].update(dtype="|O"),
    "missing array": lambda h: h["arrays"].pop(),
    "renamed array": lambda h: h["arrays"][0].update(name="else"),
    "huge ids": lambda h: h["meta"]["tasks"].update(dtype="<U1000000000"),
    "other ids": lambda h: h["meta"]["tasks"].update(dtype="<m8[ns]"),
    "ids of no dtype": lambda h: h["meta"]["tasks"].update(dtype=17),
    "too few ids": lambda h: h["meta"]["tasks"].update(values=[1]),
    "repeated ids": lambda h: h["meta"]["tasks"].update(values=[1] * 4),
    "ids that are objects": lambda h: h["meta"]["tasks"].update(values=[{}] * 4),
    "huge integer id": lambda h: h["meta"]["tasks"].update(values=[1, 2, 3, 10**30]),
    "ids out of order": lambda h: h["meta"]["tasks"]["values"].reverse(),
    "ids that are no times": lambda h: h["meta"]["tasks"].update(dtype="<M8[D]"),
    "no meta": lambda h: h.pop("meta"),
    "list for meta": lambda h: h.update(meta=[1]),
    "arrays of text": lambda h: h.update(arrays="arrays"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_headers_allocate_nothing_large(buffer: bytes, name: str) -> None:
    hostile = forged(buffer, HOSTILE[name])
    tracemalloc.start()
    try:
        with pytest.raises(StoredDataError):
            ClassMoments.from_bytes(hostile)
        assert tracemalloc.get_traced_memory()[1] < 1e6
    finally:
        tracemalloc.stop()


def test_impossible_moments_are_refused() -> None:
    moments = ClassMoments.from_samples([[1.0], [2.0]], [0, 1])
    for name, value in [("counts", -1.0), ("squares", -1.0), ("means", np.nan)]:
        broken = ClassMoments.from_bytes(moments.to_bytes())
        getattr(broken, name)[0, 0] = value
        with pytest.raises(StoredDataError, match="not the moments of any samples"):
            ClassMoments.from_bytes(broken.to_bytes())
