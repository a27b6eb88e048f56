"""Step 1b: samples → a bounded sample of rows of every cell, chosen by their content.

The rows of a cell with the smallest hash are kept: neither batches, nor their order, nor merging
changes which. Rows that repeat are one row with their number as its weight.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinspan import _ids, _validation
from kinspan._arrays import is_sparse
from kinspan._cell_sums import Codes, Floats, in_order

Keys = NDArray[np.uint64]
_BLOCK_BYTES = 1 << 21
_FEW_COLUMNS = 16


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
        chosen, keys = _smallest(X, seen, cells, size)
        w = np.ones(len(chosen)) if weights is None else weights[seen[chosen]]
        joined = _Joined.of(cells[chosen], keys, w, size)
        rows = _dense_rows(X, seen[chosen[joined.first]])
        return cls(size, tasks, classes, joined.cells, joined.keys, joined.weights, rows)

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
        _validation.check_same_features(self.rows.shape[1], other.rows.shape[1])
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
        joined = _Joined.of(self.cells, self.keys, self.weights, self.size)
        return replace(
            self,
            cells=joined.cells,
            keys=joined.keys,
            weights=joined.weights,
            rows=self.rows[joined.first],
        )


class _Joined(NamedTuple):
    """Different rows with the smallest keys of every cell, sorted."""

    first: Codes  # (kept,): a row of those that are the same
    cells: Codes
    keys: Keys
    weights: Floats  # of all of them

    @classmethod
    def of(cls, cells: Codes, keys: Keys, weights: Floats, size: int) -> _Joined:
        order = np.lexsort((keys, cells))
        cells, keys = cells[order], keys[order]
        is_new = np.ones(len(order), dtype=bool)
        is_new[1:] = (cells[1:] != cells[:-1]) | (keys[1:] != keys[:-1])
        total = np.bincount(np.cumsum(is_new) - 1, weights[order], minlength=is_new.sum())
        cells, keys, order = cells[is_new], keys[is_new], order[is_new]
        kept = np.arange(len(cells)) - np.searchsorted(cells, cells) < size
        return cls(order[kept], cells[kept], keys[kept], total[kept].astype(np.float64))


def content_keys(X: Any, chosen: Codes) -> Keys:
    """A hash of some rows by nothing but their numbers, in any precision or container.

    Its first bits are those of `_short_keys`, the others tell apart rows in which they agree.
    """
    long = _long_keys(X, chosen)
    return np.asarray(_short_keys(X, chosen) << np.uint64(48) | long >> np.uint64(16))


def _long_keys(X: Any, chosen: Codes) -> Keys:
    multipliers = np.random.default_rng(X.shape[1]).integers(0, 2**63, X.shape[1], dtype=np.uint64)
    return _mixed(_bit_sums(X, chosen, _words, multipliers * 2 + 1))


def _short_keys(X: Any, chosen: Codes) -> Keys:
    """The same in 16 bits, as fast as the rows can be read: of all columns, in single precision.

    Multipliers are even, so that signs, and with them −0, do not matter. Few columns may agree in
    single precision in all rows that are near each other: they are worth a long key.
    """
    if X.shape[1] < _FEW_COLUMNS:
        return _long_keys(X, chosen) >> np.uint64(48)
    multipliers = np.random.default_rng(X.shape[1]).integers(0, 2**30, X.shape[1], dtype=np.uint32)
    sums = _bit_sums(X, chosen, _single_words, multipliers * 4 + 2)
    return _mixed(sums.astype(np.uint64)) >> np.uint64(48)


def _bit_sums(X: Any, chosen: Codes, words: Any, multipliers: NDArray[Any]) -> NDArray[Any]:
    """Σ_j words_j · multiplier_j of some rows, overflowing; zeros add nothing."""
    if is_sparse(X):
        return _sparse_bit_sums(sp.csr_array(X), chosen, words, multipliers)
    is_all = len(chosen) == X.shape[0]
    block = max(16, _BLOCK_BYTES // (8 * max(X.shape[1], 1)))

    def sums_of(start: int) -> NDArray[Any]:
        span = slice(start, start + block)
        rows = X[span] if is_all else X[chosen[span]]
        return np.asarray(np.einsum("ij,j->i", words(rows), multipliers))

    parts = in_order(sums_of, range(0, len(chosen), block))
    return np.concatenate([np.empty(0, multipliers.dtype), *parts])


def _single_words(values: Any) -> NDArray[np.uint32]:
    """Bits of the numbers in single precision."""
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)


def _words(values: Any) -> Keys:
    """Bits of the numbers as doubles; those of small integers, which end in zeros, folded down."""
    words = np.add(values, 0.0, dtype=np.float64, order="C").view(np.uint64)  # −0 is 0
    return np.asarray(words ^ (words >> np.uint64(32)))


def _sparse_bit_sums(
    X: sp.csr_array, chosen: Codes, words: Any, multipliers: NDArray[Any]
) -> NDArray[Any]:
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    if len(chosen) < X.shape[0]:
        X = X[chosen]
    zero = multipliers.dtype.type(0)
    terms = np.append(words(X.data) * multipliers[X.indices], zero)
    sums = np.add.reduceat(terms, X.indptr[:-1], dtype=multipliers.dtype)
    return np.where(np.diff(X.indptr) > 0, sums, zero)


def _smallest(X: Any, seen: Codes, cells: Codes, size: int) -> tuple[Codes, Keys]:
    """Rows that may have one of the `size` smallest different keys of their cell, and their keys.

    Short keys leave few of them. Where these are too few different ones, because rows repeat or
    short keys do, all rows of the cell are taken.
    """
    counts = np.bincount(cells)
    likely = np.minimum((size + 6 * np.sqrt(size) + 10) / np.maximum(counts, 1), 1.0) * 2.0**16
    candidates = np.arange(len(cells))
    if (likely < 2.0**16).any():
        candidates = np.flatnonzero(_short_keys(X, seen) < np.ceil(likely)[cells])
    keys = content_keys(X, seen[candidates])
    different = _Joined.of(cells[candidates], keys, np.zeros(len(keys)), size).cells
    taken, n_different = (
        np.bincount(c, minlength=len(counts)) for c in (cells[candidates], different)
    )
    short = (counts > taken) & (n_different < size)
    if short.any():
        more = np.setdiff1d(np.flatnonzero(short[cells]), candidates, assume_unique=True)
        candidates = np.concatenate([candidates, more])
        keys = np.concatenate([keys, content_keys(X, seen[more])])
    return candidates, keys


def _dense_rows(X: Any, chosen: Codes) -> Floats:
    rows = X[chosen]
    return np.asarray(rows.toarray() if is_sparse(rows) else rows, dtype=np.float64)


def _mixed(keys: Keys) -> Keys:
    """Spread the bits, so that small keys are as likely for any rows."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        keys = (keys ^ (keys >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(keys ^ (keys >> np.uint64(31)))
