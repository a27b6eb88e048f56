"""Rows that are sorted by task: products with what their task has, and sums over tasks."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Codes, Floats


class _Run(NamedTuple):
    """Neighbouring tasks with equally many rows."""

    tasks: Codes | slice
    rows: slice
    shape: tuple[int, int, int]  # (tasks, rows of each, −1)


class RowsByTask:
    """Where the rows of every task are; neighbours with equally many are computed at once."""

    def __init__(self, tasks: Codes) -> None:
        self.codes = tasks
        self.starts = _changes(tasks)
        self.tasks = tasks[self.starts]
        ends = [*self.starts.tolist(), len(tasks)]
        bounds = [*_changes(np.diff(ends)).tolist(), len(self.tasks)]
        self._runs = [self._run(ends, first, last) for first, last in itertools.pairwise(bounds)]

    def _run(self, ends: list[int], first: int, last: int) -> _Run:
        tasks, n = self.tasks[first:last], last - first
        is_slice = bool((tasks[1:] - tasks[:-1] == 1).all())
        return _Run(
            slice(int(tasks[0]), int(tasks[0]) + n) if is_slice else tasks,
            slice(ends[first], ends[last]),
            (n, ends[first + 1] - ends[first], -1),
        )

    def of_rows(self, values: Floats) -> Floats:
        """(rows, …): what the task of every row has, of (tasks, …) values."""
        return values.take(self.codes, axis=0)  # much faster than an index in brackets

    def times(self, rows: Floats, vectors: Floats) -> Floats:
        """(rows, columns): every row times the vectors (tasks, columns, axes) of its task.

        In the precision of the rows, of which there are many.
        """
        products = np.empty((len(rows), vectors.shape[1]), dtype=rows.dtype)
        across = vectors.astype(rows.dtype, copy=False).transpose(0, 2, 1)
        for run in self._runs:
            of_run, out = rows[run.rows].reshape(run.shape), products[run.rows].reshape(run.shape)
            np.matmul(of_run, across[run.tasks], out=out)
        return products

    def sums(self, values: Floats) -> Floats:
        """(…, rows) → (…, those tasks that have rows)."""
        return np.asarray(np.add.reduceat(values, self.starts, axis=-1))


def _changes(codes: Codes) -> Codes:
    """Where another code begins, the first included."""
    is_other = np.ones(len(codes), dtype=bool)
    is_other[1:] = codes[1:] != codes[:-1]
    return np.flatnonzero(is_other)
