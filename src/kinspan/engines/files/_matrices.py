"""Files with numbers only, `.npy` and `.npz`; tasks, labels and weights lie beside them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinspan._rows import identifiers
from kinspan._rows.types import Floats
from kinspan.engines.files import _encoded
from kinspan.engines.files._csr_stream import csr_rows, csr_shape
from kinspan.engines.files._encoded import Encoded, kind_of
from kinspan.engines.files._layout import Layout
from kinspan.engines.files._npy import npy_header, npy_rows
from kinspan.engines.files._paths import beside, format_of
from kinspan.engines.files._request import ROLES, Request, is_constant, is_function
from kinspan.engines.files._rows import Rows
from kinspan.engines.files._tables import Part

_SPARSE_ROWS = 1 << 18  # at once, at most
_SPARSE_NUMBERS = 1 << 21  # and stored numbers: 32 MB with their places
Values = Callable[[int, int], Any]  # first row, row after the last → one value a row, or one in all


def matrix_layout(path: Path, request: Request) -> Layout:
    """What the first matrix settles: ids are of the kind that they have beside it."""
    if request.features is not None:
        raise ValueError(f"features={request.features!r}, but a matrix has no names of columns")
    n_rows, _ = matrix_shape(path)
    kinds = {}
    for role in ("task", "label"):
        values = _values(role, path, n_rows, request)
        if values is not None:
            few = values(0, min(n_rows, 1))
            kinds[role] = kind_of(identifiers.as_array([few] if is_constant(few) else few))
    return Layout(str(path), None, None, kinds, {}, is_matrix=True)


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
    """Rows, cut into parts of about as many."""
    n_rows, _ = matrix_shape(path)
    cuts = sorted({n_rows * i // n_parts for i in range(n_parts + 1)})
    return [Part(a, b, a) for a, b in pairwise(cuts)]


def matrix_rows(path: Path, part: Part | None, request: Request, layout: Layout) -> Iterator[Rows]:
    """Rows of a matrix with what lies beside it."""
    n_rows, n_features = matrix_shape(path)
    task, label, weight = (_values(role, path, n_rows, request) for role in ROLES)
    at_once = request.rows_at_once(n_features)
    if format_of(path) == "npz":  # of which most are not stored
        at_once = request.batch_rows or _SPARSE_ROWS
    for start, X in _blocks(path, part, at_once):
        stop = start + X.shape[0]
        yield Rows(
            start,
            X,
            _ids_of("task", task, start, stop, request, layout),
            _ids_of("label", label, start, stop, request, layout),
            None if weight is None else _numbers(weight(start, stop)),
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
    """What a role has beside a matrix: an array, a .npy file, or one value for all rows."""
    spec = getattr(request, role)
    if spec is None:
        return None
    if is_function(spec):
        spec = spec(path)
        spec = os.fspath(spec) if isinstance(spec, os.PathLike) else spec
        if is_constant(spec) and not (isinstance(spec, str) and spec.endswith(".npy")):
            return lambda start, stop: spec
    elif isinstance(spec, str) and not spec.endswith(".npy"):
        raise ValueError(
            f"{role}={spec!r} is a name, but a matrix has no columns; pass the name of a .npy file "
            "beside it, the values, or a function from a path to these"
        )
    if isinstance(spec, str):
        return _from_file(role, beside(path, spec), n_rows)
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
        raise ValueError(f"{what} has shape {shape}, and the matrix {n_rows} rows; pass one a row")


def _ids_of(
    role: str, values: Values | None, start: int, stop: int, request: Request, layout: Layout
) -> Encoded | None:
    if values is None:
        return None
    found = values(start, stop)
    coded = Encoded.constant(found, stop - start) if is_constant(found) else Encoded.of(found)
    _encoded.refuse_missing(coded, role, start)
    return _encoded.as_kind(coded, layout.kinds[role], role, layout.first)


def _numbers(values: Any) -> Floats:
    weights: NDArray[np.float64] = np.asarray(values, dtype=np.float64)
    return weights
