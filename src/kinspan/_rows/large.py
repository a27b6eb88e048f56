"""Large matrices where they are: here, or on the device that their rows came from.

They are multiplied and decomposed there, and what is small comes to the CPU: whoever uses these
functions need not know where a matrix is.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dtrsm, strsm
from scipy.linalg.lapack import dpotrf, spotrf

from kinspan._arrays.elsewhere import on_host
from kinspan._arrays.libraries import device, moved, namespace, widest_float
from kinspan._rows.blocks import blocks
from kinspan._rows.types import Codes, Floats

Large: TypeAlias = Any  # a NumPy array, or on a device one of another library


class Place:
    """Where rows came from: the CPU or, of an array of another library, its device.

    It is the CPU for devices without double precision and libraries whose arrays cannot be written
    to. Copies in files and in other processes are of the CPU as well.
    """

    def __init__(self, of: Any = None) -> None:
        self._there = None
        if of is None or widest_float(of) != namespace(of).float64:
            return
        one = namespace(of).ones(1, dtype=namespace(of).float64, device=device(of))
        with suppress(TypeError):
            one[0] = 0.0
            self._there = one

    def __reduce__(self) -> tuple[type[Place], tuple[()]]:
        return Place, ()

    @property
    def is_here(self) -> bool:
        """Whether it is the CPU."""
        return self._there is None

    def put(self, rows: NDArray[Any]) -> Large:
        """Rows as they are here, or a copy there in double precision, which devices have."""
        if self._there is None:
            return rows
        return namespace(self._there).astype(moved(rows, self._there), self._there.dtype)


HERE = Place()


def beside(values: NDArray[Any], large: Large) -> Large:
    """Numbers of the CPU where a large matrix is, in its precision."""
    if isinstance(large, np.ndarray):
        return values.astype(large.dtype, copy=False)
    xp = namespace(large)
    return xp.astype(moved(values, large), large.dtype, copy=False)


def times(large: Large, small: NDArray[Any]) -> NDArray[Any]:
    """The product of (rows, axes) with (axes, columns) of the CPU, in the precision of the rows."""
    return np.asarray(on_host(large @ beside(small, large)))


def chosen(large: Large, rows: Codes | slice) -> Large:
    """Some of the rows."""
    if isinstance(rows, slice):
        return large[rows, ...]
    return namespace(large).take(large, moved(rows, large), axis=0)


def in_double(large: Large) -> Large:
    """The same in double precision."""
    return beside(large, np.empty(0)) if isinstance(large, np.ndarray) else large


def in_blocks(large: Large, least: int = 1) -> list[slice]:
    """Blocks of rows that stay in the cache of the CPU; a device takes all at once."""
    n, width = large.shape
    return blocks(n, width, least) if isinstance(large, np.ndarray) else [slice(0, n)]


def squared_size(large: Large) -> float:
    """The sum of all squares."""
    flat = namespace(large).reshape(large, (-1,))
    return float(flat @ flat)


def squared_lengths(large: Large) -> Floats:
    """(rows,): sums of squares in double precision."""
    if not isinstance(large, np.ndarray):
        return np.asarray(on_host(namespace(large).vecdot(large, large)))
    found = np.empty(len(large))
    for rows in in_blocks(large):
        part = large[rows]
        np.einsum("np,np->n", part, part, dtype=np.float64, out=found[rows])
    return found


def inverse_roots(matrices: Large, ridges: Floats) -> Large:
    """(n, size, size): W, the inverse WᵀW of positive matrices with ridges (n,)."""
    if not isinstance(matrices, np.ndarray):
        return _inverse_roots_there(matrices, ridges)
    is_single = matrices.dtype == np.float32
    potrf, trsm = (spotrf, strsm) if is_single else (dpotrf, dtrsm)
    ridged, found = matrices.copy(), np.zeros_like(matrices)
    np.einsum("tnn->tn", ridged)[...] += ridges[:, None]
    np.einsum("tnn->tn", found)[...] = 1.0
    for matrix, inverse in zip(ridged, found, strict=True):  # faster than LAPACK's own inverses
        trsm(1.0, potrf(matrix.T, overwrite_a=True)[0], inverse.T, overwrite_b=True)
    return found


def _inverse_roots_there(matrices: Large, ridges: Floats) -> Large:
    xp = namespace(matrices)
    one = xp.eye(matrices.shape[-1], dtype=matrices.dtype, device=device(matrices))
    lower = xp.linalg.cholesky(matrices + beside(ridges[:, None, None], matrices) * one)
    ones = xp.broadcast_to(one, lower.shape)
    if hasattr(xp.linalg, "solve_triangular"):  # the standard has none
        return xp.linalg.solve_triangular(lower, ones, upper=False)
    return xp.linalg.solve(lower, ones)
