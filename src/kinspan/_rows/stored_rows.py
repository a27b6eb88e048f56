"""Rows that are kept: all their numbers, or without zeros where nearly all numbers are zero."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from kinspan._arrays.libraries import is_sparse
from kinspan._rows.types import Codes

StoredRows: TypeAlias = "NDArray[np.floating[Any]] | csr_array"

_MANY = 1 << 20  # numbers that take enough time and memory to be worth a second way
_FEW = 0.05  # share of numbers that are not zero
_LOOKED_AT = 16  # rows, before all of them


def stored_rows(X: Any, chosen: Codes | slice) -> StoredRows:
    """Rows as floats, in single precision unless X is more precise."""
    rows = X[chosen]
    dtype = np.result_type(rows.dtype, np.float32)
    dtype = dtype if dtype.itemsize <= 8 else np.dtype(np.float64)
    if not is_sparse(rows):
        return np.asarray(rows, dtype=dtype)
    return _lightest(csr_array(rows, dtype=dtype))


def all_numbers(rows: StoredRows) -> NDArray[np.floating[Any]]:
    """(rows, features), zeros included."""
    return np.asarray(rows.toarray() if isinstance(rows, csr_array) else rows)


def numbers_of(rows: StoredRows) -> NDArray[np.floating[Any]]:
    """All that are stored, whatever their places."""
    return np.asarray(rows.data if isinstance(rows, csr_array) else rows)


def without_zeros(rows: StoredRows) -> csr_array | None:
    """Fewer rows than features without their zeros; None where these are not nearly all."""
    n, p = rows.shape
    if n >= p or n * p < _MANY:
        return None
    if not isinstance(rows, csr_array):
        some = rows[:: max(n // _LOOKED_AT, 1)]
        if np.count_nonzero(some) > _FEW * some.size:
            return None
        rows = csr_array(rows)
    return rows if rows.count_nonzero() <= _FEW * n * p else None


def rows_of_all(parts: Sequence[StoredRows], chosen: Codes) -> StoredRows:
    """Some rows of stacked matrices, without a copy of all."""
    if any(isinstance(part, csr_array) for part in parts):
        stacked: csr_array = vstack([csr_array(part) for part in parts], format="csr")
        return _lightest(stacked[chosen])
    starts = np.cumsum([0, *(part.shape[0] for part in parts)])
    rows = np.empty((len(chosen), parts[0].shape[1]), np.result_type(*parts))
    order = np.argsort(chosen)  # by part, and in their order there
    cuts = np.searchsorted(chosen[order], starts)
    for part, start, (first, last) in zip(parts, starts, pairwise(cuts), strict=False):
        here = order[first:last]
        rows[here] = part[chosen[here] - start]
    return _lightest(rows)


def _lightest(rows: StoredRows) -> StoredRows:
    """In the way that takes less memory."""
    light = without_zeros(rows)
    return all_numbers(rows) if light is None else light
