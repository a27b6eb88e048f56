"""An opened file with named columns: their types, and its rows as a stream of record batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple


class Part(NamedTuple):
    """Some of the row groups of a Parquet file, or of the rows of a matrix."""

    start: int
    stop: int
    first_row: int


Stream = Callable[[list[str], dict[str, Any], Part | None, int], Iterator[Any]]


class OpenTable(NamedTuple):
    """An opened file, of which only the header was read."""

    names: list[str]  # columns, in the order of the file
    types: dict[str, Any]  # their pyarrow types; in a text file what the first rows look like
    index_columns: list[str]  # columns that hold no data, such as the index of pandas
    is_text: bool  # whether types are only guesses
    stream: Stream  # columns, types for text files, part, rows → record batches

    @classmethod
    def of_schema(cls, schema: Any, stream: Stream, *, is_text: bool = False) -> OpenTable:
        """A table with the columns of a pyarrow schema."""
        described = (schema.pandas_metadata or {}).get("index_columns", [])
        index = [""] if is_text else [name for name in described if isinstance(name, str)]
        types = dict(zip(schema.names, schema.types, strict=True))
        return cls(schema.names, types, index, is_text, stream)
