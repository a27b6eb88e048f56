"""Rows that are sorted by task: products with what their task has, and sums over tasks."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from kinspan._arrays.elsewhere import on_host
from kinspan._arrays.libraries import namespace
from kinspan._rows.large import Large, beside, chosen
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

    def times(self, rows: Large, vectors: Floats) -> Floats:
        """(rows, columns): every row times the vectors (tasks, columns, axes) of its task.

        In the precision of the rows, of which there are many.
        """
        xp, across = namespace(rows), beside(vectors, rows)
        shape = rows.shape[0], vectors.shape[1]
        products = xp.empty(shape, dtype=rows.dtype, device=rows.device)
        for run in self._runs:
            found = xp.reshape(rows[run.rows, :], run.shape) @ chosen(across, run.tasks).mT
            products[run.rows, :] = xp.reshape(found, (-1, shape[1]))
        return np.asarray(on_host(products))

    def sums(self, values: Floats) -> Floats:
        """(…, rows) → (…, those tasks that have rows)."""
        return np.asarray(np.add.reduceat(values, self.starts, axis=-1))


def _changes(codes: Codes) -> Codes:
    """Where another code begins, the first included."""
    is_other = np.ones(len(codes), dtype=bool)
    is_other[1:] = codes[1:] != codes[:-1]
    return np.flatnonzero(is_other)
