"""Step 1b: rows → a bounded sample of the rows of every cell, chosen by their content.

The rows of a cell with the smallest keyed hashes are kept, whatever the batches, their order and
the way they are merged. Equal rows are one row whose weight is their number. Rows that come very
often are kept as well: `kinspan._rows.strata` counts them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from kinspan._arrays.elsewhere import is_elsewhere, on_host
from kinspan._device.sample import device_sample
from kinspan._rows import identifiers
from kinspan._rows.kept_rows import Kept, bounded
from kinspan._rows.keys import PUBLIC, RowKey, content_keys
from kinspan._rows.large import HERE, Place
from kinspan._rows.many_rows import RowsHere, kept_of_batch, kept_of_many
from kinspan._rows.represented import weights_that_count
from kinspan._rows.stored_rows import StoredRows, all_numbers, rows_of_all, stored_rows
from kinspan._rows.strata import Strata
from kinspan._rows.types import Codes, Floats, Ids, Keys, Mask, Rows
from kinspan._storage import container
from kinspan._validation.labelled_rows import CheckedRows
from kinspan._validation.moments import check_same_features, check_same_key, check_sample

Hopeless = Callable[[Ids, Ids, Codes, Keys], Mask]  # of tasks, classes, cells and keys


@dataclass(frozen=True, eq=False)
class RowSample:
    """Rows of every cell, sorted by cell and then by key: `size` distinct ones and frequent ones.

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
    weights: Floats  # (rows,): how often the row occurred, faded; of frequent rows, at least
    stored: StoredRows  # (rows, features), single or double, all numbers or without zeros
    is_frequent: Mask  # (rows,): kept for its frequency, and not for its key
    strata: Strata  # how many rows there were, of cells of which not all are kept
    key_name: str  # of the key of the hashes
    recency: Floats | None = None  # (rows,): weight of its last occurrence, faded; None is one
    # (rows,): where the first of equal rows was among the rows given; None for rows of several
    # batches, of a device or of a file.
    positions: Codes | None = None
    place: Place = HERE  # where products with the rows are computed

    @classmethod
    def from_checked(
        cls,
        checked: CheckedRows,
        size: int,
        fading: Floats | None = None,
        key: RowKey = PUBLIC,
        is_hopeless: Hopeless | None = None,
    ) -> RowSample:
        """The sample of checked rows, which may have faded to a fraction of their weight.

        It lacks rows that are known not to enter a sum that this sample is for.
        """
        X = checked.features
        if is_elsewhere(X):
            found = device_sample(checked, size, fading, key)
            return replace(cls._of(size, *found, key.name), place=Place(X.array))
        weights = on_host(checked.weights)
        seen = np.arange(len(checked.labels)) if weights is None else np.flatnonzero(weights)
        tasks, task_codes = identifiers.encode(checked.tasks[seen])
        classes, class_codes = identifiers.encode(checked.labels[seen])
        cells = task_codes * len(classes) + class_codes
        w = None if weights is None else weights[seen].astype(np.float64)
        bound = _bound(size, cells, X.shape[1])
        if fading is None and (np.bincount(cells) > bound).any():
            kept = kept_of_many(RowsHere.of(X, seen, cells, w, key), bound)
        elif fading is None and is_hopeless is not None:
            kept = kept_of_batch(
                X, seen, cells, w, bound, key, partial(is_hopeless, tasks, classes)
            )
        else:
            w = np.ones(len(seen)) if w is None else w
            recency = None if fading is None else fading[seen]
            w = w if recency is None else w * recency
            kept = Kept.of(cells, content_keys(X, seen, key), w, bound, recency)
        rows = stored_rows(X, seen[kept.first])
        sample = cls._of(size, tasks, classes, kept, rows, key.name)
        places = seen[kept.first]
        return replace(
            sample, positions=places if checked.places is None else checked.places[places]
        )

    @classmethod
    def _of(
        cls, size: int, tasks: Ids, classes: Ids, kept: Kept, rows: StoredRows, key_name: str
    ) -> RowSample:
        return cls(
            *(size, tasks, classes, kept.cells, kept.keys, kept.weights, rows),
            *(kept.is_frequent, kept.strata, key_name, kept.recency),
        )

    def __repr__(self) -> str:
        return f"RowSample({len(self.cells)} rows of {len(np.unique(self.cells))} cells)"

    @property
    def bound(self) -> int:
        """Distinct rows kept of a cell at most, given the number of cells."""
        return _bound(self.size, self.cells, self.n_features)

    @property
    def rows(self) -> Rows:
        """(rows, features): all numbers of the rows."""
        return all_numbers(self.stored)

    @property
    def n_features(self) -> int:
        """The number of features."""
        return int(self.stored.shape[1])

    @property
    def n_cells(self) -> int:
        """The number of cells, with and without rows."""
        return len(self.tasks) * len(self.classes)

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
        return RowSample._joined([self, other])

    @classmethod
    def _joined(cls, parts: Sequence[RowSample]) -> RowSample:
        """The sample of the rows of all parts."""
        first = parts[0]
        for part in parts[1:]:
            check_same_features(first.n_features, part.n_features)
            check_same_key(first.key_name, part.key_name)
        tasks = identifiers.union(*(part.tasks for part in parts))
        classes = identifiers.union(*(part.classes for part in parts))
        columns = [part._among(tasks, classes).columns() for part in parts]
        size = min(part.size for part in parts)
        cells = np.concatenate([column.cells for column in columns])
        bound = _bound(size, cells, first.n_features)
        kept = Kept.joined(columns, len(tasks) * len(classes), bound)
        rows = rows_of_all([part.stored for part in parts], kept.first)
        found = cls._of(size, tasks, classes, kept, rows, first.key_name)
        return replace(found, place=first.place)

    def __sub__(self, other: RowSample) -> RowSample:
        """The sample without the rows of the other that are in it.

        If the other is the sample of some rows and at least as large, all of these rows leave this
        one. Nothing replaces them: cells with more rows than are kept then have too few.
        """
        if not isinstance(other, RowSample):
            return NotImplemented
        check_same_features(self.n_features, other.n_features)
        check_same_key(self.key_name, other.key_name)
        there = other.aligned(self.tasks, self.classes, self.n_features)
        removed = dict(zip(there._names(), there.weights.tolist(), strict=True))
        weights = self.weights - [removed.get(name, 0.0) for name in self._names()]
        is_full = self.strata.totals(self.n_cells) > 0
        strata = self.strata.minus(there.columns().strata_of(is_full, self.bound), self.bound)
        rest = replace(self, weights=weights, strata=strata)
        return rest._kept(weights > 1e-9 * self.weights)

    def aligned(self, tasks: Ids, classes: Ids, n_features: int) -> RowSample:
        """The rows of some tasks and classes, with cells numbered among these."""
        check_same_features(n_features, self.n_features)
        if self.tasks.tolist() == tasks.tolist() and self.classes.tolist() == classes.tolist():
            return self
        placed = self._among(tasks, classes)
        kept = Kept.of(
            *(placed.cells, placed.keys, placed.weights, placed.bound),
            *(placed.recency, placed.is_frequent, placed.strata),
        )
        found = RowSample._of(
            self.size, tasks, classes, kept, placed.stored[kept.first], self.key_name
        )
        positions = None if placed.positions is None else placed.positions[kept.first]
        return replace(found, positions=positions, place=self.place)

    def without_positions(self) -> RowSample:
        """The same where nobody knows any more which rows were given together."""
        return self if self.positions is None else replace(self, positions=None)

    def of_cells(self, cells: Mask) -> RowSample:
        """The rows of the cells in a (tasks, classes) mask."""
        chosen = cells.reshape(-1)
        return replace(self._kept(chosen[self.cells]), strata=self.strata.of_cells(chosen))

    def completed(self, is_cut: Mask, strata: Strata, frequent: RowSample) -> RowSample:
        """With strata and frequent rows of cells of which these rows have the smallest keys."""
        placed = frequent._among(self.tasks, self.classes).columns()
        placed = placed._replace(first=len(self.cells) + placed.first)
        kept = self.columns().completed(is_cut, strata, placed)
        rows = rows_of_all([self.stored, frequent.stored], kept.first)
        return RowSample._of(self.size, self.tasks, self.classes, kept, rows, self.key_name)

    def columns(self) -> Kept:
        """All but the rows themselves."""
        return Kept(
            *(np.arange(len(self.cells)), self.cells, self.keys, self.weights),
            *(self.is_frequent, self.recency, self.strata),
        )

    def cut(self, dropped: Mask, frequent: Mask) -> RowSample:
        """Without some rows, and with others kept for their frequency alone."""
        is_cut = np.zeros(self.n_cells, dtype=bool)
        is_cut[self.cells[dropped | frequent]] = True
        is_cut[self.strata.cells] = True
        strata = self.columns().strata_of(is_cut, self.bound)
        rest = replace(self, is_frequent=self.is_frequent | frequent, strata=strata)
        return rest._kept(~dropped)

    def faded(self, factor: Floats) -> RowSample:
        """The same with the weight of the rows of every cell times a (tasks, classes) factor."""
        of_row = factor.reshape(-1)[self.cells]
        recency = of_row if self.recency is None else self.recency * of_row
        strata = self.strata.faded(factor.reshape(-1))
        return replace(self, weights=self.weights * of_row, recency=recency, strata=strata)

    def effective(self) -> RowSample:
        """The sample with weights that count rows: as many as it is worth, as often as they came.

        Where all rows of a cell are kept and none has faded, weights are their numbers.
        """
        weights = weights_that_count(self.columns(), self.bound, self.n_cells)
        whole = replace(self, weights=weights, recency=None, strata=Strata.none())
        return whole if (weights > 0).all() else whole._kept(weights > 0)

    def _names(self) -> list[tuple[int, int]]:
        """Cell and key of every row."""
        return list(zip(self.cells.tolist(), self.keys.tolist(), strict=True))

    def _kept(self, kept: Mask | Codes | slice) -> RowSample:
        """Some of the rows."""
        return replace(
            self,
            cells=self.cells[kept],
            keys=self.keys[kept],
            weights=self.weights[kept],
            stored=self.stored[kept],
            is_frequent=self.is_frequent[kept],
            recency=None if self.recency is None else self.recency[kept],
            positions=None if self.positions is None else self.positions[kept],
        )

    def record(self) -> container.Record:
        """The sample as plain data."""
        ids = {
            "tasks": identifiers.to_json(self.tasks),
            "classes": identifiers.to_json(self.classes),
        }
        arrays = {name: getattr(self, name) for name in ("keys", "weights", "rows", "is_frequent")}
        arrays["cells"] = self.cells.astype(np.int64)
        arrays["strata"], arrays["stratum_weights"] = self.strata
        if self.recency is not None:
            arrays["recency"] = self.recency
        return container.Record({"size": int(self.size), "key_name": self.key_name, **ids}, arrays)

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
            if "key_name" not in record.meta:
                others = np.zeros(len(cells), dtype=bool), Strata.none(), PUBLIC.name
            else:
                strata = Strata(record.arrays["strata"], record.arrays["stratum_weights"])
                others = record.arrays["is_frequent"], strata, str(record.meta["key_name"])
            sample = cls(size, tasks, classes, cells, keys, weights, rows, *others, recency)
            check_sample(sample)
        return sample if "key_name" in record.meta else sample._with_keys(PUBLIC)

    def _with_keys(self, key: RowKey) -> RowSample:
        """The same rows with other keys; files of earlier versions have keys that nobody makes."""
        keys = content_keys(self.rows, np.arange(len(self.cells)), key)
        return replace(self, keys=keys)._kept(np.lexsort((keys, self.cells)))

    def _among(self, tasks: Ids, classes: Ids) -> RowSample:
        """With cells numbered among other tasks and classes, without those that are not there."""
        if np.array_equal(tasks, self.tasks) and np.array_equal(classes, self.classes):
            return replace(self, tasks=tasks, classes=classes)
        task_codes = identifiers.lookup(tasks, self.tasks)
        class_codes = identifiers.lookup(classes, self.classes)
        t, c = task_codes[:, None], class_codes[None, :]
        cells = np.where((t >= 0) & (c >= 0), t * len(classes) + c, -1).reshape(-1)
        strata = self.strata.placed(cells[self.strata.cells])
        placed = replace(self, tasks=tasks, classes=classes, cells=cells[self.cells], strata=strata)
        return placed._kept(placed.cells >= 0)


def _bound(size: int, cells: Codes, n_features: int) -> int:
    return bounded(size, int(np.count_nonzero(np.bincount(cells))), n_features)
