"""Tables that something is wrong with, and what is said of them."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.engines.small_tables import parquet

pa = pytest.importorskip("pyarrow")

ROWS = [(i, i % 7, "uv"[i % 2], i // 2 % 2) for i in range(20)]
GOOD = "a,b,t,y\n" + "".join(f"{a},{b},{t},{y}\n" for a, b, t, y in ROWS)
LONG = "u" * 50_000_000


class Bad(NamedTuple):
    """A table, and the words that files and the command line find for it."""

    name: str
    write: Callable[[Path], Any]
    said: str  # a pattern

    def __repr__(self) -> str:  # shown by pytest
        return self.name


def text(name: str, content: str | bytes, said: str) -> Bad:
    data = content if isinstance(content, bytes) else content.encode()
    return Bad(f"{name}.csv", lambda path: path.write_bytes(data), said)


def columns(name: str, said: str, **changed: Any) -> Bad:
    return Bad(f"{name}.parquet", lambda path: parquet(path, **changed), said)


def damaged(name: str, damage: Callable[[bytearray], Any], said: str) -> Bad:
    def write(path: Path) -> None:
        parquet(path)
        data = bytearray(path.read_bytes())
        damage(data)
        path.write_bytes(data)

    return Bad(f"{name}.parquet", write, said)


def _scramble(data: bytearray, start: int, stop: int) -> None:
    for place in range(start, stop):
        data[place] ^= 0x5A


UTF_16 = "its text is UTF-16, and UTF-8 is read; use encoding='UTF-16'"
TEXTS = [
    text("utf-16", GOOD.encode("utf-16"), UTF_16),
    text("utf-16 big", b"\xfe\xff" + GOOD.encode("utf-16-be"), UTF_16),
    text("utf-16 without mark", GOOD.encode("utf-16-le"), UTF_16),
    text("utf-32", GOOD.encode("utf-32"), "its text is UTF-32, .*; use encoding='UTF-32'"),
    text(
        "latin-1",
        GOOD.replace("u", "ü").encode("latin-1"),
        "column 't' cannot be read .*UTF8.*Latin-1 or Windows-1252: use encoding='WINDOWS-1252'",
    ),
    text(
        "latin-1 names",
        GOOD.replace("a,b", "größe,b", 1).encode("latin-1"),
        r"names of its columns are not UTF-8: byte 0xf6 at place 2\. It may be Latin-1",
    ),
    text("zero bytes", GOOD + "1\0,2,u,0\n", "there is a zero byte in line 22: this is not text"),
    text("zero in name", "\0" + GOOD, "there is a zero byte in line 1"),
    text("short row", GOOD + "1,2\n", "Expected 4 columns, got 2"),
    text("long row", GOOD + "1,2,u,0,5\n", "Expected 4 columns, got 5"),
    text("open quote", GOOD + '1,2,"u,0\n3,4,v,1\n', "Expected 4 columns, got 3"),
    text("long cell", f"{GOOD}1,2,{LONG},0\n", "a row is longer than 1 MB; probably a quote is"),
    text("long first", f"a,b,t,y\n1,2,{LONG},0\n", "a row is longer than 1 MB; probably a quote"),
    text("blank lines", "\n\n\n", "Empty CSV file"),
    text("repeated name", GOOD.replace("a,b", "a,a", 1), "column 'a' occurs 2 times"),
]
FILES = [
    columns("list of ids", "column 't' holds list<.*cannot be ids", t=[[1], [2]] * 10),
    columns("struct of ids", "column 't' holds struct<.*cannot be ids", t=[{"x": 1}] * 20),
    columns(
        "decimal ids",
        "column 'y' holds decimal128.*cannot be ids",
        y=[decimal.Decimal("1.5"), decimal.Decimal("2.5")] * 10,
    ),
    columns("time ids", "column 't' holds time64", t=[datetime.time(1), datetime.time(2)] * 10),
    columns("null ids", "column 't' is missing in row", t=["u", None] * 10),
    damaged("footer", lambda d: _scramble(d, len(d) - 60, len(d) - 8), "thrift"),
    damaged("pages", lambda d: _scramble(d, 4, 200), "thrift|page|decompress"),
    damaged("footer length", lambda d: d.__setitem__(slice(-8, -4), b"\xff\xff\xff\x7f"), "footer"),
    damaged("half", lambda d: d.__delitem__(slice(len(d) // 2, None)), "magic bytes"),
    Bad("torn.csv.gz", lambda path: path.write_bytes(b"\x1f\x8b\x08\0torn"), "zlib|compressed"),
    Bad("torn.csv.bz2", lambda path: path.write_bytes(b"BZh9torn"), "bz2"),
]
