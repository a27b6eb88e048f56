"""Tables of pyarrow → CSV, TSV, Parquet or Arrow."""

from __future__ import annotations

import csv
import io
import re
from codecs import getincrementalencoder
from pathlib import Path
from typing import Any, Protocol

from kinspan.tables.arrow import pyarrow
from kinspan.tables.dialect import Dialect, is_number
from kinspan.tables.paths import delimiter_of, format_of


class Writer(Protocol):
    """Takes tables of pyarrow, one after another."""

    def write(self, table: Any) -> None:
        """Write rows."""

    def close(self) -> None:
        """Finish the file."""


def open_writer(place: Path, named: Path, dialect: Dialect) -> Writer:
    """A writer to a place, in the format of another name; text is written as the dialect says."""
    kind = format_of(named)
    if kind == "parquet":
        return _Binary(lambda schema: pyarrow("pyarrow.parquet").ParquetWriter(place, schema))
    if kind == "arrow":
        return _Binary(lambda schema: pyarrow("pyarrow.ipc").new_file(place, schema))
    codec = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}.get(named.suffix.lower())
    stream = pyarrow().output_stream(place, compression=codec)
    return csv_writer(stream, dialect, delimiter_of(named))


def csv_writer(stream: Any, dialect: Dialect, delimiter: str = ",") -> Writer:
    """A writer of text to a stream of bytes; the delimiter is for dialects that have none."""
    return _Text(stream, dialect._replace(delimiter=dialect.delimiter or delimiter))


class _Binary:
    """Parquet and Arrow: the first rows determine the types of columns."""

    def __init__(self, opened: Any) -> None:
        self._open = opened
        self._writer: Any = None
        self._schema: Any = None

    def write(self, table: Any) -> None:
        if self._writer is None:
            self._schema = table.schema.remove_metadata()
            self._writer = self._open(self._schema)
        self._writer.write_table(self._as_first(table))

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()

    def _as_first(self, table: Any) -> Any:
        for name, kind in zip(self._schema.names, self._schema.types, strict=True):
            try:
                table.column(name).cast(kind)
            except (pyarrow().ArrowInvalid, pyarrow().ArrowNotImplementedError):
                found = table.column(name).type
                raise ValueError(
                    f"column {name!r} is {kind} in the first rows and {found} later; write a .csv"
                ) from None
        return table.cast(self._schema)


class _Text:
    """CSV and TSV, with quotes only where they are needed; pyarrow would quote all text."""

    def __init__(self, stream: Any, dialect: Dialect) -> None:
        self._stream, self._is_new = stream, True
        self._delimiter, self._decimal = dialect.delimiter or ",", dialect.decimal
        self._encoding = dialect.encoding or "utf-8"
        self._encode = getincrementalencoder(self._encoding)().encode  # one mark of byte order

    def write(self, table: Any) -> None:
        if self._is_new:
            line = io.StringIO()
            csv.writer(line, delimiter=self._delimiter, lineterminator="\n").writerow(
                table.column_names
            )
            self._write(line.getvalue())
            self._is_new = False
        if table.num_rows:
            cells = [_cells(column, self._delimiter, self._decimal) for column in table.columns]
            lines = pyarrow("pyarrow.compute").binary_join_element_wise(*cells, self._delimiter)
            self._write("\n".join(lines.to_pylist()) + "\n")

    def _write(self, text: str) -> None:
        try:
            self._stream.write(self._encode(text))
        except UnicodeEncodeError as error:
            lost = text[error.start : error.end]
            raise ValueError(
                f"{lost!r} cannot be written in the encoding of the table, {self._encoding}; write "
                "a .parquet"
            ) from None

    def close(self) -> None:
        self._stream.close()


def without_formulas(column: Any) -> Any:
    """Text that a spreadsheet would run as a formula, with an apostrophe before it.

    Names of classes come with a model, which may come from anywhere; a number is no formula.
    """
    pa, compute = pyarrow(), pyarrow("pyarrow.compute")
    if not pa.types.is_string(column.type):
        return column
    is_formula = compute.and_(
        compute.match_substring_regex(column, r"^[=+\-@\t\r\n＝＋－＠]"),
        compute.invert(is_number(compute.utf8_ltrim(column, "+"), Dialect())),
    )
    marked = compute.binary_join_element_wise(pa.scalar("'"), column, "")
    return compute.if_else(is_formula, marked, column)


def _cells(column: Any, delimiter: str, decimal: str | None) -> Any:
    """A column as the text of its cells."""
    pa, compute = pyarrow(), pyarrow("pyarrow.compute")
    try:
        cells = column.cast(pa.string()).combine_chunks().fill_null("")
        if decimal is not None and pa.types.is_floating(column.type):
            cells = compute.replace_substring(cells, ".", decimal)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise ValueError(
            f"a column of {column.type} cannot be written as text; write a .parquet"
        ) from None
    special = compute.match_substring_regex(cells, f'["\r\n{re.escape(delimiter)}]')
    if not compute.any(special).as_py():
        return cells
    quotes = pa.scalar('"')
    doubled = compute.replace_substring(cells, '"', '""')
    quoted = compute.binary_join_element_wise(quotes, doubled, quotes, "")
    return compute.if_else(special, quoted, cells)
