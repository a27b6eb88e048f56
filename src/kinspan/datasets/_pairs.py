"""Digits and pairs of digits → binary tasks that share no image.

The images of a digit are dealt in turn to the pairs that contain it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Pair = tuple[int, int]


class PairRows(NamedTuple):
    """The images of all tasks, class by class, task by task."""

    image: NDArray[np.intp]  # (rows,): position of each image
    y: NDArray[np.int64]  # (rows,): 0 for the first digit of the pair, 1 for the second
    task: NDArray[np.str_]  # (rows,): name of the pair, such as "3 vs 8"


def deal(digits: NDArray[Any], pairs: Sequence[Pair], part: slice = slice(None)) -> PairRows:
    """Deal the images of every digit in their order; keep a part of each class of each task."""
    cells = [(f"{a} vs {b}", y, t, (a, b)[y]) for t, (a, b) in enumerate(pairs) for y in (0, 1)]
    images = [_share(digits, pairs, t, digit)[part] for _, _, t, digit in cells]
    sizes = [len(of_cell) for of_cell in images]
    return PairRows(
        np.concatenate(images),
        np.repeat([y for _, y, _, _ in cells], sizes).astype(np.int64),
        np.repeat([task for task, _, _, _ in cells], sizes),
    )


def _share(digits: NDArray[Any], pairs: Sequence[Pair], t: int, digit: int) -> NDArray[np.intp]:
    """The images of a digit that pair t gets."""
    takers = [s for s, pair in enumerate(pairs) if digit in pair]
    return np.flatnonzero(digits == digit)[takers.index(t) :: len(takers)]
