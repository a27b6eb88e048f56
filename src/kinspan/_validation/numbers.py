"""Arguments → numbers, or arrays of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinspan._rows.types import Floats
from kinspan._validation.messages import short

_MOST = 10**8


def real_numbers(name: str, given: Any) -> Floats:
    """An argument as doubles; text, times and complex numbers are refused."""
    try:
        array = np.asarray(given)
        if array.dtype.kind not in "biufO":
            raise TypeError
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name} is {short(given)}; give an array of numbers") from None


def check_size(name: str, size: Any) -> int:
    """The length of an array to make."""
    if not isinstance(size, (int, np.integer)) or isinstance(size, bool) or not 1 <= size <= _MOST:
        raise ValueError(f"{name} is {size!r}; give a whole number from 1 to {_MOST}")
    return int(size)


def is_number(value: Any) -> bool:
    """Whether a value is one real number."""
    return isinstance(value, (int, float, np.integer, np.floating))
