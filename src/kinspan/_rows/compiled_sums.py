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

from kinspan._rows.machine_code import compiled
from kinspan._rows.spans import in_order
from kinspan._rows.types import Codes, Floats

_GROUP = 8  # rows of a cell that are added together
_BLOCK_BYTES = 1 << 18  # of rows that are read in order and found in the cache afterwards
_CACHED_BYTES = 3 << 19  # of reference, sums and squares of cells that are added to in turn
_SPAN_BYTES = 1 << 28  # of rows between two visits to the shared totals: X may be on disk
_SPANS = 4  # at least, so that threads have something to share
_COPY_BYTES = 1 << 22  # of rows that are brought into the form of machine code at a time
_SORTED_COPY_BYTES = 1 << 26  # the same if they are sorted by cell
_SINGLE_ROWS = 1 << 7  # of a cell, after which single precision is carried to double totals
_LINE_BYTES = 64


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
        room = np.zeros(size + _LINE_BYTES, np.uint8)
        start = -room.ctypes.data % _LINE_BYTES  # what is added at once lies in one line
        work = room[start : start + size].view(reference.dtype)
        work = work.reshape(n_cells, 1 + n_sums, p)
        work[:, 0] = reference
        return cls(work, np.zeros(n_cells, np.intp), np.zeros((n_sums, n_cells, p)))

    def move_to(self, totals: Floats) -> None:
        """Add everything to the totals and be zero."""
        _move(self.work, self.carried, totals)
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
            _add_in_turn(*rows.taken(first, min(first + step, stop)), block, *partial)
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
        _sort(cells, weights, order, ends)
        _share_cells(X, weights, order, ends, rows.reference, totals)
        if np.isnan(totals[0].sum()):
            break
    return totals


def _share_cells(*span: NDArray[Any]) -> None:
    """Threads take cells that have about as many rows as those of any other."""
    ends = span[3]
    cuts = np.searchsorted(ends[:-1], np.linspace(0, ends[-1], 4 * _SPANS + 1))

    def add(k: int) -> None:
        _add_cells(cuts[k], cuts[k + 1], *span)

    for _ in in_order(add, range(4 * _SPANS)):
        pass


@compiled
def _add_in_turn(
    X: NDArray[Any],
    cells: Codes,
    weights: NDArray[Any],
    block: int,
    work: NDArray[Any],
    added: Codes,
    carried: Floats,
) -> float:
    """Add rows to the sums of a span."""
    waiting, n_waiting = np.empty((len(work), _GROUP), np.intp), np.zeros(len(work), np.intp)
    seen = 0.0
    for start in range(0, len(X), block):
        stop = min(start + block, len(X))
        seen += _read_in_order(X, start, stop)
        for i in range(start, stop):
            c = cells[i]
            if _weight(weights, i) > 0:
                waiting[c, n_waiting[c]] = i
                n_waiting[c] += 1
            if n_waiting[c] == _GROUP:
                n_waiting[c] = 0
                _add_rows(X, weights, waiting[c], work[c])
                added[c] += _GROUP
                if added[c] >= _SINGLE_ROWS:
                    added[c] = 0
                    for k in range(len(carried)):
                        _carry(work[c, k + 1], carried[k, c])
    for c in range(len(work)):
        _add_rows(X, weights, waiting[c, : n_waiting[c]], work[c])
        added[c] += n_waiting[c]
    return seen  # otherwise the compiler would drop the reads


@compiled
def _add_cells(
    first: int,
    last: int,
    X: NDArray[Any],
    weights: NDArray[Any],
    order: Codes,
    ends: Codes,
    reference: NDArray[Any],
    totals: Floats,
) -> None:
    """Add the rows of some cells to their totals."""
    work = np.zeros((1 + len(totals), reference.shape[1]), reference.dtype)
    for c in range(first, last):
        work[0] = reference[c]
        for start in range(ends[c], ends[c + 1], _SINGLE_ROWS):
            chosen = order[start : min(start + _SINGLE_ROWS, ends[c + 1])]
            _add_rows(X, weights, chosen, work)
            for k in range(len(totals)):
                _carry(work[k + 1], totals[k, c])


@compiled
def _read_in_order(X: NDArray[Any], start: int, stop: int) -> float:
    """Bring rows into the cache, by a number of each of its lines."""
    seen = X.dtype.type(0)
    for i in range(start, stop):
        for j in range(0, X.shape[1], _LINE_BYTES // X.itemsize):
            seen += X[i, j]
    return float(seen)


@compiled
def _sort(cells: Codes, weights: NDArray[Any], order: Codes, ends: Codes) -> None:
    """Rows that have a weight, by cell: those of cell c are order[ends[c] : ends[c + 1]]."""
    ends[:] = 0
    for i in range(len(cells)):
        if _weight(weights, i) > 0:
            ends[cells[i] + 2] += 1
    for c in range(len(ends) - 1):
        ends[c + 1] += ends[c]
    for i in range(len(cells)):
        if _weight(weights, i) > 0:
            order[ends[cells[i] + 1]] = i
            ends[cells[i] + 1] += 1


@compiled
def _add_rows(X: NDArray[Any], weights: NDArray[Any], chosen: Codes, work: NDArray[Any]) -> None:
    """Add rows of a cell, four at a time; for those that are missing, the last without weight."""
    end, none, counts_values = len(chosen) - 1, weights.dtype.type(0), len(work) > 3
    for k in range(0, end + 1, 4):
        i0, i1 = chosen[k], chosen[min(k + 1, end)]
        i2, i3 = chosen[min(k + 2, end)], chosen[min(k + 3, end)]
        w0, w1 = _weight(weights, i0), _weight(weights, i1) if k + 1 <= end else none
        w2 = _weight(weights, i2) if k + 2 <= end else none
        w3 = _weight(weights, i3) if k + 3 <= end else none
        if counts_values:
            _add_values(X[i0], X[i1], X[i2], X[i3], w0, w1, w2, w3, work)
        else:
            _add_whole(X[i0], X[i1], X[i2], X[i3], w0, w1, w2, w3, work)


@compiled
def _add_whole(
    x0: Any, x1: Any, x2: Any, x3: Any, w0: Any, w1: Any, w2: Any, w3: Any, work: NDArray[Any]
) -> None:
    """Add four rows without holes."""
    reference, sums, squares = work[0], work[1], work[2]
    for j in range(len(reference)):
        d0, d1 = x0[j] - reference[j], x1[j] - reference[j]
        d2, d3 = x2[j] - reference[j], x3[j] - reference[j]
        sums[j] += (w0 * d0 + w1 * d1) + (w2 * d2 + w3 * d3)
        squares[j] += (w0 * d0 * d0 + w1 * d1 * d1) + (w2 * d2 * d2 + w3 * d3 * d3)


@compiled
def _add_values(
    x0: Any, x1: Any, x2: Any, x3: Any, w0: Any, w1: Any, w2: Any, w3: Any, work: NDArray[Any]
) -> None:
    """Add the values of four rows that are there, and their weights."""
    reference, sums, squares, there = work[0], work[1], work[2], work[3]
    for j in range(len(reference)):
        v0, d0 = _value(x0[j] - reference[j], w0)
        v1, d1 = _value(x1[j] - reference[j], w1)
        v2, d2 = _value(x2[j] - reference[j], w2)
        v3, d3 = _value(x3[j] - reference[j], w3)
        sums[j] += (v0 * d0 + v1 * d1) + (v2 * d2 + v3 * d3)
        squares[j] += (v0 * d0 * d0 + v1 * d1 * d1) + (v2 * d2 * d2 + v3 * d3 * d3)
        there[j] += (v0 + v1) + (v2 + v3)


@compiled
def _value(deviation: Any, weight: Any) -> tuple[Any, Any]:
    """Weight and deviation of a value; zeros where it is missing."""
    none = type(weight)(0)
    return (none, none) if np.isnan(deviation) else (weight, deviation)


@compiled
def _weight(weights: NDArray[Any], i: int) -> Any:
    """Of row i; where there are no weights, it is one."""
    return weights[i] if len(weights) else weights.dtype.type(1)


@compiled
def _move(work: NDArray[Any], carried: Floats, totals: Floats) -> None:
    """Carry all sums of a span."""
    for c in range(len(work)):
        for k in range(len(carried)):
            _carry(work[c, k + 1], carried[k, c])
            _carry(carried[k, c], totals[k, c])


@compiled
def _carry(single: NDArray[Any], total: Floats) -> None:
    """Move sums to their totals."""
    for j in range(len(single)):
        total[j] += single[j]
        single[j] = 0
