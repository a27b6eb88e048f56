"""Numbers of rows in strata add and subtract; frequent rows are found in any order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinspan._rows.kept_rows import Kept
from kinspan._rows.strata import Strata, most_frequent, n_strata

BOUND = 20


def drawn(seed: int, n: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    return (
        rng.integers(0, 3, n),
        rng.integers(0, 2**64, n, dtype=np.uint64),
        rng.integers(1, 4, n).astype(float),
    )


def assert_same(a: Strata, b: Strata) -> None:
    np.testing.assert_array_equal(a.codes, b.codes)
    np.testing.assert_allclose(a.weights, b.weights, rtol=1e-12)


def test_strata_of_parts_add_up_and_come_apart() -> None:
    cells, keys, weights = drawn(0, 500)
    first, second = (
        Strata.of(cells[part], keys[part], weights[part], BOUND)
        for part in (slice(None, 200), slice(200, None))
    )
    whole = Strata.of(cells, keys, weights, BOUND)
    assert_same(first.plus(second, BOUND), whole)
    assert_same(whole.minus(second, BOUND), first)
    np.testing.assert_allclose(whole.totals(3), np.bincount(cells, weights))


def test_fewer_rows_to_keep_make_coarser_strata() -> None:
    cells, keys, weights = drawn(1, 500)
    fine, coarse = (Strata.of(cells, keys, weights, bound) for bound in (BOUND, 3))
    assert n_strata(3) < n_strata(BOUND) <= 16 * BOUND
    assert_same(fine.summed(3), coarse)


@pytest.mark.parametrize("seed", range(5))
def test_a_row_with_three_quarters_of_its_stratum_is_found_in_any_order(seed: int) -> None:
    """Batches of any size, added in a chain or in a tree, and one row at a time."""
    rng = np.random.default_rng(seed)
    keys = rng.integers(0, 2**64, 400, dtype=np.uint64)
    often = np.uint64(2**64 - 1 - seed)  # never among the smallest
    keys[rng.uniform(size=400) < 0.3] = often
    keys = rng.permutation(keys) if seed else np.sort(keys)
    sizes = rng.integers(1, 60, 40) if seed % 2 else np.ones(400, dtype=int)
    parts = [kept(part) for part in np.split(keys, np.cumsum(sizes)) if len(part)]
    at_once = 1 + seed  # parts of every sum
    while len(parts) > 1:
        parts = [Kept.joined(parts[: at_once + 1], 1, BOUND), *parts[at_once + 1 :]]
    found = parts[0]
    frequent = found.keys[found.is_frequent]
    assert often in frequent
    vote = found.weights[found.keys == often][0]
    assert 0.5 * (keys == often).sum() <= vote <= (keys == often).sum()


def kept(keys: Any) -> Kept:
    return Kept.of(np.zeros(len(keys), dtype=int), keys, np.ones(len(keys)), BOUND)


def test_the_most_frequent_row_and_its_majority() -> None:
    codes = np.array([4, 4, 4, 9, 9, 2], dtype=np.int64)
    weights = np.array([1.0, 5.0, 2.0, 3.0, 3.0, 1.0])
    best, votes = most_frequent(codes, weights)
    np.testing.assert_array_equal(best, [5, 1, 3])
    np.testing.assert_allclose(votes, [1.0, 2.0, 0.0])


def test_no_more_rows_are_kept_than_twice_the_bound() -> None:
    keys = np.repeat(np.random.default_rng(0).integers(0, 2**64, 300, dtype=np.uint64), 5)
    found = kept(keys)
    assert (~found.is_frequent).sum() == BOUND
    assert found.is_frequent.sum() <= BOUND
