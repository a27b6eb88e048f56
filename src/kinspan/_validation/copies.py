"""Sampled rows → a warning where measured rows came several times, as if they were several rows.

Where a row is a few categories or what stands for "nothing happened", new rows are copies as often
as those that were seen. Where a feature is measured, only who doubled rows can make copies of many
different ones, such as to balance classes. Of these, a row that is left out has left copies behind.
"""

from __future__ import annotations

import warnings
from typing import Protocol

import numpy as np

from kinspan._rows.stored_rows import StoredRows, all_numbers
from kinspan._rows.types import Codes, Floats
from kinspan.exceptions import CopiesWarning

_LEAST, _SHARE = 5, 0.25  # of different rows that came again: a few stand for nothing
_MEASURED = 0.9  # as many values as different rows: not a category, nor a small count
_LOOKED_AT = 1000  # rows


class _Sample(Protocol):
    @property
    def cells(self) -> Codes: ...
    @property
    def weights(self) -> Floats: ...
    @property
    def stored(self) -> StoredRows: ...
    @property
    def recency(self) -> Floats | None: ...


def warn_of_copies(sample: _Sample | None) -> None:
    """Where many different rows of a class of a task came more than once."""
    if sample is None or sample.recency is not None:
        return
    again = sample.weights > 1.5
    cells = np.bincount(sample.cells, again) > 0
    among = int(cells[sample.cells].sum())
    n = int(again.sum())
    if n >= _LEAST and n >= _SHARE * among and _is_measured(sample):
        warnings.warn(
            f"{n:,} of {among:,} different rows came more than once in a class of their task, "
            "though some feature has hardly a value twice. If they were copied, forecasts are too "
            "good, because a row that is left out has copies: pass every row once",
            CopiesWarning,
            stacklevel=2,
        )


def _is_measured(sample: _Sample) -> bool:
    """Whether some feature tells nearly all rows apart."""
    some = np.unique(np.linspace(0, len(sample.cells) - 1, _LOOKED_AT).astype(np.intp))
    rows = all_numbers(sample.stored[some])
    return any(len(np.unique(column)) >= _MEASURED * len(rows) for column in rows.T)
