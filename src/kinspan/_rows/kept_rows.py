"""Keys of rows → which rows of every cell are kept: distinct ones with the smallest keys."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kinspan._rows.keys import content_keys, likely_keys, short_keys
from kinspan._rows.types import Codes, Floats, Keys

_NUMBERS = 1 << 26  # in the sample: with many cells and features, fewer rows of each are kept
_FEWEST = 2
_FORGOTTEN = 1e-30  # rows below this share of the newest row of their cell are dropped


def bounded(size: int, n_cells: int, n_features: int) -> int:
    """The number of rows to keep of a cell, limited by the memory for all cells.

    More cells never allow more rows, so that parts of a sum have all rows that the sum may keep.
    """
    return min(size, max(_FEWEST, _NUMBERS // max(n_cells * n_features, 1)))


class Joined(NamedTuple):
    """Distinct rows with the smallest keys of every cell, sorted."""

    first: Codes  # (kept,): one of the equal rows
    cells: Codes
    keys: Keys
    weights: Floats  # of all equal rows
    recency: Floats | None  # of the least faded one

    @classmethod
    def of(
        cls,
        cells: Codes,
        keys: Keys,
        weights: Floats,
        size: int,
        recency: Floats | None = None,
    ) -> Joined:
        order = np.lexsort((keys, cells))
        cells, keys = cells[order], keys[order]
        is_new = np.ones(len(order), dtype=bool)
        is_new[1:] = (cells[1:] != cells[:-1]) | (keys[1:] != keys[:-1])
        total = np.bincount(np.cumsum(is_new) - 1, weights[order], minlength=is_new.sum())
        cells, keys = cells[is_new], keys[is_new]
        place = np.arange(len(cells)) - np.searchsorted(cells, cells)
        if recency is not None:
            recency = np.maximum.reduceat(recency[order], np.flatnonzero(is_new))
            by_rank = np.lexsort((keys, ranks(keys, recency), cells))
            place[by_rank] = place.copy()
        kept = place < size
        if recency is not None:
            newest = np.zeros(cells.max(initial=-1) + 1)
            np.maximum.at(newest, cells, recency)
            kept &= recency > _FORGOTTEN * newest[cells]
            recency = recency[kept]
        weights = total[kept].astype(np.float64)
        return cls(order[is_new][kept], cells[kept], keys[kept], weights, recency)


def ranks(keys: Keys, recency: Floats) -> Floats:
    """Exponential variables, made of the uniform keys, over the recency of the rows."""
    uniform = ((keys >> np.uint64(11)) + 0.5) * 2.0**-53
    return np.asarray(-np.log1p(-uniform) / recency)


def smallest(X: Any, seen: Codes, cells: Codes, size: int) -> tuple[Codes, Keys]:
    """Rows that may have one of the `size` smallest distinct keys of their cell, and their keys.

    Short keys leave few candidates. Where too few of them are distinct, because rows or short keys
    repeat, all rows of the cell are taken.
    """
    counts = np.bincount(cells)
    likely = likely_keys(counts, size)
    candidates = np.arange(len(cells))
    if (likely < 2.0**16).any():
        candidates = np.flatnonzero(short_keys(X, seen) < likely[cells])
    keys = content_keys(X, seen[candidates])
    different = Joined.of(cells[candidates], keys, np.zeros(len(keys)), size).cells
    taken, n_different = (
        np.bincount(c, minlength=len(counts)) for c in (cells[candidates], different)
    )
    short = (counts > taken) & (n_different < size)
    if short.any():
        more = np.setdiff1d(np.flatnonzero(short[cells]), candidates, assume_unique=True)
        candidates = np.concatenate([candidates, more])
        keys = np.concatenate([keys, content_keys(X, seen[more])])
    return candidates, keys
