"""Ids of tasks and classes on a device → their distinct values, and codes that stay there."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kinspan._arrays.elsewhere import DeviceColumn
from kinspan._arrays.libraries import (
    copied_to_numpy,
    device,
    extremes,
    moved,
    namespace,
    widest_int,
)
from kinspan._rows import identifiers
from kinspan._rows.types import Ids

_FEW_IDS = 1024


class DeviceIds(NamedTuple):
    """The position of a row's id among the ids is its value minus the lowest."""

    ids: Ids  # in order, on the CPU; some may have no rows
    values: Any  # (rows,) integers, on the device
    lowest: int

    @property
    def codes(self) -> Any:
        """(rows,): positions, in integers that can hold them."""
        xp = namespace(self.values)
        return xp.astype(self.values, widest_int(self.values)) - self.lowest


class DeviceCells(NamedTuple):
    """The task and the class of every row."""

    tasks: DeviceIds
    classes: DeviceIds

    @property
    def shape(self) -> tuple[int, int]:
        """(tasks, classes)."""
        return len(self.tasks.ids), len(self.classes.ids)

    @property
    def codes(self) -> Any:
        """(rows,): position of the task times the number of classes, plus that of the class."""
        return self.tasks.codes * self.shape[1] + self.classes.codes


def cells_of(task: Any, y: Any, X: Any) -> DeviceCells:
    """Cells of the rows of X, on its device.

    Integers that lie close together are their own codes: only the lowest and the highest are
    needed. Where many cells would then have no rows, ids without rows are dropped.
    """
    columns = (task, y)
    arrays = [_integers(values, X) for values in columns]
    ranges = iter(extremes([array for array in arrays if array is not None]))
    cells = DeviceCells(
        *(
            _from_cpu(values, X) if array is None else _encoded(array, values.dtype, *next(ranges))
            for values, array in zip(columns, arrays, strict=True)
        )
    )
    if cells.shape[0] * cells.shape[1] <= max(4 * _FEW_IDS, len(y) // 64):
        return cells
    return DeviceCells(*map(_without_gaps, cells))


def _integers(values: Any, X: Any) -> Any:
    """Whole numbers on the device of X; None where the CPU has to encode them."""
    if not isinstance(values, DeviceColumn) or device(values.array) != device(X):
        return None
    if values.dtype == np.uint64:  # signed integers do not hold them
        return None
    xp, array = namespace(values.array), values.array
    if values.dtype.kind == "f":
        return xp.astype(array, widest_int(array))
    return xp.astype(array, xp.uint8) if values.dtype.kind == "b" else array


def _from_cpu(values: Any, X: Any) -> DeviceIds:
    xp = namespace(X)
    if identifiers.is_repeated(values):
        return DeviceIds(
            values[:1].copy(), xp.zeros(len(values), dtype=xp.uint8, device=device(X)), 0
        )
    ids, codes = identifiers.encode(np.asarray(values))
    return DeviceIds(ids, moved(codes.astype(np.int32), X), 0)


def _encoded(array: Any, kind: np.dtype[Any], lowest: int, highest: int) -> DeviceIds:
    if highest - lowest < max(_FEW_IDS, array.shape[0] // 64):
        return DeviceIds(np.arange(lowest, highest + 1).astype(kind), array, lowest)
    return _without_gaps(DeviceIds(np.empty(0, kind), array, 0))


def _without_gaps(encoded: DeviceIds) -> DeviceIds:
    """The same with ids that have rows, and no others."""
    xp = namespace(encoded.values)
    found, codes = xp.unique_inverse(encoded.values)
    order = xp.argsort(found)  # the standard does not say that they are sorted
    ranks = xp.argsort(order)
    ids = copied_to_numpy(xp.take(found, order, axis=0))
    if len(encoded.ids):
        ids = encoded.ids[ids.astype(np.int64) - encoded.lowest]
    ids = ids.astype(encoded.ids.dtype)
    codes = xp.take(ranks, xp.reshape(codes, (-1,)), axis=0)
    return DeviceIds(ids, codes, 0)
