"""Sampled rows → a warning where measured rows came several times, as if they were several rows.

Where a row is a few categories or what stands for "nothing happened", new rows are copies as often
as those that were seen. Where a feature is measured, only who doubled rows can make copies of many
different ones, such as to balance classes. Of these, a row that is left out has left copies behind.
Without such a feature, copies show where all rows of a class came twice, or all three times.
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
_MULTIPLES = 20  # different rows that all came an even number of times: one in a million


class _Sample(Protocol):
    @property
    def cells(self) -> Codes: ...
    @property
    def class_codes(self) -> Codes: ...
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
    if n < _LEAST or n < _SHARE * among:
        return
    if _is_measured(sample):
        why = "though some feature has hardly a value twice"
    elif _come_in_multiples(sample):
        why = "and all of a class as often, or a multiple of that"
    else:
        return
    warnings.warn(
        f"{n:,} of {among:,} different rows came more than once in a class of their task, {why}. "
        "If they were copied, forecasts are too good, because a row that is left out has copies: "
        "pass every row once",
        CopiesWarning,
        stacklevel=2,
    )


def _is_measured(sample: _Sample) -> bool:
    """Whether some feature tells nearly all rows apart."""
    some = np.unique(np.linspace(0, len(sample.cells) - 1, _LOOKED_AT).astype(np.intp))
    rows = all_numbers(sample.stored[some])
    return any(len(np.unique(column)) >= _MEASURED * len(rows) for column in rows.T)


def _come_in_multiples(sample: _Sample) -> bool:
    """Whether in all tasks the rows of some class came twice, or all three times, and so on."""
    often = np.rint(sample.weights).astype(np.intp)
    if not np.allclose(often, sample.weights):
        return False
    order = np.argsort(sample.cells, kind="stable")
    cells, starts = np.unique(sample.cells[order], return_index=True)
    of_cells = np.gcd.reduceat(often[order], starts)
    classes = sample.class_codes[order][starts]
    different = np.bincount(sample.cells)[cells] - 1
    return any(
        of_cells[classes == c].min() > 1 and different[classes == c].sum() >= _MULTIPLES
        for c in np.unique(classes)
    )
