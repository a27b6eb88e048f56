"""Step 1: samples → counts, means, second moments of every cell; they add, subtract, travel.

A *cell* is one class of one task. Nothing after this step grows with the number of samples.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinspan import _validation
from kinspan._arrays import is_elsewhere, on_host
from kinspan._device.moments import device_moments
from kinspan._rows import identifiers
from kinspan._rows.precision import warn_of_inexact_rest
from kinspan._rows.subtraction import subtracted
from kinspan._rows.sums import cell_moments
from kinspan._rows.types import Floats, Ids
from kinspan._storage import container

KIND = "class-moments"


@dataclass(frozen=True, eq=False)
class ClassMoments:
    """Counts, means and centred second moments of every cell (one class of one task).

    Moments add: those of two batches, files, machines or sites make those of all their rows, and
    rows can be taken out again by subtraction.

    Examples
    --------
    >>> import numpy as np
    >>> from kinspan import ClassMoments
    >>> X = np.array([[0.0], [2.0], [5.0], [7.0]])
    >>> first = ClassMoments.from_samples(X[:2], ["no", "no"], task="north")
    >>> both = first + ClassMoments.from_samples(X[2:], ["yes", "no"], task="north")
    >>> both.counts
    array([[3., 1.]])
    >>> both.means[0, 0], both.squares[0, 0]
    (array([3.]), array([26.]))
    >>> (both - first).counts
    array([[1., 1.]])
    """

    tasks: Ids  # (tasks,) ids, in order
    classes: Ids  # (classes,) labels, in order
    counts: Floats  # (tasks, classes) number of rows, or the sum of their frequency weights
    means: Floats  # (tasks, classes, features); zero where a cell is empty
    squares: Floats  # (tasks, classes, features) Σ (x − mean)²
    squared_weights: Floats | None = None  # (tasks, classes) Σ w², where rows fade; else the counts

    @classmethod
    def from_samples(
        cls, X: Any, y: ArrayLike, task: Any = None, *, sample_weight: ArrayLike | None = None
    ) -> ClassMoments:
        """Moments of rows; `task` is one id per row, one id for all of them, or None for one task.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
            Read in blocks: memory-mapped arrays stay on disk.
        y : array of shape (n_samples,)
            Class labels.
        task : array of shape (n_samples,), or one id for all rows
        sample_weight : array of shape (n_samples,), optional
            Frequencies: weight 2 is the row twice, weight 0 its absence.
        """
        return cls.from_checked(_validation.check_labelled_rows(X, y, task, sample_weight))

    @classmethod
    def from_checked(
        cls,
        rows: _validation.CheckedRows,
        fading: Floats | None = None,
        *,
        is_part: bool = False,
    ) -> ClassMoments:
        """The same from rows that were validated before; they may have faded to part of one.

        Weights of a part of the rows may add up to less than one row.
        """
        if is_elsewhere(rows.features):
            return cls(*device_moments(rows, fading, is_part)).without_empty()
        weights = on_host(rows.weights)
        tasks, task_codes = identifiers.encode(rows.tasks)
        classes, class_codes = identifiers.encode(rows.labels)
        shape = (len(tasks), len(classes))
        cells = task_codes * shape[1] + class_codes
        if weights is not None and not is_part:
            _validation.check_weights_of_cells(weights, cells, shape[0] * shape[1])
        squared_weights = None
        if fading is not None:
            frequencies = np.ones(len(cells)) if weights is None else weights
            weights = frequencies * fading
            squared = np.bincount(cells, weights * fading, shape[0] * shape[1])
            squared_weights = squared.astype(np.float64).reshape(shape)
        counts, means, squares = cell_moments(rows.features, cells, shape[0] * shape[1], weights)
        if not (np.isfinite(means).all() and np.isfinite(squares).all()):
            _validation.refuse_non_finite(rows.features, rows.names)
        moments = cls(
            tasks,
            classes,
            counts.reshape(shape),
            means.reshape(*shape, -1),
            squares.reshape(*shape, -1),
            squared_weights,
        )
        return moments if weights is None else moments.without_empty()

    def __repr__(self) -> str:
        return (
            f"ClassMoments({len(self.tasks)} tasks, {len(self.classes)} classes, "
            f"{self.n_features} features, {self.counts.sum():g} rows)"
        )

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.means.shape[2])

    @property
    def present(self) -> NDArray[np.bool_]:
        """(tasks, classes): which cells have samples."""
        return self.counts > 0

    def __add__(self, other: ClassMoments) -> ClassMoments:
        """Moments of the rows of both, by the update of Chan, Golub and LeVeque."""
        if not isinstance(other, ClassMoments):
            return NotImplemented
        _validation.check_same_features(self.n_features, other.n_features)
        tasks, classes = (
            identifiers.union(self.tasks, other.tasks),
            identifiers.union(self.classes, other.classes),
        )
        n1, mean1, squares1 = self._aligned(tasks, classes)
        n2, mean2, squares2 = other._aligned(tasks, classes)
        counts = n1 + n2
        share = np.divide(n2, counts, out=np.zeros_like(counts), where=counts > 0)[..., None]
        with np.errstate(over="ignore", invalid="ignore"):
            delta = mean2 - mean1
            means = mean1 + delta * share
            squares = squares1 + squares2 + delta * (delta * share * n1[..., None])
        _validation.check_no_overflow(counts, means, squares)
        fading = self._faded_weights(other, tasks, classes)
        weights = None if fading is None else fading[0] + fading[1]
        return ClassMoments(tasks, classes, counts, means, squares, weights)

    def __radd__(self, other: Any) -> ClassMoments:  # sum() starts at 0
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __sub__(self, other: ClassMoments) -> ClassMoments:
        """Moments without the rows of other; tasks and classes that no row is left of disappear."""
        if not isinstance(other, ClassMoments):
            return NotImplemented
        _validation.check_same_features(self.n_features, other.n_features)
        _validation.check_removable(self, other)
        rest = subtracted(self, other)
        warn_of_inexact_rest(rest.is_doubtful())
        return rest.moments.without_empty()

    def faded(self, factor: Floats) -> ClassMoments:
        """The same with the weight of the rows of every cell times a (tasks, classes) factor."""
        weights = self.counts if self.squared_weights is None else self.squared_weights
        return replace(
            self,
            counts=self.counts * factor,
            squares=self.squares * factor[..., None],
            squared_weights=weights * factor**2,
        )

    def effective(self) -> ClassMoments:
        """The moments that as many rows of weight one would have as rows with weights are worth.

        (Σw)² / Σw² rows know a mean as well, and Σ w (x − mean)² over Σw is that much too small.
        """
        if self.squared_weights is None:
            return self
        present = self.present
        per_row = np.where(present, self.squared_weights, 1.0) / np.where(present, self.counts, 1.0)
        squares = self.squares / per_row[..., None]
        return ClassMoments(self.tasks, self.classes, self.counts / per_row, self.means, squares)

    def without_empty(self) -> ClassMoments:
        """The same without tasks and classes that have no rows."""
        tasks, classes = (np.any(self.present, axis=axis) for axis in (1, 0))
        return self if tasks.all() and classes.all() else self.chosen(tasks, classes)

    def where(self, kept: NDArray[np.bool_]) -> ClassMoments:
        """The same without the cells that a (tasks, classes) mask leaves out."""
        counts, squared = np.where(kept, self.counts, 0.0), self.squared_weights
        means, squares = (np.where(kept[..., None], a, 0.0) for a in (self.means, self.squares))
        weights = None if squared is None else np.where(kept, squared, 0.0)
        return ClassMoments(
            self.tasks, self.classes, counts, means, squares, weights
        ).without_empty()

    def chosen(self, tasks: NDArray[Any], classes: NDArray[Any]) -> ClassMoments:
        """Some of the tasks and classes, by masks or positions that keep their order."""
        cells = np.ix_(tasks, classes)
        weights = None if self.squared_weights is None else self.squared_weights[cells]
        return ClassMoments(
            self.tasks[tasks],
            self.classes[classes],
            self.counts[cells],
            self.means[cells],
            self.squares[cells],
            weights,
        )

    def among(self, tasks: Ids, classes: Ids) -> ClassMoments:
        """The same with more tasks and classes, of which there are no rows."""
        placed = self._aligned(tasks, classes)
        fading = self._faded_weights(self, tasks, classes)
        return ClassMoments(tasks, classes, *placed, None if fading is None else fading[0])

    def _aligned(self, tasks: Ids, classes: Ids) -> tuple[Floats, Floats, Floats]:
        """Counts, means and squares placed among more tasks and classes."""
        place = np.ix_(
            identifiers.lookup(tasks, self.tasks), identifiers.lookup(classes, self.classes)
        )
        shape = (len(tasks), len(classes), self.n_features)
        counts, means, squares = np.zeros(shape[:2]), np.zeros(shape), np.zeros(shape)
        counts[place], means[place], squares[place] = self.counts, self.means, self.squares
        return counts, means, squares

    def _faded_weights(self, other: ClassMoments, tasks: Ids, classes: Ids) -> list[Floats] | None:
        """Σ w² of both, placed among tasks and classes; None where all rows have weight one."""
        if self.squared_weights is None and other.squared_weights is None:
            return None
        both = []
        for part in (self, other):
            place = np.ix_(
                identifiers.lookup(tasks, part.tasks), identifiers.lookup(classes, part.classes)
            )
            weights = np.zeros((len(tasks), len(classes)))
            faded = part.squared_weights
            weights[place] = part.counts if faded is None else faded
            both.append(weights)
        return both

    def to_bytes(self) -> bytes:
        """One buffer with everything, in the format of `kinspan._storage.container`."""
        return container.pack(container.Contents(KIND, self.record()))

    @classmethod
    def from_bytes(cls, buffer: bytes | bytearray | memoryview) -> ClassMoments:
        """The moments of a buffer; StoredDataError where it is corrupted, truncated or foreign."""
        return cls.from_record(container.unpack(buffer, KIND).record)

    def record(self) -> container.Record:
        """Moments as plain data."""
        meta = {
            "tasks": identifiers.to_json(self.tasks),
            "classes": identifiers.to_json(self.classes),
        }
        arrays = {"counts": self.counts, "means": self.means, "squares": self.squares}
        if self.squared_weights is not None:
            arrays["squared_weights"] = self.squared_weights
        return container.Record(meta, arrays)

    @classmethod
    def from_record(cls, record: container.Record) -> ClassMoments:
        """The moments of plain data."""
        with container.reading("moments"):
            tasks, classes = (
                identifiers.from_json(record.meta[name]) for name in ("tasks", "classes")
            )
            counts, means, squares = (record.arrays[n] for n in ("counts", "means", "squares"))
            fading = record.arrays.get("squared_weights")
            moments = cls(tasks, classes, counts, means, squares, fading)
            _validation.check_moments(moments)
        return moments
