"""Batches of pyarrow → numbers, ids and weights of rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinspan._rows.types import Floats
from kinspan.engines.files import _encoded
from kinspan.engines.files._arrow import TEXT, kind_of_ids, pyarrow
from kinspan.engines.files._encoded import Encoded
from kinspan.engines.files._layout import Layout, check_agrees, text_types
from kinspan.engines.files._request import Request, is_constant, is_function
from kinspan.engines.files._tables import Part, Table, open_table

_LONG_LIST = 1024
_ROWS_AT_ONCE = 256  # of a transposed copy: they and their columns stay in the cache


class Rows(NamedTuple):
    """Some rows of a file."""

    first_row: int  # their place in the file
    X: Any  # (rows, features) array or CSR
    task: Encoded | None
    label: Encoded | None
    weights: Floats | None


def table_rows(path: Path, part: Part | None, request: Request, layout: Layout) -> Iterator[Rows]:
    """Rows of a file with named columns."""
    table = open_table(path, request)
    check_agrees(layout, table, request)
    features = list(layout.features or [str(request.features)])
    columns = list(dict.fromkeys([*features, *request.columns().values()]))
    at_once = request.rows_at_once(_width(table, features, layout))
    stream = table.stream(columns, text_types(layout, table, request), part, at_once)
    first_row = 0 if part is None else part.first_row
    for chunk in regrouped(stream, at_once):
        task, label = (
            _ids_of(role, path, chunk, table, first_row, request, layout)
            for role in ("task", "label")
        )
        X = _vectors(chunk, features[0]) if layout.features is None else _matrix(chunk, features)
        yield Rows(first_row, X, task, label, _weights(chunk, request))
        first_row += chunk.num_rows


def _width(table: Table, features: list[str], layout: Layout) -> int:
    """The number of features; lists of any length are taken for long ones."""
    if layout.features is not None:
        return len(features)
    return int(getattr(table.types[features[0]], "list_size", _LONG_LIST))


def regrouped(batches: Iterable[Any], rows: int) -> Iterator[Any]:
    """The same rows in tables of always as many, but for the last."""
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


def _ids_of(
    role: str,
    path: Path,
    chunk: Any,
    table: Table,
    first_row: int,
    request: Request,
    layout: Layout,
) -> Encoded | None:
    spec = getattr(request, role)
    if spec is None:
        return None
    if not isinstance(spec, str):
        return _of_function(role, spec, path, chunk.num_rows, layout)
    what = f"{role} column {spec!r}"
    found = ids_of_column(chunk.column(spec), spec in request.as_text)
    _encoded.refuse_missing(found, what, first_row, blank=table.is_text)
    if table.is_text:
        _encoded.refuse_lines(found, what)
    return _encoded.as_kind(found, layout.kinds[role], what, layout.first)


def _of_function(role: str, spec: Any, path: Path, n_rows: int, layout: Layout) -> Encoded:
    value = spec(path) if is_function(spec) else spec
    if not is_constant(value):
        raise ValueError(
            f"{role} is given as values, but this file has named columns; pass the name of one, or "
            "a function from a path to one id"
        )
    found = Encoded.constant(value, n_rows)
    _encoded.refuse_missing(found, role, 0)
    return _encoded.as_kind(found, layout.kinds[role], role, layout.first)


def ids_of_column(column: Any, as_text: bool) -> Encoded:
    """Text is encoded where it lies, so that Python sees distinct ids only."""
    pa = pyarrow()
    if pa.types.is_dictionary(column.type):
        column = _values_of_categories(column)
    if as_text and kind_of_ids(column.type) != TEXT:
        column = _as_text(column)
    if kind_of_ids(column.type) == TEXT:
        coded = column.combine_chunks().dictionary_encode(null_encoding="encode")
        distinct = coded.dictionary.to_numpy(zero_copy_only=False)
        return Encoded.of_dictionary(distinct, coded.indices.to_numpy())
    if column.null_count:
        return Encoded.of(np.array(column.to_pylist(), dtype=object))
    return Encoded.of(column.to_numpy())


def _as_text(column: Any) -> Any:
    pa = pyarrow()
    try:
        return column.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise ValueError(f"a column of {column.type} cannot be read as text; convert it") from None


def _values_of_categories(column: Any) -> Any:
    """A categorical column as its values; pyarrow cannot cast all kinds of text in one step."""
    pa = pyarrow()
    is_text = kind_of_ids(column.type) == TEXT
    values = pa.string() if is_text else column.type.value_type
    coded = pa.DictionaryArray.from_arrays
    chunks = [coded(c.indices, c.dictionary.cast(values)).cast(values) for c in column.chunks]
    return pa.chunked_array(chunks, values)


def _numbers(column: Any) -> NDArray[Any]:
    """A column as numbers; what is missing is NaN."""
    pa = pyarrow()
    if pa.types.is_boolean(column.type) or pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    return np.asarray(column.to_numpy())


def _matrix(chunk: Any, names: list[str]) -> NDArray[Any]:
    """(rows, features), in single precision where all columns are."""
    pa = pyarrow()
    types = [chunk.schema.field(name).type for name in names]
    is_single = all(pa.types.is_float32(t) or pa.types.is_float16(t) for t in types)
    dtype = np.float32 if is_single else np.float64
    by_column = np.empty((len(names), chunk.num_rows), dtype)
    for column, name in zip(by_column, names, strict=True):
        column[:] = _numbers(chunk.column(name))
    X = np.empty((chunk.num_rows, len(names)), dtype)
    for start in range(0, len(X), _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        X[rows] = by_column[:, rows].T
    return X


def _vectors(chunk: Any, name: str) -> NDArray[Any]:
    """(rows, features) of a column whose entries are lists of numbers."""
    column = chunk.column(name).combine_chunks()
    lengths = pyarrow("pyarrow.compute").list_value_length(column).to_numpy(zero_copy_only=False)
    if column.null_count or (lengths != lengths[0]).any():
        shown = "no list in some rows" if column.null_count else "lists of different lengths"
        raise ValueError(f"column {name!r} holds {shown}; every row needs as many features")
    return _numbers(pyarrow().chunked_array([column.flatten()])).reshape(chunk.num_rows, -1)


def _weights(chunk: Any, request: Request) -> Floats | None:
    if request.sample_weight is None:
        return None
    if not isinstance(request.sample_weight, str):
        raise ValueError("sample_weight is no name, but this file has named columns; name one")
    return np.asarray(_numbers(chunk.column(request.sample_weight)), dtype=np.float64)
