"""Rows that live on a device."""

from __future__ import annotations

from typing import Any

from kinspan._arrays.elsewhere import DeviceColumn, DeviceRows
from kinspan._arrays.libraries import namespace, widest_float
from kinspan._validation.messages import ALL_ZERO, MOST_ROWS, NOT_FREQUENCIES, TOO_MANY, of_length


def check_device_rows(X: DeviceRows) -> DeviceRows:
    """Two dimensions, real numbers, and something in it."""
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


def check_device_weights(weights: Any, n_samples: int) -> DeviceColumn:
    """Frequency weights in double precision, where they are."""
    of_length(weights, n_samples, "sample_weight")
    xp = namespace(weights.array)
    array = xp.astype(weights.array, widest_float(weights.array))
    if not bool(xp.all(xp.isfinite(array) & (array >= 0))):
        raise ValueError(NOT_FREQUENCIES)
    if not bool(xp.any(array > 0)):
        raise ValueError(ALL_ZERO)
    if bool(xp.any(array > MOST_ROWS)):
        raise ValueError(TOO_MANY)
    return DeviceColumn(array)
