"""Rows with holes (NaN) → moments of the values that are there, and rows whose holes are all alike.

Only data in which the first pass met NaN comes here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinspan._arrays.libraries import is_sparse
from kinspan._rows.dense_sums import deviation_sums
from kinspan._rows.references import typical_values
from kinspan._rows.sums import CellMoments, around_means, around_reference
from kinspan._rows.types import Codes, Floats, Rows

_BLOCK_NUMBERS = 1 << 19


class ObservedMoments(NamedTuple):
    """Moments of the values of every cell that are there."""

    observed: Floats  # (cells, features): how many these are
    means: Floats  # (cells, features); zero where there is none
    squares: Floats  # (cells, features) Σ w (x − mean)²


class AlikeHoles:
    """Rows in which every NaN has the same bits, made a block at a time: keys depend on bits."""

    def __init__(self, rows: NDArray[Any]) -> None:
        self.rows, self.shape, self.dtype = rows, rows.shape, rows.dtype

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, chosen: Any) -> NDArray[Any]:
        block = np.array(self.rows[chosen])
        block[np.isnan(block)] = np.nan
        return block


def with_alike_holes(X: Any) -> Any:
    """Rows whose keys depend on where holes are, and not on how they were made."""
    if not is_sparse(X):
        return X if _are_alike(X) else AlikeHoles(X)
    stored = sp.csr_array(X, copy=True)
    stored.data[np.isnan(stored.data)] = np.nan
    return stored


def _are_alike(X: Any) -> bool:
    """Whether every NaN has the bits of `np.nan` already, as nearly always."""
    kind = {np.dtype(np.float64): np.uint64, np.dtype(np.float32): np.uint32}.get(X.dtype)
    if kind is None or not isinstance(X, np.ndarray):
        return False
    usual = np.array(np.nan, X.dtype).view(kind)
    blocks = (X[part] for part in _blocks(X))
    return not any((np.isnan(block) & (block.view(kind) != usual)).any() for block in blocks)


def has_holes(X: Any) -> bool:
    """Whether some value is NaN, looked for in blocks of rows."""
    if is_sparse(X):
        return bool(np.isnan(X.data).any())
    return X.dtype.kind == "f" and any(np.isnan(X[part]).any() for part in _blocks(X))


def observed_moments(X: Any, cells: Codes, n_cells: int, weights: Floats | None) -> ObservedMoments:
    """Moments of every cell without its holes; infinity in X shows in the result."""
    counts = np.bincount(cells, weights, minlength=n_cells).astype(np.float64)

    def moments_around(reference: Rows) -> tuple[CellMoments, bool]:
        sums, squares, observed = deviation_sums(X, cells, weights, reference, holes=True)
        return around_means(observed, sums, squares, reference)

    with np.errstate(invalid="ignore", over="ignore"):
        reference = typical_values(X, cells, counts, weights)
        observed, means, squares = around_reference(reference, moments_around)
    means[observed == 0] = 0.0
    return ObservedMoments(observed, means, squares)


def filled_rows(
    X: Any, fills: Floats, of_row: Codes, beyond: Callable[[Floats], Floats] | None = None
) -> Any:
    """A copy of rows, of which `of_row` says which (fills, features) values their holes take.

    What holes take beyond them may be a function of what the other values are beyond theirs, for
    rows with zeros in their holes.
    """
    filled: Any = np.array(X) if not is_sparse(X) else sp.csr_array(X, dtype=float, copy=True)
    for part in _blocks(X):
        block = _dense(X[part])
        rows = np.flatnonzero(np.isnan(block).any(axis=1))
        if not len(rows):
            continue
        block, values = block[rows], fills[of_row[part][rows]]
        holes = np.isnan(block)
        if beyond is not None:
            with np.errstate(invalid="ignore", over="ignore"):  # infinity shows in the result
                values = values + beyond(np.where(holes, 0.0, block - values))
        if is_sparse(X):
            _fill_stored(filled, part.start + rows, values)
        else:
            filled[part.start + rows] = np.where(holes, values, block)
    return filled


def _fill_stored(X: sp.csr_array, rows: Codes, values: Floats) -> None:
    """Replace holes among the stored values of some rows, which are sorted."""
    first, last = X.indptr[rows[0]], X.indptr[rows[-1] + 1]
    places = first + np.flatnonzero(np.isnan(X.data[first:last]))
    of_places = np.searchsorted(X.indptr, places, side="right") - 1
    X.data[places] = values[np.searchsorted(rows, of_places), X.indices[places]]


def is_whole(observed: Floats, counts: Floats) -> bool:
    """Whether no value of any cell is missing, rounding of weights aside."""
    return bool((observed >= counts[..., None] * (1 - 1e-9)).all())


def _blocks(X: Any) -> list[slice]:
    step = max(1, _BLOCK_NUMBERS // max(X.shape[1], 1))
    return [slice(start, start + step) for start in range(0, X.shape[0], step)]


def _dense(rows: Any) -> Floats:
    return np.asarray(rows.toarray() if is_sparse(rows) else rows, dtype=np.float64)
