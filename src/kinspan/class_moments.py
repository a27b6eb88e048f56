"""Step 1: rows → counts, means and second moments of every cell, which add and subtract.

A *cell* is one class of one task. Nothing after this step grows with the number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinspan._arrays.elsewhere import is_elsewhere, on_host
from kinspan._device.moments import device_moments
from kinspan._rows import identifiers
from kinspan._rows.arithmetic import Rest, added, subtracted, subtracted_weights
from kinspan._rows.sums import cell_moments
from kinspan._rows.types import Floats, Ids, Mask
from kinspan._storage import container
from kinspan._validation.labelled_rows import CheckedRows, check_labelled_rows
from kinspan._validation.moments import (
    check_moments,
    check_no_overflow,
    check_removable,
    check_same_features,
    check_were_there,
)
from kinspan._validation.precision import warn_of_inexact_rest
from kinspan._validation.rows import refuse_non_finite
from kinspan._validation.weights import check_weights_of_cells

KIND = "class-moments"


@dataclass(frozen=True, eq=False)
class ClassMoments:
    """Counts, means and centred second moments of every cell (one class of one task).

    Moments add: the sum of those of two batches, files, machines or sites is that of all their
    rows, and subtraction removes rows again.

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
        return cls.from_checked(check_labelled_rows(X, y, task, sample_weight))

    @classmethod
    def from_checked(
        cls,
        rows: CheckedRows,
        fading: Floats | None = None,
        *,
        is_part: bool = False,
    ) -> ClassMoments:
        """The same from checked rows, which may have faded to a fraction of their weight.

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
            check_weights_of_cells(weights, cells, shape[0] * shape[1])
        squared_weights = None
        if fading is not None:
            weights = fading if weights is None else weights * fading
            squared = np.bincount(cells, weights * fading, shape[0] * shape[1])
            squared_weights = squared.astype(np.float64).reshape(shape)
        counts, means, squares = cell_moments(rows.features, cells, shape[0] * shape[1], weights)
        if not (np.isfinite(means).all() and np.isfinite(squares).all()):
            refuse_non_finite(rows.features, rows.names)
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
    def present(self) -> Mask:
        """(tasks, classes): which cells have samples."""
        return self.counts > 0

    def __add__(self, other: ClassMoments) -> ClassMoments:
        """Moments of the rows of both."""
        if not isinstance(other, ClassMoments):
            return NotImplemented
        check_same_features(self.n_features, other.n_features)
        tasks, classes = (
            identifiers.union(self.tasks, other.tasks),
            identifiers.union(self.classes, other.classes),
        )
        first, second = self.among(tasks, classes), other.among(tasks, classes)
        moments = added(first, second)
        check_no_overflow(*moments)
        weights = first._sum_of_squared_weights + second._sum_of_squared_weights
        return ClassMoments(tasks, classes, *moments, weights if self._fades(other) else None)

    def __sub__(self, other: ClassMoments) -> ClassMoments:
        """Moments without the rows of other; tasks and classes without rows disappear."""
        if not isinstance(other, ClassMoments):
            return NotImplemented
        moments, rest = self.subtracted(other)
        warn_of_inexact_rest(rest.is_doubtful())
        return moments.without_empty()

    def __radd__(self, other: Any) -> ClassMoments:  # sum() starts at 0
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def subtracted(self, other: ClassMoments) -> tuple[ClassMoments, Rest]:
        """Moments without the rows of other, also of empty cells, and how exact they are."""
        check_same_features(self.n_features, other.n_features)
        check_removable(self, other)
        part = other.among(self.tasks, self.classes)
        rest = subtracted(self, part)
        check_no_overflow(*rest.moments)
        check_were_there(rest.impossible)
        weights = None
        if self._fades(other):
            both = self._sum_of_squared_weights, part._sum_of_squared_weights
            weights = subtracted_weights(*both, rest.moments.counts)
        return ClassMoments(self.tasks, self.classes, *rest.moments, weights), rest

    def faded(self, factor: Floats) -> ClassMoments:
        """The same with the weight of the rows of every cell times a (tasks, classes) factor."""
        return replace(
            self,
            counts=self.counts * factor,
            squares=self.squares * factor[..., None],
            squared_weights=self._sum_of_squared_weights * factor**2,
        )

    def effective(self) -> ClassMoments:
        """The moments of n = (Σw)²/Σw² rows of weight one, which are worth as much as all rows.

        Their mean has the same variance, σ² Σw²/(Σw)² = σ²/n, and Σ w (x − mean)² is stretched from
        Σw to n rows.
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

    def where(self, kept: Mask) -> ClassMoments:
        """The same without the cells that a (tasks, classes) mask leaves out."""
        counts, weights = np.where(kept, self.counts, 0.0), self.squared_weights
        means, squares = (np.where(kept[..., None], a, 0.0) for a in (self.means, self.squares))
        weights = None if weights is None else np.where(kept, weights, 0.0)
        moments = ClassMoments(self.tasks, self.classes, counts, means, squares, weights)
        return moments.without_empty()

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
        if self.tasks.tolist() == tasks.tolist() and self.classes.tolist() == classes.tolist():
            return replace(self, tasks=tasks, classes=classes)
        place = np.ix_(
            identifiers.lookup(tasks, self.tasks), identifiers.lookup(classes, self.classes)
        )

        def placed(values: Floats) -> Floats:
            wide = np.zeros((len(tasks), len(classes), *values.shape[2:]))
            wide[place] = values
            return wide

        weights = None if self.squared_weights is None else placed(self.squared_weights)
        counts, means, squares = map(placed, (self.counts, self.means, self.squares))
        return ClassMoments(tasks, classes, counts, means, squares, weights)

    @property
    def _sum_of_squared_weights(self) -> Floats:
        """(tasks, classes): Σ w², which is the count where all rows have weight one."""
        return self.counts if self.squared_weights is None else self.squared_weights

    def _fades(self, other: ClassMoments) -> bool:
        """Whether weights below one are among the rows of either."""
        return self.squared_weights is not None or other.squared_weights is not None

    def to_bytes(self) -> bytes:
        """All moments in one buffer, in the format of `kinspan._storage.container`."""
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
            check_moments(moments)
        return moments
