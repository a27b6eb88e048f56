"""y as a user gives it → the labels that there are, and which rows have none."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinspan._arrays.elsewhere import DeviceColumn, column_of_rows
from kinspan._rows import identifiers
from kinspan._rows.types import Mask
from kinspan._validation.in_order import in_order
from kinspan._validation.masks import unmasked_ids
from kinspan._validation.messages import of_length, short

REFUSED = object()  # where rows without labels are an error
NONE = np.empty(0, dtype=object)  # the labels of rows that have none


def set_apart(y: Any, n_samples: int, unlabelled: Any) -> tuple[Any, Mask | None]:
    """The labels that are not missing, and (rows,): where they are; None if none is.

    A label is missing if it is None, NaN, NaT or NA, or equal to `unlabelled`, unless that is None.
    """
    if unlabelled is REFUSED or y is None:
        return y, None
    values = unmasked_ids(column_of_rows(in_order(y, "y")))
    if isinstance(values, DeviceColumn) and values.dtype.kind in "iub" and unlabelled is None:
        return y, None
    array = identifiers.as_array(values if isinstance(values, (list, tuple)) else _numpy(values))
    if array.ndim != 1:
        return y, None
    lacking = _is_missing(array)
    if not identifiers.is_missing(unlabelled):
        _check_kind(array, unlabelled)
        lacking = lacking | _is_equal(array, unlabelled)
    if not lacking.any():
        return y, None
    of_length(lacking, n_samples, "y")
    rest = array[~lacking]
    return (identifiers.as_array(rest.tolist()) if rest.dtype == object else rest), lacking


def _numpy(values: Any) -> NDArray[Any]:
    """Whole numbers of pandas stay whole numbers where some are missing."""
    array = np.asarray(values)
    kind = getattr(getattr(values, "dtype", None), "kind", "")
    is_moved = kind in ("i", "u") and array.dtype.kind == "f"
    return np.asarray(values, dtype=object) if is_moved else array


def _check_kind(array: NDArray[Any], value: Any) -> None:
    """It is one label; a text never stands for no number, nor a number for no text."""
    if isinstance(value, tuple) or not isinstance(value, Hashable):
        raise TypeError(f"unlabelled is {short(value)}, not one label")
    is_text = array.dtype.kind == "U"
    if array.dtype.kind in "biufU" and isinstance(value, str) != is_text:
        kind = "text" if is_text else "numbers"
        raise TypeError(f"unlabelled is {value!r}, but labels are {kind}")


def _is_missing(array: NDArray[Any]) -> Mask:
    if array.dtype.kind == "f":
        return np.asarray(np.isnan(array))
    if array.dtype.kind in "mM":
        return np.asarray(np.isnat(array))
    if array.dtype == object:
        return np.fromiter(map(identifiers.is_missing, array), dtype=bool, count=len(array))
    return np.zeros(len(array), dtype=bool)


def _is_equal(array: NDArray[Any], value: Any) -> Mask:
    if array.dtype == object:
        return np.fromiter((v == value for v in array.tolist()), dtype=bool, count=len(array))
    return np.asarray(array == value)
