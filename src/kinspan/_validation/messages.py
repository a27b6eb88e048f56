"""Parts of error messages."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

NOT_FREQUENCIES = "sample_weight contains negative, infinite or NaN values; use frequencies"
ALL_ZERO = "sample_weight is zero for every row; at least one must be positive"


def some(values: list[Any], at_most: int = 5) -> str:
    """The first few values, and how many there are."""
    shown = ", ".join(map(repr, values[:at_most]))
    return shown if len(values) <= at_most else f"{shown}, … ({len(values)} in all)"


def of_length(values: NDArray[Any], n_samples: int, name: str) -> NDArray[Any]:
    """The values, if there is one for every row."""
    if len(values) != n_samples:
        raise ValueError(
            f"{name} has {len(values)} values for {n_samples} rows: found input variables with "
            "inconsistent numbers of samples; pass one a row"
        )
    return values
