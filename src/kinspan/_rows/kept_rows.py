"""Keys of rows → which rows of every cell are kept, and how many others there are.

Kept are distinct rows with the smallest keys, each with the exact number of its copies, and rows
that come so often that they must not be left to chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinspan._rows.strata import BUSY, Strata, most_frequent, stratum_codes
from kinspan._rows.types import Codes, Floats, Keys, Mask

_NUMBERS = 1 << 26  # in the sample: with many cells and features, fewer rows of each are kept
_FEWEST = 2
_FORGOTTEN = 1e-30  # rows below this share of the newest row of their cell are dropped
ROUNDING = 1 - 1e-9


def bounded(size: int, n_cells: int, n_features: int) -> int:
    """The number of rows to keep of a cell, limited by the memory for all cells.

    More cells never allow more rows, so that parts of a sum have all rows that the sum may keep.
    """
    return min(size, max(_FEWEST, _NUMBERS // max(n_cells * n_features, 1)))


class Kept(NamedTuple):
    """Distinct rows of every cell, sorted by cell and key."""

    first: Codes  # (kept,): one of the equal rows
    cells: Codes
    keys: Keys
    weights: Floats  # of all equal rows; of frequent ones at least
    is_frequent: Mask  # kept for its frequency, and not for its key
    recency: Floats | None  # of the least faded one
    strata: Strata  # of cells of which not all rows are kept

    @classmethod
    def of(
        cls,
        cells: Codes,
        keys: Keys,
        weights: Floats,
        bound: int,
        recency: Floats | None = None,
        is_frequent: Mask | None = None,
        strata: Strata | None = None,
    ) -> Kept:
        """From rows, and from the strata of cells that had more of them."""
        if is_frequent is None:
            is_frequent = np.zeros(len(cells), dtype=bool)
        order = np.lexsort((keys, cells))
        starts = starts_of(cells[order], keys[order])
        cells, keys = cells[order][starts], keys[order][starts]
        total = _reduced(np.add, weights[order], starts).astype(np.float64)
        is_frequent = _reduced(np.logical_or, is_frequent[order], starts)
        if recency is not None:
            recency = _reduced(np.maximum, recency[order], starts)
        is_small = _is_small(cells, keys, recency, is_frequent, bound)
        strata = _with_full_cells(cells, keys, total, is_small, strata, bound)
        kept, votes = _with_frequent(cells, keys, total, is_small, strata, bound)
        if recency is not None:
            kept &= _is_remembered(cells, recency)
            recency = recency[kept]
        weights = np.where(is_small, total, votes)[kept]
        first, is_frequent = order[starts][kept], ~is_small[kept]
        return cls(first, cells[kept], keys[kept], weights, is_frequent, recency, strata)

    @classmethod
    def joined(cls, parts: Sequence[Kept], n_cells: int, bound: int) -> Kept:
        """Kept among the rows of all parts, one after the other."""
        is_full = np.zeros(n_cells, dtype=bool)
        for part in parts:
            is_full[part.strata.cells] = True
        strata = Strata.summed_up([part.strata_of(is_full, bound) for part in parts], bound)
        cells, keys, weights, is_frequent = (
            np.concatenate(column) for column in zip(*(part[1:5] for part in parts), strict=True)
        )
        recency = None
        if any(part.recency is not None for part in parts):
            recency = np.concatenate(
                [np.ones(len(p.cells)) if p.recency is None else p.recency for p in parts]
            )
        return cls.of(cells, keys, weights, bound, recency, is_frequent, strata)

    def strata_of(self, is_full: Mask, bound: int) -> Strata:
        """Strata of some cells, also of those whose rows are all kept."""
        is_known = np.zeros(len(is_full), dtype=bool)
        is_known[self.strata.cells] = True
        new = (is_full & ~is_known)[self.cells]
        of_kept = Strata.of(self.cells[new], self.keys[new], self.weights[new], bound)
        return self.strata.of_cells(is_full).plus(of_kept, bound)

    def completed(self, is_cut: Mask, strata: Strata, frequent: Kept) -> Kept:
        """With strata and frequent rows of cells of which these rows have the smallest keys."""
        small = ~(self.is_frequent & is_cut[self.cells])
        first, cells, keys, weights = (
            np.concatenate([ours[small], theirs])
            for ours, theirs in zip(self[:4], frequent[:4], strict=True)
        )
        others = np.ones(len(frequent.cells), dtype=bool)
        is_frequent = np.concatenate([self.is_frequent[small], others])
        o = np.lexsort((keys, cells))
        strata = Strata.joined(self.strata.of_cells(~is_cut), strata)
        return Kept(first[o], cells[o], keys[o], weights[o], is_frequent[o], None, strata)

    def last_short(self, n_cells: int) -> NDArray[np.uint32]:
        """(cells,): the largest short key among rows that are kept for their keys."""
        last, small = np.zeros(n_cells, dtype=np.uint32), ~self.is_frequent
        short = (self.keys[small] >> np.uint64(32)).astype(np.uint32)
        np.maximum.at(last, self.cells[small], short)
        return last


def starts_of(cells: Codes, keys: Keys) -> Codes:
    """Where another row begins among sorted ones."""
    is_new = np.ones(len(cells), dtype=bool)
    is_new[1:] = (cells[1:] != cells[:-1]) | (keys[1:] != keys[:-1])
    return np.flatnonzero(is_new)


def _reduced(by: Any, values: NDArray[Any], starts: Codes) -> NDArray[Any]:
    return np.asarray(by.reduceat(values, starts)) if len(starts) else values[:0]


def _is_small(
    cells: Codes, keys: Keys, recency: Floats | None, is_frequent: Mask, bound: int
) -> Mask:
    """Whether a row has one of the smallest keys of its cell."""
    size = keys if recency is None else ranks(keys, recency)
    order = np.lexsort((keys, size, is_frequent, cells))
    place = np.empty(len(cells), dtype=np.intp)
    place[order] = np.arange(len(cells)) - np.searchsorted(cells, cells)
    return (place < bound) & ~is_frequent


def _with_full_cells(
    cells: Codes, keys: Keys, weights: Floats, is_small: Mask, strata: Strata | None, bound: int
) -> Strata:
    """Strata of all cells that have more rows than those with small keys."""
    before = Strata.none() if strata is None else strata
    n_cells = int(max(cells.max(initial=-1), before.cells.max(initial=-1))) + 1
    is_full = np.bincount(cells[~is_small], minlength=n_cells) > 0
    is_full[before.cells] = False
    new = is_full[cells]
    return before.plus(Strata.of(cells[new], keys[new], weights[new], bound), bound)


def _with_frequent(
    cells: Codes, keys: Keys, weights: Floats, is_small: Mask, strata: Strata, bound: int
) -> tuple[Mask, Floats]:
    """Rows with small keys, or with a majority of votes worth a kept row or in a busy stratum."""
    kept, votes = is_small.copy(), np.zeros(len(cells))
    others = np.flatnonzero(~is_small)
    if len(others):
        codes = stratum_codes(cells[others], keys[others] >> np.uint64(32), bound)
        best, majority = most_frequent(codes, weights[others])
        chosen = others[best]
        share = strata.totals(int(cells.max()) + 1)[cells[chosen]] / bound
        small = Strata.of(cells[is_small], keys[is_small], weights[is_small], bound)
        here = Strata(codes[best], share)
        in_stratum = here.looked_up(strata) - here.looked_up(small)
        votes[chosen] = majority
        is_busy = (majority > 0) & (in_stratum >= BUSY * share)
        kept[chosen] = is_busy | (majority >= share * ROUNDING)
    return kept, votes


def _is_remembered(cells: Codes, recency: Floats) -> Mask:
    newest = np.zeros(cells.max(initial=-1) + 1)
    np.maximum.at(newest, cells, recency)
    return np.asarray(recency > _FORGOTTEN * newest[cells])


def ranks(keys: Keys, recency: Floats) -> Floats:
    """Exponential variables, made of the uniform keys, over the recency of the rows."""
    uniform = ((keys >> np.uint64(11)) + 0.5) * 2.0**-53
    return np.asarray(-np.log1p(-uniform) / recency)
