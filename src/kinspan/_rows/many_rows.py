"""Many rows → those that are kept, from short keys of all and full keys of a few."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinspan._rows.kept_rows import ROUNDING, Kept, starts_of
from kinspan._rows.keys import RowKey, completed_keys, likely_keys, short_keys
from kinspan._rows.strata import Strata, most_frequent, n_strata, places_in_table, stratum_codes
from kinspan._rows.types import Codes, Floats, Keys, Mask


def kept_of_many(
    X: Any, seen: Codes, cells: Codes, weights: Floats | None, bound: int, key: RowKey
) -> Kept:
    """The kept rows among some rows of X; None is a weight of one."""
    counts, short = np.bincount(cells), short_keys(X, seen, key)
    candidates, keys = _with_small_keys(X, seen, cells, short, bound, key)
    own = np.ones(len(candidates)) if weights is None else weights[candidates]
    found = Kept.of(cells[candidates], keys, own, bound)
    found = found._replace(first=candidates[found.first])
    is_cut = counts > np.bincount(cells[candidates], minlength=len(counts))
    if not is_cut.any():
        return found
    places = places_in_table(cells, short, bound)
    table = np.bincount(places, weights, len(counts) * n_strata(bound)).astype(np.float64)
    busy = Busy.of(table, is_cut, bound)
    rows = np.flatnonzero(busy.places[places])
    own_of = None if weights is None else weights[rows]
    last = found.last_short(len(counts))
    chosen, votes = busy.most_frequent(cells[rows], short[rows], own_of, last, bound)
    rows = rows[chosen]
    frequent = Kept.of(cells[rows], completed_keys(X, seen[rows], short[rows], key), votes, bound)
    frequent = frequent._replace(first=rows[frequent.first])
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


def _with_small_keys(
    X: Any, seen: Codes, cells: Codes, short: NDArray[np.uint32], bound: int, key: RowKey
) -> tuple[Codes, Keys]:
    """Rows with at least the smallest distinct keys of their cell, and their keys.

    Short keys leave few candidates. Where too few of them are distinct, because rows repeat, more
    rows of the cell are taken.
    """
    counts = np.bincount(cells)
    size = np.full(len(counts), float(bound))
    while True:
        candidates = np.flatnonzero(short <= likely_keys(counts, size)[cells])
        is_cut = counts > np.bincount(cells[candidates], minlength=len(counts))
        places = places_of_keys(cells[candidates], short[candidates])
        candidates = candidates[(places < bound) | ~is_cut[cells[candidates]]]
        keys = completed_keys(X, seen[candidates], short[candidates], key)
        too_few = is_cut & (_n_different(cells[candidates], keys, len(counts)) < bound)
        if not too_few.any():
            return candidates, keys
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
