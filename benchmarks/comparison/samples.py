"""Labelled rows of several tasks and new rows to predict, prepared for linear rules and trees.

Linear methods get the features that `benchmarks.accuracy` gives them: minus the mean of the class
means of their task, divided by the deviation within classes, with one column for each level of a
category. Trees get the original features, with categories as codes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


class Table(NamedTuple):
    """Rows without their labels."""

    X: Floats  # (rows, columns) for linear methods
    raw: Floats  # (rows, features) for trees; codes of categories in the last columns
    task: Codes  # (rows,)

    def of(self, rows: NDArray[np.bool_] | Codes) -> Table:
        """Some of the rows."""
        return Table(self.X[rows], self.raw[rows], self.task[rows])


class Sample(NamedTuple):
    """The rows that a method learns from, and the rows that it is tested on."""

    rows: Table
    y: Codes  # (rows,)
    new: Table
    y_new: Codes  # (new rows,)
    n_categorical: int  # columns of `raw` that are codes

    @property
    def n_tasks(self) -> int:
        """How many tasks have labels."""
        return len(np.unique(self.rows.task))


def prepared(
    train: tuple[Floats, Codes, Codes], new: tuple[Floats, Codes, Codes], n_categorical: int = 0
) -> Sample:
    """Features, classes and tasks of both kinds of rows → a sample."""
    (raw, y, task), (raw_new, y_new, task_new) = train, new
    levels = _levels(np.concatenate([raw, raw_new]), n_categorical)
    X, X_new = (_one_column_a_level(r, levels) for r in (raw, raw_new))
    cells, cell = np.unique(np.stack([task, y]), axis=1, return_inverse=True)
    means = np.stack([X[cell == c].mean(axis=0) for c in range(cells.shape[1])])
    variance = ((X - means[cell]) ** 2).sum(axis=0) / max(len(X) - len(means), 1)
    scale = np.where(variance > 0, np.sqrt(variance), 1.0)
    centres = np.stack([means[cells[0] == t].mean(axis=0) for t in range(task.max() + 1)])
    rows = Table((X - centres[task]) / scale, raw, task)
    return Sample(
        rows, y, Table((X_new - centres[task_new]) / scale, raw_new, task_new), y_new, n_categorical
    )


def _levels(raw: Floats, n_categorical: int) -> list[Floats]:
    return [np.unique(column) for column in raw[:, raw.shape[1] - n_categorical :].T]


def _one_column_a_level(raw: Floats, levels: list[Floats]) -> Floats:
    n_numeric = raw.shape[1] - len(levels)
    codes = [raw[:, [n_numeric + i]] == of for i, of in enumerate(levels)]
    return np.hstack([raw[:, :n_numeric], *codes])
