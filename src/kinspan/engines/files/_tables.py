"""Files with named columns: what they hold, and their rows as a stream of pyarrow batches."""

from __future__ import annotations

import mmap
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from csv import reader
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from kinspan.engines.files._arrow import pyarrow
from kinspan.engines.files._paths import format_of, is_tabbed
from kinspan.engines.files._request import Request
from kinspan.engines.files._text import check_text, end_of_line, other_encoding, told

_CSV_BLOCK = 1 << 20  # the reader holds a few dozen of them
_COLUMN_BUFFER = 1 << 16  # bytes of a column of Parquet that are held: row groups may be gigabytes


class Part(NamedTuple):
    """Some of the row groups of a Parquet file, or of the rows of a matrix."""

    start: int
    stop: int
    first_row: int


Stream = Callable[[list[str], dict[str, Any], Part | None, int], Iterator[Any]]


class Table(NamedTuple):
    """An opened file; nothing but its head was read."""

    names: list[str]  # columns, in the order of the file
    types: dict[str, Any]  # their pyarrow types; in a text file what the first rows look like
    aside: list[str]  # columns that are no data, such as the index of pandas
    is_text: bool  # whether types are only guesses
    stream: Stream  # columns, types for text files, part, rows → record batches


def open_table(path: Path, request: Request) -> Table:
    """The head of a file."""
    kind = format_of(path)
    if kind == "csv":
        return _open_csv(path, request.delimiter)
    return _open_parquet(path) if kind == "parquet" else _open_arrow(path)


def _parquet(path: Path) -> Any:
    return pyarrow("pyarrow.parquet").ParquetFile(
        path, pre_buffer=False, buffer_size=_COLUMN_BUFFER
    )


def _open_parquet(path: Path) -> Table:
    with _parquet(path) as file:
        schema = file.schema_arrow
    return Table(
        schema.names, _types(schema), _index_columns(schema), False, partial(_of_parquet, path)
    )


def _types(schema: Any) -> dict[str, Any]:
    return dict(zip(schema.names, schema.types, strict=True))


def _index_columns(schema: Any) -> list[str]:
    described = schema.pandas_metadata or {}
    return [name for name in described.get("index_columns", []) if isinstance(name, str)]


def _of_parquet(
    path: Path, columns: list[str], types: dict[str, Any], part: Part | None, rows: int
) -> Iterator[Any]:
    with _parquet(path) as file:
        groups = range(file.num_row_groups) if part is None else range(part.start, part.stop)
        yield from file.iter_batches(rows, row_groups=list(groups), columns=columns)


def parquet_parts(path: Path, n_parts: int) -> list[Part]:
    """Row groups, cut into parts of about as many."""
    with _parquet(path) as file:
        meta = file.metadata
        rows = [meta.row_group(i).num_rows for i in range(meta.num_row_groups)]
    cuts = sorted({len(rows) * i // n_parts for i in range(n_parts + 1)})
    return [Part(a, b, sum(rows[:a])) for a, b in pairwise(cuts)]


def parquet_rows(path: Path) -> int:
    """The number of rows."""
    with _parquet(path) as file:
        return int(file.metadata.num_rows)


def _open_arrow(path: Path) -> Table:
    schema = _arrow_reader(path)[0].schema
    return Table(
        schema.names, _types(schema), _index_columns(schema), False, partial(_of_arrow, path)
    )


def _arrow_reader(path: Path) -> tuple[Any, mmap.mmap]:
    """A reader of a file or of a stream in a file, and the memory map that it reads."""
    ipc = pyarrow("pyarrow.ipc")
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    read = ipc.open_file if mapped[:6] == b"ARROW1" else ipc.open_stream
    return read(pyarrow().py_buffer(mapped)), mapped


def _of_arrow(
    path: Path, columns: list[str], types: dict[str, Any], part: Part | None, rows: int
) -> Iterator[Any]:
    opened, mapped = _arrow_reader(path)
    if hasattr(opened, "num_record_batches"):
        opened = map(opened.get_batch, range(opened.num_record_batches))
    for batch in opened:
        chosen = batch.select(columns)
        del batch  # which may be large, and the next one is as large
        for start in range(0, chosen.num_rows, rows):
            some = chosen.slice(start, rows)
            some.validate(full=True)  # places in a damaged file may lie outside of it
            yield some
            if hasattr(mmap, "MADV_DONTNEED"):  # pages that were read would stay in memory
                mapped.madvise(mmap.MADV_DONTNEED)
        del chosen


def _open_csv(path: Path, delimiter: str | None) -> Table:
    delimiter = delimiter or ("\t" if is_tabbed(path) else ",")
    csv = pyarrow("pyarrow.csv")
    with pyarrow().input_stream(path) as stream:
        head = stream.read(_CSV_BLOCK)
    check_text(head)
    if head and end_of_line(head) < 0 and len(head) < _CSV_BLOCK:
        return _header_only(head, delimiter)
    options = _csv_options(csv, head, delimiter)
    with _naming_columns(options), csv.open_csv(path, **options) as opened:
        schema = opened.schema
    stream = partial(_of_csv, path, options, schema.names)
    return Table(schema.names, _types(schema), [""], True, stream)


def _header_only(head: bytes, delimiter: str) -> Table:
    """A header without the end of its line, which pyarrow takes for nothing."""
    names = next(reader([head.decode("utf-8-sig")], delimiter=delimiter))
    return Table(names, dict.fromkeys(names, pyarrow().null()), [], True, lambda *_: iter(()))


def _csv_options(csv: Any, head: bytes, delimiter: str) -> dict[str, Any]:
    """Blocks that hold rows of several times the length of the header."""
    end = end_of_line(head)
    block = max(_CSV_BLOCK, 64 * _CSV_BLOCK if end < 0 else 16 * end)
    return {
        "read_options": csv.ReadOptions(block_size=block),
        "parse_options": csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
    }


def _of_csv(
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
        _naming_columns(options, names),
        csv.open_csv(path, convert_options=convert, **options) as opened,
    ):
        yield from opened


@contextmanager
def _naming_columns(options: dict[str, Any], names: Sequence[str] = ()) -> Iterator[None]:
    """What pyarrow says of a text file, in words about the file."""
    try:
        yield
    except pyarrow().ArrowInvalid as error:
        message = told(str(error), options["read_options"].block_size)
        raise ValueError(_with_names(message, names)) from None


def _with_names(message: str, names: Sequence[str]) -> str:
    """The message of pyarrow with the names of columns instead of their places."""
    place = re.match(r"In CSV column #(\d+): (?:Row #\d+: )?(?:CSV conversion error to )?", message)
    if place is None or not names:
        return message
    name, problem = names[int(place[1])], message[place.end() :]
    if "UTF8" in problem:
        hint = other_encoding()
    elif problem.startswith("double"):
        hint = "name the columns to use with features=[…], without this one"
    else:
        hint = f"its first rows looked otherwise: read it as text with as_text=[{name!r}]"
    return f"column {name!r} cannot be read as {problem}; {hint}"
