"""The sums of the moment pass, compiled by numba: the extra `kinspan[fast]`.

Rows wait until there are eight of their cell, so that its sums move between the caches an eighth
as often. But memory is read fastest in order: one number of every cache line of a block is read
in order before rows are taken by cell. Where the sums of all cells are too large for the caches,
each cell is finished before the next one begins.
"""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinspan._rows.compiled_loops import LINE_BYTES, add_cells, add_in_turn, move, sort
from kinspan._rows.spans import in_order
from kinspan._rows.types import Codes, Floats

_BLOCK_BYTES = 1 << 18  # of rows that are read in order and found in the cache afterwards
_CACHED_BYTES = 3 << 19  # of reference, sums and squares of cells that are added to in turn
_SPAN_BYTES = 1 << 28  # of rows between two visits to the shared totals: X may be on disk
_SPANS = 4  # at least, so that threads have something to share
_COPY_BYTES = 1 << 22  # of rows that are brought into the form of machine code at a time
_SORTED_COPY_BYTES = 1 << 26  # the same if they are sorted by cell


class _Rows(NamedTuple):
    """Rows, their cells, and what deviations are taken from."""

    X: NDArray[Any]
    cells: Codes
    weights: NDArray[Any] | None
    reference: NDArray[Any]  # (cells, features), in the precision of deviations

    def are_ready(self) -> bool:
        """Whether X need not be copied."""
        flags = self.X.flags
        return self.X.dtype == self.reference.dtype and flags.c_contiguous and flags.aligned

    def taken(self, start: int, stop: int) -> tuple[NDArray[Any], Codes, NDArray[Any]]:
        """Some rows, cells and weights in the one form that functions are compiled for."""
        dtype = self.reference.dtype
        rows = np.require(self.X[start:stop], dtype, ["C", "A"]).view()
        rows.flags.writeable = False
        weights = () if self.weights is None else self.weights[start:stop]
        return rows, self.cells[start:stop], np.array(weights, dtype)


class _Partial(NamedTuple):
    """Sums of a span, in the precision of the reference and carried from there to double."""

    work: NDArray[Any]  # (cells, 1 + sums, features): reference and sums lie side by side
    added: Codes  # (cells,) rows that were added since the last time
    carried: Floats  # (sums, cells, features)

    @classmethod
    def of(cls, reference: NDArray[Any], n_sums: int) -> _Partial:
        n_cells, p = reference.shape
        size = (1 + n_sums) * reference.nbytes
        room = np.zeros(size + LINE_BYTES, np.uint8)
        start = -room.ctypes.data % LINE_BYTES  # what is added at once lies in one line
        work = room[start : start + size].view(reference.dtype)
        work = work.reshape(n_cells, 1 + n_sums, p)
        work[:, 0] = reference
        return cls(work, np.zeros(n_cells, np.intp), np.zeros((n_sums, n_cells, p)))

    def move_to(self, totals: Floats) -> None:
        """Add everything to the totals and be zero."""
        move(self.work, self.carried, totals)
        self.added[:] = 0


def cell_sums(
    X: NDArray[Any],
    cells: Codes,
    weights: Floats | None,
    reference: NDArray[Any],
    holes: bool,
) -> Floats:
    """Like `kinspan._rows.dense_sums.deviation_sums`, with totals in double precision.

    The result does not depend on the number of threads.
    """
    rows, n_sums = _Rows(X, cells, weights, reference), 2 + holes
    are_few = (1 + n_sums) * reference.nbytes <= _CACHED_BYTES
    return _by_span(rows, n_sums) if are_few else _by_cell(rows, n_sums)


def _by_span(rows: _Rows, n_sums: int) -> Floats:
    """Threads share spans of rows, which are added up in their order."""
    n, row_bytes = len(rows.X), rows.reference[0].nbytes
    block = -(-_BLOCK_BYTES // row_bytes)
    span = min(-(-n // _SPANS), -(-_SPAN_BYTES // row_bytes))
    step = span if rows.are_ready() else -(-_COPY_BYTES // row_bytes)
    spare: deque[_Partial] = deque()  # fresh pages are slow

    def span_sums(start: int) -> _Partial:
        try:
            partial = spare.pop()
        except IndexError:
            partial = _Partial.of(rows.reference, n_sums)
        stop = min(start + span, n)
        for first in range(start, stop, step):
            add_in_turn(*rows.taken(first, min(first + step, stop)), block, *partial)
        return partial

    totals = np.zeros((n_sums, *rows.reference.shape))
    for partial in in_order(span_sums, range(0, n, span)):
        partial.move_to(totals)
        if np.isnan(totals[0].sum()):
            break
        spare.append(partial)
    return totals


def _by_cell(rows: _Rows, n_sums: int) -> Floats:
    """Threads share the cells of a span of rows, one span after the other."""
    n, (n_cells, p) = len(rows.X), rows.reference.shape
    size = _SPAN_BYTES if rows.are_ready() else _SORTED_COPY_BYTES
    span = -(-size // rows.reference[0].nbytes)
    totals = np.zeros((n_sums, n_cells, p))
    for start in range(0, n, span):
        X, cells, weights = rows.taken(start, min(start + span, n))
        order, ends = np.empty(len(X), np.intp), np.empty(n_cells + 2, np.intp)
        sort(cells, weights, order, ends)
        _share_cells(X, weights, order, ends, rows.reference, totals)
        if np.isnan(totals[0].sum()):
            break
    return totals


def _share_cells(*span: NDArray[Any]) -> None:
    """Threads take cells that have about as many rows as those of any other."""
    ends = span[3]
    cuts = np.searchsorted(ends[:-1], np.linspace(0, ends[-1], 4 * _SPANS + 1))

    def add(k: int) -> None:
        add_cells(cuts[k], cuts[k + 1], *span)

    for _ in in_order(add, range(4 * _SPANS)):
        pass
