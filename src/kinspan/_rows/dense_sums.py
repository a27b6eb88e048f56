"""Rows and their cells → sums of deviations from a reference for each cell, in blocks of rows.

Deviations have the size of the spread of the data and not of its offset, so that single precision
is enough within a block; totals are double. Blocks are shared between threads, but always cut and
added up in the same way: the result does not depend on the number of threads.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinspan._arrays.libraries import is_sparse
from kinspan._rows.machine_code import module_for
from kinspan._rows.spans import in_order
from kinspan._rows.types import Codes, Floats, Rows

_BLOCK_BYTES = 1 << 22  # of deviations held at a time by a thread
_BLOCK_ROWS = 1 << 11  # and their number: single precision adds up no more of them
_BLOCKS_PER_SPAN = 8  # a thread adds a span to the shared totals at once
_FEW_CELLS = 512  # up to here a span adds to all cells, beyond only to those that it meets


def deviation_sums(
    X: Any, cells: Codes, weights: Floats | None, reference: Rows, *, holes: bool = False
) -> Floats:
    """(2, cells, features): Σ w (x − reference) and Σ w (x − reference)².

    If X may have holes, of the values that are there, and a third, Σ w, of them. If not, the sums
    end with the first rows that have some: NaN shows in what there is until then.
    """
    fast = None if is_sparse(X) else module_for(X.size, "kinspan._rows.compiled_sums")
    sums_of = _sums if fast is None else fast.cell_sums
    found: Floats = sums_of(X, cells, weights, reference, holes)
    return found


def _sums(X: Any, cells: Codes, weights: Floats | None, reference: Rows, holes: bool) -> Floats:
    totals = np.zeros((2 + holes, *reference.shape))
    row_bytes = reference.dtype.itemsize * max(X.shape[1], 1)
    n = X.shape[0]
    block = min(max(16, _BLOCK_BYTES // row_bytes), _BLOCK_ROWS, max(n, 1))
    of_thread = threading.local()

    def span_sums(start: int) -> tuple[Any, Floats]:
        if not hasattr(of_thread, "scratch"):  # allocated once: new pages cost as much as reading
            of_thread.scratch = np.empty((block, X.shape[1]), reference.dtype)
        span = slice(start, start + block * _BLOCKS_PER_SPAN)
        span_weights = None if weights is None else weights[span]
        with np.errstate(invalid="ignore", over="ignore"):  # threads do not inherit the caller's
            rows = X[span], cells[span], span_weights
            return _span_sums(*rows, reference, of_thread.scratch, holes)

    for met, found in in_order(span_sums, range(0, n, block * _BLOCKS_PER_SPAN)):
        totals[:, met] += found
        if np.isnan(found[0].sum()):
            break
    return totals


def _span_sums(
    X: Any, cells: Codes, weights: Floats | None, reference: Rows, scratch: Rows, holes: bool
) -> tuple[Any, Floats]:
    terms = _with_holes if holes else _whole
    met: Any = slice(None)
    n_met, local = len(reference), cells
    if n_met > _FEW_CELLS:
        met, local = np.unique(cells, return_inverse=True)
        n_met = len(met)
    totals = np.zeros((2 + holes, n_met, X.shape[1]))
    for start in range(0, len(cells), len(scratch)):
        rows = slice(start, start + len(scratch))
        block, codes, w = X[rows], cells[rows], None if weights is None else weights[rows]
        block, kept = block.toarray() if is_sparse(X) else block, local[rows]
        if w is not None and not w.all():  # a product with zero would keep NaN
            block, codes, kept, w = block[w > 0], codes[w > 0], kept[w > 0], w[w > 0]
        deviations = scratch[: len(codes)]
        np.take(reference, codes, axis=0, out=deviations, mode="clip")
        np.subtract(block, deviations, out=deviations, casting="same_kind")
        belongs = one_hot(kept, n_met, w, scratch)
        for k, part in enumerate(terms(deviations)):
            totals[k] += belongs @ part
    return met, totals


def _whole(deviations: Rows) -> Iterator[Rows]:
    """Deviations and their squares, each as long as the next is not asked for."""
    yield deviations
    yield np.square(deviations, out=deviations)


def _with_holes(deviations: Rows) -> Iterator[Rows]:
    """The same of values that are there, and whether they are."""
    holes = np.isnan(deviations)
    above = np.fmax(deviations, 0.0)  # zero where one is NaN: a tenth of the time of a mask
    yield np.add(above, np.fmin(deviations, 0.0, out=deviations), out=deviations)
    yield np.square(deviations, out=deviations)
    yield np.logical_not(holes, out=deviations)


def one_hot(cells: Codes, n_cells: int, weights: Floats | None, like: NDArray[Any]) -> sp.csc_array:
    """(cells, rows) matrix whose product with rows is their weighted sum in every cell."""
    values = np.ones(len(cells), like.dtype) if weights is None else weights.astype(like.dtype)
    indices, ends = cells.astype(np.int32), np.arange(len(cells) + 1, dtype=np.int32)
    return sp.csc_array((values, indices, ends), shape=(n_cells, len(cells)))
