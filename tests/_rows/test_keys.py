"""Keys of rows: the sums that they are made of, and that nobody makes rows that share one."""

from __future__ import annotations

import secrets
from collections import Counter
from importlib import import_module
from importlib.util import find_spec
from itertools import combinations
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from kinspan import MultiTaskSPCA
from kinspan._rows import machine_code
from kinspan._rows.keys import (
    PUBLIC,
    RowKey,
    content_keys,
    long_factors,
    mixed,
    short_factors,
    short_keys,
)


def flipped(p: int, bits: int) -> Any:
    """All rows in which two of p doubles have some bits and the others are zero."""
    rows = np.zeros((p * (p - 1) // 2, p), dtype=np.uint64)
    for row, pair in zip(rows, combinations(range(p), 2), strict=True):
        row[list(pair)] = bits
    return rows.view(np.float64)


@pytest.mark.parametrize("p", [3, 40])
def test_keys_are_mixed_sums_of_products(p: int) -> None:
    key, rows = RowKey.of(7), np.random.default_rng(0).normal(size=(9, p))
    short, long, chosen = short_factors(key, p), long_factors(key, p), np.arange(9)

    def by_hand(words: Any, factors: Any) -> Any:
        sums = [
            sum(int(w) * int(m) for w, m in zip(row.flat, factors.multipliers.flat, strict=True))
            for row in words
        ]
        return mixed(np.array([(s + int(factors.offset)) % 2**64 for s in sums], dtype=np.uint64))

    expected = by_hand(rows.view(np.uint32).reshape(9, -1), long)
    if short is not None:
        single = rows.astype(np.float32)
        both = np.stack([single, (rows - single).astype(np.float32)], axis=-1)
        upper = by_hand(both.view(np.uint32), short) >> np.uint64(32)
        np.testing.assert_array_equal(short_keys(rows, chosen, key), upper)
        expected = upper << np.uint64(32) | expected & np.uint64(0xFFFFFFFF)
    for X in (rows, sp.csr_array(rows)):
        np.testing.assert_array_equal(content_keys(X, chosen, key), expected)


@pytest.mark.parametrize("p", [5, 15, 16, 40])
@pytest.mark.parametrize("bits", [1 << 63 | 1 << 31, 3 << 61 | 3 << 29, 1 << 62 | 1 << 30, 1 << 32])
def test_no_bits_of_two_columns_cancel(p: int, bits: int) -> None:
    """The uppermost bits of words are lost in products modulo their size, whatever the key."""
    rows = np.concatenate([np.zeros((1, p)), flipped(p, bits)])
    found = content_keys(rows, np.arange(len(rows)), RowKey.of(secrets.randbits(128)))
    assert len(np.unique(found)) == len(rows)


def test_crafted_rows_do_not_move_a_forecast() -> None:
    """Rows that would share the key of one that comes often, and lend it their numbers."""
    rng = np.random.default_rng(0)
    y, task = np.tile([0, 1], 1200), np.repeat(np.arange(4), 600)
    X = rng.normal(size=(2400, 5)) + np.where(y, 0.7, -0.7)[:, None] * np.eye(5)[0]
    X[rng.random(2400) < 0.6] = 0.0
    crafted = flipped(5, 1 << 62 | 1 << 30)
    more = np.concatenate([crafted, X]), np.append(np.ones(10, int), y), np.append([0] * 10, task)
    order = rng.permutation(len(more[0]))
    key = secrets.randbits(128)
    honest, bought, mixed_up = (
        MultiTaskSPCA(random_state=key, row_sample=100).fit(a, b, task=c).forecast_error_
        for a, b, c in ((X, y, task), more, tuple(part[order] for part in more))
    )
    np.testing.assert_allclose(bought, honest, atol=0.03)
    np.testing.assert_allclose(bought, mixed_up, rtol=1e-9)


@pytest.mark.parametrize("p", [8, 20])
def test_rows_that_were_chosen_for_one_key_are_rows_like_others_for_another(p: int) -> None:
    """1 % of easy rows with the smallest of many hashes: who knows the key buys the forecast."""
    rng = np.random.default_rng(1000)
    y, task = np.repeat([0, 1], 3000), np.zeros(6000, int)
    X = rng.normal(size=(6000, p)) + np.where(y, 0.5, -0.5)[:, None] * np.eye(p)[0]
    for c, side in ((0, -3.0), (1, 3.0)):
        easy = rng.normal(size=(50_000, p))
        easy[:, 0] = side
        keys = content_keys(easy, np.arange(len(easy)), PUBLIC)
        X[np.flatnonzero(y == c)[:30]] = easy[np.argsort(keys)[:30]]
    known, *secret = (
        float(
            MultiTaskSPCA(random_state=key, row_sample=25).fit(X, y, task=task).forecast_error_[0]
        )
        for key in (None, 1, 2, 3, 4)
    )
    assert known < 0.05
    assert np.mean(secret) == pytest.approx(0.31, abs=0.13)  # 200 rows: four standard errors


@pytest.mark.parametrize("p", [8, 20])
def test_near_copies_are_kept_or_lost_one_by_one(p: int) -> None:
    """Rows that are equal in single precision: in any parts, and as often as they come."""
    rng = np.random.default_rng(20001)
    y, task = np.tile([0, 1], 1200), np.repeat(np.arange(4), 600)
    X = rng.normal(size=(2400, p)) + np.where(y, 0.3, -0.3)[:, None] * rng.normal(size=p)
    near = rng.random(2400) < 0.6
    X[near] = 1.0 + 1e-12 * rng.normal(size=(near.sum(), p))
    whole = MultiTaskSPCA(row_sample=100).fit(X, y, task=task)
    parts = MultiTaskSPCA(row_sample=100)
    for rows in np.array_split(rng.permutation(len(y)), 7):
        parts.partial_fit(X[rows], y[rows], task=task[rows])
    np.testing.assert_allclose(parts.forecast_error_, whole.forecast_error_, rtol=1e-6)
    sample = whole._learnt.statistics.sample
    assert sample is not None
    shares = np.average(np.abs(sample.rows[:, 0] - 1.0) < 1e-9, weights=sample.weights)
    assert abs(shares - near.mean()) < 4 * np.sqrt(0.24 / len(sample.rows))


def test_rows_in_double_precision_have_the_keys_of_the_same_rows_in_single() -> None:
    rows = np.random.default_rng(0).normal(size=(30, 20)).astype(np.float32)
    rows[3, 4] = np.nan
    keys = [content_keys(X, np.arange(30), RowKey.of(3)) for X in (rows, rows.astype(np.float64))]
    np.testing.assert_array_equal(keys[0], keys[1])


@pytest.mark.skipif(find_spec("numba") is None, reason="numba is not installed")
def test_compiled_keys_are_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(1).normal(size=(300, 40)).astype(np.float32)
    rows[:, 3], rows[::2, 5], rows[7], rows[8, 2] = 0.0, -0.0, np.nan, -np.inf
    chosen, key = np.arange(len(rows)), RowKey.of(3)
    expected, whole = short_keys(rows, chosen, key), content_keys(rows, chosen, key)
    monkeypatch.setattr(import_module("kinspan._rows.compiled_keys"), "_BLOCK_BYTES", 3000)
    monkeypatch.setattr(machine_code, "MANY_NUMBERS", 0)
    read_only = rows.copy()
    read_only.flags.writeable = False
    assert not len(content_keys(rows[:0], chosen[:0], key))
    for X in (rows, read_only, np.asfortranarray(rows), rows.astype(np.float64)):
        np.testing.assert_array_equal(short_keys(X, chosen, key), expected)
        np.testing.assert_array_equal(content_keys(X, chosen, key), whole)
    for keys, of_all in ((short_keys, expected), (content_keys, whole)):
        np.testing.assert_array_equal(keys(rows, chosen[::3], key), of_all[::3])


@pytest.mark.skipif(find_spec("numba") is None, reason="numba is not installed")
def test_many_small_batches_are_hashed_by_machine_code_like_a_large_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows, key = np.random.default_rng(1).normal(size=(300, 40)).astype(np.float32), RowKey.of(3)
    monkeypatch.setattr(machine_code, "_SO_FAR", Counter())
    monkeypatch.setattr(machine_code, "MANY_NUMBERS", 2 * rows.size)
    met: list[str] = []
    monkeypatch.setattr(machine_code, "_module", met.append)
    for n_batches in (0, 1, 2):
        short_keys(rows, np.arange(len(rows)), key)
        assert len(met) == n_batches
