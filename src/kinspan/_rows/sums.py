"""Rows and their cells → weighted moments of every cell, in one pass at the speed of memory.

Sums are taken of deviations from some row of each cell, the middle one of three where it has many.
They have the size of the spread of the data and not of its offset, so that nothing cancels and
single precision is enough within a block; totals are double. Blocks are shared between threads, but
always cut and added up in the same way: the result does not depend on the number of threads.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinspan._arrays.libraries import is_sparse
from kinspan._rows.machine_code import module_for
from kinspan._rows.types import Codes, Floats

_BLOCK_BYTES = 1 << 22  # of deviations held at a time by a thread
_BLOCK_ROWS = 1 << 11  # and their number: single precision adds up no more of them
_BLOCKS_PER_SPAN = 8  # a thread adds a span to the shared totals at once
_SPARSE_BLOCK = 1 << 22  # stored values of a sparse matrix taken at a time
_FEW_CELLS = 512  # up to here a span adds to all cells, beyond only to those that it meets
_MANY_ROWS = 1 << 7  # of a cell, on average: then reading three of its rows costs little


class CellMoments(NamedTuple):
    """Moments of every cell."""

    counts: Floats  # (cells,)
    means: Floats  # (cells, features)
    squares: Floats  # (cells, features) Σ w (x − mean)²


def cell_moments(X: Any, cells: Codes, n_cells: int, weights: Floats | None) -> CellMoments:
    """Moments of every cell from one pass over X; NaN or infinity in X shows in the result.

    Rows of weight zero are not read.
    """
    counts = np.bincount(cells, weights, minlength=n_cells).astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        if is_sparse(X):
            return _sparse_moments(sp.csr_array(X), cells, counts, weights)
        reference = _typical_rows(X, cells, counts, weights)
        moments, is_safe = _dense_moments(X, cells, counts, weights, reference)
        if not is_safe:
            # The reference row was far from the others, or single-precision squares overflow:
            # a second pass, in double precision around the means.
            around = np.where(np.isfinite(moments.means), moments.means, reference)
            moments, _ = _dense_moments(X, cells, counts, weights, around)
    return moments


def _typical_rows(
    X: NDArray[Any], cells: Codes, counts: Floats, weights: Floats | None
) -> NDArray[Any]:
    """(cells, features): the middle of three rows of each cell, which no single outlier moves.

    In the precision that deviations are taken in; a single row where cells have few.
    """
    codes = cells if weights is None else cells[weights > 0]
    seen = np.arange(len(cells)) if weights is None else np.flatnonzero(weights)
    last = np.zeros(len(counts), np.intp)
    last[codes] = seen
    rows = _taken(X, last)
    if len(seen) >= _MANY_ROWS * len(counts):
        second, third = last.copy(), last.copy()
        second[codes[3::7]] = seen[3::7]
        third[codes[::-11]] = seen[::-11]  # one of the first
        second, third = _taken(X, second), _taken(X, third)
        higher = np.maximum(rows, second)
        rows = np.maximum(np.minimum(rows, second), np.minimum(higher, third))
    rows[counts == 0] = 0.0
    return rows


def _taken(X: NDArray[Any], rows: Codes) -> NDArray[Any]:
    """Some rows, double unless all are single or less."""
    single = X.dtype.kind == "f" and X.dtype.itemsize <= 4
    return np.array(X[rows], np.float32 if single else np.float64, order="C", copy=None)


def _dense_moments(
    X: NDArray[Any], cells: Codes, counts: Floats, weights: Floats | None, reference: NDArray[Any]
) -> tuple[CellMoments, bool]:
    """Moments around a reference for each cell, and whether it was near enough to the means."""
    fast = module_for(X.size, "kinspan._rows.compiled_sums")
    sums_of = _dense_sums if fast is None else fast.cell_sums
    sums, squares = sums_of(X, cells, weights, reference)
    return around_means(counts, sums, squares, reference)


def _dense_sums(
    X: NDArray[Any], cells: Codes, weights: Floats | None, reference: NDArray[Any]
) -> tuple[Floats, Floats]:
    """(cells, features) Σ w (x − reference) and Σ w (x − reference)²."""
    sums, squares = np.zeros(reference.shape), np.zeros(reference.shape)
    row_bytes = reference.dtype.itemsize * max(X.shape[1], 1)
    block = min(max(16, _BLOCK_BYTES // row_bytes), _BLOCK_ROWS, max(len(X), 1))
    of_thread = threading.local()

    def span_sums(start: int) -> tuple[Any, Floats, Floats]:
        if not hasattr(of_thread, "scratch"):  # allocated once: new pages cost as much as reading
            of_thread.scratch = np.empty((block, X.shape[1]), reference.dtype)
        span = slice(start, start + block * _BLOCKS_PER_SPAN)
        span_weights = None if weights is None else weights[span]
        with np.errstate(invalid="ignore", over="ignore"):  # threads do not inherit the caller's
            return _span_sums(X[span], cells[span], span_weights, reference, of_thread.scratch)

    starts = range(0, len(X), block * _BLOCKS_PER_SPAN)
    for met, span_sum, span_square in in_order(span_sums, starts):
        sums[met] += span_sum
        squares[met] += span_square
    return sums, squares


def around_means(
    counts: Floats, sums: Floats, squares: Floats, reference: NDArray[Any]
) -> tuple[CellMoments, bool]:
    """Moments from sums of deviations from a reference, and whether it was near enough.

    Counts are those of cells or, with holes, of every feature in them (cells, features). Means and
    squares overwrite the sums: with many cells, copies would need too much memory.
    """
    numbers = np.finfo(reference.dtype)
    most, least, is_safe = losable(float(numbers.eps)), whole_square(numbers), True
    step = max(1, _BLOCK_BYTES // (128 * max(sums.shape[1], 1)))
    for start in range(0, len(sums), step):
        part = slice(start, start + step)
        n = np.where(counts[part] > 0, counts[part], 1.0)
        n = n[:, None] if n.ndim == 1 else n
        shift = sums[part] / n
        lost = sums[part] * shift
        kept = np.maximum(squares[part] - lost, 0.0, out=squares[part])
        np.add(reference[part], shift, out=sums[part])
        whole = np.maximum(kept - least * n, 0.0)
        is_safe &= bool((lost <= most * whole).all() and np.isfinite(kept).all())
    return CellMoments(counts, sums, squares), is_safe


def losable(eps: float) -> float:
    """How large sums²/n, which is subtracted from squares, may be relative to the difference.

    More digits are lost where the reference is many deviations from the mean.
    """
    return 1e-5 / eps


def whole_square(numbers: Any) -> float:
    """The least square that has all its digits; below, squares of deviations are rounded to few."""
    return float(numbers.tiny) / float(numbers.eps)


def in_order(work: Any, starts: range, least: int = 1) -> Iterator[Any]:
    """Results of the spans in their order, by a few threads at a time, of so many spans at least.

    Starting a thread takes as long as a small span.
    """
    n_threads = min(os.cpu_count() or 1, len(starts) // least, 4)
    if n_threads <= 1:
        yield from map(work, starts)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        for i in range(0, len(starts), 4 * n_threads):
            yield from pool.map(work, starts[i : i + 4 * n_threads])


def _span_sums(
    X: NDArray[Any],
    cells: Codes,
    weights: Floats | None,
    reference: NDArray[Any],
    scratch: NDArray[Any],
) -> tuple[Any, Floats, Floats]:
    met: Any = slice(None)
    n_met = len(reference)
    if n_met > _FEW_CELLS:
        met, local = np.unique(cells, return_inverse=True)
        n_met = len(met)
    else:
        local = cells
    sums = np.zeros((n_met, X.shape[1]))
    squares = np.zeros_like(sums)
    for start in range(0, len(X), len(scratch)):
        rows = slice(start, start + len(scratch))
        block, codes, w = X[rows], cells[rows], None if weights is None else weights[rows]
        kept = local[rows]
        if w is not None and not w.all():  # a product with zero would keep NaN
            block, codes, kept, w = block[w > 0], codes[w > 0], kept[w > 0], w[w > 0]
        deviations = scratch[: len(codes)]
        np.take(reference, codes, axis=0, out=deviations, mode="clip")
        np.subtract(block, deviations, out=deviations, casting="same_kind")
        belongs = one_hot(kept, n_met, w, scratch)
        sums += belongs @ deviations
        squares += belongs @ np.square(deviations, out=deviations)
    return met, sums, squares


def one_hot(cells: Codes, n_cells: int, weights: Floats | None, like: NDArray[Any]) -> sp.csc_array:
    """(cells, rows) matrix whose product with rows is their weighted sum in every cell."""
    values = np.ones(len(cells), like.dtype) if weights is None else weights.astype(like.dtype)
    indices, ends = cells.astype(np.int32), np.arange(len(cells) + 1, dtype=np.int32)
    return sp.csc_array((values, indices, ends), shape=(n_cells, len(cells)))


def _sparse_moments(
    X: sp.csr_array, cells: Codes, counts: Floats, weights: Floats | None
) -> CellMoments:
    """Two passes over the stored values: sums, then deviations; zeros are counted."""
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    if weights is not None and not weights.all():
        X, cells, weights = X[weights > 0], cells[weights > 0], weights[weights > 0]
    shape = (len(counts), X.shape[1])
    size = shape[0] * shape[1]
    sums, stored = np.zeros(size), np.zeros(size)
    for places, values, w in _stored_values(X, cells, weights, size):
        sums += np.bincount(places, values * w, minlength=size)
        stored += np.bincount(places, w, minlength=size)
    zeros = np.maximum(np.repeat(counts, shape[1]) - stored, 0.0)
    means = sums / np.repeat(np.where(counts > 0, counts, 1.0), shape[1])
    has_offset = bool((zeros[stored > 0] == 0).any())  # no zeros: the sum has lost digits
    if has_offset:
        _snap(means, _stored_values(X, cells, weights, size))
    sums, squares = -zeros * means if has_offset else np.zeros(size), zeros * means * means
    for places, values, w in _stored_values(X, cells, weights, size):
        deviations = values - means[places]
        squares += np.bincount(places, w * deviations**2, minlength=size)
        if has_offset:
            sums += np.bincount(places, w * deviations, minlength=size)
    parts = (part.reshape(shape) for part in (sums, squares, means))
    return around_means(counts, *parts)[0]


def _snap(means: Floats, stored: Iterator[tuple[Codes, Floats, Floats]]) -> None:
    """Set means that are next to one of their values to it: a constant is then exact."""
    some = np.zeros_like(means)
    for places, values, _ in stored:
        some[places] = values
    np.copyto(means, some, where=np.abs(means - some) <= 1e-9 * np.abs(some))


def _stored_values(
    X: sp.csr_array, cells: Codes, weights: Floats | None, size: int
) -> Iterator[tuple[Codes, Floats, Floats]]:
    """Blocks of stored values: their place among all means, the value, the weight of its row."""
    block = max(_SPARSE_BLOCK, size)
    cuts = np.searchsorted(X.indptr, np.arange(0, X.nnz, block), side="right") - 1
    cuts = np.unique(np.append(cuts, X.shape[0]))
    for start, stop in pairwise(cuts):
        rows = np.repeat(np.arange(start, stop), np.diff(X.indptr[start : stop + 1]))
        stored = slice(X.indptr[start], X.indptr[stop])
        places = cells[rows] * X.shape[1] + X.indices[stored]
        w = np.ones(len(rows)) if weights is None else weights[rows]
        yield places, X.data[stored].astype(np.float64), w
