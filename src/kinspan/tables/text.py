"""CSV and TSV files → tables; other encodings and files without text are refused."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from csv import reader
from functools import partial
from pathlib import Path
from typing import Any

from kinspan.tables.arrow import pyarrow
from kinspan.tables.dialect import Dialect, as_numbers, is_number, no_numbers, other_delimiter
from kinspan.tables.paths import delimiter_of
from kinspan.tables.table import OpenTable, Part

_BLOCK = 1 << 20  # bytes; the reader of pyarrow holds a few dozen blocks
_MARKS = {  # byte order marks, the longer ones first
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_NO_TEXT = {  # how other files begin
    b"PK\x03\x04": "a spreadsheet or a zip archive: save the table as CSV",
    b"\xd0\xcf\x11\xe0": "a spreadsheet: save the table as CSV",
    b"\x1f\x8b": "compressed with gzip: its name should end in .csv.gz",
    b"PAR1": "Parquet: its name should end in .parquet",
    b"ARROW1": "Arrow or Feather: its name should end in .arrow or .feather",
}
_SHOWN = 40  # characters of a line
_WAY_OUT = "use encoding={!r}"
_OTHER_ENCODING = f"It may be Latin-1 or Windows-1252: {_WAY_OUT.format('WINDOWS-1252')}"


def open_csv(path: Path, dialect: Dialect) -> OpenTable:
    """Read the header of a text file, and guess the types of its columns."""
    delimiter = dialect.delimiter or delimiter_of(path)
    csv = pyarrow("pyarrow.csv")
    with pyarrow().input_stream(path) as stream:
        head = _in_utf8(stream.read(_BLOCK), dialect)
    _check_text(head)
    end = _end_of_line(head)
    if head and end < 0 and len(head) < _BLOCK:
        return _header_only(head, delimiter)
    block = max(_BLOCK, 64 * _BLOCK if end < 0 else 16 * end)  # rows may be longer than the header
    options = {
        "read_options": csv.ReadOptions(block_size=block, encoding=dialect.encoding or "utf8"),
        "parse_options": csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
    }
    convert = csv.ConvertOptions(**_conversion(dialect))
    with (
        _naming_columns(block, dialect, head=head[: end + _BLOCK // 16].decode(errors="replace")),
        csv.open_csv(path, convert_options=convert, **options) as opened,
    ):
        schema = opened.schema
        if dialect.thousands is not None:
            schema = _with_thousands(schema, next(iter(opened), None), dialect)
    stream_of = partial(_csv_batches, path, options, schema.names, dialect)
    return OpenTable.of_schema(schema, stream_of, is_text=True)


def _conversion(dialect: Dialect) -> dict[str, Any]:
    """How pyarrow tells numbers from text; it does not know marks between thousands."""
    missing = no_numbers(dialect).to_pylist()
    return {"decimal_point": dialect.decimal or ".", "null_values": missing}


def _with_thousands(schema: Any, first: Any, dialect: Dialect) -> Any:
    """The types of columns, numbers where all cells of the first rows are."""
    pa, compute = pyarrow(), pyarrow("pyarrow.compute")
    for i, field in enumerate(schema):
        if first is None or not pa.types.is_string(field.type):
            continue
        cells = _held(first.column(i), dialect)
        if len(cells) and compute.all(is_number(cells, dialect)).as_py():
            schema = schema.set(i, field.with_type(pa.float64()))
    return schema


def _held(cells: Any, dialect: Dialect) -> Any:
    """Cells that stand for no missing number."""
    compute = pyarrow("pyarrow.compute")
    missing = compute.is_in(cells, no_numbers(dialect))
    return cells.filter(compute.invert(missing))


def _header_only(head: bytes, delimiter: str) -> OpenTable:
    """A header without an end of line, which pyarrow would ignore."""
    names = next(reader([head.decode("utf-8-sig")], delimiter=delimiter))
    return OpenTable(names, dict.fromkeys(names, pyarrow().null()), [], True, lambda *_: iter(()))


def _csv_batches(
    path: Path,
    options: dict[str, Any],
    names: list[str],
    dialect: Dialect,
    columns: list[str],
    types: dict[str, Any],
    part: Part | None,
    rows: int,
) -> Iterator[Any]:
    pa, csv = pyarrow(), pyarrow("pyarrow.csv")
    separated = [name for name, kind in types.items() if pa.types.is_float64(kind)]
    if dialect.thousands is not None:
        types = {**types, **dict.fromkeys(separated, pa.string())}
    convert = csv.ConvertOptions(
        column_types=types, include_columns=columns, **_conversion(dialect)
    )
    with (
        _naming_columns(options["read_options"].block_size, dialect, names),
        csv.open_csv(path, convert_options=convert, **options) as opened,
    ):
        if dialect.thousands is None:
            yield from opened
        else:
            yield from (_with_numbers(batch, separated, dialect) for batch in opened)


def _with_numbers(batch: Any, names: Sequence[str], dialect: Dialect) -> Any:
    """A batch whose cells are text, with some columns as numbers."""
    compute, pa = pyarrow("pyarrow.compute"), pyarrow()
    missing = no_numbers(dialect)
    for name in names:
        cells = batch.column(name)
        cells = compute.if_else(compute.is_in(cells, missing), pa.scalar(None, pa.string()), cells)
        strays = cells.filter(compute.invert(is_number(cells, dialect)))
        if len(strays):
            raise ValueError(_not_numbers(name, f"double: invalid value {strays[0].as_py()!r}"))
        place = batch.schema.get_field_index(name)
        batch = batch.set_column(place, name, as_numbers(cells, dialect))
    return batch


@contextmanager
def _naming_columns(
    block: int, dialect: Dialect, names: Sequence[str] = (), head: str = ""
) -> Iterator[None]:
    """Reword errors of pyarrow so that they name columns instead of their positions."""
    try:
        yield
    except UnicodeError as error:
        raise ValueError(_other_encoding(dialect, error)) from None
    except pyarrow().ArrowInvalid as error:
        message = _reworded(str(error), block, names)
        raise ValueError(message + _about_header(message, head)) from None


def _about_header(message: str, head: str) -> str:
    """What is wrong with the first line where the second has more columns.

    Whether messages have the number of a row depends on how many threads pyarrow has.
    """
    first, second = [*(line for line in head.splitlines() if line.strip()), "", ""][:2]
    delimiter = other_delimiter(first) if "Expected 1 columns" in message else ""
    expected = re.search(r"Expected (\d+) columns, got (\d+): (.*)", message)
    if delimiter or expected is None or int(expected[1]) > int(expected[2]):
        return delimiter
    if second[:_SHOWN] != expected[3][:_SHOWN]:
        return ""
    shown = first.strip()[:_SHOWN]
    return f". Does the first line name the columns? It is {shown!r}: remove such lines"


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
    elif problem.startswith(("double", "bool")):
        return _not_numbers(name, problem)
    else:
        hint = f"its first rows looked otherwise: read it as text with as_text=[{name!r}]"
    return f"column {name!r} cannot be read as {problem}; {hint}"


def refuse_other_encoding(table: OpenTable, names: Sequence[str]) -> None:
    """Columns of a text file that are no text in UTF-8, for which pyarrow keeps the bytes."""
    for name in names:
        if table.is_text and pyarrow().types.is_binary(table.types[name]):
            raise ValueError(f"column {name!r} is not UTF-8. {_OTHER_ENCODING}")


def _not_numbers(name: str, problem: str) -> str:
    hint = "name the columns to use with features=[…], without this one"
    return f"column {name!r} cannot be read as {problem}; {hint}"


def _in_utf8(head: bytes, dialect: Dialect) -> bytes:
    """The beginning of a file in UTF-8; it may end within a character."""
    if dialect.encoding is None:
        return head
    if _is_mistaken(head, dialect.encoding):
        raise ValueError(
            f"its text is UTF-8, and {dialect.encoding} is read; {_WAY_OUT.format('UTF-8')}"
        )
    try:
        return getincrementaldecoder(dialect.encoding)().decode(head).encode()
    except UnicodeError as error:
        raise ValueError(_other_encoding(dialect, error)) from None


def _is_mistaken(head: bytes, encoding: str) -> bool:
    """Whether text is UTF-8, and would be two or more wrong characters for every one beyond ASCII.

    In encodings with a byte per character nobody writes such pairs alone: Ã¶ for ö.
    """
    try:
        return (
            len("ö".encode().decode(encoding)) == 2
            and not head.isascii()
            and bool(getincrementaldecoder("utf-8")().decode(head))
        )
    except UnicodeError:
        return False


def _other_encoding(dialect: Dialect, error: UnicodeError) -> str:
    return f"its text is not {dialect.encoding}: {error}; name another with encoding='…'"


def _check_text(head: bytes) -> None:
    """The beginning of a table is text, and the names of its columns are UTF-8."""
    for mark, what in _NO_TEXT.items():  # a column may be called PAR1
        if head.startswith(mark) and (b"\0" in head or not mark.isalnum()):
            raise ValueError(f"it is no text, but {what}")
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
