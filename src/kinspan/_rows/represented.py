"""Kept rows and strata → how many rows of its cell every kept row stands for.

Kept rows of large strata stand for themselves: a frequent row has its share of the rows of a cell.
Kept rows of all other strata are a sample, in which every row has weight one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._rows.kept_rows import Kept, ranks
from kinspan._rows.strata import LARGE, Strata, n_strata, stratum_codes
from kinspan._rows.types import Floats, Mask


def weights_that_count(rows: Kept, bound: int, n_cells: int) -> Floats:
    """(rows,): weights in units of a sampled row; zero for rows that stand for nothing."""
    chance, weights = _chance(rows, n_cells), rows.weights
    if len(rows.strata.codes):
        weights = _of_full_cells(rows, bound, weights / chance, rows.strata.totals(n_cells))
    if rows.recency is None:
        return weights
    total = np.bincount(rows.cells, weights, n_cells)
    worth = np.bincount(rows.cells, weights * rows.recency / chance, n_cells)
    return np.asarray(weights * (total / np.where(worth > 0, worth, 1.0))[rows.cells])


def _of_full_cells(rows: Kept, bound: int, weights: Floats, n_rows: Floats) -> Floats:
    """(rows,): rows that they stand for; in units of a sampled row, unless these have faded."""
    cells, n_cells, several = rows.cells, len(n_rows), n_strata(bound)
    small = np.where(rows.is_frequent, 0.0, weights)
    stratum = _StrataOfRows.of(rows, bound, weights, small, n_rows)
    stands_alone = stratum.stands_alone()
    is_most = stands_alone & rows.is_frequent
    light, alone = np.where(stands_alone, 0.0, small), np.where(stands_alone, small, 0.0)
    most = np.where(is_most, stratum.n_rows, 0.0)
    number, inside, sampled, squares = (
        np.bincount(cells, values, n_cells).astype(np.float64)
        for values in (is_most, alone + most, light, light**2)
    )
    rest = np.maximum(n_rows - inside, 0.0) / np.maximum(1.0 - number / several, 0.5)
    rest = np.maximum(rest, sampled)
    others = np.where(is_most, (rest / several)[cells], 0.0)  # in the stratum of a frequent row
    alone += np.maximum(most - others, 0.5 * most)
    if rows.recency is None:
        worth = _worth(sampled, squares, rest)
        usual = np.minimum(bound / np.where(n_rows > 0, n_rows, 1.0), 1.0)
        rate = np.where(sampled > 0, worth / np.where(rest > 0, rest, 1.0), usual)
        light *= (worth / np.where(sampled > 0, sampled, 1.0))[cells]
        alone *= rate[cells]
    return np.where(n_rows[cells] > 0, light + alone, rows.weights)


def _chance(rows: Kept, n_cells: int) -> Floats:
    """The probability to be kept for the key, which is smaller for rows that have faded more."""
    if rows.recency is None:
        return np.ones(len(rows.cells))
    last, is_full = np.zeros(n_cells), rows.strata.totals(n_cells) > 0
    rank = np.where(rows.is_frequent, 0.0, ranks(rows.keys, rows.recency))
    np.maximum.at(last, rows.cells, rank)
    chance = -np.expm1(-rows.recency * last[rows.cells])
    return np.where(is_full[rows.cells] & ~rows.is_frequent, chance, 1.0)


def _worth(sampled: Floats, squares: Floats, of: Floats) -> Floats:
    """(cells,): the number of independent rows that a sample of others is worth.

    Copies of a row are kept or lost together: the sum of w is worth (Σw)²/Σw² rows, and all rows
    that there are if these are all.
    """
    together = sampled**2 / np.where(squares > 0, squares, 1.0)
    safe, of = np.where(together > 0, together, 1.0), np.where(of > 0, of, 1.0)
    return np.where(sampled > 0, 1.0 / ((1.0 - sampled / of) / safe + 1.0 / of), 0.0)


class _StrataOfRows(NamedTuple):
    """The stratum of every row."""

    n_rows: Floats  # (rows,): rows of the cell in it, for frequent rows without those of small keys
    kept: Floats  # (rows,): those that are kept
    expected: Floats  # (rows,): as many as these stand for if they are like all others
    is_large: Mask

    @classmethod
    def of(
        cls, rows: Kept, bound: int, weights: Floats, small: Floats, n_rows: Floats
    ) -> _StrataOfRows:
        codes = stratum_codes(rows.cells, rows.keys >> np.uint64(32), bound)
        names, place = np.unique(codes, return_inverse=True)
        found = Strata(names, np.zeros(len(names))).looked_up(rows.strata)[place]
        kept = np.bincount(place, small)[place].astype(np.float64)
        sampled = np.bincount(rows.cells, small, len(n_rows))
        times = (n_rows / np.where(sampled > 0, sampled, 1.0))[rows.cells]
        in_stratum = np.where(rows.is_frequent, found - kept, found)
        is_large = in_stratum * bound >= LARGE * n_rows[rows.cells]
        own = np.where(rows.is_frequent, weights, kept)
        return cls(in_stratum, own, np.where(rows.is_frequent, 0.0, kept * times), is_large)

    def stands_alone(self) -> Mask:
        """Whether a row stands for its stratum and not for its cell.

        It does in a large stratum of which most is kept, or would else count too much.
        """
        return self.is_large & ((self.kept >= 0.5 * self.n_rows) | (self.expected > self.n_rows))
