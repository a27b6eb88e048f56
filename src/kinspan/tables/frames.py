"""Data frames of any library → tables of pyarrow."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import narwhals as nw

from kinspan.tables.arrow import pyarrow
from kinspan.tables.chunks import Chunk, with_nulls
from kinspan.tables.dialect import Dialect, as_numbers, is_number, no_numbers
from kinspan.tables.table import OpenTable

_PLACE = Path("X")  # what errors name instead of a file


def is_frame(X: Any) -> bool:
    """Whether X has columns with names, and its rows are here."""
    return isinstance(nw.from_native(X, eager_only=True, pass_through=True), nw.DataFrame)


def names_of_frame(X: Any) -> list[str]:
    """The names of the columns of a frame."""
    names = nw.from_native(X, eager_only=True).columns
    other = next((name for name in names if not isinstance(name, str)), None)
    if other is not None:
        raise TypeError(f"X has a column called {other!r}; names of columns are text")
    return list(names)


def chunk_of_frame(X: Any, wanted: list[str], dialect: Dialect) -> Chunk:
    """Some columns of a frame as one chunk."""
    pa, frame = pyarrow(), nw.from_native(X, eager_only=True)
    columns = pa.table({name: _column(frame.get_column(name), name) for name in wanted})
    no_text = pa.array(list(dialect.missing_values or ()), pa.string())
    return Chunk(_PLACE, 0, with_nulls(columns, no_text) if len(no_text) else columns, None, False)


def with_numbers(chunk: Chunk, names: Collection[str], dialect: Dialect) -> Chunk:
    """Columns of text of which all cells are numbers, as a text file writes them, as numbers."""
    pa, compute, columns = pyarrow(), pyarrow("pyarrow.compute"), chunk.columns
    none = pa.scalar(None, pa.string())
    for place, name in enumerate(columns.column_names):
        cells = columns.column(place)
        if name not in names or not pa.types.is_string(cells.type):
            continue
        held = compute.if_else(compute.is_in(cells, no_numbers(dialect)), none, cells)
        if compute.all(is_number(held, dialect)).as_py():
            columns = columns.set_column(place, name, as_numbers(held, dialect))
    return chunk._replace(columns=columns)


def opened(chunk: Chunk) -> OpenTable:
    """A chunk as an opened table with all of its rows."""

    def stream(columns: list[str], *_: Any) -> Iterator[Any]:
        yield from chunk.columns.select(columns).to_batches()

    return OpenTable.of_schema(chunk.columns.schema.remove_metadata(), stream)


def _column(series: Any, name: str) -> Any:
    pa = pyarrow()
    try:
        found = series.to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        raise ValueError(
            f"column {name!r} of X holds values of several kinds ({error}); make them all numbers, "
            "or all text"
        ) from None
    found = pa.chunked_array([found]) if isinstance(found, pa.Array) else found
    is_other_text = pa.types.is_large_string(found.type) or pa.types.is_string_view(found.type)
    return found.cast(pa.string()) if is_other_text else found
