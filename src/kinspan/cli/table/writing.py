"""Rows → a file of any format, whole or not at all; or standard output."""

from __future__ import annotations

import csv
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from kinspan._storage import atomic_files
from kinspan._storage.atomic_files import replacing
from kinspan.engines.files._arrow import pyarrow
from kinspan.engines.files._paths import format_of, is_tabbed

_ENDINGS = ".csv, .tsv, .csv.gz, .parquet, .feather or .arrow"


class Writer(Protocol):
    """Takes tables of pyarrow, one after another."""

    def write(self, table: Any) -> None:
        """Write rows."""

    def close(self) -> None:
        """Write what ends the file."""


def check_place(path: Path) -> None:
    """A file, and not standard output, can be written there."""
    if str(path) == "-":
        raise ValueError("-: this is no text for standard output; name a file to write")
    atomic_files.check_place(path)


def check_other(out: str, *read: str | Path | None) -> None:
    """What is written is none of the files that are read: it would take their place."""
    for path in read:
        if path is not None and _is_same(Path(out), Path(path)):
            raise ValueError(f"{out} is among the files to read, and would be lost; name another")


def check_apart(out: str, checkpoint: str | None) -> None:
    """A checkpoint is removed in the end, and the result is not."""
    if checkpoint is not None and _is_same(Path(out), Path(checkpoint)):
        raise ValueError(f"--out and --checkpoint are both {out}; name two files")


def _is_same(first: Path, second: Path) -> bool:
    if os.path.realpath(first) == os.path.realpath(second):
        return True
    return first.is_file() and second.is_file() and first.samefile(second)


def check_format(out: str) -> None:
    """The name says which format to write."""
    if out != "-" and format_of(Path(out)) not in {"csv", "parquet", "arrow"}:
        raise ValueError(f"--out {out}: the name should end in {_ENDINGS}; - is standard output")


def has_types(out: str) -> bool:
    """Whether the format that is written knows numbers from text."""
    return out != "-" and format_of(Path(out)) != "csv"


@contextmanager
def rows_writer(out: str) -> Iterator[Writer]:
    """A writer to a file, or to standard output."""
    check_format(out)
    if out == "-":
        sys.stdout.flush()
        yield _Text(sys.stdout.buffer, ",")
        sys.stdout.buffer.flush()
        return
    check_place(Path(out))
    with replacing(Path(out)) as place:
        writer = _opened(place, Path(out))
        try:
            yield writer
        finally:
            writer.close()


def _opened(place: Path, named: Path) -> Writer:
    kind = format_of(named)
    if kind == "parquet":
        return _Binary(lambda schema: pyarrow("pyarrow.parquet").ParquetWriter(place, schema))
    if kind == "arrow":
        return _Binary(lambda schema: pyarrow("pyarrow.ipc").new_file(place, schema))
    codec = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}.get(named.suffix.lower())
    return _Text(
        pyarrow().output_stream(place, compression=codec), "\t" if is_tabbed(named) else ","
    )


class _Binary:
    """Parquet and Arrow, which settle the types of columns by the first rows."""

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
                    f"column {name!r} is {kind} in the first rows and {found} later; write a .csv, "
                    "or use --only-answers"
                ) from None
        return table.cast(self._schema)


class _Text:
    """CSV and TSV. Only cells that need quotes have them: those of pyarrow would have all text."""

    def __init__(self, stream: Any, delimiter: str) -> None:
        self._stream, self._delimiter, self._is_new = stream, delimiter, True

    def write(self, table: Any) -> None:
        if self._is_new:
            line = io.StringIO()
            csv.writer(line, delimiter=self._delimiter, lineterminator="\n").writerow(
                table.column_names
            )
            self._stream.write(line.getvalue().encode())
            self._is_new = False
        if table.num_rows:
            cells = [_cells(column, self._delimiter) for column in table.columns]
            lines = pyarrow("pyarrow.compute").binary_join_element_wise(*cells, self._delimiter)
            self._stream.write(("\n".join(lines.to_pylist()) + "\n").encode())

    def close(self) -> None:
        self._stream.close()


def _cells(column: Any, delimiter: str) -> Any:
    """A column as the text of its cells."""
    pa, compute = pyarrow(), pyarrow("pyarrow.compute")
    try:
        cells = column.cast(pa.string()).combine_chunks().fill_null("")
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise ValueError(
            f"a column of {column.type} cannot be written as text; write a .parquet, or use "
            "--only-answers"
        ) from None
    special = compute.match_substring_regex(cells, f'["\r\n{delimiter}]')
    if not compute.any(special).as_py():
        return cells
    quotes = pa.scalar('"')
    doubled = compute.replace_substring(cells, '"', '""')
    quoted = compute.binary_join_element_wise(quotes, doubled, quotes, "")
    return compute.if_else(special, quoted, cells)
