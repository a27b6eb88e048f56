"""`.npy` and `.npz` matrices → rows; tasks, labels and weights come from elsewhere."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from kinspan._rows import identifiers
from kinspan.tables.arrays import csr_rows, csr_shape, npy_header, npy_rows
from kinspan.tables.ids import CodedIds, checked_ids, kind_of
from kinspan.tables.layout import FileLayout
from kinspan.tables.paths import companion, format_of
from kinspan.tables.request import ROLES, Request, is_constant
from kinspan.tables.rows import FileRows
from kinspan.tables.table import Part

_FEW = 1000  # ids that are looked at together, for one that is not missing
_SPARSE_ROWS = 1 << 18  # per batch, at most
_SPARSE_NUMBERS = 1 << 21  # stored per batch: 32 MB with their positions
Values = Callable[[int, int], Any]  # first row, row after the last → one value per row, or one


def matrix_layout(path: Path, request: Request) -> FileLayout:
    """The layout of the first matrix, with the kinds of the ids that belong to it."""
    if request.features is not None:
        raise ValueError(
            f"features={request.features!r}, but the columns of a matrix have no names"
        )
    n_rows, _ = matrix_shape(path)
    kinds = {}
    for role in ("task", "label"):
        values = _values(role, path, n_rows, request)
        if values is not None:
            kinds[role] = _kind(values, n_rows)
    return FileLayout(str(path), None, None, kinds, {}, is_matrix=True)


def _kind(values: Values, n_rows: int) -> str:
    """The kind of the first id that is not missing."""
    for start in range(0, max(n_rows, 1), _FEW):
        few = values(start, min(n_rows, start + _FEW))
        ids = [few] if is_constant(few) else few.tolist()
        there = [value for value in ids if not identifiers.is_missing(value)]
        if there or start + _FEW >= n_rows:
            return kind_of(identifiers.as_array(there[:1] or ids[:1]))
    raise AssertionError("ranges end")


def matrix_shape(path: Path) -> tuple[int, int]:
    """(rows, features) of a matrix."""
    if format_of(path) == "npz":
        return csr_shape(path)
    with path.open("rb") as file:
        header = npy_header(file)
    if len(header.shape) != 2 or header.dtype.kind not in "biuf":
        raise ValueError(
            f"it has shape {header.shape} and type {header.dtype}; store a matrix of numbers, of "
            "shape (rows, features)"
        )
    return header.shape[0], header.shape[1]


def npy_parts(path: Path, n_parts: int) -> list[Part]:
    """Parts with about equally many rows."""
    n_rows, _ = matrix_shape(path)
    cuts = sorted({n_rows * i // n_parts for i in range(n_parts + 1)})
    return [Part(a, b, a) for a, b in pairwise(cuts)]


def matrix_rows(
    path: Path, part: Part | None, request: Request, layout: FileLayout
) -> Iterator[FileRows]:
    """Rows of a matrix with their tasks, labels and weights."""
    n_rows, n_features = matrix_shape(path)
    task, label, weight = (_values(role, path, n_rows, request) for role in ROLES)
    at_once = request.rows_at_once(n_features)
    if format_of(path) == "npz":  # most of its numbers are zeros, which are not stored
        at_once = request.batch_rows or _SPARSE_ROWS
    for start, X in _blocks(path, part, at_once):
        stop = start + X.shape[0]
        yield FileRows(
            start,
            X,
            _ids_of("task", task, start, stop, layout),
            _ids_of("label", label, start, stop, layout, request.unlabelled),
            None if weight is None else np.asarray(weight(start, stop), dtype=np.float64),
        )


def _blocks(path: Path, part: Part | None, rows: int) -> Iterator[tuple[int, Any]]:
    if format_of(path) == "npz":
        start = 0
        for X in csr_rows(path, rows, _SPARSE_NUMBERS):
            yield start, X
            start += X.shape[0]
        return
    first, last = (0, matrix_shape(path)[0]) if part is None else (part.start, part.stop)
    for start in range(first, last, rows):
        yield start, npy_rows(path, start, min(start + rows, last))


def _values(role: str, path: Path, n_rows: int, request: Request) -> Values | None:
    """The values of a role: an array, a .npy file, or one value for all rows."""
    spec = getattr(request, role)
    if spec is None:
        return None
    if callable(spec):
        spec = spec(path)
        spec = os.fspath(spec) if isinstance(spec, os.PathLike) else spec
        if is_constant(spec) and not (isinstance(spec, str) and spec.endswith(".npy")):
            return lambda start, stop: spec
    elif isinstance(spec, str) and not spec.endswith(".npy"):
        raise ValueError(
            f"{role}={spec!r} is a name, but a matrix has no columns; pass the name of a .npy file "
            "next to it, the values, or a function from a path to these"
        )
    if isinstance(spec, str):
        return _from_file(role, companion(path, spec), n_rows)
    values = identifiers.as_array(spec)
    _check_length(role, values.shape, n_rows)
    return lambda start, stop: values[start:stop]


def _from_file(role: str, path: Path, n_rows: int) -> Values:
    if not path.exists():
        raise FileNotFoundError(f"{role} should be in {path}, but there is no such file")
    with path.open("rb") as file:
        _check_length(f"{role} in {path}", npy_header(file).shape, n_rows)
    return lambda start, stop: npy_rows(path, start, stop)


def _check_length(what: str, shape: tuple[int, ...], n_rows: int) -> None:
    if shape != (n_rows,):
        raise ValueError(
            f"{what} has shape {shape}, and the matrix {n_rows} rows; pass one per row"
        )


def _ids_of(
    role: str,
    values: Values | None,
    start: int,
    stop: int,
    layout: FileLayout,
    unlabelled: Any = None,
) -> CodedIds | None:
    if values is None:
        return None
    found = values(start, stop)
    coded = CodedIds.constant(found, stop - start) if is_constant(found) else CodedIds.of(found)
    if role == "label":
        coded = coded.without_missing(unlabelled)
    if not len(coded.ids):
        return coded
    return checked_ids(coded, role, layout.kinds[role], layout.first, start)
