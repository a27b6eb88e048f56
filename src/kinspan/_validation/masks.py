"""Masked arrays → plain ones in which masked entries are missing: NumPy would drop the mask."""

from __future__ import annotations

from typing import Any

import numpy as np


def unmasked_numbers(values: Any) -> Any:
    """Numbers with NaN for masked ones; anything but a masked array is returned unchanged."""
    if not isinstance(values, np.ma.MaskedArray):
        return values
    if not np.ma.is_masked(values):
        return values.data
    is_whole = values.dtype.kind in "biu"
    numbers = values.data.astype(np.float64 if is_whole else values.dtype)
    numbers[values.mask] = np.nan
    return numbers


def unmasked_ids(values: Any) -> Any:
    """Ids with None for masked ones; anything but a masked array is returned unchanged."""
    if not isinstance(values, np.ma.MaskedArray):
        return values
    if not np.ma.is_masked(values):
        return values.data
    ids = values.data.astype(object)
    ids[values.mask] = None
    return ids
