"""Sums over groups are those of a loop, in any order of rows."""

from __future__ import annotations

import numpy as np
import pytest

from kinspan._rows.groups import Groups


@pytest.mark.parametrize("is_sorted", [True, False])
def test_sums_and_means_are_those_of_a_loop(*, is_sorted: bool) -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 9, 50) * 3  # groups without rows in between
    codes = np.sort(codes) if is_sorted else codes
    values, weights = rng.normal(size=(4, 50)), rng.uniform(size=50)
    groups, ids = Groups(codes), np.unique(codes)
    expected = np.stack([values[:, codes == i].sum(axis=1) for i in ids], axis=1)
    np.testing.assert_allclose(groups.sums(values), expected)
    np.testing.assert_array_equal(groups.codes, ids)
    places = np.searchsorted(ids, codes)
    np.testing.assert_array_equal(groups.of_rows(expected), expected[:, places])
    means = [np.average(values, axis=1, weights=weights * (codes == i)) for i in ids]
    np.testing.assert_allclose(groups.means(values, weights), np.array(means).T[:, places])


def test_nothing_that_counts_has_a_mean_of_zero() -> None:
    groups = Groups(np.array([0, 0, 1]))
    np.testing.assert_array_equal(groups.means(np.ones(3), np.array([0.0, 0.0, 2.0])), [0, 0, 1])
    nothing = Groups(np.empty(0, dtype=np.intp))
    assert nothing.sums(np.empty((2, 0))).shape == (2, 0)
