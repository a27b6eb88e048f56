"""Rows on a device → their class moments; only sums of cells come to the CPU."""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np

from kinspan._arrays.elsewhere import DeviceColumn, DeviceRows, on_host
from kinspan._arrays.libraries import device, moved, namespace, widest_float
from kinspan._device.array_pass import ArrayPass
from kinspan._device.cells import DeviceCells, cells_of
from kinspan._device.kernels import has_kernels
from kinspan._device.keys import is_double
from kinspan._rows import keys
from kinspan._rows.sums import CellMoments
from kinspan._rows.types import Codes, Floats, Ids
from kinspan._validation.finite import refuse_non_finite
from kinspan._validation.labelled_rows import CheckedRows
from kinspan._validation.weights import check_totals_of_cells


class FoundMoments(NamedTuple):
    """The fields of ClassMoments; tasks and classes may have no rows."""

    tasks: Ids
    classes: Ids
    counts: Floats
    means: Floats
    squares: Floats
    squared_weights: Floats | None


class Passed(NamedTuple):
    """By-products of a pass over rows, for the sample of them."""

    of: tuple[Any, Any, Any]  # labels, tasks and weights
    cells: DeviceCells
    weights: Any  # on the device
    rows_of_cells: Codes  # (cells,): number of rows that have weight
    hashes: Any  # (rows,), or None where the pass did not compute them


def device_moments(checked: CheckedRows, fading: Floats | None, is_part: bool) -> FoundMoments:
    """Moments of every cell from one pass over X."""
    X, y, task, weights, names = checked[:5]
    cells = cells_of(task, y, X.array)
    shape = cells.shape
    placed, squared_weights = _on_device_of(weights, X.array), None
    if fading is not None:
        faded = fading if weights is None else np.asarray(weights) * fading
        squared = np.bincount(on_host(cells.codes), faded * fading, shape[0] * shape[1])
        placed, squared_weights = moved(faded, X.array), squared.astype(np.float64).reshape(shape)
    rows = _pass_over(X, cells, placed)
    found = _cell_moments(rows)
    X.passed = Passed((y, task, weights), cells, placed, rows.rows_of_cells, rows.hashes)
    if weights is not None and not is_part:
        check_totals_of_cells(found.counts, rows.rows_of_cells)
    if not (np.isfinite(found.means).all() and np.isfinite(found.squares).all()):
        refuse_non_finite(X, names)
    counts = found.counts.reshape(shape)
    means, squares = (part.reshape(*shape, -1) for part in found[1:])
    return FoundMoments(cells.tasks.ids, cells.classes.ids, counts, means, squares, squared_weights)


def passed_over(checked: CheckedRows) -> Passed:
    """By-products of the last pass, if it was over the same cells; otherwise without hashes."""
    X, y, task, weights = checked[:4]
    before = X.passed
    if before is not None and all(map(operator.is_, before.of, (y, task, weights))):
        return before  # type: ignore[no-any-return]
    cells, placed = cells_of(task, y, X.array), _on_device_of(weights, X.array)
    counts = ArrayPass(X.array, cells, placed).rows_of_cells
    return Passed((y, task, weights), cells, placed, counts, None)


def _on_device_of(weights: Any, X: Any) -> Any:
    """Weights on the device of the rows, in double precision where it has that."""
    if weights is None:
        return None
    if isinstance(weights, DeviceColumn) and device(weights.array) == device(X):
        return namespace(X).astype(weights.array, widest_float(X))
    return moved(np.asarray(weights, dtype=np.float64), X)


def _pass_over(X: DeviceRows, cells: DeviceCells, weights: Any) -> Any:
    if not has_kernels(X.array):
        return ArrayPass(X.array, cells, weights)
    from kinspan._device.triton_pass import TritonPass  # noqa: PLC0415

    factors = None if X.sampled_by is None else keys.short_factors(X.sampled_by, X.shape[1])
    multipliers = None
    if factors is not None:
        words = factors.multipliers[:, : 2 if is_double(X.array) else 1]
        words = np.ascontiguousarray(words.T.reshape(-1).astype(np.uint32))
        multipliers = moved(words.view(np.int32), X.array)
    return TritonPass(X.array, cells, weights, multipliers)


def _cell_moments(rows: Any) -> CellMoments:
    """As on the CPU: if a reference row was far from the means, a second pass around these."""
    reference = rows.some_rows()
    moments, is_safe = rows.around(reference)
    if not is_safe:
        means = np.where(np.isfinite(moments.means), moments.means, on_host(reference))
        moments, _ = rows.around(rows.in_double(means))
    return moments  # type: ignore[no-any-return]
