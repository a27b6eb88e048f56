"""Chunks of a table → numbers, ids and weights of their rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinspan._rows.types import Floats, Mask
from kinspan.tables.arrow import pyarrow
from kinspan.tables.chunks import Chunk, chunks
from kinspan.tables.ids import CodedIds, checked_ids
from kinspan.tables.layout import FileLayout
from kinspan.tables.request import Request, is_constant
from kinspan.tables.table import Part

_ROWS_AT_ONCE = 256  # of a transposed copy: they and their columns stay in the cache


class FileRows(NamedTuple):
    """Some rows of a file."""

    first_row: int  # the position of the first in the file
    X: Any  # (rows, features) array or CSR
    task: CodedIds | None
    label: CodedIds | None
    weights: Floats | None

    def with_labels(self) -> FileRows:
        """The rows that have a label."""
        if self.label is None or not (self.label.codes < 0).any():
            return self
        there = self.label.codes >= 0
        task, label = (
            None if ids is None else ids._replace(codes=ids.codes[there])
            for ids in (self.task, self.label)
        )
        weights = None if self.weights is None else self.weights[there]
        return FileRows(self.first_row, self.X[there], task, label, weights)


def table_rows(
    path: Path, part: Part | None, request: Request, layout: FileLayout
) -> Iterator[FileRows]:
    """Rows of a file with named columns."""
    for chunk in chunks(path, request, layout, part=part):
        task, label = (ids_of_chunk(chunk, role, request, layout) for role in ("task", "label"))
        X = (
            _vectors(chunk.columns, str(request.features))
            if layout.features is None
            else _matrix(chunk.columns, layout.features)
        )
        yield FileRows(chunk.first_row, X, task, label, _weights(chunk.columns, request))


def ids_of_chunk(
    chunk: Chunk, role: str, request: Request, layout: FileLayout, kept: Mask | None = None
) -> CodedIds | None:
    """The tasks or labels of the rows of a chunk, or of some of them."""
    spec = getattr(request, role)
    if spec is None:
        return None
    if not isinstance(spec, str):
        return _ids_of_function(role, spec, chunk, layout)
    column, what = chunk.columns.column(spec), f"{role} column {spec!r}"
    if kept is not None and not kept.all():
        column = column.filter(pyarrow().array(kept))
    coded = CodedIds.of_column(column, spec in request.as_text)
    kind, is_text = layout.kinds[role], chunk.is_text
    if role == "label":
        coded = coded.without_missing(request.unlabelled, is_text=is_text)
    if len(coded.ids) == 0:
        return coded
    return checked_ids(coded, what, kind, layout.first, chunk.first_row, is_text=is_text)


def _ids_of_function(role: str, spec: Any, chunk: Chunk, layout: FileLayout) -> CodedIds:
    value = spec(chunk.path) if callable(spec) else spec
    if not is_constant(value):
        raise ValueError(
            f"{role} is given as values, but this file has named columns; pass the name of one, or "
            "a function from a path to one id"
        )
    coded = CodedIds.constant(value, chunk.columns.num_rows)
    return checked_ids(coded, role, layout.kinds[role], layout.first, 0)


def numbers(column: Any) -> NDArray[Any]:
    """A column as numbers, NaN where a value is missing."""
    pa = pyarrow()
    tests = (pa.types.is_boolean, pa.types.is_decimal, pa.types.is_null)
    if any(test(column.type) for test in tests):
        column = column.cast(pa.float64())
    return np.asarray(column.to_numpy())


def _matrix(columns: Any, names: tuple[str, ...]) -> NDArray[Any]:
    """(rows, features), in single precision where all columns are."""
    pa = pyarrow()
    types = [columns.schema.field(name).type for name in names]
    is_single = all(pa.types.is_float32(t) or pa.types.is_float16(t) for t in types)
    dtype = np.float32 if is_single else np.float64
    by_column = np.empty((len(names), columns.num_rows), dtype)
    for column, name in zip(by_column, names, strict=True):
        column[:] = numbers(columns.column(name))
    X = np.empty((columns.num_rows, len(names)), dtype)
    for start in range(0, len(X), _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        X[rows] = by_column[:, rows].T
    return X


def _vectors(columns: Any, name: str) -> NDArray[Any]:
    """(rows, features) of a column whose entries are lists of numbers."""
    column = columns.column(name).combine_chunks()
    lengths = pyarrow("pyarrow.compute").list_value_length(column).to_numpy(zero_copy_only=False)
    if column.null_count or (lengths != lengths[0]).any():
        shown = "no list in some rows" if column.null_count else "lists of different lengths"
        raise ValueError(f"column {name!r} holds {shown}; every row needs equally many features")
    return numbers(pyarrow().chunked_array([column.flatten()])).reshape(columns.num_rows, -1)


def _weights(columns: Any, request: Request) -> Floats | None:
    if request.sample_weight is None:
        return None
    if not isinstance(request.sample_weight, str):
        raise ValueError("sample_weight is not a name, but this file has named columns; name one")
    return np.asarray(numbers(columns.column(request.sample_weight)), dtype=np.float64)
