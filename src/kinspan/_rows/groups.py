"""Sums over groups of rows, of many columns at once."""

from __future__ import annotations

import numpy as np

from kinspan._rows.types import Codes, Floats


class Groups:
    """Rows by their group; rows that are sorted by it are summed where they are."""

    def __init__(self, codes: Codes) -> None:
        steps = codes[1:] - codes[:-1]
        self._order = None if (steps >= 0).all() else np.argsort(codes, kind="stable")
        is_new = np.ones(len(codes), dtype=bool)
        if self._order is None:
            is_new[1:] = steps != 0
            self.places = np.cumsum(is_new) - 1  # (rows,): of the group among those with rows
        else:
            is_new[1:] = np.diff(codes[self._order]) != 0
            self.places = np.empty(len(codes), dtype=np.intp)
            self.places[self._order] = np.cumsum(is_new) - 1
        self._starts = np.flatnonzero(is_new)
        first = self._starts if self._order is None else self._order[self._starts]
        self.codes = codes[first]  # (groups,)

    def sums(self, values: Floats) -> Floats:
        """(…, rows) → (…, groups that have rows)."""
        if self._order is not None:
            values = values.take(self._order, axis=-1)
        return np.asarray(np.add.reduceat(values, self._starts, axis=-1))

    def of_rows(self, values: Floats) -> Floats:
        """(…, rows): what the group of every row has, of (…, groups) values."""
        return values.take(self.places, axis=-1)

    def means(self, values: Floats, weights: Floats) -> Floats:
        """(…, rows): for every row the mean over its group; zero where nothing counts there."""
        return self.of_rows(self.sums(weights * values) / np.maximum(self.sums(weights), 1e-300))
