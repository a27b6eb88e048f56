"""Step 1b: samples → a bounded sample of rows of every cell, chosen by their content.

The rows of a cell with the smallest hash are kept: neither batches, nor their order, nor merging
changes which. Rows that repeat are one row with their number as its weight.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinspan import _ids, _validation
from kinspan._arrays import is_sparse
from kinspan._cell_sums import Codes, Floats, in_order

Keys = NDArray[np.uint64]
_BLOCK_BYTES = 1 << 21


@dataclass(frozen=True, eq=False)
class RowSample:
    """Rows of every cell, at most `size` different ones; sorted by cell and then by key.

    Samples add: that of two batches is the sample of all their rows.

    Examples
    --------
    >>> import numpy as np
    >>> from kinspan.row_sample import RowSample
    >>> X = np.arange(12.0).reshape(6, 2)
    >>> zeros = np.zeros(6)
    >>> whole = RowSample.from_checked(X, zeros, zeros, None, size=3)
    >>> first = RowSample.from_checked(X[[5, 0]], zeros[:2], zeros[:2], None, size=3)
    >>> rest = RowSample.from_checked(X[1:5], zeros[:4], zeros[:4], None, size=3)
    >>> bool(((first + rest).rows == whole.rows).all())
    True
    """

    size: int  # different rows kept of a cell at most
    tasks: _ids.Ids  # (tasks,) ids, in order
    classes: _ids.Ids  # (classes,) labels, in order
    cells: (
        Codes  # (rows,): position of the task times the number of classes, plus that of the class
    )
    keys: Keys  # (rows,): hashes of the rows
    weights: Floats  # (rows,): how often the row occurred
    rows: Floats  # (rows, features)

    @classmethod
    def from_checked(
        cls, X: Any, y: _ids.Ids, task: _ids.Ids, weights: Floats | None, size: int
    ) -> RowSample:
        """The sample of rows that were validated before."""
        seen = np.arange(len(y)) if weights is None else np.flatnonzero(weights)
        tasks, task_codes = _ids.encode(task[seen])
        classes, class_codes = _ids.encode(y[seen])
        cells = task_codes * len(classes) + class_codes
        keys = content_keys(X)[seen]
        chosen = _smallest(cells, keys, size)
        w = np.ones(len(chosen)) if weights is None else weights[seen[chosen]]
        rows = _dense_rows(X, seen[chosen])
        return cls(size, tasks, classes, cells[chosen], keys[chosen], w, rows)._trimmed()

    def __repr__(self) -> str:
        return f"RowSample({len(self.rows)} rows of {len(np.unique(self.cells))} cells)"

    @property
    def task_codes(self) -> Codes:
        """(rows,): position of the task of every row."""
        return self.cells // len(self.classes)

    @property
    def class_codes(self) -> Codes:
        """(rows,): position of the class of every row."""
        return self.cells % len(self.classes)

    def __add__(self, other: RowSample) -> RowSample:
        """The sample of the rows of both."""
        if not isinstance(other, RowSample):
            return NotImplemented
        tasks, classes = (
            _ids.union(self.tasks, other.tasks),
            _ids.union(self.classes, other.classes),
        )
        both = [part._cells_among(tasks, classes) for part in (self, other)]
        return RowSample(
            min(self.size, other.size),
            tasks,
            classes,
            np.concatenate(both),
            np.concatenate([self.keys, other.keys]),
            np.concatenate([self.weights, other.weights]),
            np.concatenate([self.rows, other.rows]),
        )._trimmed()

    def aligned(self, tasks: _ids.Ids, classes: _ids.Ids, n_features: int) -> RowSample:
        """The rows of some tasks and classes, their cells counted among these."""
        _validation.check_same_features(n_features, self.rows.shape[1])
        if self.tasks.tolist() == tasks.tolist() and self.classes.tolist() == classes.tolist():
            return self
        codes = _ids.lookup(tasks, self.tasks), _ids.lookup(classes, self.classes)
        t, c = codes[0][self.task_codes], codes[1][self.class_codes]
        kept = (t >= 0) & (c >= 0)
        cells = t * len(classes) + c
        return RowSample(
            self.size,
            tasks,
            classes,
            cells[kept],
            self.keys[kept],
            self.weights[kept],
            self.rows[kept],
        )._trimmed()

    def limited(self, size: int) -> RowSample:
        """The sample that a smaller size would have given."""
        return self if size >= self.size else replace(self, size=size)._trimmed()

    def _cells_among(self, tasks: _ids.Ids, classes: _ids.Ids) -> Codes:
        """The cells of the rows among more tasks and classes."""
        task_codes = _ids.lookup(tasks, self.tasks)[self.task_codes]
        class_codes = _ids.lookup(classes, self.classes)[self.class_codes]
        return np.asarray(task_codes * len(classes) + class_codes)

    def _trimmed(self) -> RowSample:
        """Sorted, repeated rows joined, and no more rows of a cell than the size."""
        order = np.lexsort((self.keys, self.cells))
        cells, keys = self.cells[order], self.keys[order]
        is_new = np.ones(len(order), dtype=bool)
        is_new[1:] = (cells[1:] != cells[:-1]) | (keys[1:] != keys[:-1])
        weights = np.bincount(np.cumsum(is_new) - 1, self.weights[order], minlength=is_new.sum())
        cells, keys, order = cells[is_new], keys[is_new], order[is_new]
        rank = np.arange(len(cells)) - np.searchsorted(cells, cells)
        kept = rank < self.size
        return RowSample(
            self.size,
            self.tasks,
            self.classes,
            cells[kept],
            keys[kept],
            weights[kept].astype(np.float64),
            self.rows[order[kept]],
        )


def content_keys(X: Any) -> Keys:
    """A hash of every row by nothing but its numbers, in any precision or container."""
    multipliers = np.random.default_rng(X.shape[1]).integers(0, 2**63, X.shape[1], dtype=np.uint64)
    multipliers = multipliers * 2 + 1
    if is_sparse(X):
        return _sparse_keys(sp.csr_array(X), multipliers)
    block = max(16, _BLOCK_BYTES // (8 * max(X.shape[1], 1)))

    def keys_of(start: int) -> Keys:
        words = _words(X[start : start + block])
        return _mixed(np.einsum("ij,j->i", words, multipliers))

    return np.concatenate(list(in_order(keys_of, range(0, X.shape[0], block))))


def _words(values: Any) -> Keys:
    """Bits of the numbers as doubles; those of small integers, which end in zeros, folded down."""
    words = np.add(values, 0.0, dtype=np.float64, order="C").view(np.uint64)  # −0 is 0
    return np.asarray(words ^ (words >> np.uint64(32)))


def _sparse_keys(X: sp.csr_array, multipliers: Keys) -> Keys:
    """The same sums over the stored values: a zero adds nothing."""
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    terms = np.append(_words(X.data) * multipliers[X.indices], np.uint64(0))
    sums = np.add.reduceat(terms, X.indptr[:-1])
    return _mixed(np.where(np.diff(X.indptr) > 0, sums, np.uint64(0)))


def _smallest(cells: Codes, keys: Keys, size: int) -> Codes:
    """Rows whose key is one of the `size` smallest different ones of their cell."""
    counts = np.bincount(cells)
    likely = np.minimum((size + 6 * np.sqrt(size) + 10) / np.maximum(counts, 1), 1.0) * 2.0**64
    candidates = np.flatnonzero(keys.astype(np.float64) <= likely[cells])
    order, rank = _ranked(cells, keys, candidates)
    n_different = np.zeros(len(counts), np.intp)
    np.maximum.at(n_different, cells[order], rank + 1)
    left_out = counts > np.bincount(cells[candidates], minlength=len(counts))
    if (left_out & (n_different < size)).any():  # keys repeat, or a cell has unlikely ones
        order, rank = _ranked(cells, keys, np.arange(len(cells)))
    return np.asarray(order[rank < size])


def _ranked(cells: Codes, keys: Keys, chosen: Codes) -> tuple[Codes, Codes]:
    """Some rows sorted by cell and key, and how many smaller keys their cell has among them."""
    order = chosen[np.lexsort((keys[chosen], cells[chosen]))]
    is_new = np.ones(len(order), np.intp)
    is_new[1:] = (cells[order[1:]] != cells[order[:-1]]) | (keys[order[1:]] != keys[order[:-1]])
    number = np.cumsum(is_new)
    first = np.searchsorted(cells[order], cells[order])
    return order, number - number[first] if len(order) else number


def _dense_rows(X: Any, chosen: Codes) -> Floats:
    rows = X[np.sort(chosen)]
    rows = rows.toarray() if is_sparse(rows) else rows
    return np.asarray(rows, dtype=np.float64)[np.argsort(np.argsort(chosen))]


def _mixed(keys: Keys) -> Keys:
    """Spread the bits, so that small keys are as likely for any rows."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        keys = (keys ^ (keys >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(keys ^ (keys >> np.uint64(31)))
