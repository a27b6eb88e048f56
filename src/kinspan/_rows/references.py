"""Values of each cell that deviations are taken from: near the others, and cheap to find.

In the precision that deviations are taken in.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kinspan._arrays.libraries import is_sparse
from kinspan._rows.types import Codes, Floats, Rows

_MANY_ROWS = 1 << 7  # of a cell, on average: then reading three of its rows costs little
_ROWS_TO_CHOOSE_FROM = 1 << 6  # of a cell, on average, where values are missing
_MOST_TRIES = 1 << 4  # rows of a cell in which a value is looked for


def typical_rows(X: Any, cells: Codes, counts: Floats, weights: Floats | None) -> Rows:
    """(cells, features): the middle of three rows of each cell, which no single outlier moves.

    A single row where cells have few; NaN in a row shows.
    """
    rows = _some_rows(X, cells, counts, weights)
    if len(rows) > 1:
        first, second, third = rows
        higher = np.maximum(first, second)
        rows = [np.maximum(np.minimum(first, second), np.minimum(higher, third))]
    return rows[0]


def typical_values(X: Any, cells: Codes, counts: Floats, weights: Floats | None) -> Rows:
    """The same of values that are there, of other rows of the cell where these lack them.

    If those do not have any either, the mean of the feature in other cells.
    """
    rows = _some_rows(X, cells, counts, weights)
    if len(rows) > 1:
        first, second, third = rows
        higher = np.fmax(first, second)
        rows = [np.fmax(np.fmin(first, second), np.fmin(higher, third))]
    values = rows[0].astype(np.float64) if weights is not None else rows[0]  # they may be fractions
    values[~np.isfinite(values)] = np.nan
    _look_further(values, X, cells, weights)
    lacking = np.isnan(values)
    if lacking.any():
        known = np.maximum((~lacking).sum(axis=0), 1)
        elsewhere = np.where(lacking, 0.0, values).sum(axis=0, dtype=np.float64) / known
        np.copyto(values, elsewhere, where=lacking, casting="same_kind")
    return values


def _look_further(values: Rows, X: Any, cells: Codes, weights: Floats | None) -> None:
    """Set missing values to those of the next rows of their cell that have them."""
    seen = np.arange(len(cells)) if weights is None else np.flatnonzero(weights)
    seen = seen[:: max(1, len(seen) // (_ROWS_TO_CHOOSE_FROM * max(len(values), 1)))]
    seen = seen[np.argsort(cells[seen], kind="stable")]
    starts = np.searchsorted(cells[seen], np.arange(len(values) + 1))
    for k in range(_MOST_TRIES):
        lacking = np.isnan(values).any(axis=1) & (starts[:-1] + k < starts[1:])
        if not lacking.any():
            return
        found = _taken(X, seen[starts[:-1][lacking] + k])
        found[~np.isfinite(found)] = np.nan
        values[lacking] = np.where(np.isnan(values[lacking]), found, values[lacking])


def _some_rows(X: Any, cells: Codes, counts: Floats, weights: Floats | None) -> list[Rows]:
    """One row of each cell, or three where cells have many; zeros where a cell has none."""
    codes = cells if weights is None else cells[weights > 0]
    seen = np.arange(len(cells)) if weights is None else np.flatnonzero(weights)
    last = np.zeros(len(counts), np.intp)
    last[codes] = seen
    places = [last]
    if len(seen) >= _MANY_ROWS * len(counts):
        second, third = last.copy(), last.copy()
        second[codes[3::7]] = seen[3::7]
        third[codes[::-11]] = seen[::-11]  # one of the first
        places += [second, third]
    rows = [_taken(X, some) for some in places]
    for some in rows:
        some[counts == 0] = 0.0
    return rows


def _taken(X: Any, rows: Codes) -> Rows:
    """Some rows, double unless X has all its numbers and they are single or less."""
    if is_sparse(X):
        return np.asarray(X[rows].toarray(), np.float64)
    single = X.dtype.kind == "f" and X.dtype.itemsize <= 4
    return np.array(X[rows], np.float32 if single else np.float64, order="C", copy=None)
