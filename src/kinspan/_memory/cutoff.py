"""A batch without the sampled rows that cannot enter the sample of all rows so far."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from kinspan._memory.piles import Pile
from kinspan._memory.statistics import Statistics
from kinspan._rows import identifiers
from kinspan._rows.keys import RowKey
from kinspan._rows.strata import BUSY, Strata, n_strata, stratum_codes
from kinspan._rows.types import Codes, Floats, Ids, Keys, Mask
from kinspan._validation.moments import check_same_key
from kinspan.row_sample import RowSample

_ANY = np.iinfo(np.uint64).max
_LAST_KEYS: WeakKeyDictionary[RowSample, Keys] = WeakKeyDictionary()


def below_cutoff(part: Statistics, pile: Pile) -> Statistics:
    """The same statistics without sampled rows whose keys are above the last one of a full cell.

    With many cells a batch would otherwise keep most of its rows, and nearly all for nothing. Rows
    stay if they may be frequent: if many rows so far were in their stratum.
    """
    cutoff = Cutoff.of(pile)
    if part.sample is None or cutoff is None or not len(cutoff.known.cells):
        return part
    check_same_key(part.sample.key_name, cutoff.known.key_name)
    if part.sample.recency is not None:
        return part
    rows = KeyedRows.of(part.sample)
    above = cutoff.is_above(rows)
    if not above.any():
        return part
    busy = cutoff.is_busy(rows, above)
    return replace(part, sample=part.sample.cut(above & ~busy, above & busy))


def n_not_sampled(sample: RowSample, known: RowSample) -> int:
    """How many rows are not in a sample although their keys are small enough."""
    names, rows = (
        set(zip(known.cells.tolist(), known.keys.tolist(), strict=True)),
        KeyedRows.of(sample),
    )
    expected = np.flatnonzero(~Cutoff(known, []).is_above(rows) & ~sample.is_frequent)
    cells = rows.among(known.tasks, known.classes)[expected].tolist()
    keys = sample.keys[expected].tolist()
    return sum(name not in names for name in zip(cells, keys, strict=True))


class KeyedRows(NamedTuple):
    """In which cells rows are, and their keys."""

    tasks: Ids
    classes: Ids
    cells: Codes
    keys: Keys

    @classmethod
    def of(cls, sample: RowSample) -> KeyedRows:
        """Sampled rows."""
        return cls(sample.tasks, sample.classes, sample.cells, sample.keys)

    def some(self, chosen: Mask) -> KeyedRows:
        """Some of the rows."""
        return self._replace(cells=self.cells[chosen], keys=self.keys[chosen])

    def among(self, tasks: Ids, classes: Ids) -> Codes:
        """(rows,): their cells among those of other tasks and classes; negative if not there."""
        t = identifiers.lookup(tasks, self.tasks)[:, None]
        c = identifiers.lookup(classes, self.classes)
        places = np.where((t < 0) | (c < 0), -1, t * len(classes) + c)
        return np.asarray(places.reshape(-1)[self.cells])


class Cutoff(NamedTuple):
    """What sums so far tell the rows of a batch."""

    known: RowSample
    sums: list[Statistics]

    @classmethod
    def of(cls, pile: Pile) -> Cutoff | None:
        """Of a pile; None where it has no sample. Few rows wait in it to be joined."""
        known = pile[0][1].sample if pile else None
        sums = [one for i, (n, one) in enumerate(pile) if i == 0 or n > 1]
        return None if known is None else cls(known, sums)

    def is_hopeless(self, key: RowKey, tasks: Ids, classes: Ids, cells: Codes, keys: Keys) -> Mask:
        """Rows that neither their keys nor their frequency can bring into the sample."""
        rows = KeyedRows(tasks, classes, cells, keys)
        if key.name != self.known.key_name or not len(self.known.cells):
            return np.zeros(len(rows.cells), dtype=bool)
        above = self.is_above(rows)
        above[above] = ~self.is_busy(rows, above)[above]
        return above

    def is_above(self, rows: KeyedRows) -> Mask:
        """Rows of full cells whose keys are larger than those of all rows that are known."""
        known = self.known
        if known not in _LAST_KEYS:  # many batches have the same one before them
            _LAST_KEYS[known] = _last_keys(known)
        return np.asarray(rows.keys > _LAST_KEYS[known][rows.among(known.tasks, known.classes)])

    def is_busy(self, rows: KeyedRows, chosen: Mask) -> Mask:
        """Chosen rows with many rows so far in their stratum."""
        some, bound = rows.some(chosen), self.known.bound
        n_rows, in_stratum = np.zeros(len(some.cells)), np.zeros(len(some.cells))
        for part in self.sums:
            assert part.sample is not None
            if n_strata(part.sample.bound) == n_strata(bound):
                in_stratum += _rows_in_stratum(some, part.sample)
                n_rows += _rows_in_cell(some, part)
        found = np.zeros(len(chosen), dtype=bool)
        found[chosen] = in_stratum * bound >= BUSY * n_rows
        return found


def _last_keys(known: RowSample) -> Keys:
    """(cells + 1,): the largest keys of full cells; the last one is of cells that are not there."""
    small = ~known.is_frequent
    number = np.bincount(known.cells[small], minlength=known.n_cells)
    last = np.zeros(known.n_cells + 1, np.uint64)
    np.maximum.at(last, known.cells[small], known.keys[small])
    last[:-1][number < known.bound] = last[-1] = _ANY
    return last


def _rows_in_stratum(rows: KeyedRows, known: RowSample) -> Floats:
    cells = rows.among(known.tasks, known.classes)
    codes = stratum_codes(cells, rows.keys >> np.uint64(32), known.bound)
    found = Strata(codes, np.zeros(len(codes))).looked_up(known.strata)
    return np.where(cells >= 0, found, 0.0)


def _rows_in_cell(rows: KeyedRows, part: Statistics) -> Floats:
    cells = rows.among(part.moments.tasks, part.moments.classes)
    return np.where(cells < 0, 0.0, part.moments.counts.reshape(-1)[cells])
