"""The pass over rows on a device, by functions of the array API alone: any library, any device."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinspan._arrays.libraries import copied_to_numpy, device, moved, namespace, widest_float
from kinspan._device.cells import DeviceCells
from kinspan._rows.sums import CellMoments, around_means
from kinspan._rows.types import Codes, Floats

_BLOCK_BYTES = 1 << 26  # of deviations held at a time
_MOST_CELLS = 256  # that a block meets
_SINGLE_ROWS = 1 << 11  # single precision, where a device has no other, adds up no more of them


class ArrayPass:
    """Rows sorted by cell; blocks of them are added by a product with a one-hot matrix."""

    hashes: Any = None  # of rows are not found on the way

    def __init__(self, X: Any, cells: DeviceCells, weights: Any) -> None:
        xp = namespace(X)
        self._X, self._weights = X, weights
        self._precision = widest_float(X)
        codes = cells.codes
        self._order = xp.argsort(codes, stable=True)
        if weights is not None:  # rows of weight zero are not looked at
            has_weight = xp.take(weights, self._order, axis=0) > 0
            self._order = xp.take(self._order, xp.nonzero(has_weight)[0], axis=0)
        self._sorted = xp.take(codes, self._order, axis=0)
        n_cells = cells.shape[0] * cells.shape[1]
        bounds = xp.arange(n_cells + 1, dtype=codes.dtype, device=device(X))
        starts = copied_to_numpy(xp.searchsorted(self._sorted, bounds))
        self.rows_of_cells: Codes = np.diff(starts).astype(np.intp)
        self._starts: Codes = starts[:-1].astype(np.intp)

    def some_rows(self) -> Any:
        """(cells, features): a row of each cell; where there is none, any."""
        xp = namespace(self._X)
        places = np.minimum(self._starts, self.rows_of_cells.sum() - 1)
        rows = xp.take(self._order, moved(places, self._X), axis=0)
        return xp.astype(xp.take(self._X, rows, axis=0), self._precision)

    def around(self, reference: Any) -> tuple[CellMoments, bool]:
        """Moments from deviations from a reference, and whether it was near enough."""
        with np.errstate(invalid="ignore", over="ignore"):
            counts, sums, squares = self._totals(reference)
            here = copied_to_numpy(reference)
            here = np.where(counts[:, None] > 0, here, here.dtype.type(0))
            return around_means(counts, sums, squares, here)

    def _totals(self, reference: Any) -> tuple[Floats, Floats, Floats]:
        """(cells,) sums of the weights; (cells, features) sums and squares of deviations."""
        xp = namespace(self._X)
        ids, parts = [], []
        for start, stop, met in self._blocks():
            ids.append(met)
            parts.append(self._block_sums(start, stop, met, reference))
        together = copied_to_numpy(xp.concat(parts, axis=0))
        shape = (len(self.rows_of_cells), 2 * self._X.shape[1] + 1)
        total = np.zeros(shape)
        np.add.at(total, np.concatenate(ids), together.astype(np.float64, copy=False))
        width = self._X.shape[1]
        return total[:, -1], total[:, :width], total[:, width:-1]

    def in_double(self, reference: NDArray[Any]) -> Any:
        """A reference on the device, in the precision of the pass."""
        return namespace(self._X).astype(moved(reference, self._X), self._precision)

    def _blocks(self) -> Iterator[tuple[int, int, Codes]]:
        """Runs of sorted rows, and the cells in them."""
        n_rows = int(self.rows_of_cells.sum())
        block = max(16, _BLOCK_BYTES // (8 * self._X.shape[1]))
        if self._precision == namespace(self._X).float32:
            block = min(block, _SINGLE_ROWS)
        filled = np.flatnonzero(self.rows_of_cells)
        starts = self._starts[filled]
        start = 0
        while start < n_rows:
            first = int(np.searchsorted(starts, start, side="right")) - 1
            beyond = first + _MOST_CELLS
            stop = min(start + block, int(starts[beyond]) if beyond < len(starts) else n_rows)
            yield start, stop, filled[first : int(np.searchsorted(starts, stop))]
            start = stop

    def _block_sums(self, start: int, stop: int, met: Codes, reference: Any) -> Any:
        """(cells met, 2 · features + 1): sums, squares and weights."""
        xp = namespace(self._X)
        rows, cells = self._order[start:stop], self._sorted[start:stop]
        x = xp.astype(xp.take(self._X, rows, axis=0), self._precision)
        deviations = x - xp.take(reference, cells, axis=0)
        met_here = xp.astype(moved(met, self._X), cells.dtype)
        one_hot = xp.astype(cells[None, :] == met_here[:, None], self._precision)
        if self._weights is not None:
            weights = xp.astype(xp.take(self._weights, rows, axis=0), self._precision)
            one_hot = one_hot * weights[None, :]
        sums, squares = one_hot @ deviations, one_hot @ (deviations * deviations)
        return xp.concat([sums, squares, xp.sum(one_hot, axis=1, keepdims=True)], axis=1)
