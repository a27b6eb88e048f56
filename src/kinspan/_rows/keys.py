"""Rows → keys that depend on a secret and their numbers, not on precision, container or order.

Every number is one or two words of 32 bits. A key is Σ words · multipliers plus an offset, in 64
bits, mixed. No word is so large that its product with a multiplier loses bits: whatever two rows
differ by, of all multipliers at most one in 2³² gives them one sum. Who does not know the
multipliers can neither tell which rows have small keys nor make rows that share one.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinspan._arrays.libraries import is_sparse
from kinspan._rows.machine_code import module_after
from kinspan._rows.spans import in_order
from kinspan._rows.types import Codes, Floats, Keys

Words: TypeAlias = tuple[NDArray[np.uint32], ...]  # the first words of all numbers, the second

_BLOCK_BYTES = 1 << 19
_SPANS_OF_THREAD = 32  # blocks: fewer are done before another thread has started
_FEW_COLUMNS = 16
_COMPILED = "kinspan._rows.compiled_keys"


@dataclass(frozen=True)
class RowKey:
    """What the keys of rows are made with; of a secret, only the name is ever stored."""

    secret: bytes = field(repr=False)

    @classmethod
    def of(cls, random_state: int | None) -> RowKey:
        """The key of a number, or the one that everybody has."""
        return cls(b"" if random_state is None else str(int(random_state)).encode())

    @property
    def name(self) -> str:
        """A digest by which equal keys are recognised."""
        return hashlib.blake2b(self.secret, digest_size=16, person=b"kinspan name 2").hexdigest()


PUBLIC = RowKey.of(None)


class Factors(NamedTuple):
    """A multiplier of every word of a row, and an offset."""

    multipliers: Keys  # (columns, words of a number)
    offset: np.uint64


def content_keys(X: Any, chosen: Codes, key: RowKey) -> Keys:
    """A hash of some rows that depends on their numbers alone.

    Its first half is that of `short_keys`; the other distinguishes rows with the same short key.
    """
    if short_factors(key, X.shape[1]) is None:
        return _long_keys(X, chosen, key)
    return completed_keys(X, chosen, short_keys(X, chosen, key), key)


def completed_keys(X: Any, chosen: Codes, short: NDArray[np.uint32], key: RowKey) -> Keys:
    """The same from short keys that are known."""
    long = _long_keys(X, chosen, key)
    return long if short_factors(key, X.shape[1]) is None else joined_keys(short, long)


def joined_keys(short: NDArray[np.uint32], long: Keys) -> Keys:
    """Short keys, and the lower half of long ones."""
    return np.asarray(short.astype(np.uint64) << np.uint64(32) | long & np.uint64(0xFFFFFFFF))


def short_keys(X: Any, chosen: Codes, key: RowKey) -> NDArray[np.uint32]:
    """The same in 32 bits, as fast as rows are read: of all columns, in single precision.

    What numbers have beyond it is a second word, which is zero for most rows and adds nothing: near
    copies must not be kept or lost together. With few columns it is the bits of the long key.
    """
    factors = short_factors(key, X.shape[1])
    if factors is None:
        return _upper(_long_keys(X, chosen, key))
    if _are_singles_in_order(X) and len(chosen) == len(X):
        fast = module_after(X.size, _COMPILED)
        if fast is not None:
            sums = fast.sums_of_singles(X, np.ascontiguousarray(factors.multipliers[:, 0]))
            return _upper(mixed(sums + factors.offset))
    return _upper(mixed(_sums(X, chosen, _single_words, factors)))


def _are_singles_in_order(X: Any) -> bool:
    is_plain = isinstance(X, np.ndarray) and X.dtype == np.float32
    return is_plain and X.flags.c_contiguous and X.flags.aligned


def short_factors(key: RowKey, n_columns: int) -> Factors | None:
    """Of numbers in single precision, and of the rest; None where there are few columns."""
    return None if n_columns < _FEW_COLUMNS else _factors(key, n_columns)[0]


def long_factors(key: RowKey, n_columns: int) -> Factors:
    """Of numbers in double precision, which are two words."""
    return _factors(key, n_columns)[1]


@lru_cache(maxsize=8)
def _factors(key: RowKey, n_columns: int) -> tuple[Factors, Factors]:
    stream = hashlib.shake_256(b"kinspan rows %d " % n_columns + key.secret)
    numbers = np.frombuffer(stream.digest(8 * (2 + 4 * n_columns)), dtype=np.uint64)
    offsets, singles, doubles, rest = np.split(numbers, 2 + np.array([0, 1, 3]) * n_columns)
    of_singles = np.column_stack([singles, rest]) >> np.uint64(32)
    return (
        Factors(of_singles, offsets[0]),
        Factors(doubles.reshape(-1, 2), offsets[1]),
    )


def likely_keys(counts: Codes, size: Floats) -> NDArray[np.uint32]:
    """(cells,): a bound that the `size` smallest short keys of a cell exceed very rarely."""
    share = (size + 6 * np.sqrt(size) + 10) / np.maximum(counts, 1)
    return np.asarray(np.minimum(share, 1.0) * (2**32 - 1)).astype(np.uint32)


def _long_keys(X: Any, chosen: Codes, key: RowKey) -> Keys:
    factors = long_factors(key, X.shape[1])
    if _are_singles_in_order(X):
        fast = module_after(len(chosen) * X.shape[1], _COMPILED)
        if fast is not None:
            return mixed(fast.sums_of_doubles(X, chosen, factors.multipliers) + factors.offset)
    return mixed(_sums(X, chosen, _double_words, factors))


def _upper(keys: Keys) -> NDArray[np.uint32]:
    return (keys >> np.uint64(32)).astype(np.uint32)


def _sums(X: Any, chosen: Codes, words: Any, factors: Factors) -> Keys:
    """Σ words · multipliers + offset of some rows, overflowing; zeros add nothing."""
    if is_sparse(X):
        return _sparse_sums(sp.csr_array(X), chosen, words, factors)
    is_all = len(chosen) == X.shape[0]
    block = max(16, _BLOCK_BYTES // (8 * max(X.shape[1], 1)))

    def sums_of(start: int) -> Keys:
        span = slice(start, start + block)
        return _products(words(X[span] if is_all else X[chosen[span]]), factors.multipliers)

    parts = in_order(sums_of, range(0, len(chosen), block), _SPANS_OF_THREAD)
    return np.asarray(np.concatenate([np.empty(0, np.uint64), *parts]) + factors.offset)


def _products(words: Words, multipliers: Keys) -> Keys:
    """(rows,): Σ words · multipliers, of (rows, columns) words for each column of multipliers."""
    sums = np.zeros(len(words[0]), np.uint64)
    for of_rows, of_columns in zip(words, multipliers.T, strict=False):
        columns = np.ascontiguousarray(of_columns)
        sums += np.einsum("ij,j->i", of_rows.astype(np.uint64), columns)
    return sums


def _single_words(values: Any) -> Words:
    """Bits of the numbers in single precision, and of what they have beyond it, if any has."""
    with np.errstate(over="ignore"):
        singles = np.array(values, dtype=np.float32, order="C")
    singles += np.float32(0)  # −0 is 0
    words = singles.view(np.uint32)
    if np.can_cast(values.dtype, np.float32):
        return (words,)
    beyond, double = np.empty_like(singles), np.float64
    with np.errstate(over="ignore", invalid="ignore"):
        np.subtract(values, singles, out=beyond, dtype=double, casting="same_kind")
    beyond += np.float32(0)
    if not np.isfinite(beyond).all():
        beyond[~np.isfinite(beyond)] = 0.0
    return (words, beyond.view(np.uint32)) if beyond.any() else (words,)


def _double_words(values: Any) -> Words:
    """Lower and upper bits of the numbers in double precision."""
    doubles = np.add(values, 0.0, dtype=np.float64, order="C")  # −0 is 0
    words = doubles[..., None].view(np.uint32)
    return words[..., 0], words[..., 1]


def _sparse_sums(X: sp.csr_array, chosen: Codes, words: Any, factors: Factors) -> Keys:
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    if len(chosen) < X.shape[0]:
        X = X[chosen]
    terms = np.zeros(len(X.data), np.uint64)
    for of_data, of_columns in zip(words(X.data), factors.multipliers.T, strict=False):
        terms += of_data * of_columns[X.indices]
    sums = np.add.reduceat(np.append(terms, np.uint64(0)), X.indptr[:-1], dtype=np.uint64)
    return np.asarray(np.where(np.diff(X.indptr) > 0, sums, np.uint64(0)) + factors.offset)


def mixed(keys: Keys) -> Keys:
    """Mix the bits, so that keys are uniform whatever the rows."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        keys = (keys ^ (keys >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(keys ^ (keys >> np.uint64(31)))
