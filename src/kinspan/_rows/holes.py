"""Rows with holes (NaN) → moments of the values that are there, and rows whose holes are all alike.

Only data in which the first pass met NaN comes here: two more passes, in double precision.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinspan._arrays.libraries import is_sparse
from kinspan._rows.sums import around_means, one_hot
from kinspan._rows.types import Codes, Floats

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
    shape = n_cells, X.shape[1]
    observed, total, sums, squares = (np.zeros(shape) for _ in range(4))
    with np.errstate(invalid="ignore", over="ignore"):
        for block, _, belongs in _parts(X, cells, n_cells, weights):
            there = ~np.isnan(block)
            observed += belongs @ there.astype(np.float64)
            total += belongs @ np.where(there, block, 0.0)
        reference = total / np.where(observed > 0, observed, 1.0)
        for block, of_row, belongs in _parts(X, cells, n_cells, weights):
            deviations = block - reference[of_row]
            deviations[np.isnan(block)] = 0.0
            sums += belongs @ deviations
            squares += belongs @ np.square(deviations, out=deviations)
        moments, _ = around_means(observed, sums, squares, reference)
    return ObservedMoments(observed, moments.means, moments.squares)


def _parts(
    X: Any, cells: Codes, n_cells: int, weights: Floats | None
) -> Iterator[tuple[Floats, Codes, sp.csc_array]]:
    """Rows that count, a block at a time, with their cells and what sums them in every cell."""
    for part in _blocks(X):
        block, of_row, w = _dense(X[part]), cells[part], None
        if weights is not None:
            counts = weights[part] > 0
            block, of_row, w = block[counts], of_row[counts], weights[part][counts]
        yield block, of_row, one_hot(of_row, n_cells, w, block)


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
