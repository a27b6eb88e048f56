"""Rows on a device → short keys, the same as those of `kinspan._rows.keys` on the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinspan._arrays.libraries import (
    as_bits,
    copied_to_numpy,
    in_spans,
    moved,
    namespace,
    widest_float,
    widest_int,
)
from kinspan._rows import keys
from kinspan._rows.types import Keys

_BLOCK_BYTES = 1 << 26  # of words held at a time
_LOWER = 0xFFFFFFFF
_FACTORS = ((30, 0xBF58476D1CE4E5B9 - 2**64), (27, 0x94D049BB133111EB - 2**64))


def short_keys(X: Any, key: keys.RowKey, hashes: Any = None) -> Any:
    """(rows,) integers of 32 bits; from the hashes of a pass, where there are any."""
    xp = namespace(X)
    factors = keys.short_factors(key, X.shape[1])
    if hashes is not None and factors is not None and (is_single(X) or is_double(X)):
        return _upper(hashes + _signed(factors.offset))
    spans = in_spans(X.shape[0], _BLOCK_BYTES // (8 * X.shape[1]))
    return xp.concat([_of_block(X[span, :], key) for span in spans], axis=0)


def full_keys(X: Any, short: NDArray[np.uint32], key: keys.RowKey) -> Keys:
    """(rows,): the keys of a few rows, whose short keys are known, on the CPU."""
    if not _can_count(X):
        rows = copied_to_numpy(X)
        return keys.completed_keys(rows, np.arange(len(rows)), short, key)
    spans = in_spans(X.shape[0], _BLOCK_BYTES // (8 * X.shape[1]))
    sums = namespace(X).concat([_long_sums(X[span, :], key) for span in spans], axis=0)
    long = keys.mixed(copied_to_numpy(sums).view(np.uint64))
    return long if keys.short_factors(key, X.shape[1]) is None else keys.joined_keys(short, long)


def _of_block(X: Any, key: keys.RowKey) -> Any:
    if not _can_count(X):
        return _by_the_cpu(X, key)
    xp, factors = namespace(X), keys.short_factors(key, X.shape[1])
    if factors is None:
        return _upper(_long_sums(X, key))
    single = xp.astype(X, xp.float32) + 0.0
    words = [_word(single), *([] if is_single(X) else [_word(_rest(X, single))])]
    return _upper(_sums(words, factors))


def _can_count(X: Any) -> bool:
    """Whether the device has words of 64 bits, and its library those of floats."""
    xp = namespace(X)
    has_words = widest_int(X) == xp.int64 and widest_float(X) == xp.float64
    return has_words and as_bits(xp.astype(X[:1, :], xp.float32)) is not None


def _long_sums(X: Any, key: keys.RowKey) -> Any:
    xp = namespace(X)
    bits = as_bits(xp.astype(X, xp.float64) + 0.0)
    return _sums([bits & _LOWER, _shifted(bits, 32)], keys.long_factors(key, X.shape[1]))


def _sums(words: list[Any], factors: keys.Factors) -> Any:
    """(rows,): Σ words · multipliers + offset, overflowing."""
    xp, multipliers = namespace(words[0]), moved(factors.multipliers.view(np.int64), words[0])
    sums = (xp.sum(word * multipliers[:, i], axis=1) for i, word in enumerate(words))
    return sum(sums, _signed(factors.offset))


def is_single(X: Any) -> bool:
    """Whether numbers are no more precise than singles."""
    xp = namespace(X)
    return bool(xp.isdtype(X.dtype, "real floating")) and xp.finfo(X.dtype).bits <= 32


def is_double(X: Any) -> bool:
    """Whether numbers are floating and more precise than singles."""
    return bool(namespace(X).isdtype(X.dtype, "real floating")) and not is_single(X)


def _rest(X: Any, single: Any) -> Any:
    """What numbers have beyond single precision."""
    xp = namespace(X)
    rest = xp.astype(X, xp.float64) - xp.astype(single, xp.float64)
    rest = xp.where(xp.isfinite(rest), rest, xp.zeros_like(rest))
    return xp.astype(rest, xp.float32) + 0.0


def _word(singles: Any) -> Any:
    """Their bits as numbers that are not negative."""
    xp = namespace(singles)
    return xp.astype(as_bits(singles), xp.int64) & _LOWER


def _by_the_cpu(X: Any, key: keys.RowKey) -> Any:
    """For libraries that cannot reinterpret floats as integers."""
    rows = copied_to_numpy(X)
    found = keys.short_keys(rows, np.arange(len(rows)), key).astype(np.int64)
    return moved(found, X)


def _upper(keys: Any) -> Any:
    """The bits spread as on the CPU, and shifted down to the upper half."""
    for shift, factor in _FACTORS:
        keys = (keys ^ _shifted(keys, shift)) * factor
    return _shifted(keys ^ _shifted(keys, 31), 32)


def _signed(number: np.uint64) -> int:
    """The same bits as a signed number."""
    return int(number.view(np.int64))


def _shifted(keys: Any, shift: int) -> Any:
    """To the right without the sign, which 64 bits otherwise carry along."""
    return (keys >> shift) & ((1 << (64 - shift)) - 1)
