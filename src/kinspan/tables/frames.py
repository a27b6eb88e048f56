"""Data frames of any library → tables of pyarrow."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import date
from numbers import Real
from pathlib import Path
from types import NoneType
from typing import Any

import narwhals as nw

from kinspan._arrays.elsewhere import refuse_lazy
from kinspan._arrays.frames import frame_of
from kinspan._rows import identifiers
from kinspan.tables.arrow import is_string, pyarrow
from kinspan.tables.chunks import Chunk, with_nulls
from kinspan.tables.dialect import Dialect
from kinspan.tables.kinds import as_in_a_file, without_empty_type
from kinspan.tables.strays import Cells
from kinspan.tables.table import OpenTable

_PLACE = Path("X")  # what errors name instead of a file


def is_frame(X: Any) -> bool:
    """Whether X has columns with names, and its rows are here."""
    refuse_lazy(X)
    return frame_of(X) is not None


def names_of_frame(X: Any) -> list[str]:
    """The names of the columns of a frame."""
    names = nw.from_native(X, eager_only=True).columns
    other = next((name for name in names if not isinstance(name, str)), None)
    if other is not None:
        raise TypeError(f"X has a column called {other!r}; names of columns are text")
    return list(names)


def chunk_of_frame(
    X: Any, wanted: list[str], dialect: Dialect, with_empty: Collection[str | None] = ()
) -> Chunk:
    """Some columns of a frame as one chunk; empty text is missing, unless a column may have it."""
    pa, frame = pyarrow(), nw.from_native(X, eager_only=True)
    columns = {}
    for name in wanted:
        column = pa.table({name: _column(frame.get_column(name), dialect)})
        columns[name] = with_nulls(column, dialect, nor_empty=name not in with_empty).column(0)
    return Chunk(_PLACE, 0, pa.table(columns), None, False)


def read_as_file(chunk: Chunk, names: Collection[str | None], dialect: Dialect) -> Chunk:
    """Columns of text as a text file has them: as numbers, dates or truth where all cells are."""
    pa, columns = pyarrow(), chunk.columns
    for place, name in enumerate(columns.column_names):
        cells = columns.column(place)
        if name in names and pa.types.is_string(cells.type):
            columns = columns.set_column(place, name, as_in_a_file(cells, dialect))
    return chunk._replace(columns=columns)


def without_empty_types(chunk: Chunk) -> Chunk:
    """Columns without any value as columns of no type: pandas gives them that of numbers."""
    columns = chunk.columns
    held = [without_empty_type(column) for column in columns.columns]
    return chunk._replace(columns=pyarrow().Table.from_arrays(held, names=columns.column_names))


def opened(chunk: Chunk) -> OpenTable:
    """A chunk as an opened table with all of its rows."""

    def stream(columns: list[str], *_: Any) -> Iterator[Any]:
        yield from chunk.columns.select(columns).to_batches()

    return OpenTable.of_schema(chunk.columns.schema.remove_metadata(), stream)


def _column(series: Any, dialect: Dialect) -> Any:
    pa = pyarrow()
    try:
        found = series.to_arrow()
    except (
        *(pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError),
        OverflowError,  # integers of more than 64 bits
    ) as error:
        found = _written(series, dialect)
        if found is None:
            raise ValueError(
                f"column {series.name!r} of X holds values of several kinds ({error}); make them "
                "all numbers, or all text"
            ) from None
    found = pa.chunked_array([found]) if isinstance(found, pa.Array) else found
    return found.cast(pa.string()) if is_string(found.type) else found


def _written(series: Any, dialect: Dialect) -> Any:
    """Values among which there is text, as spreadsheets have them, as the text of a file."""
    texts = [_text_of(value, dialect.decimal or ".") for value in series.to_list()]
    if not all(isinstance(text, (str, NoneType)) for text in texts):
        return None
    cells, found = Cells(series.name, dialect), pyarrow().chunked_array([texts], pyarrow().string())
    cells.add(found)
    return found if cells.are_values else None


def _text_of(value: Any, decimal: str) -> Any:
    """A value as a text file has it; others than text, numbers and dates are unchanged."""
    if identifiers.is_missing(value):
        return None
    if isinstance(value, Real):
        return str(value).replace(".", decimal)
    return str(value) if isinstance(value, date) else value
