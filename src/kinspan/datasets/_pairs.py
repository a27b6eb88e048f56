"""Pairs of digits as binary tasks that share no image: a digit's images are dealt to its pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Pair = tuple[int, int]


class Hand(NamedTuple):
    """The images dealt to one class of one task."""

    task: str
    """Name of the pair, such as "3 vs 8"."""
    y: int
    """0 for the first digit of the pair, 1 for the second."""
    rows: NDArray[np.intp]
    """Which images."""


class DealtRows(NamedTuple):
    """The images of many hands, hand by hand."""

    rows: NDArray[np.intp]
    """Which images, (rows,)."""
    y: NDArray[np.int64]
    """Class of each, (rows,)."""
    task: NDArray[np.str_]
    """Task of each, (rows,)."""


def deal(digits: NDArray[Any], pairs: Sequence[Pair]) -> list[Hand]:
    """Deal the images of every digit in turn, in their order, to the pairs that hold the digit."""
    return [
        Hand(f"{pair[0]} vs {pair[1]}", y, _share(digits, pairs, t, pair[y]))
        for t, pair in enumerate(pairs)
        for y in (0, 1)
    ]


def stack(hands: Sequence[Hand]) -> DealtRows:
    """Lay the hands one after the other."""
    sizes = [hand.rows.size for hand in hands]
    return DealtRows(
        np.concatenate([hand.rows for hand in hands]),
        np.repeat([hand.y for hand in hands], sizes).astype(np.int64),
        np.repeat([hand.task for hand in hands], sizes),
    )


def _share(digits: NDArray[Any], pairs: Sequence[Pair], t: int, digit: int) -> NDArray[np.intp]:
    players = [s for s, pair in enumerate(pairs) if digit in pair]
    return np.flatnonzero(digits == digit)[players.index(t) :: len(players)]
