"""Parquet and Arrow files → tables, in constant memory."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from kinspan.tables.arrow import pyarrow
from kinspan.tables.table import OpenTable, Part

_COLUMN_BUFFER = 1 << 16  # bytes of a column of Parquet in memory: row groups may be gigabytes


def open_parquet(path: Path) -> OpenTable:
    """Read the header of a Parquet file."""
    with _parquet(path) as file:
        return OpenTable.of_schema(file.schema_arrow, partial(_parquet_batches, path))


def _parquet(path: Path) -> Any:
    return pyarrow("pyarrow.parquet").ParquetFile(
        path, pre_buffer=False, buffer_size=_COLUMN_BUFFER
    )


def _parquet_batches(
    path: Path, columns: list[str], types: dict[str, Any], part: Part | None, rows: int
) -> Iterator[Any]:
    with _parquet(path) as file:
        groups = range(file.num_row_groups) if part is None else range(part.start, part.stop)
        yield from file.iter_batches(rows, row_groups=list(groups), columns=columns)


def parquet_parts(path: Path, n_parts: int) -> list[Part]:
    """Parts with about equally many row groups."""
    with _parquet(path) as file:
        meta = file.metadata
        rows = [meta.row_group(i).num_rows for i in range(meta.num_row_groups)]
    cuts = sorted({len(rows) * i // n_parts for i in range(n_parts + 1)})
    return [Part(a, b, sum(rows[:a])) for a, b in pairwise(cuts)]


def parquet_rows(path: Path) -> int:
    """The number of rows."""
    with _parquet(path) as file:
        return int(file.metadata.num_rows)


def open_arrow(path: Path) -> OpenTable:
    """Read the header of an Arrow or Feather file."""
    return OpenTable.of_schema(_arrow_reader(path)[0].schema, partial(_arrow_batches, path))


def _arrow_reader(path: Path) -> tuple[Any, mmap.mmap]:
    """A reader of a file, or of a stream in a file, and the memory map that it reads."""
    ipc = pyarrow("pyarrow.ipc")
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    read = ipc.open_file if mapped[:6] == b"ARROW1" else ipc.open_stream
    return read(pyarrow().py_buffer(mapped)), mapped


def _arrow_batches(
    path: Path, columns: list[str], types: dict[str, Any], part: Part | None, rows: int
) -> Iterator[Any]:
    opened, mapped = _arrow_reader(path)
    if hasattr(opened, "num_record_batches"):
        opened = map(opened.get_batch, range(opened.num_record_batches))
    for batch in opened:
        chosen = batch.select(columns)
        del batch  # which may be large, and the next one is as large
        for start in range(0, chosen.num_rows, rows):
            piece = chosen.slice(start, rows)
            piece.validate(full=True)  # offsets in a damaged file may point outside of it
            yield piece
            if hasattr(mmap, "MADV_DONTNEED"):  # pages that were read would stay in memory
                mapped.madvise(mmap.MADV_DONTNEED)
        del chosen
