"""Rows → class moments and a sample (steps 1 and 1b) as one value, which adds and subtracts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinspan._arrays.elsewhere import is_elsewhere
from kinspan._memory.features import are_other, moments_among, sample_among, union_of
from kinspan._rows import identifiers
from kinspan._rows.holes import with_alike_holes
from kinspan._rows.keys import PUBLIC, RowKey
from kinspan._rows.types import Floats, Mask
from kinspan._storage import container
from kinspan._validation.labelled_rows import CheckedRows, check_labelled_rows
from kinspan._validation.moments import (
    check_common_names,
    check_known_names,
    check_statistics,
    check_unlabelled,
)
from kinspan._validation.parameters import (
    check_positive,
    check_random_state,
    check_row_sample,
)
from kinspan._validation.without_labels import NONE
from kinspan.class_moments import ClassMoments
from kinspan.row_sample import Hopeless, RowSample

KIND = "statistics"
UNLABELLED_ROWS = 10  # rows without labels that are kept of a task, per row that is kept of a cell


@dataclass(frozen=True, eq=False)
class Statistics:
    """Class moments and, unless no rows are kept, a sample of rows: all that `fit` needs.

    Statistics add: the sum of those of batches, files, machines or sites is that of all their rows.

    Examples
    --------
    >>> from kinspan import MultiTaskSPCA, Statistics
    >>> from kinspan.datasets import load_digit_pairs
    >>> digits = load_digit_pairs(n_per_class=5)
    >>> halves = slice(None, 200), slice(200, None)
    >>> first, second = (
    ...     Statistics.from_samples(digits.X[half], digits.y[half], digits.task[half])
    ...     for half in halves
    ... )
    >>> both = first + second
    >>> both
    Statistics(45 tasks, 2 classes, 64 features, 450 rows, 450 of them kept)
    >>> clf = MultiTaskSPCA().fit_moments(both)
    """

    moments: ClassMoments
    sample: RowSample | None
    feature_names: tuple[str, ...] | None = None
    unlabelled: Statistics | None = None  # of rows without labels, in one class

    @classmethod
    def from_samples(
        cls,
        X: Any,
        y: ArrayLike,
        task: Any = None,
        *,
        sample_weight: ArrayLike | None = None,
        row_sample: int = 100,
        random_state: int | None = None,
        missing: str = "impute",
        unlabelled: Any = None,
    ) -> Statistics:
        """Statistics of rows.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            A missing label (None, NaN, NA) is that of a row without label.
        task : array of shape (n_samples,), or one id for all rows
        sample_weight : array of shape (n_samples,), optional
            Frequencies: weight 2 is the row twice, weight 0 its absence.
        row_sample : int, default=100
            Rows kept of every class of every task; 0 keeps none.
        random_state : int, optional
            The key of the hash that chooses them, as for `MultiTaskSPCA`: the same at all sites.
        missing : {"impute", "refuse"}, default="impute"
            Whether NaN in X is a missing value, or an error.
        unlabelled : label, optional
            What stands for no label, besides missing values, as for `MultiTaskSPCA`.
        """
        rows = check_labelled_rows(
            X, y, task, sample_weight, missing=missing, unlabelled=unlabelled
        )
        key = check_random_state(random_state)
        return cls.from_checked(rows, check_row_sample(row_sample), key=key)

    @classmethod
    def from_checked(
        cls,
        rows: CheckedRows,
        row_sample: int,
        fading: Floats | None = None,
        *,
        key: RowKey = PUBLIC,
        is_part: bool = False,
        is_hopeless: Hopeless | None = None,
    ) -> Statistics:
        """The same from checked rows, as for `ClassMoments`."""
        if not len(rows.labels):
            rows = rows._replace(features=np.empty((0, rows.features.shape[1])), tasks=NONE)
        if is_elsewhere(rows.features):
            rows.features.sampled_by = key if row_sample > 0 else None
        moments = ClassMoments.from_checked(rows, fading, is_part=is_part)
        names = None
        if rows.names is not None and all(isinstance(name, str) for name in rows.names):
            names = tuple(rows.names.tolist())
        sample = None
        if row_sample > 0:
            if moments.observed is not None:
                rows = rows._replace(features=with_alike_holes(rows.features))
            sample = RowSample.from_checked(rows, row_sample, fading, key, is_hopeless)
            sample = sample.without_positions() if is_part else sample
        return cls(moments, sample, names).next_to(_without_labels(rows, row_sample, key))

    def next_to(self, unlabelled: Statistics | None) -> Statistics:
        """With statistics of rows without labels, whose tasks are tasks as well."""
        if unlabelled is None:
            return replace(self, unlabelled=None)
        tasks = identifiers.union(self.moments.tasks, unlabelled.moments.tasks)
        moments = self.moments.among(tasks, self.moments.classes)
        return replace(self, moments=moments, unlabelled=unlabelled)

    def __repr__(self) -> str:
        kept = 0 if self.sample is None else len(self.sample.cells)
        text = repr(self.moments).replace("ClassMoments", "Statistics")[:-1]
        text += f", {kept} of them kept"
        if self.unlabelled is not None:
            text += f"; {self.unlabelled.moments.counts.sum():g} rows without labels"
        return text + ")"

    def __add__(self, other: Statistics) -> Statistics:
        """Statistics of the rows of both; without a sample of either there is none of both.

        Features meet by name: one that only one of them has is missing in the rows of the other.
        """
        if not isinstance(other, Statistics):
            return NotImplemented
        return Statistics._joined([self, other])

    @classmethod
    def _joined(cls, parts: Sequence[Statistics]) -> Statistics:
        """Statistics of the rows of all parts, which costs little more than of two of them."""
        names = parts[0].feature_names
        for part in parts[1:]:
            check_common_names(names, part.feature_names)
            names = union_of(names, part.feature_names)
        parts = [part.among(names) for part in parts]
        samples = [part.sample for part in parts if part.sample is not None]
        kept = RowSample._joined(samples) if len(samples) == len(parts) else None
        free = [part.unlabelled for part in parts if part.unlabelled is not None]
        whole = cls(_added_up([part.moments for part in parts]), kept, names)
        return whole.next_to(cls._joined(free) if free else None)

    def __sub__(self, other: Statistics) -> Statistics:
        """Statistics without the rows of the other, which were among these."""
        if not isinstance(other, Statistics):
            return NotImplemented
        check_known_names(self.feature_names, other.feature_names)
        other, free = other.among(self.feature_names), self.unlabelled
        if free is not None and other.unlabelled is not None:
            rest = free - other.unlabelled
            free = rest if rest.moments.counts.any() else None
        moments, kept = self.moments - other.moments, None
        if self.sample is not None and other.sample is not None:
            kept = (self.sample - other.sample).aligned(
                moments.tasks, moments.classes, moments.n_features
            )
        return Statistics(moments, kept, self.feature_names).next_to(free)

    def among(self, names: Sequence[str] | None) -> Statistics:
        """The same among more features, by name, of which there are no values."""
        if not are_other(self.feature_names, names):
            return self
        moments, sample = moments_among(self.moments, self.feature_names, names), self.sample
        if sample is not None:
            sample = sample_among(sample, self.feature_names, names)
        free, new = self.unlabelled, None if names is None else tuple(names)
        if free is not None:
            free = replace(free, feature_names=self.feature_names).among(names)
        return Statistics(moments, sample, new, free)

    def of_tasks(self, chosen: Mask) -> Statistics | None:
        """Those of some tasks of all classes; None where no task is chosen."""
        if not chosen.any():
            return None
        moments = self.moments.chosen(chosen, np.ones(len(self.moments.classes), dtype=bool))
        sample = self.sample
        if sample is not None:
            sample = sample.aligned(moments.tasks, moments.classes, moments.n_features)
        return replace(self, moments=moments, sample=sample)

    def faded(self, factor: Floats) -> Statistics:
        """The same with the weight of the rows of every cell times a (tasks, classes) factor."""
        sample = self.sample
        if sample is not None:
            ids = self.moments.tasks, self.moments.classes, self.moments.n_features
            sample = sample.aligned(*ids).faded(factor)
        return replace(self, moments=self.moments.faded(factor), sample=sample)

    def without_small(self, min_count: int) -> Statistics:
        """The same without classes of tasks of which there are fewer rows than `min_count`.

        Moments of a single row are the row: statistics that leave a site should lack small cells,
        and features of which a cell has fewer values.
        `min_count` counts weights: a row of weight 5, or one person's five rows, passes 5.
        """
        least = check_positive("min_count", min_count)
        moments, sample = self.moments.where(self.moments.counts >= least), self.sample
        moments = moments.with_enough_values(least)
        if sample is not None:
            sample = sample.aligned(moments.tasks, moments.classes, moments.n_features)
            sample = sample.of_cells(moments.present)
        free = None if self.unlabelled is None else self.unlabelled.without_small(min_count)
        return replace(self, moments=moments, sample=sample).next_to(
            None if free is None or not len(free.moments.tasks) else free
        )

    def record(self) -> container.Record:
        """Statistics as plain data."""
        names = None if self.feature_names is None else list(self.feature_names)
        parts = [container.Record({"feature_names": names}, {})]
        parts.append(self.moments.record().under("moments"))
        if self.sample is not None:
            parts.append(self.sample.record().under("sample"))
        if self.unlabelled is not None:
            parts.append(self.unlabelled.record().under("unlabelled"))
        return container.together(*parts)

    @classmethod
    def from_record(cls, record: container.Record) -> Statistics:
        """The statistics of plain data."""
        with container.reading("statistics"):
            moments, sample = ClassMoments.from_record(record.part("moments")), None
            if "sample" in record.meta:
                sample = RowSample.from_record(record.part("sample"))
            names = record.meta["feature_names"]
            free = None
            if "unlabelled" in record.meta:
                free = cls.from_record(record.part("unlabelled"))
                check_unlabelled(free, moments)
            statistics = cls(moments, sample, None if names is None else tuple(names), free)
            check_statistics(moments, sample, statistics.feature_names)
        return statistics

    def to_bytes(self) -> bytes:
        """All statistics in one buffer, in the format of `kinspan._storage.container`."""
        return container.pack(container.Contents(KIND, self.record()))

    @classmethod
    def from_bytes(cls, buffer: bytes | bytearray | memoryview) -> Statistics:
        """The statistics of a buffer; StoredDataError where it is anything else."""
        return cls.from_record(container.unpack(buffer, KIND).record)

    def __radd__(self, other: Any) -> Statistics:
        return self if isinstance(other, int) and other == 0 else NotImplemented  # as in sum()


def _added_up(parts: Sequence[ClassMoments]) -> ClassMoments:
    """Neighbours first: sums of about equally many rows lose fewest digits."""
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    return _added_up(parts[:middle]) + _added_up(parts[middle:])


def _without_labels(rows: CheckedRows, row_sample: int, key: RowKey) -> Statistics | None:
    """Statistics of the rows without labels, of which several times as many are kept."""
    if rows.unlabelled is None:
        return None
    size = UNLABELLED_ROWS * row_sample
    found = Statistics.from_checked(rows.unlabelled, size, key=key, is_part=True)
    return found if len(found.moments.tasks) else None
