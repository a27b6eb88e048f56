"""Rows that are kept: all their numbers, or without zeros where nearly all numbers are zero."""

from __future__ import annotations

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


def stored_rows(X: Any, chosen: Codes) -> StoredRows:
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


def rows_of_both(first: StoredRows, second: StoredRows, chosen: Codes) -> StoredRows:
    """Some rows of two stacked matrices, without a copy of all."""
    if isinstance(first, csr_array) or isinstance(second, csr_array):
        both: csr_array = vstack([csr_array(first), csr_array(second)], format="csr")
        return _lightest(both[chosen])
    is_first, n = chosen < len(first), len(first)
    rows = np.empty((len(chosen), first.shape[1]), np.result_type(first, second))
    rows[is_first] = first[chosen[is_first]]
    rows[~is_first] = second[chosen[~is_first] - n]
    return _lightest(rows)


def _lightest(rows: StoredRows) -> StoredRows:
    """In the way that takes less memory."""
    light = without_zeros(rows)
    return all_numbers(rows) if light is None else light
