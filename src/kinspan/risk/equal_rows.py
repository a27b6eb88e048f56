"""Left-out rows that are equal in several classes → rows whose scores are as sure as they are.

Where a row comes often in two classes, a rule can only answer one of them, and which one may hang
on a few copies. A copy that is left out speaks against its own class: near such a tie all copies
of both classes would be wrong at once, though whatever the rule answers half of them are right.
Other rows of the same kind would have moved the score of a class by √n times what one of its n
copies moves it. So the scores of an equal row are not numbers but normal variables, here as a few
draws of them, the same for all rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Codes, Floats, Keys
from kinspan.risk.left_out_rows import LeftOutRows

_HALF, _WIDTH = 16, 8  # draws, which come with both signs, of so many classes


def _normals() -> Floats:
    """(draws, classes): normal numbers with exactly their means and covariances."""
    half = np.random.default_rng(0).normal(size=(_HALF, _WIDTH))
    root = np.linalg.cholesky(half.T @ half / _HALF)
    white = np.linalg.solve(root, half.T).T
    return np.concatenate([white, -white])


_NORMALS = _normals()


class _Doubt(NamedTuple):
    """What equal rows of a task do not know of their scores."""

    rows: Codes  # (rows,): places, one of each class
    deviation: Floats  # (rows,): of the score of the class of each


def with_doubt(rows: LeftOutRows, keys: Keys) -> LeftOutRows:
    """Rows that are equal in several classes of a task many times, with scores around theirs.

    Equal rows have equal keys: eq. (40b) of docs/theory.md.
    """
    doubts = _doubts(rows, keys)
    if not doubts:
        return rows
    times = np.ones(len(keys), dtype=np.intp)
    times[np.concatenate([doubt.rows for doubt in doubts])] = len(_NORMALS)
    copies, first = np.repeat(np.arange(len(keys)), times), np.cumsum(times) - times
    scores = rows.scores[copies]
    for doubt in doubts:
        c = rows.classes[doubt.rows]
        moved = doubt.deviation * _NORMALS[:, np.arange(len(c)) % _WIDTH]
        for start in first[doubt.rows]:
            scores[start : start + len(moved), c] += moved
    weights = (rows.weights / times)[copies]
    return LeftOutRows(
        *(scores, rows.tasks[copies], rows.classes[copies], weights, rows.log_priors),
        *(rows.resized[copies], rows.noise_share),
    )


def _doubts(rows: LeftOutRows, keys: Keys) -> list[_Doubt]:
    """One for every row that a task has in several classes."""
    order = np.lexsort((rows.classes, keys, rows.tasks))
    is_new = (np.diff(keys[order], prepend=0) != 0) | (np.diff(rows.tasks[order], prepend=-1) != 0)
    starts = np.flatnonzero(is_new)
    sizes = np.diff(starts, append=len(order))
    several = np.flatnonzero(sizes > 1)
    return [_doubt(rows, order[starts[i] : starts[i] + sizes[i]]) for i in several]


def _doubt(rows: LeftOutRows, equal: Codes) -> _Doubt:
    scores = rows.scores[np.ix_(equal, rows.classes[equal])]  # (left-out row, class of a row)
    margins = np.diagonal(scores)[:, None] - scores  # of the own class, without one of its copies
    moved = np.abs(margins + margins.T)  # from there to where one of another class is left out
    by_a_copy = 0.5 * moved.sum(axis=1) / (len(equal) - 1)
    return _Doubt(equal, by_a_copy * np.sqrt(rows.weights[equal]))
