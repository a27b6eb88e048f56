"""Step 1: rows → counts, means and second moments of every cell, which add and subtract.

A *cell* is one class of one task. Nothing after this step grows with the number of rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinspan._arrays.elsewhere import is_elsewhere, on_host
from kinspan._device.moments import device_moments
from kinspan._rows import identifiers
from kinspan._rows.arithmetic import Rest, added, subtracted, subtracted_weights
from kinspan._rows.holes import is_whole, observed_moments
from kinspan._rows.sums import cell_moments
from kinspan._rows.types import Codes, Floats, Ids, Mask
from kinspan._storage import container
from kinspan._validation.labelled_rows import (
    CheckedRows,
    check_holes,
    check_labelled_rows,
    check_only_holes,
)
from kinspan._validation.moments import (
    check_moments,
    check_no_overflow,
    check_removable,
    check_same_features,
    check_values_removable,
    check_were_there,
)
from kinspan._validation.precision import warn_of_inexact_rest
from kinspan._validation.weights import check_weights_of_cells

KIND = "class-moments"
_OF_CELLS = ("counts", "means", "squares", "squared_weights", "observed")


@dataclass(frozen=True, eq=False)
class ClassMoments:
    """Counts, means and centred second moments of every cell (one class of one task).

    Moments add: the sum of those of two batches, files, machines or sites is that of all their
    rows, and subtraction removes rows again. NaN is a missing value: means and second moments are
    then those of the values that are there, and `observed` counts them.

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
    means: Floats  # (tasks, classes, features) of values that are there; zero where there is none
    squares: Floats  # (tasks, classes, features) Σ (x − mean)² of the same
    squared_weights: Floats | None = None  # (tasks, classes) Σ w², where rows fade; else the counts
    observed: Floats | None = None  # (tasks, classes, features) values that are there, if not all

    @classmethod
    def from_samples(
        cls,
        X: Any,
        y: ArrayLike,
        task: Any = None,
        *,
        sample_weight: ArrayLike | None = None,
        missing: str = "impute",
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
        missing : {"impute", "refuse"}, default="impute"
            Whether NaN in X is a missing value, or an error.
        """
        return cls.from_checked(check_labelled_rows(X, y, task, sample_weight, missing=missing))

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
        observed = None
        if not (np.isfinite(means).all() and np.isfinite(squares).all()):
            check_holes(rows)
            observed, means, squares = observed_moments(rows.features, cells, len(counts), weights)
            check_only_holes(rows, means, squares)
            observed = observed.reshape(*shape, -1)
        counts = counts.reshape(shape)
        means, squares = (part.reshape(*shape, part.shape[1]) for part in (means, squares))
        moments = cls(tasks, classes, counts, means, squares, squared_weights, observed)
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

    @property
    def numbers(self) -> Floats:
        """(tasks, classes, 1 or features): how many values every mean is of."""
        return self.counts[..., None] if self.observed is None else self.observed

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
        observed = first.numbers + second.numbers if self._has_holes(other) else None
        squared = weights if self._fades(other) else None
        return ClassMoments(tasks, classes, *moments, squared, observed)

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
        if self._has_holes(other):
            check_values_removable(self, part, rest.moments.counts)
        check_were_there(rest.impossible)
        weights = None
        if self._fades(other):
            both = self._sum_of_squared_weights, part._sum_of_squared_weights
            weights = subtracted_weights(*both, rest.moments.counts)
        observed = None
        if self._has_holes(other):
            observed = np.minimum(rest.numbers, rest.moments.counts[..., None])
        if observed is not None and is_whole(observed, rest.moments.counts):
            observed = None
        return ClassMoments(self.tasks, self.classes, *rest.moments, weights, observed), rest

    def faded(self, factor: Floats) -> ClassMoments:
        """The same with the weight of the rows of every cell times a (tasks, classes) factor."""
        return replace(
            self,
            counts=self.counts * factor,
            squares=self.squares * factor[..., None],
            squared_weights=self._sum_of_squared_weights * factor**2,
            observed=None if self.observed is None else self.observed * factor[..., None],
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
        return replace(
            self,
            counts=self.counts / per_row,
            squares=self.squares / per_row[..., None],
            squared_weights=None,
            observed=None if self.observed is None else self.observed / per_row[..., None],
        )

    def without_empty(self) -> ClassMoments:
        """The same without tasks and classes that have no rows."""
        tasks, classes = (np.any(self.present, axis=axis) for axis in (1, 0))
        return self if tasks.all() and classes.all() else self.chosen(tasks, classes)

    def where(self, kept: Mask) -> ClassMoments:
        """The same without the cells that a (tasks, classes) mask leaves out."""
        return self._each(lambda a: (a.T * kept.T).T).without_empty()

    def chosen(self, tasks: NDArray[Any], classes: NDArray[Any]) -> ClassMoments:
        """Some of the tasks and classes, by masks or positions that keep their order."""
        cells = np.ix_(tasks, classes)
        some = self._each(lambda a: a[cells])
        return replace(some, tasks=self.tasks[tasks], classes=self.classes[classes])

    def of_features(self, kept: Mask | Codes) -> ClassMoments:
        """Some of the features."""
        return self._each(lambda a: a if a.ndim == 2 else np.ascontiguousarray(a[..., kept]))

    def with_enough_values(self, least: float) -> ClassMoments:
        """Without features of cells that have some values, but fewer than `least`."""
        if self.observed is None:
            return self
        enough = self.observed >= least
        return self._each(lambda a: a if a.ndim == 2 else np.where(enough, a, 0.0))

    def _each(self, change: Callable[[Floats], Floats]) -> ClassMoments:
        """With a change of every array of cells."""
        changed = {name: change(a) for name in _OF_CELLS if (a := getattr(self, name)) is not None}
        return replace(self, **changed)

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

        return replace(self._each(placed), tasks=tasks, classes=classes)

    @property
    def _sum_of_squared_weights(self) -> Floats:
        """(tasks, classes): Σ w², which is the count where all rows have weight one."""
        return self.counts if self.squared_weights is None else self.squared_weights

    def _fades(self, other: ClassMoments) -> bool:
        """Whether weights below one are among the rows of either."""
        return self.squared_weights is not None or other.squared_weights is not None

    def _has_holes(self, other: ClassMoments) -> bool:
        """Whether values are missing in the rows of either."""
        return self.observed is not None or other.observed is not None

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
        arrays = {name: a for name in _OF_CELLS if (a := getattr(self, name)) is not None}
        return container.Record(meta, arrays)

    @classmethod
    def from_record(cls, record: container.Record) -> ClassMoments:
        """The moments of plain data."""
        with container.reading("moments"):
            tasks, classes = (
                identifiers.from_json(record.meta[name]) for name in ("tasks", "classes")
            )
            counts, means, squares = (record.arrays[n] for n in ("counts", "means", "squares"))
            others = (record.arrays.get(name) for name in ("squared_weights", "observed"))
            moments = cls(tasks, classes, counts, means, squares, *others)
            check_moments(moments)
        return moments
