"""Rows → keys that depend on their numbers alone, not on precision, container or order."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from kinspan._arrays.libraries import is_sparse
from kinspan._rows.sums import in_order
from kinspan._rows.types import Codes, Floats, Keys

_BLOCK_BYTES = 1 << 21
_FEW_COLUMNS = 16


def content_keys(X: Any, chosen: Codes) -> Keys:
    """A hash of some rows that depends on their numbers alone.

    Its first bits are those of `short_keys`; the others distinguish rows with the same short key.
    """
    long = _long_keys(X, chosen)
    return np.asarray(short_keys(X, chosen) << np.uint64(48) | long >> np.uint64(16))


def _long_keys(X: Any, chosen: Codes) -> Keys:
    return _mixed(_bit_sums(X, chosen, _words, long_multipliers(X.shape[1])))


def short_keys(X: Any, chosen: Codes) -> Keys:
    """The same in 16 bits, as fast as rows are read: of all columns, in single precision.

    Multipliers are even, so that signs, and with them −0, do not matter. With few columns, nearby
    rows may be equal in single precision: they get their bits from the long key.
    """
    multipliers = short_multipliers(X.shape[1])
    if multipliers is None:
        return _long_keys(X, chosen) >> np.uint64(48)
    sums = _bit_sums(X, chosen, _single_words, multipliers)
    return _mixed(sums.astype(np.uint64)) >> np.uint64(48)


def long_multipliers(n_columns: int) -> Keys:
    """Odd factors of the words of every column."""
    return np.random.default_rng(n_columns).integers(0, 2**63, n_columns, dtype=np.uint64) * 2 + 1


def short_multipliers(n_columns: int) -> NDArray[np.uint32] | None:
    """Even factors of the single-precision words of every column; None where there are few."""
    if n_columns < _FEW_COLUMNS:
        return None
    return np.random.default_rng(n_columns).integers(0, 2**30, n_columns, dtype=np.uint32) * 4 + 2


def likely_keys(counts: Codes, size: int) -> Floats:
    """(cells,): a bound that the `size` smallest short keys of a cell exceed very rarely."""
    share = (size + 6 * np.sqrt(size) + 10) / np.maximum(counts, 1)
    return np.asarray(np.ceil(np.minimum(share, 1.0) * 2.0**16))


def _bit_sums(X: Any, chosen: Codes, words: Any, multipliers: NDArray[Any]) -> NDArray[Any]:
    """Σ_j words_j · multiplier_j of some rows, overflowing; zeros add nothing."""
    if is_sparse(X):
        return _sparse_bit_sums(sp.csr_array(X), chosen, words, multipliers)
    is_all = len(chosen) == X.shape[0]
    block = max(16, _BLOCK_BYTES // (8 * max(X.shape[1], 1)))

    def sums_of(start: int) -> NDArray[Any]:
        span = slice(start, start + block)
        rows = X[span] if is_all else X[chosen[span]]
        return np.asarray(np.einsum("ij,j->i", words(rows), multipliers))

    parts = in_order(sums_of, range(0, len(chosen), block))
    return np.concatenate([np.empty(0, multipliers.dtype), *parts])


def _single_words(values: Any) -> NDArray[np.uint32]:
    """Bits of the numbers in single precision."""
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(values, dtype=np.float32).view(np.uint32)


def _words(values: Any) -> Keys:
    """Bits of the numbers as doubles; those of small integers, which end in zeros, folded down."""
    words = np.add(values, 0.0, dtype=np.float64, order="C").view(np.uint64)  # −0 is 0
    return np.asarray(words ^ (words >> np.uint64(32)))


def _sparse_bit_sums(
    X: sp.csr_array, chosen: Codes, words: Any, multipliers: NDArray[Any]
) -> NDArray[Any]:
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    if len(chosen) < X.shape[0]:
        X = X[chosen]
    zero = multipliers.dtype.type(0)
    terms = np.append(words(X.data) * multipliers[X.indices], zero)
    sums = np.add.reduceat(terms, X.indptr[:-1], dtype=multipliers.dtype)
    return np.where(np.diff(X.indptr) > 0, sums, zero)


def _mixed(keys: Keys) -> Keys:
    """Mix the bits, so that keys are uniform whatever the rows."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        keys = (keys ^ (keys >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(keys ^ (keys >> np.uint64(31)))
