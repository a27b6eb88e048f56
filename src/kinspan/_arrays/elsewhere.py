"""Arrays of any library → NumPy views, or rows and columns that stay on their device."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from kinspan._arrays.libraries import (
    copied_to_numpy,
    device,
    is_foreign,
    moved,
    namespace,
    plain,
    seen_by_numpy,
    widest_int,
)
from kinspan._rows.types import Ids

_Array = TypeVar("_Array", bound=NDArray[Any])  # or what stands for it in another library


@dataclass(eq=False)
class DeviceRows:
    """X on a device."""

    array: Any  # (rows, features)
    passed: Any = None  # by-products of the last pass over it, for the sample of rows
    sampled_by: Any = None  # the key, if a pass should keep hashes of rows

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, features)."""
        return self.array.shape[0], self.array.shape[1]


@dataclass(eq=False)
class DeviceColumn:
    """One number per row on a device; NumPy functions accept it and get a copy."""

    array: Any  # (rows,)

    ndim = 1

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        values = copied_to_numpy(self.array)
        return values if dtype is None else values.astype(dtype)

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The data type, in the terms of NumPy."""
        return copied_to_numpy(self.array[:0]).dtype

    def __len__(self) -> int:
        return int(self.array.shape[0])

    def __getitem__(self, chosen: Any) -> NDArray[Any]:
        return np.asarray(np.asarray(self)[chosen])


def is_elsewhere(X: Any) -> bool:
    """Whether rows stay on a device."""
    return isinstance(X, DeviceRows)


def stays_there(values: Any) -> bool:
    """Whether values are whole numbers on a device: ids that are encoded there."""
    return isinstance(values, DeviceColumn) and values.dtype.kind in "iub"


def are_classes(values: Any) -> bool:
    """Whether values are whole numbers on a device, of any type."""
    if stays_there(values) or not isinstance(values, DeviceColumn) or values.dtype.kind != "f":
        return stays_there(values)
    xp, array = namespace(values.array), values.array
    return bool(xp.all((xp.floor(array) == array) & (xp.abs(array) < 2**31)))


def refuse_lazy(values: Any) -> None:
    """Frames that are plans, of polars and others, have no rows yet."""
    if type(values).__name__ == "LazyFrame":
        raise TypeError("a LazyFrame has no rows yet; pass what its .collect() returns")


def rows_of(X: Any) -> Any:
    """X of another library as a NumPy view or, where NumPy cannot see it, as `DeviceRows`.

    Anything else is returned unchanged.
    """
    refuse_lazy(X)
    if not is_foreign(X):
        return X
    X = plain(X)
    seen = seen_by_numpy(X)
    return DeviceRows(X) if seen is None else seen


def column_of_rows(values: Any) -> Any:
    """The same for one value per row: labels, tasks, weights. Single values come to the CPU."""
    refuse_lazy(values)
    if not is_foreign(values):
        return values
    values = plain(values)
    seen = seen_by_numpy(values)
    if seen is None and len(values.shape) == 1:
        return DeviceColumn(values)
    return copied_to_numpy(values) if seen is None else seen


def on_host(values: Any) -> Any:
    """Arrays on a device as NumPy arrays, anything else unchanged."""
    if isinstance(values, (DeviceRows, DeviceColumn)):
        return copied_to_numpy(values.array)
    if not is_foreign(values):
        return values
    seen = seen_by_numpy(plain(values))
    return copied_to_numpy(values) if seen is None else seen


def rows_at(values: Any, positions: NDArray[np.intp]) -> Any:
    """Some rows of X or some values of a column, wherever they are; None stays None."""
    if isinstance(values, (DeviceRows, DeviceColumn)):
        array = values.array
        return type(values)(namespace(array).take(array, moved(positions, array), axis=0))
    return None if values is None else values[positions]


def per_row(table: NDArray[Any], codes: Any) -> Any:
    """Rows of a small table, on the device of the codes that choose them; text stays with NumPy."""
    if not is_foreign(codes):
        return table[codes]
    if table.dtype.kind not in "biuf":
        return table[on_host(codes)]
    return namespace(codes).take(moved(table, codes), codes, axis=0)


def codes_on_device_of(codes: Any, X: Any, n_codes: int) -> Any:
    """Codes of rules on the device of X, with the last code instead of −1."""
    if not isinstance(X, DeviceRows):
        return codes
    xp = namespace(X.array)
    if is_foreign(codes) and device(codes) != device(X.array):
        codes = copied_to_numpy(codes)
    if isinstance(codes, np.ndarray):
        few = codes[:1] if codes.strides == (0,) else codes  # one code for all rows
        codes = xp.broadcast_to(moved(few.astype(np.int32), X.array), codes.shape)
    last = xp.full((1,), n_codes - 1, dtype=codes.dtype, device=device(codes))
    return xp.where(codes < 0, last, codes)


def known_codes(known: Ids, values: Any) -> Any:
    """Position of every value among integer ids, −1 where it is not one of them."""
    xp, kind = namespace(values.array), widest_int(values.array)
    array = xp.astype(values.array, kind, copy=False)
    none = xp.full((1,), -1, dtype=kind, device=device(array))
    if int(known[-1]) - int(known[0]) == len(known) - 1:  # consecutive: no search is needed
        codes = array - int(known[0])
        return xp.where((codes >= 0) & (codes < len(known)), codes, none)
    ids = xp.astype(moved(known.astype(np.int64), array), kind, copy=False)
    codes = xp.astype(xp.searchsorted(ids, array), kind, copy=False)
    codes = xp.where(codes < len(known), codes, xp.zeros_like(none))
    return xp.where(xp.take(ids, codes, axis=0) == array, codes, none)


def all_finite(values: Any) -> bool:
    """Whether there is neither NaN nor infinity."""
    xp = namespace(values)
    return bool(xp.all(xp.isfinite(values)))


def in_library_of(result: _Array, X: Any) -> _Array:
    """A result in the library and on the device of X; text and objects stay with NumPy."""
    if not is_foreign(X) or is_foreign(result) or result.dtype.kind not in "biuf":
        return result
    there: _Array = moved(result, X)
    return there
