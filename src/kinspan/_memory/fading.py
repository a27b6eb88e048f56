"""Rows that fade: every new row of a task takes weight from the earlier rows of the task.

After r more rows of its task a row has the weight (1 − forget)^r. The weights depend on the order
of the rows of a task and on nothing else: not on batches, and not on the other tasks.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from kinspan._memory.statistics import UNLABELLED_ROWS, Statistics
from kinspan._rows import identifiers
from kinspan._rows.keys import RowKey
from kinspan._rows.types import Codes, Floats, Ids
from kinspan._validation.labelled_rows import CheckedRows

_LEAST = 1e-100  # nothing compared with a new row, but still a number whose square is one


class Fading(NamedTuple):
    """How a batch of rows changes the weights."""

    of_rows: Floats  # (rows,): weights in units of the newest row of the same cell
    of_tasks: Floats  # (tasks of the batch,): factor for the rows before the batch
    tasks: Ids  # (tasks,) ids
    of_cells: Floats  # (tasks, classes): weight of the newest row of every cell


def fading(y: Ids, task: Ids, weights: Floats | None, forget: float) -> Fading:
    """The weights that the rows of a batch have after it."""
    tasks, t = identifiers.encode(task)
    classes, c = identifiers.encode(y)
    frequencies = np.ones(len(t)) if weights is None else np.asarray(weights)
    later, in_all = _later_rows(t, frequencies, len(tasks))
    newest = np.full((len(tasks), len(classes)), np.inf)
    np.minimum.at(newest, (t[frequencies > 0], c[frequencies > 0]), later[frequencies > 0])
    newest = np.where(np.isfinite(newest), newest, 0.0)
    return Fading(
        _power(later - newest[t, c], forget), _power(in_all, forget), tasks, _power(newest, forget)
    )


def faded_statistics(
    rows: CheckedRows, row_sample: int, key: RowKey, *, forget: float, before: Statistics | None
) -> Statistics:
    """Statistics of all rows after a batch, which fades those before it.

    Rows without labels fade with every later row without a label.
    """
    if rows.unlabelled is not None:
        free = None if before is None else before.unlabelled
        size = UNLABELLED_ROWS * row_sample
        batch = faded_statistics(rows.unlabelled, size, key, forget=forget, before=free)
        rest = None if before is None else replace(before, unlabelled=None)
        rows = rows._replace(unlabelled=None)
        if len(rows.labels):
            rest = faded_statistics(rows, row_sample, key, forget=forget, before=rest)
        elif rest is None:
            rest = Statistics.from_checked(rows, row_sample, key=key, is_part=True)
        return rest.next_to(batch)
    found = fading(rows.labels, rows.tasks, rows.weights, forget)
    batch = Statistics.from_checked(rows, row_sample, found.of_rows, key=key, is_part=True)
    kept = identifiers.lookup(found.tasks, batch.moments.tasks)  # tasks without any weight are gone
    classes = identifiers.lookup(identifiers.encode(rows.labels)[0], batch.moments.classes)
    batch = batch.faded(found.of_cells[np.ix_(kept, classes)])
    if before is None:
        return batch
    counts = before.moments.counts
    left = np.ones(counts.shape)
    place = identifiers.lookup(before.moments.tasks, found.tasks)
    left[place[place >= 0]] = found.of_tasks[place >= 0, None]
    least = np.minimum(_LEAST / np.where(counts > 0, counts, 1.0), 1.0)
    return before.faded(np.maximum(left, least)) + batch


def _later_rows(tasks: Codes, frequencies: Floats, n_tasks: int) -> tuple[Floats, Floats]:
    """How many rows of its task come after every row, and how many rows a task has."""
    order = np.argsort(tasks, kind="stable")
    in_all = np.bincount(tasks, frequencies, minlength=n_tasks).astype(np.float64)
    so_far = np.cumsum(frequencies[order])
    ends = np.cumsum(in_all)
    later = np.empty(len(tasks))
    later[order] = ends[tasks[order]] - so_far
    return np.maximum(later, 0.0), in_all


def _power(rows: Floats, forget: float) -> Floats:
    return np.asarray(np.maximum(np.exp(rows * np.log1p(-forget)), _LEAST))
