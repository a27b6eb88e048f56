"""The sums of short keys, compiled by numba: the extra `kinspan[fast]`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinspan._rows.machine_code import compiled
from kinspan._rows.spans import in_order
from kinspan._rows.types import Codes, Keys

_BLOCK_BYTES = 1 << 24
_MINUS_ZERO = 1 << 31


def sums_of_singles(X: NDArray[np.float32], multipliers: Keys) -> Keys:
    """(rows,): Σ words · multipliers of numbers in single precision, overflowing."""
    words, sums = X.view(np.uint32), np.empty(len(X), np.uint64)
    words.flags.writeable = False  # the one form that the function is compiled for
    block = max(1, _BLOCK_BYTES // (X.itemsize * X.shape[1]))

    def add(start: int) -> None:
        span = slice(start, start + block)
        _add_up(words[span], multipliers, sums[span])

    for _ in in_order(add, range(0, len(X), block)):
        pass
    return sums


def sums_of_doubles(X: NDArray[Any], chosen: Codes, multipliers: Keys) -> Keys:
    """(rows,): the same of some rows, of numbers in double precision, which are two words."""
    rows, sums = X.view(), np.empty(len(chosen), np.uint64)
    rows.flags.writeable = False
    _add_up_doubles(rows, chosen, multipliers, sums)
    return sums


@compiled
def _add_up_doubles(X: NDArray[Any], chosen: Codes, multipliers: Keys, sums: Keys) -> None:
    doubles = np.empty(X.shape[1], np.float64)
    words = doubles.view(np.uint64)
    for i in range(len(chosen)):
        row = X[chosen[i]]
        for j in range(len(doubles)):
            doubles[j] = np.float64(row[j]) + 0.0  # −0 is 0
        total = np.uint64(0)
        for j in range(len(doubles)):
            total += (words[j] & np.uint64(0xFFFFFFFF)) * multipliers[j, 0]
            total += (words[j] >> np.uint64(32)) * multipliers[j, 1]
        sums[i] = total


@compiled
def _add_up(words: NDArray[Any], multipliers: Keys, sums: Keys) -> None:
    for i in range(len(words)):
        total = np.uint64(0)
        for j in range(len(multipliers)):
            word = words[i, j]
            if word == _MINUS_ZERO:
                word = np.uint32(0)
            total += np.uint64(word) * multipliers[j]
        sums[i] = total
