"""Sampled rows → a warning where fewer of them could be kept than were asked for."""

from __future__ import annotations

import warnings
from typing import Protocol

from kinspan._rows.types import Floats

_USUAL = 100  # the default, which nobody asked for


class _Sample(Protocol):
    @property
    def size(self) -> int:
        """Rows of a cell that were asked for."""

    @property
    def bound(self) -> int:
        """Rows of a cell that are kept at most."""


def warn_of_fewer_rows(sample: _Sample | None, counts: Floats) -> None:
    """Where the memory for all cells does not allow as many rows as `row_sample` says."""
    if sample is None or sample.size == _USUAL or sample.bound >= sample.size:
        return
    if (counts > sample.bound).any():
        warnings.warn(
            f"row_sample={sample.size} rows of every class of every task are more than 2**26 "
            f"numbers: {sample.bound} of each are used, and forecast intervals are wider; pass "
            f"row_sample={sample.bound}, or fewer features",
            stacklevel=2,
        )
