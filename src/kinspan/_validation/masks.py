"""Masked arrays and pandas.NA → what NumPy knows as missing: it would drop the mask."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np


def unmasked_numbers(values: Any) -> Any:
    """Numbers with NaN for masked ones and for NA among objects; anything else is unchanged."""
    values = _without_na(values)
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


def _without_na(X: Any) -> Any:
    """NaN for pandas.NA among objects, of which NumPy cannot make a number."""
    pd = sys.modules.get("pandas")
    if pd is None:
        return X
    if isinstance(X, np.ndarray) and X.dtype == object:
        is_na = np.array([value is pd.NA for value in X.ravel()], dtype=bool).reshape(X.shape)
        return np.where(is_na, np.nan, X) if is_na.any() else X
    if isinstance(X, pd.DataFrame):
        for j, dtype in enumerate(X.dtypes):
            if isinstance(dtype, np.dtype) and dtype.kind == "O" and X.iloc[:, j].isna().any():
                X = X.copy(deep=False)
                X.isetitem(j, X.iloc[:, j].where(X.iloc[:, j].notna(), np.nan))
    return X
