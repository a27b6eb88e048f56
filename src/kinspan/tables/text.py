"""CSV and TSV files → tables; other encodings and files without text are refused."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from csv import reader
from functools import partial
from pathlib import Path
from typing import Any

from kinspan.tables.arrow import pyarrow
from kinspan.tables.paths import is_tabbed
from kinspan.tables.table import OpenTable, Part

_BLOCK = 1 << 20  # bytes; the reader of pyarrow holds a few dozen blocks
_MARKS = {  # byte order marks, the longer ones first
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_WAY_OUT = "save the file as UTF-8, for instance with `iconv -f {} -t UTF-8`"
_OTHER_ENCODING = f"It may be Latin-1 or Windows-1252: {_WAY_OUT.format('WINDOWS-1252')}"


def open_csv(path: Path, delimiter: str | None) -> OpenTable:
    """Read the header of a text file, and guess the types of its columns."""
    delimiter = delimiter or ("\t" if is_tabbed(path) else ",")
    csv = pyarrow("pyarrow.csv")
    with pyarrow().input_stream(path) as stream:
        head = stream.read(_BLOCK)
    _check_text(head)
    end = _end_of_line(head)
    if head and end < 0 and len(head) < _BLOCK:
        return _header_only(head, delimiter)
    block = max(_BLOCK, 64 * _BLOCK if end < 0 else 16 * end)  # rows may be longer than the header
    options = {
        "read_options": csv.ReadOptions(block_size=block),
        "parse_options": csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
    }
    with _naming_columns(block), csv.open_csv(path, **options) as opened:
        schema = opened.schema
    return OpenTable.of_schema(
        schema, partial(_csv_batches, path, options, schema.names), is_text=True
    )


def _header_only(head: bytes, delimiter: str) -> OpenTable:
    """A header without an end of line, which pyarrow would ignore."""
    names = next(reader([head.decode("utf-8-sig")], delimiter=delimiter))
    return OpenTable(names, dict.fromkeys(names, pyarrow().null()), [], True, lambda *_: iter(()))


def _csv_batches(
    path: Path,
    options: dict[str, Any],
    names: list[str],
    columns: list[str],
    types: dict[str, Any],
    part: Part | None,
    rows: int,
) -> Iterator[Any]:
    csv = pyarrow("pyarrow.csv")
    convert = csv.ConvertOptions(column_types=types, include_columns=columns)
    with (
        _naming_columns(options["read_options"].block_size, names),
        csv.open_csv(path, convert_options=convert, **options) as opened,
    ):
        yield from opened


@contextmanager
def _naming_columns(block: int, names: Sequence[str] = ()) -> Iterator[None]:
    """Reword errors of pyarrow so that they name columns instead of their positions."""
    try:
        yield
    except pyarrow().ArrowInvalid as error:
        raise ValueError(_reworded(str(error), block, names)) from None


def _reworded(message: str, block: int, names: Sequence[str]) -> str:
    if "straddl" in message:
        return (
            f"a row is longer than {block / 1e6:.0f} MB; probably a quote is not closed, or a cell "
            "does not belong to a table"
        )
    place = re.match(r"In CSV column #(\d+): (?:Row #\d+: )?(?:CSV conversion error to )?", message)
    if place is None or not names:
        return message
    name, problem = names[int(place[1])], message[place.end() :]
    if "UTF8" in problem:
        hint = _OTHER_ENCODING
    elif problem.startswith("double"):
        hint = "name the columns to use with features=[…], without this one"
    else:
        hint = f"its first rows looked otherwise: read it as text with as_text=[{name!r}]"
    return f"column {name!r} cannot be read as {problem}; {hint}"


def _check_text(head: bytes) -> None:
    """The beginning of a table is text, and the names of its columns are UTF-8."""
    seen = next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)
    if seen is None and b"\0" in head:
        seen = _encoding_with_zeros(head)
    if seen is not None:
        raise ValueError(f"its text is {seen}, and UTF-8 is read; {_WAY_OUT.format(seen)}")
    end = _end_of_line(head)
    names = head if end < 0 else head[:end]
    try:
        names.decode()
    except UnicodeDecodeError as error:
        if error.end == len(head) and error.reason == "unexpected end of data":
            return  # the head ends within a character
        byte = names[error.start]
        raise ValueError(
            f"the names of its columns are not UTF-8: byte 0x{byte:02x} at place {error.start}. "
            + _OTHER_ENCODING
        ) from None


def _end_of_line(head: bytes) -> int:
    """The position at which the first line ends, −1 where it does not."""
    ends = [place for place in (head.find(b"\n"), head.find(b"\r")) if place >= 0]
    return min(ends, default=-1)


def _encoding_with_zeros(head: bytes) -> str:
    """UTF-16 without a byte order mark has a zero next to every ASCII letter."""
    start = head[:1000]
    if max(start[::2].count(0), start[1::2].count(0)) > len(start) // 4:
        return "UTF-16"
    line = head[: head.index(b"\0")].count(b"\n") + 1
    raise ValueError(f"there is a zero byte in line {line}: this is not text, or a damaged file")
