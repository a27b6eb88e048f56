"""Keys of rows → how many rows of a cell are in each of its strata, and rows that come often.

Some bits of the key are the stratum of a row. Numbers of rows add and subtract, in any order, so
they say what a bounded sample cannot: how often rows came that were not kept. A stratum with far
more rows than others has one row that repeats, and Boyer and Moore's vote finds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinspan._rows.types import Codes, Floats, Keys, Mask

_BITS = 16
_PER_ROW = 8  # strata for every row that is kept of a cell, at least
# In units of the rows of the cell that one kept row stands for:
BUSY = 3.0  # a stratum in which a row is kept that came last, because it may be frequent
LARGE = 4.0  # a stratum whose frequent row stands for it, and for nothing else


class Strata(NamedTuple):
    """Rows of every stratum, for cells of which not all rows are kept."""

    codes: NDArray[np.int64]  # (strata,), sorted: the cell × 2^16 + bits of the key
    weights: Floats  # (strata,): number of rows, faded

    @classmethod
    def none(cls) -> Strata:
        """Of no cell."""
        return cls(np.empty(0, dtype=np.int64), np.empty(0))

    @classmethod
    def of(cls, cells: Codes, keys: Keys, weights: Floats, bound: int) -> Strata:
        """Strata of rows."""
        return cls(stratum_codes(cells, keys >> np.uint64(32), bound), weights).summed(bound)

    @classmethod
    def of_table(cls, table: Floats, bound: int) -> Strata:
        """From the rows of all strata of all cells."""
        found = np.flatnonzero(table)
        return cls(found.astype(np.int64) << _shift(bound), table.ravel()[found])

    @property
    def cells(self) -> Codes:
        """(strata,): their cells."""
        return (self.codes >> _BITS).astype(np.intp)

    @classmethod
    def joined(cls, *parts: Strata) -> Strata:
        """Strata of different cells."""
        codes, weights = (np.concatenate(both) for both in zip(*parts, strict=True))
        order = np.argsort(codes)
        return cls(codes[order], weights[order])

    def plus(self, other: Strata, bound: int) -> Strata:
        """The rows of both."""
        return Strata.summed_up([self, other], bound)

    @classmethod
    def summed_up(cls, parts: Sequence[Strata], bound: int) -> Strata:
        """The rows of all parts."""
        return cls(*(np.concatenate(column) for column in zip(*parts, strict=True))).summed(bound)

    def summed(self, bound: int) -> Strata:
        """Sorted, equal strata joined; fewer rows to keep make coarser strata."""
        if not len(self.codes):
            return self
        codes = self.codes & ~np.int64(2 ** _shift(bound) - 1)
        order = np.argsort(codes, kind="stable")
        codes = codes[order]
        first = np.flatnonzero(np.diff(codes, prepend=-1))
        return Strata(codes[first], np.add.reduceat(self.weights[order], first))

    def minus(self, other: Strata, bound: int) -> Strata:
        """Without the rows of the other."""
        rest = self.plus(other._replace(weights=-other.weights), bound)
        before = rest.looked_up(self.summed(bound))
        kept = rest.weights > 1e-9 * before
        return Strata(rest.codes[kept], rest.weights[kept])

    def looked_up(self, other: Strata) -> Floats:
        """(strata,): weights in the other, zero for those that it lacks."""
        if not len(other.codes):
            return np.zeros(len(self.codes))
        places = np.minimum(np.searchsorted(other.codes, self.codes), len(other.codes) - 1)
        found = other.codes[places] == self.codes
        return np.where(found, other.weights[places], 0.0)

    def placed(self, cells: Codes) -> Strata:
        """With other numbers of the cells, one for each stratum; negative ones are left out."""
        kept = cells >= 0
        bits = self.codes[kept] & np.int64(2**_BITS - 1)
        codes = (cells[kept].astype(np.int64) << _BITS) | bits
        order = np.argsort(codes)
        return Strata(codes[order], self.weights[kept][order])

    def faded(self, factor: Floats) -> Strata:
        """With the rows of every cell times a factor; what it makes nothing of is left out."""
        weights = self.weights * factor[self.cells]
        return Strata(self.codes[weights > 0], weights[weights > 0])

    def of_cells(self, chosen: Mask) -> Strata:
        """Those of some cells, of a mask over all."""
        kept = chosen[self.cells]
        return Strata(self.codes[kept], self.weights[kept])

    def totals(self, n_cells: int) -> Floats:
        """(cells,): rows of every cell; zero where all rows are kept."""
        return np.bincount(self.cells, self.weights, minlength=n_cells).astype(np.float64)


def stratum_codes(cells: Codes, short: NDArray[Any], bound: int) -> NDArray[np.int64]:
    """The stratum of rows with short keys."""
    bits = (short.astype(np.int64) & (2**_BITS - 1)) >> _shift(bound) << _shift(bound)
    return np.asarray((cells.astype(np.int64) << _BITS) | bits)


def places_in_table(cells: Any, short: Any, bound: int) -> Any:
    """(rows,): places of their strata in the table of all strata of all cells, in any library."""
    return cells * n_strata(bound) + ((short & (2**_BITS - 1)) >> _shift(bound))


def n_strata(bound: int) -> int:
    """Strata of a cell: a power of two, several for every row that is kept."""
    return int(2 ** (_BITS - _shift(bound)))


def _shift(bound: int) -> int:
    return max(0, _BITS - int(np.ceil(np.log2(_PER_ROW * max(bound, 1)))))


def most_frequent(codes: NDArray[np.int64], weights: Floats) -> tuple[Codes, Floats]:
    """The row with the largest weight of every stratum, and its majority over all others there."""
    order = np.lexsort((np.arange(len(codes)), -weights, codes))
    first = np.flatnonzero(np.diff(codes[order], prepend=-1))
    if not len(first):
        return order, weights
    best = order[first]
    return best, 2.0 * weights[best] - np.add.reduceat(weights[order], first)
