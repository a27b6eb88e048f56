"""Which rows have labels in a draw, and which are test rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers.samples import Rows, Sample, some
from kinspan.datasets import TaskDataset

MOST_TESTED = 200  # rows per class and task


def drawn(data: TaskDataset, n: int, seed: int) -> Sample:
    """Rows of every class of every task in the order of the seed: the first ones have labels."""
    rng = np.random.default_rng(seed)
    train, test = [], []
    for cell in cells(data):
        order, size = rng.permutation(cell), labelled(len(cell), n)
        train.append(order[:size])
        test.append(order[size:][:MOST_TESTED])
    return Sample(some(data, np.concatenate(train)), some(data, np.concatenate(test)))


def cells(data: TaskDataset) -> Iterator[NDArray[np.intp]]:
    """The rows of every class of every task."""
    for t in np.unique(data.task):
        for c in np.unique(data.y[data.task == t]):
            yield np.flatnonzero((data.task == t) & (data.y == c))


def labelled(size: int, n: int) -> int:
    """How many rows of a cell have labels: n, but at most half of the rows."""
    return min(n, size // 2)


def settings(data: TaskDataset, wanted: list[int]) -> list[int]:
    """Those numbers of labels that some cell is large enough to tell from the smaller ones."""
    sizes = {n: [labelled(len(cell), n) for cell in cells(data)] for n in sorted(wanted)}
    return [n for n in sizes if all(sizes[n] != sizes[m] for m in sizes if m < n)]


def balanced_error(test: Rows, right: NDArray[np.bool_]) -> float:
    """Per cent: the mean over tasks of the mean over their classes."""
    of_tasks = []
    for t in np.unique(test.task):
        mine = test.task == t
        of_tasks.append(
            np.mean([(~right[mine & (test.y == c)]).mean() for c in np.unique(test.y[mine])])
        )
    return 100 * float(np.mean(of_tasks))
