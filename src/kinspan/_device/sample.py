"""Rows on a device → those of the sample; only the few with small keys come to the CPU."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinspan._arrays.elsewhere import DeviceColumn
from kinspan._arrays.libraries import (
    copied_to_numpy,
    device,
    in_spans,
    moved,
    namespace,
    widest_int,
)
from kinspan._device.keys import full_keys, short_keys
from kinspan._device.moments import Passed, passed_over
from kinspan._rows.kept_rows import Kept, bounded
from kinspan._rows.keys import RowKey
from kinspan._rows.many_rows import FewRows, kept_of_many
from kinspan._rows.stored_rows import StoredRows, stored_rows
from kinspan._rows.strata import n_strata, places_in_table
from kinspan._rows.types import Codes, Floats, Ids, Keys, Mask
from kinspan._validation.labelled_rows import CheckedRows

_BLOCK_BYTES = 1 << 28  # of rows moved at a time


class FoundSample(NamedTuple):
    """What a sample of rows is made of."""

    tasks: Ids
    classes: Ids
    kept: Kept
    rows: StoredRows


def device_sample(
    checked: CheckedRows, size: int, fading: Floats | None, key: RowKey
) -> FoundSample:
    """The sample of all rows: the same as on the CPU."""
    rows = _RowsThere.of(checked, key)
    counts = rows.counts
    bound = bounded(size, int(np.count_nonzero(counts)), rows.X.shape[1])
    if fading is None and (counts > bound).any():
        kept = kept_of_many(rows, bound)
    else:
        kept = _of_all(rows, bound, fading)
    tasks, classes, place = _with_rows(rows.passed, counts)
    kept = kept._replace(
        cells=place[kept.cells], strata=kept.strata.placed(place[kept.strata.cells])
    )
    return FoundSample(tasks, classes, kept, rows.stored(kept.first))


def _of_all(rows: _RowsThere, bound: int, fading: Floats | None) -> Kept:
    """Where rows have faded, or all are kept, keys of all."""
    every = rows.all()
    own, recency = rows.weights_of(every), None if fading is None else fading[every.rows]
    own = np.ones(len(every.rows)) if own is None else own
    own = own if recency is None else own * recency
    kept = Kept.of(every.cells, rows.full_keys(every), own, bound, recency)
    return kept._replace(first=every.rows[kept.first])


def _with_rows(passed: Passed, counts: Codes) -> tuple[Ids, Ids, Codes]:
    """Tasks and classes that have rows, and places of all cells among theirs."""
    table = counts.reshape(passed.cells.shape) > 0
    has_task, has_class = table.any(axis=1), table.any(axis=0)
    tasks, classes = passed.cells.tasks.ids[has_task], passed.cells.classes.ids[has_class]
    of_task, of_class = (np.cumsum(has) - 1 for has in (has_task, has_class))
    return tasks, classes, (of_task[:, None] * len(classes) + of_class).reshape(-1)


class _RowsThere(NamedTuple):
    """Rows on a device, with cells and short keys there."""

    X: Any
    key: RowKey
    weights: Any  # as they were given
    passed: Passed
    codes: Any  # (rows,): cells
    short: Any  # (rows,): short keys

    @classmethod
    def of(cls, checked: CheckedRows, key: RowKey) -> _RowsThere:
        """With keys of the last pass, if it was over the same rows."""
        passed, X = passed_over(checked), checked.features.array
        codes = namespace(X).astype(passed.cells.codes, widest_int(X), copy=False)
        return cls(X, key, checked.weights, passed, codes, short_keys(X, key, passed.hashes))

    @property
    def counts(self) -> Codes:
        """(cells,): number of rows that have weight."""
        return self.passed.rows_of_cells

    def all(self) -> FewRows:
        """All rows that have weight."""
        return self._where(self.codes >= 0)

    def below(self, largest: NDArray[np.uint32]) -> FewRows:
        """Rows whose short keys are at most a number for each cell."""
        of_cells = moved(largest.astype(np.int64), self.X)
        return self._where(self.short <= namespace(self.X).take(of_cells, self.codes, axis=0))

    def table(self, bound: int) -> Floats:
        """(cells × strata,): sums of weights, where the rows are if the library can do that."""
        places = places_in_table(self.codes, self.short, bound)
        n_places, xp, weights = len(self.counts) * n_strata(bound), namespace(places), None
        if self.weights is not None:
            weights = self.passed.weights
        if hasattr(xp, "bincount"):
            found = copied_to_numpy(xp.bincount(places, weights, minlength=n_places))
        else:
            own = None if weights is None else copied_to_numpy(weights)
            found = np.bincount(copied_to_numpy(places), own, n_places)
        return found.astype(np.float64)

    def within(self, places: Mask, bound: int) -> FewRows:
        """Rows of some places of that table."""
        if not places.any():
            none = np.empty(0, dtype=np.intp)
            return FewRows(none, none, none.astype(np.uint32))
        in_table = places_in_table(self.codes, self.short, bound)
        return self._where(namespace(self.X).take(moved(places, self.X), in_table, axis=0))

    def full_keys(self, few: FewRows) -> Keys:
        """(few,): their full keys, found where they are."""
        spans = self._spans(few.rows)
        parts = [full_keys(self._rows(few.rows[s]), few.short[s], self.key) for s in spans]
        return np.concatenate([np.empty(0, dtype=np.uint64), *parts])

    def weights_of(self, few: FewRows) -> Floats | None:
        """(few,): their weights; None is a weight of one."""
        weights = self.weights
        if isinstance(weights, DeviceColumn) and device(weights.array) == device(self.X):
            there = moved(few.rows, self.X)
            weights = copied_to_numpy(namespace(self.X).take(weights.array, there, axis=0))
        elif weights is not None:
            weights = np.asarray(weights)[few.rows]
        return None if weights is None else weights.astype(np.float64)

    def stored(self, rows: Codes) -> StoredRows:
        """Rows as they are kept, copied once."""
        spans = self._spans(rows) or [slice(0, 0)]
        parts = [copied_to_numpy(self._rows(rows[span])) for span in spans]
        return stored_rows(parts[0] if len(parts) == 1 else np.concatenate(parts), slice(None))

    def _where(self, mask: Any) -> FewRows:
        """Rows that have weight, of a mask of all."""
        xp = namespace(self.X)
        if self.weights is not None:
            mask = mask & (self.passed.weights > 0)
        rows = xp.nonzero(mask)[0]
        cells, short = (copied_to_numpy(xp.take(a, rows, axis=0)) for a in (self.codes, self.short))
        places = copied_to_numpy(rows).astype(np.intp, copy=False)
        return FewRows(places, cells.astype(np.intp), short.astype(np.uint32))

    def _rows(self, rows: Codes) -> Any:
        return namespace(self.X).take(self.X, moved(rows, self.X), axis=0)

    def _spans(self, rows: Codes) -> list[slice]:
        return in_spans(len(rows), _BLOCK_BYTES // (8 * self.X.shape[1]))
