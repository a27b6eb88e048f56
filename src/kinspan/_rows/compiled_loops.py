"""The loops over numbers of the compiled moment pass, for `kinspan._rows.compiled_sums`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinspan._rows.machine_code import compiled
from kinspan._rows.types import Codes, Floats

LINE_BYTES = 64
_GROUP = 8  # rows of a cell that are added together
_SINGLE_ROWS = 1 << 7  # of a cell, after which single precision is carried to double totals


@compiled
def add_in_turn(
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
def add_cells(
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
        for j in range(0, X.shape[1], LINE_BYTES // X.itemsize):
            seen += X[i, j]
    return float(seen)


@compiled
def sort(cells: Codes, weights: NDArray[Any], order: Codes, ends: Codes) -> None:
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
def move(work: NDArray[Any], carried: Floats, totals: Floats) -> None:
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
