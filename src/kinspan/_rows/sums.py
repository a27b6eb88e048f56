"""Rows and their cells → weighted moments of every cell, in one pass at the speed of memory.

Sums are taken of deviations from some row of each cell, and of all stored values of a sparse
matrix: they have the size of the spread of the data and not of its offset, so that nothing cancels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from kinspan._arrays.libraries import is_sparse
from kinspan._rows.dense_sums import deviation_sums
from kinspan._rows.references import typical_rows
from kinspan._rows.types import Codes, Floats, Rows

_BLOCK_NUMBERS = 1 << 15  # of moments that are changed at a time
_SPARSE_BLOCK = 1 << 22  # stored values of a sparse matrix taken at a time


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
        reference = typical_rows(X, cells, counts, weights)
        if np.isnan(reference).any():  # what the pass would find
            return CellMoments(counts, reference.astype(float), reference.astype(float))

        def moments_around(reference: Rows) -> tuple[CellMoments, bool]:
            sums, squares = deviation_sums(X, cells, weights, reference)
            return around_means(counts, sums, squares, reference)

        return around_reference(reference, moments_around)


def around_reference(
    reference: Rows, moments_around: Callable[[Rows], tuple[CellMoments, bool]]
) -> CellMoments:
    """Moments around a reference for each cell or, if it is not near enough, around the means."""
    moments, is_safe = moments_around(reference)
    if not is_safe:
        # The reference row was far from the others, or single-precision squares overflow:
        # a second pass, in double precision.
        around = np.where(np.isfinite(moments.means), moments.means, reference)
        moments, _ = moments_around(around)
    return moments


def around_means(
    counts: Floats, sums: Floats, squares: Floats, reference: Rows
) -> tuple[CellMoments, bool]:
    """Moments from sums of deviations from a reference, and whether it was near enough.

    Counts are those of cells or, with holes, of every feature in them (cells, features). Means and
    squares overwrite the sums: with many cells, copies would need too much memory.
    """
    numbers = np.finfo(reference.dtype)
    most, least, is_safe = losable(float(numbers.eps)), whole_square(numbers), True
    step = max(1, _BLOCK_NUMBERS // max(sums.shape[1], 1))
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
