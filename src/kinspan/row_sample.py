"""Step 1b: rows → a bounded sample of the rows of every cell, chosen by their content.

The rows of a cell with the smallest hashes are kept, whatever the batches, their order and the way
they are merged. Equal rows are one row whose weight is their number.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinspan._arrays.elsewhere import is_elsewhere, on_host
from kinspan._arrays.libraries import is_sparse
from kinspan._device.sample import device_sample
from kinspan._rows import identifiers
from kinspan._rows.kept_rows import Joined, bounded, ranks, smallest
from kinspan._rows.keys import content_keys
from kinspan._rows.types import Codes, Floats, Ids, Keys, Mask
from kinspan._storage import container
from kinspan._validation.labelled_rows import CheckedRows
from kinspan._validation.moments import check_same_features, check_sample

Rows = NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class RowSample:
    """Rows of every cell, at most `size` distinct ones, sorted by cell and then by key.

    Samples add: that of two batches is the sample of all their rows.

    Examples
    --------
    >>> import numpy as np
    >>> from kinspan import Statistics
    >>> X, y = np.arange(12.0).reshape(6, 2), np.zeros(6, dtype=int)
    >>> whole, first, rest = (
    ...     Statistics.from_samples(X[part], y[part], row_sample=3).sample
    ...     for part in (slice(None), [5, 0], slice(1, 5))
    ... )
    >>> bool(((first + rest).rows == whole.rows).all())
    True
    """

    size: int  # distinct rows kept of a cell at most; fewer where there are many cells
    tasks: Ids  # (tasks,) ids, in order
    classes: Ids  # (classes,) labels, in order
    cells: Codes  # (rows,): position of the task × number of classes + position of the class
    keys: Keys  # (rows,): hashes of the rows
    weights: Floats  # (rows,): how often the row occurred, faded
    rows: Rows  # (rows, features), single or double
    recency: Floats | None = None  # (rows,): weight of its last occurrence, faded; None is one

    @classmethod
    def from_checked(
        cls, checked: CheckedRows, size: int, fading: Floats | None = None
    ) -> RowSample:
        """The sample of checked rows, which may have faded to a fraction of their weight."""
        X = checked.features
        if is_elsewhere(X):
            found: RowSample = device_sample(cls.from_checked, checked, size, fading)
            return found
        weights = on_host(checked.weights)
        seen = np.arange(len(checked.labels)) if weights is None else np.flatnonzero(weights)
        tasks, task_codes = identifiers.encode(checked.tasks[seen])
        classes, class_codes = identifiers.encode(checked.labels[seen])
        cells = task_codes * len(classes) + class_codes
        bound = _bound(size, cells, X.shape[1])
        if fading is None:
            chosen, keys = smallest(X, seen, cells, bound)
        else:
            chosen, keys = np.arange(len(seen)), content_keys(X, seen)
        w = np.ones(len(chosen)) if weights is None else weights[seen[chosen]]
        recency = None if fading is None else fading[seen]
        w = w if recency is None else w * recency
        joined = Joined.of(cells[chosen], keys, w, bound, recency)
        rows = _dense_rows(X, seen[chosen[joined.first]])
        return cls(size, tasks, classes, *joined[1:4], rows, joined.recency)

    def __repr__(self) -> str:
        return f"RowSample({len(self.rows)} rows of {len(np.unique(self.cells))} cells)"

    @property
    def bound(self) -> int:
        """Distinct rows kept of a cell at most, given the number of cells."""
        return _bound(self.size, self.cells, self.rows.shape[1])

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
        check_same_features(self.rows.shape[1], other.rows.shape[1])
        tasks, classes = (
            identifiers.union(self.tasks, other.tasks),
            identifiers.union(self.classes, other.classes),
        )
        cells = np.concatenate([part._cells_among(tasks, classes) for part in (self, other)])
        keys, weights = (
            np.concatenate([getattr(part, name) for part in (self, other)])
            for name in ("keys", "weights")
        )
        size = min(self.size, other.size)
        bound = _bound(size, cells, self.rows.shape[1])
        joined = Joined.of(cells, keys, weights, bound, _both(self, other))
        rows = _rows_of_both(self.rows, other.rows, joined.first)
        return RowSample(size, tasks, classes, *joined[1:4], rows, joined.recency)

    def __sub__(self, other: RowSample) -> RowSample:
        """The sample without the rows of the other that are in it.

        If the other is the sample of some rows and at least as large, all of these rows leave this
        one. Nothing replaces them: cells with more rows than are kept then have too few.
        """
        if not isinstance(other, RowSample):
            return NotImplemented
        check_same_features(self.rows.shape[1], other.rows.shape[1])
        there = other.aligned(self.tasks, self.classes, self.rows.shape[1])
        removed = dict(zip(there._names(), there.weights.tolist(), strict=True))
        weights = self.weights - [removed.get(name, 0.0) for name in self._names()]
        return replace(self, weights=weights)._kept(weights > 1e-9 * self.weights)

    def aligned(self, tasks: Ids, classes: Ids, n_features: int) -> RowSample:
        """The rows of some tasks and classes, with cells numbered among these."""
        check_same_features(n_features, self.rows.shape[1])
        if self.tasks.tolist() == tasks.tolist() and self.classes.tolist() == classes.tolist():
            return self
        codes = identifiers.lookup(tasks, self.tasks), identifiers.lookup(classes, self.classes)
        t, c = codes[0][self.task_codes], codes[1][self.class_codes]
        placed = replace(self, tasks=tasks, classes=classes, cells=t * len(classes) + c)
        return placed._kept((t >= 0) & (c >= 0))._trimmed()

    def of_cells(self, cells: Mask) -> RowSample:
        """The rows of the cells in a (tasks, classes) mask."""
        return self._kept(cells.reshape(-1)[self.cells])

    def faded(self, factor: Floats) -> RowSample:
        """The same with the weight of the rows of every cell times a (tasks, classes) factor."""
        of_row = factor.reshape(-1)[self.cells]
        recency = of_row if self.recency is None else self.recency * of_row
        return replace(self, weights=self.weights * of_row, recency=recency)

    def effective(self) -> RowSample:
        """The sample with weights that count rows.

        The less a row had faded, the more likely it was kept (by the smallest of exponential
        variables over recency), so weights are divided by that probability. In a cell they are
        then stretched to add up to the number of rows that they are worth.
        """
        if self.recency is None:
            return self
        n_cells = len(self.tasks) * len(self.classes)
        is_full = (np.bincount(self.cells, minlength=n_cells) >= self.bound)[self.cells]
        last = np.zeros(n_cells)
        np.maximum.at(last, self.cells, ranks(self.keys, self.recency))
        likely = np.where(is_full, -np.expm1(-self.recency * last[self.cells]), 1.0)
        weights, of_one = self.weights / likely, self.recency / likely
        total = np.bincount(self.cells, weights)
        worth = np.bincount(self.cells, weights * of_one)
        stretched = weights * (total / np.where(worth > 0, worth, 1.0))[self.cells]
        return replace(self, weights=stretched, recency=None)

    def _names(self) -> list[tuple[int, int]]:
        """Cell and key of every row."""
        return list(zip(self.cells.tolist(), self.keys.tolist(), strict=True))

    def _kept(self, kept: Mask | Codes) -> RowSample:
        """Some of the rows."""
        return replace(
            self,
            cells=self.cells[kept],
            keys=self.keys[kept],
            weights=self.weights[kept],
            rows=self.rows[kept],
            recency=None if self.recency is None else self.recency[kept],
        )

    def record(self) -> container.Record:
        """The sample as plain data."""
        ids = {
            "tasks": identifiers.to_json(self.tasks),
            "classes": identifiers.to_json(self.classes),
        }
        arrays = {name: getattr(self, name) for name in ("keys", "weights", "rows")}
        arrays["cells"] = self.cells.astype(np.int64)
        if self.recency is not None:
            arrays["recency"] = self.recency
        return container.Record({"size": int(self.size), **ids}, arrays)

    @classmethod
    def from_record(cls, record: container.Record) -> RowSample:
        """The sample of plain data."""
        with container.reading("sampled rows"):
            tasks, classes = (
                identifiers.from_json(record.meta[name]) for name in ("tasks", "classes")
            )
            cells, keys, weights, rows = (
                record.arrays[name] for name in ("cells", "keys", "weights", "rows")
            )
            recency, size = record.arrays.get("recency"), record.meta["size"]
            cells = cells.astype(np.intp, casting="same_kind")
            sample = cls(size, tasks, classes, cells, keys, weights, rows, recency)
            check_sample(sample)
        return sample

    def _cells_among(self, tasks: Ids, classes: Ids) -> Codes:
        """The cells of the rows among more tasks and classes."""
        task_codes = identifiers.lookup(tasks, self.tasks)[self.task_codes]
        class_codes = identifiers.lookup(classes, self.classes)[self.class_codes]
        return np.asarray(task_codes * len(classes) + class_codes)

    def _trimmed(self) -> RowSample:
        """Sorted, with equal rows joined and no more rows of a cell than the bound."""
        joined = Joined.of(self.cells, self.keys, self.weights, self.bound, self.recency)
        return replace(self._kept(joined.first), weights=joined.weights, recency=joined.recency)


def _both(first: RowSample, second: RowSample) -> Floats | None:
    """The recency of the rows of two samples."""
    if first.recency is None and second.recency is None:
        return None
    parts = (first, second)
    return np.concatenate([np.ones(len(p.rows)) if p.recency is None else p.recency for p in parts])


def _rows_of_both(first: Rows, second: Rows, chosen: Codes) -> Rows:
    """Some rows of two stacked matrices, without a copy of all."""
    is_first, n = chosen < len(first), len(first)
    rows = np.empty((len(chosen), first.shape[1]), np.result_type(first, second))
    rows[is_first] = first[chosen[is_first]]
    rows[~is_first] = second[chosen[~is_first] - n]
    return rows


def _bound(size: int, cells: Codes, n_features: int) -> int:
    return bounded(size, int(np.count_nonzero(np.bincount(cells))), n_features)


def _dense_rows(X: Any, chosen: Codes) -> Rows:
    """Rows as floats, in single precision unless X is more precise."""
    rows = X[chosen]
    rows = rows.toarray() if is_sparse(rows) else rows
    dtype = np.result_type(rows.dtype, np.float32)
    return np.asarray(rows, dtype=dtype if dtype.itemsize <= 8 else np.float64)
