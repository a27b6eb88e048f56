"""Rows on a device → the same rows, if they can be used there."""

from __future__ import annotations

from typing import Any

from kinspan._arrays.elsewhere import DeviceRows
from kinspan._arrays.libraries import namespace


def check_device_rows(X: DeviceRows) -> DeviceRows:
    """Two dimensions, real numbers, at least one row and one feature."""
    shape = tuple(X.array.shape)
    if len(shape) != 2:
        raise ValueError(f"X has shape {shape}; expected a 2D array: reshape your data")
    if 0 in shape:
        raise ValueError(f"X has shape {shape}; at least one row and one feature are required")
    xp = namespace(X.array)
    if not xp.isdtype(X.array.dtype, ("bool", "integral", "real floating")):
        raise ValueError(f"X has dtype {X.array.dtype}; use real numbers")
    return X


def refuse_task_column(column: Any) -> None:
    """Taking a column out of X would copy X, which may fill the device."""
    if column is not None:
        raise ValueError(
            f"task_column={column!r}, but X lives on a device, where a column cannot be taken out "
            "without a copy of X; pass task= and X without that column"
        )
