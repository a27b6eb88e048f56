"""Row counts of cells → their counts in every fold, even to within one row.

Rows are the edges of a graph between tasks and classes, folds are colours: by de Werra's theorem
on balanced edge colourings there is an assignment in which the numbers of rows of a cell, of a
task, of a class, and of all rows differ by at most one between any two folds. The algorithm: every
fold gets the same whole part of a cell. The rows that remain are dealt in the order of tasks, which
evens out cells, tasks and folds. Then pairs of folds exchange remaining rows until classes are even
too. An exchange splits every sum over the two folds as evenly as integers allow, so it undoes
nothing, and the sum of squares of the class counts falls each time, so the algorithm ends.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.integer[Any]]


def even_folds(counts: Integers, task: Integers, label: Integers, n_splits: int) -> Integers:
    """(cells, folds): number of rows of every cell in every fold.

    Cells are given by their number of rows, task and label; cells of one task are adjacent.
    """
    extra = _dealt(counts % n_splits, n_splits)
    per_label = _label_counts(extra, label)
    while (pair := _most_uneven_pair(per_label)) is not None:
        extra[:, pair] = _exchanged(extra[:, pair], task, label)
        per_label[:, pair] = _label_counts(extra[:, pair], label)
    return (counts // n_splits)[:, None] + extra


def _dealt(remainders: Integers, n_splits: int) -> NDArray[np.bool_]:
    """(cells, folds): which folds get one more row of a cell, dealt in turn."""
    extra = np.zeros((len(remainders), n_splits), dtype=bool)
    cell = np.repeat(np.arange(len(remainders)), remainders)
    extra[cell, np.arange(len(cell)) % n_splits] = True
    return extra


def _label_counts(extra: NDArray[np.bool_], label: Integers) -> Integers:
    return np.array([np.bincount(label, weights=fold) for fold in extra.T], dtype=np.intp).T


def _most_uneven_pair(per_label: Integers) -> list[int] | None:
    worst = per_label[np.ptp(per_label, axis=1).argmax()]
    return [int(worst.argmax()), int(worst.argmin())] if np.ptp(worst) > 1 else None


def _exchanged(pair: NDArray[np.bool_], task: Integers, label: Integers) -> NDArray[np.bool_]:
    """Two folds after the remaining rows that only one of them has are divided again."""
    free = np.flatnonzero(pair[:, 0] != pair[:, 1])
    side = _sides(_partners(task[free]), _partners(label[free]))[: len(free)]
    pair = pair.copy()
    pair[free] = np.column_stack([side, ~side])
    return pair


def _partners(group: Integers) -> list[int]:
    """The partner of every element, in the same group except for at most one element per group.

    An odd number is made even by an extra element without a group.
    """
    order = np.argsort(group, kind="stable")
    start = np.searchsorted(group[order], group[order])
    end = np.searchsorted(group[order], group[order], side="right")
    is_single = ((end - start) % 2 == 1) & (np.arange(len(group)) == end - 1)
    extra = np.arange(len(group), len(group) + len(group) % 2)
    queue = np.concatenate([order[~is_single], order[is_single], extra])
    partner = np.empty(len(queue), dtype=np.intp)
    partner[queue[0::2]], partner[queue[1::2]] = queue[1::2], queue[0::2]
    return partner.tolist()


def _sides(first: list[int], second: list[int]) -> NDArray[np.bool_]:
    """One of two sides for every element, never that of a partner: walk around each cycle."""
    side: list[bool | None] = [None] * len(first)
    for start in range(len(first)):
        node = start
        while side[node] is None:
            side[node], side[first[node]] = True, False
            node = second[first[node]]
    return np.array(side, dtype=bool)
