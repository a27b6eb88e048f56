"""A file and a request → chunks: some rows of the requested columns at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kinspan.tables.arrow import is_number, is_string, pyarrow
from kinspan.tables.binary import open_arrow, open_parquet
from kinspan.tables.dialect import Dialect, present
from kinspan.tables.layout import FileLayout, check_agrees, text_types
from kinspan.tables.paths import format_of
from kinspan.tables.request import Request
from kinspan.tables.table import OpenTable, Part
from kinspan.tables.text import open_csv

_LONG_LIST = 1024


class Chunk(NamedTuple):
    """Some rows of a file."""

    path: Path
    first_row: int  # the position of the first row in its file, from 0
    columns: Any  # pyarrow table of the requested columns
    unchanged: Any  # pyarrow table of all columns, text files as written; None unless requested
    is_text: bool  # whether it comes from a text file


def open_table(path: Path, dialect: Dialect) -> OpenTable:
    """Read the header of a file."""
    kind = format_of(path)
    if kind == "csv":
        return open_csv(path, dialect)
    return open_parquet(path) if kind == "parquet" else open_arrow(path)


def chunks(
    path: Path,
    request: Request,
    layout: FileLayout,
    *,
    part: Part | None = None,
    texts: Sequence[str] = (),
    n_features: int | None = None,
    unchanged: bool = False,
) -> Iterator[Chunk]:
    """Rows of a file in their order: its features, text columns and columns with a role.

    Text columns become `n_features` features together with the others. `unchanged` adds all
    columns of the file.
    """
    table = open_table(path, request.dialect)
    check_agrees(layout, table, request, texts)
    features = [str(request.features)] if layout.features is None else layout.features
    width = len(table.names) if unchanged else n_features
    at_once = request.rows_at_once(width or _width(table, request, layout))
    pa = pyarrow()
    names = list(dict.fromkeys([*features, *texts, *request.columns().values()]))
    types = {**text_types(layout, table, request), **dict.fromkeys(texts, pa.string())}

    def stream(columns: list[str], types: dict[str, Any]) -> Iterator[Any]:
        return _regrouped(table.stream(columns, types, part, at_once), at_once)

    pairs: Iterator[tuple[Any, Any]]
    if not unchanged:
        pairs = ((columns, None) for columns in stream(names, types))
    elif table.is_text:  # as text, 007 stays 007
        as_written = stream(table.names, dict.fromkeys(table.names, pa.string()))
        pairs = zip(stream(names, types), as_written, strict=True)
    else:
        pairs = ((columns, columns) for columns in stream(table.names, {}))
    first_row = 0 if part is None else part.first_row
    for columns, everything in pairs:
        wanted = with_nulls(columns, request.dialect, nor_empty=table.is_text)
        yield Chunk(path, first_row, wanted, everything, table.is_text)
        first_row += columns.num_rows


def _width(table: OpenTable, request: Request, layout: FileLayout) -> int:
    """The number of features; lists of variable length are taken for long ones."""
    if layout.features is not None:
        return len(layout.features)
    return int(getattr(table.types[str(request.features)], "list_size", _LONG_LIST))


def with_nulls(columns: Any, dialect: Dialect, *, nor_empty: bool) -> Any:
    """Columns in which texts and numbers that stand for a missing value are null.

    `nor_empty`: and empty text.
    """
    pa, compute = pyarrow(), pyarrow("pyarrow.compute")
    nothing = pa.array([*([""] * nor_empty), *(dialect.missing_values or ())], pa.string())
    held = list[Any]()
    for column in columns.columns:
        if is_string(column.type):
            texts = column.cast(pa.string())  # few functions know views of text
            none = pa.scalar(None, pa.string())
            held.append(compute.if_else(compute.is_in(texts, nothing), none, texts))
        elif is_number(column.type) and not pa.types.is_boolean(column.type):
            held.append(present(column, dialect))
        else:
            held.append(column)
    return pa.Table.from_arrays(held, names=columns.column_names)


def _regrouped(batches: Iterable[Any], rows: int) -> Iterator[Any]:
    """The same rows in tables of equally many rows, except for the last."""
    join = pyarrow().Table.from_batches
    held: list[Any] = []
    n_held = 0
    for batch in batches:
        start = 0
        while n_held + batch.num_rows - start >= rows:
            taken = rows - n_held
            yield join([*held, batch.slice(start, taken)])
            start, held, n_held = start + taken, [], 0
        if start < batch.num_rows:
            held.append(batch.slice(start))
            n_held += batch.num_rows - start
    if held:
        yield join(held)
