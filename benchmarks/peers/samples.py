"""Labelled rows of several tasks and new rows to predict, the same for all methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinspan.datasets import TaskDataset

Floats = NDArray[np.floating[Any]]
Codes = NDArray[np.int64]


class Rows(NamedTuple):
    """Rows with their classes and tasks."""

    X: Floats  # (rows, columns)
    y: Codes  # (rows,)
    task: NDArray[Any]  # (rows,)
    raw: Any = None  # (rows, features) for trees; codes of categories in the last columns

    def of(self, rows: NDArray[Any]) -> Rows:
        """Some of the rows."""
        raw = None if self.raw is None else self.raw[rows]
        return Rows(self.X[rows], self.y[rows], self.task[rows], raw)


class Sample(NamedTuple):
    """The rows that a method learns from, and the rows that it is tested on."""

    train: Rows
    test: Rows
    n_categorical: int = 0  # columns of `raw` that are codes

    @property
    def asked(self) -> NDArray[np.bool_]:
        """Which of the labelled rows are of tasks with new rows."""
        return np.isin(self.train.task, self.test.task)

    def changed(self, features: Callable[[Rows], Floats]) -> Sample:
        """The same rows with other features."""
        train, test = (rows._replace(X=features(rows)) for rows in (self.train, self.test))
        return self._replace(train=train, test=test)


class Spread(NamedTuple):
    """Where labelled rows are: means of the classes of every task, and deviations from them."""

    cells: NDArray[np.str_]  # (2, cells): task and class
    means: NDArray[np.float64]  # (cells, columns)
    scale: NDArray[np.float64]  # (columns,): pooled; 1 where a feature does not vary

    def centres(self, task: NDArray[Any]) -> NDArray[np.float64]:
        """(rows, columns): the mean of the class means of the task of each row."""
        tasks, code = np.unique(task.astype(str), return_inverse=True)
        return np.stack([self.means[self.cells[0] == t].mean(axis=0) for t in tasks])[code]


def spread(rows: Rows) -> Spread:
    names = np.stack([rows.task.astype(str), rows.y.astype(str)])
    cells, cell = np.unique(names, axis=1, return_inverse=True)
    cell, X = cell.ravel(), rows.X
    means = np.stack([X[cell == c].mean(axis=0, dtype=np.float64) for c in range(cells.shape[1])])
    variance = ((X - means[cell]) ** 2).sum(axis=0) / max(len(X) - len(means), 1)
    return Spread(cells, means, np.where(variance > 0, np.sqrt(variance), 1.0))


def standardised(sample: Sample) -> Sample:
    """Rows minus the mean of their task's class means, over the pooled deviation within classes.

    Both come from the labelled rows alone. Features that do not vary there are not divided.
    """
    of = spread(sample.train)
    return sample.changed(lambda rows: (rows.X - of.centres(rows.task)) / of.scale)


def single(X: Floats) -> NDArray[np.float32]:
    """In single precision."""
    return X.astype(np.float32, copy=False)


def some(data: TaskDataset, rows: NDArray[np.intp]) -> Rows:
    """Some rows of a data set, not sparse."""
    X = data.X[rows]
    X = np.asarray(X if isinstance(X, np.ndarray) else X.toarray(), np.float64)
    return Rows(X, data.y[rows], data.task[rows])
