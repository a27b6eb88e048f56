"""Many rows → those that are kept, from short keys of all and full keys of a few."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from kinspan._rows.kept_rows import ROUNDING, Kept, starts_of
from kinspan._rows.keys import RowKey, completed_keys, likely_keys, short_keys
from kinspan._rows.strata import Strata, most_frequent, n_strata, places_in_table, stratum_codes
from kinspan._rows.types import Codes, Floats, Keys, Mask


class FewRows(NamedTuple):
    """Some of the rows."""

    rows: Codes
    cells: Codes
    short: NDArray[np.uint32]  # short keys

    def chosen(self, kept: Codes | Mask) -> FewRows:
        """Fewer of them."""
        return FewRows(self.rows[kept], self.cells[kept], self.short[kept])


class ManyRows(Protocol):
    """Rows with short keys, here or on a device."""

    @property
    def counts(self) -> Codes:
        """(cells,): number of rows."""

    def below(self, largest: NDArray[np.uint32]) -> FewRows:
        """Rows whose short keys are at most a number for each cell."""

    def table(self, bound: int) -> Floats:
        """(cells × strata,): sums of weights."""

    def within(self, places: Mask, bound: int) -> FewRows:
        """Rows of some places of that table."""

    def full_keys(self, few: FewRows) -> Keys:
        """(few,): their full keys."""

    def weights_of(self, few: FewRows) -> Floats | None:
        """(few,): their weights; None is a weight of one."""


class RowsHere(NamedTuple):
    """Some rows of X, with their cells and weights."""

    X: Any
    seen: Codes
    cells: Codes
    weights: Floats | None
    key: RowKey
    short: NDArray[np.uint32]
    counts: Codes

    @classmethod
    def of(cls, X: Any, seen: Codes, cells: Codes, weights: Floats | None, key: RowKey) -> RowsHere:
        """With their short keys."""
        return cls(X, seen, cells, weights, key, short_keys(X, seen, key), np.bincount(cells))

    def below(self, largest: NDArray[np.uint32]) -> FewRows:  # as ManyRows says
        return self._few(np.flatnonzero(self.short <= largest[self.cells]))

    def table(self, bound: int) -> Floats:
        places = places_in_table(self.cells, self.short, bound)
        n_places = len(self.counts) * n_strata(bound)
        return np.bincount(places, self.weights, n_places).astype(np.float64)

    def within(self, places: Mask, bound: int) -> FewRows:
        if not places.any():
            return self._few(np.empty(0, dtype=np.intp))
        in_table = places_in_table(self.cells, self.short, bound)
        return self._few(np.flatnonzero(places[in_table]))

    def full_keys(self, few: FewRows) -> Keys:
        return completed_keys(self.X, self.seen[few.rows], few.short, self.key)

    def weights_of(self, few: FewRows) -> Floats | None:
        return None if self.weights is None else self.weights[few.rows]

    def _few(self, rows: Codes) -> FewRows:
        return FewRows(rows, self.cells[rows], self.short[rows])


def kept_of_many(rows: ManyRows, bound: int) -> Kept:
    """The kept rows among many."""
    few, keys = _with_small_keys(rows, bound)
    own = rows.weights_of(few)
    found = Kept.of(few.cells, keys, np.ones(len(keys)) if own is None else own, bound)
    found = found._replace(first=few.rows[found.first])
    is_cut = rows.counts > np.bincount(few.cells, minlength=len(rows.counts))
    if not is_cut.any():
        return found
    busy = Busy.of(rows.table(bound), is_cut, bound)
    some, last = rows.within(busy.places, bound), found.last_short(len(rows.counts))
    best, votes = busy.most_frequent(some.cells, some.short, rows.weights_of(some), last, bound)
    some = some.chosen(best)
    frequent = Kept.of(some.cells, rows.full_keys(some), votes, bound)
    frequent = frequent._replace(first=some.rows[frequent.first])
    return found.completed(is_cut, busy.strata, frequent)


def kept_of_batch(
    X: Any,
    seen: Codes,
    cells: Codes,
    weights: Floats | None,
    bound: int,
    key: RowKey,
    is_hopeless: Callable[[Codes, Keys], Mask],
) -> Kept:
    """The kept rows of few in every cell, where short keys say that some of them need no others."""
    short = short_keys(X, seen, key)
    keys = short.astype(np.uint64) << np.uint64(32)
    hopeless = is_hopeless(cells, keys)
    rows = np.flatnonzero(~hopeless)
    own = np.ones(len(cells)) if weights is None else weights
    full = completed_keys(X, seen[rows], short[rows], key)
    found = Kept.of(cells[rows], full, own[rows], bound)
    is_cut = np.bincount(cells[hopeless], minlength=int(cells.max(initial=0)) + 1) > 0
    counted = is_cut[cells]
    strata = Strata.of(cells[counted], keys[counted], own[counted], bound)
    return found._replace(first=rows[found.first], strata=Strata.joined(found.strata, strata))


def _with_small_keys(rows: ManyRows, bound: int) -> tuple[FewRows, Keys]:
    """Rows with at least the smallest distinct keys of their cell, and their keys.

    Short keys leave few candidates. Where too few of them are distinct, because rows repeat, more
    rows of the cell are taken.
    """
    counts = rows.counts
    size = np.full(len(counts), float(bound))
    while True:
        few = rows.below(likely_keys(counts, size))
        is_cut = counts > np.bincount(few.cells, minlength=len(counts))
        few = few.chosen((places_of_keys(few.cells, few.short) < bound) | ~is_cut[few.cells])
        keys = rows.full_keys(few)
        too_few = is_cut & (_n_different(few.cells, keys, len(counts)) < bound)
        if not too_few.any():
            return few, keys
        size[too_few] *= 4


def places_of_keys(cells: Codes, short: NDArray[Any]) -> Codes:
    """(rows,): how many smaller short keys there are in the cell of a row."""
    order = np.lexsort((short, cells))
    cells, short = cells[order], short[order]
    is_other = np.diff(cells, prepend=-1) != 0
    place = np.cumsum((np.diff(short.astype(np.int64), prepend=-1) != 0) | is_other)
    found = np.empty_like(place)
    found[order] = place - place[is_other].repeat(
        np.diff(np.flatnonzero(np.append(is_other, True)))
    )
    return found


def _n_different(cells: Codes, keys: Keys, n_cells: int) -> Codes:
    """(cells,): number of distinct keys."""
    order = np.lexsort((keys, cells))
    cells = cells[order]
    return np.bincount(cells[starts_of(cells, keys[order])], minlength=n_cells)


class Busy(NamedTuple):
    """Strata of cells of which not all rows were looked at, and which may have frequent rows."""

    strata: Strata
    share: Floats  # (cells,): rows that one kept row stands for
    places: Mask  # (cells × strata,): strata with at least as many

    @classmethod
    def of(cls, table: Floats, is_cut: Mask, bound: int) -> Busy:
        """From the rows of all strata of all cells."""
        table = table.reshape(len(is_cut), -1) * is_cut[:, None]
        share = table.sum(axis=1) / bound
        places = (table > 0) & (table >= share[:, None] * ROUNDING)
        return cls(Strata.of_table(table, bound), share, places.ravel())

    def most_frequent(
        self,
        cells: Codes,
        short: NDArray[np.uint32],
        weights: Floats | None,
        last: NDArray[np.uint32],
        bound: int,
    ) -> tuple[Codes, Floats]:
        """Among rows of these strata, those with a majority of all with larger keys, and votes."""
        others = np.flatnonzero(short > last[cells])
        cells, short = cells[others], short[others]
        names = cells.astype(np.uint64) << np.uint64(32) | short.astype(np.uint64)
        _, first, inverse = np.unique(names, return_index=True, return_inverse=True)
        own = None if weights is None else weights[others]
        copies = np.bincount(inverse, own, minlength=len(first)).astype(np.float64)
        codes = stratum_codes(cells[first], short[first], bound)
        best, votes = most_frequent(codes, copies)
        first = first[best]
        enough = votes >= self.share[cells[first]] * ROUNDING
        return others[first[enough]], votes[enough]
