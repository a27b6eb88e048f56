"""Sums over tasks → fills: a missing number is replaced by the mean of its feature in its task."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinspan._rows import identifiers
from kinspan._rows.types import Floats, Ids
from kinspan.tables.ids import CodedIds


class ByTask(NamedTuple):
    """Sums over the rows of every task; they add."""

    tasks: Ids
    sums: Floats  # (tasks, columns)

    @classmethod
    def of_rows(cls, task: CodedIds, values: Any) -> ByTask:
        """The sums of (rows, columns) values."""
        n_rows = len(task.codes)
        places = (task.codes, np.arange(n_rows))
        belongs = sp.csr_array((np.ones(n_rows), places), shape=(len(task.ids), n_rows))
        return cls(task.ids, np.asarray(belongs @ values))

    def __add__(self, other: Any) -> ByTask:
        if not isinstance(other, ByTask):
            return NotImplemented
        tasks = identifiers.union(self.tasks, other.tasks)
        sums = np.zeros((len(tasks), self.sums.shape[1]))
        for part in (self, other):
            sums[identifiers.lookup(tasks, part.tasks)] += part.sums
        return ByTask(tasks, sums)


class Fills(NamedTuple):
    """Means of features, by task."""

    tasks: Ids
    means: Floats  # (tasks + 1, features): the last row is the mean of all rows, for new tasks

    @classmethod
    def of_sums(cls, found: ByTask, names: Sequence[str]) -> Fills:
        """From sums and counts of the numbers that are not missing."""
        sums, n = np.hsplit(found.sums, 2)
        means = _means(sums, n)
        empty = np.isnan(means[-1])
        for j in np.flatnonzero(empty).tolist():
            warnings.warn(f"{names[j]!r} has no value in any row: it is 0 in all", stacklevel=3)
        return cls(found.tasks, np.where(empty, 0.0, means))

    def fill(self, X: Floats, missing: NDArray[np.bool_], task: CodedIds | None) -> None:
        """Replace missing numbers in place."""
        rows, columns = np.nonzero(missing)
        if task is None:
            X[rows, columns] = self.means[-1, columns]
            return
        position = identifiers.lookup(self.tasks, task.ids)  # −1, a new task, is the last row
        X[rows, columns] = self.means[position[task.codes[rows]], columns]


def sums_of_present(X: Floats, task: CodedIds) -> ByTask:
    """Sums of the numbers that are not missing, followed by their counts."""
    present = ~np.isnan(X)
    return ByTask.of_rows(task, np.hstack([np.where(present, X, 0.0), present]))


def _means(sums: Floats, n: Floats) -> Floats:
    """Means of tasks and, last, of all rows, which also serve tasks without a number."""
    total = n.sum(axis=0)
    overall = np.divide(sums.sum(axis=0), total, out=np.full(len(total), np.nan), where=total > 0)
    means = np.where(n > 0, sums / np.where(n > 0, n, 1.0), overall)
    return np.vstack([means, overall])
