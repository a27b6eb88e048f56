"""A batch without the sampled rows that cannot enter the sample of all rows so far."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kinspan._memory.piles import Pile
from kinspan._memory.statistics import Statistics
from kinspan._rows import identifiers
from kinspan._rows.strata import BUSY, Strata, n_strata, stratum_codes
from kinspan._rows.types import Codes, Floats, Mask
from kinspan._validation.moments import check_same_key
from kinspan.row_sample import RowSample


def below_cutoff(part: Statistics, pile: Pile) -> Statistics:
    """The same statistics without sampled rows whose keys are above the last one of a full cell.

    With many cells a batch would otherwise keep most of its rows, and nearly all for nothing. Rows
    stay if they may be frequent: if many rows so far were in their stratum.
    """
    known = pile[0][1].sample if pile else None
    if part.sample is None or known is None or not len(known.cells):
        return part
    check_same_key(part.sample.key_name, known.key_name)
    if part.sample.recency is not None:
        return part
    above = _is_above(part.sample, known)
    if not above.any():
        return part
    busy = np.zeros(len(above), dtype=bool)
    sums = [one for i, (n, one) in enumerate(pile) if i == 0 or n > 1]  # few rows wait to be joined
    busy[above] = _is_in_busy_stratum(part.sample, above, sums, known.bound)
    return replace(part, sample=part.sample.cut(above & ~busy, above & busy))


def n_not_sampled(sample: RowSample, known: RowSample) -> int:
    """How many rows are not in a sample although their keys are small enough."""
    names = set(zip(known.cells.tolist(), known.keys.tolist(), strict=True))
    expected = np.flatnonzero(~_is_above(sample, known) & ~sample.is_frequent)
    cells, keys = _places(sample, known)[expected].tolist(), sample.keys[expected].tolist()
    return sum(name not in names for name in zip(cells, keys, strict=True))


def _is_above(sample: RowSample, known: RowSample) -> Mask:
    """Rows of full cells whose keys are larger than those of all rows that are known."""
    small = ~known.is_frequent
    number = np.bincount(known.cells[small], minlength=known.n_cells)
    last = np.zeros(known.n_cells, np.uint64)
    np.maximum.at(last, known.cells[small], known.keys[small])
    last[number < known.bound] = np.iinfo(np.uint64).max
    cells = _places(sample, known)
    return np.asarray((cells >= 0) & (sample.keys > last[cells]))


def _places(sample: RowSample, known: RowSample) -> Codes:
    """(rows,): their cells among those of another sample, negative if it lacks them."""
    tasks = identifiers.lookup(known.tasks, sample.tasks)[sample.task_codes]
    classes = identifiers.lookup(known.classes, sample.classes)[sample.class_codes]
    missing = (tasks < 0) | (classes < 0)
    return np.where(missing, -1, tasks * len(known.classes) + classes)


def _is_in_busy_stratum(
    sample: RowSample, chosen: Mask, parts: list[Statistics], bound: int
) -> Mask:
    """Rows with many rows so far in their stratum."""
    some = sample._kept(chosen)
    n_rows, in_stratum = np.zeros(len(some.cells)), np.zeros(len(some.cells))
    for part in parts:
        known = part.sample
        assert known is not None
        if n_strata(known.bound) == n_strata(bound):
            in_stratum += _rows_in_stratum(some, known)
            n_rows += _rows_in_cell(some, part)
    return np.asarray(in_stratum * bound >= BUSY * n_rows)


def _rows_in_stratum(sample: RowSample, known: RowSample) -> Floats:
    cells = _places(sample, known)
    codes = stratum_codes(cells, sample.keys >> np.uint64(32), known.bound)
    found = Strata(codes, np.zeros(len(codes))).looked_up(known.strata)
    return np.where(cells >= 0, found, 0.0)


def _rows_in_cell(sample: RowSample, part: Statistics) -> Floats:
    tasks = identifiers.lookup(part.moments.tasks, sample.tasks)[sample.task_codes]
    classes = identifiers.lookup(part.moments.classes, sample.classes)[sample.class_codes]
    return np.where((tasks < 0) | (classes < 0), 0.0, part.moments.counts[tasks, classes])
