"""Rows that are kept: without zeros where nearly all numbers are zero."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from kinspan._rows import stored_rows
from kinspan._rows.stored_rows import all_numbers, numbers_of, rows_of_all, without_zeros


def rows(density: float, n: int = 20, p: int = 400) -> Any:
    rng = np.random.default_rng(0)
    return csr_array(rng.permutation(np.arange(n * p) < density * n * p).reshape(n, p) * 1.5)


@pytest.fixture(autouse=True)
def _few_numbers_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_rows, "_MANY", 1000)


def test_only_nearly_all_zeros_of_wide_rows_are_worth_it() -> None:
    share = stored_rows._FEW
    assert without_zeros(rows(0.9 * share)) is not None
    assert without_zeros(rows(1.1 * share)) is None
    assert without_zeros(rows(0.9 * share).toarray()) is not None
    assert without_zeros(rows(1.1 * share).toarray()) is None
    assert without_zeros(rows(0.9 * share).T.tocsr()) is None  # more rows than features
    assert without_zeros(rows(0.9 * share, p=49)) is None  # few numbers


def test_a_dense_row_among_those_not_looked_at_first_is_seen() -> None:
    dense = rows(0.01, n=40).toarray()
    dense[1:12] = 1.0
    assert without_zeros(dense) is None


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_rows_are_what_they_were(kind: Any) -> None:
    X, chosen = rows(0.02).astype(kind), np.array([3, 1, 7])
    dense = X.toarray()[chosen]
    for found in (stored_rows.stored_rows(X, chosen), stored_rows.stored_rows(X.toarray(), chosen)):
        assert found.dtype == kind
        np.testing.assert_array_equal(all_numbers(found), dense)
    assert isinstance(stored_rows.stored_rows(X, chosen), csr_array)
    assert not isinstance(stored_rows.stored_rows(rows(0.2), chosen), csr_array)


def test_rows_of_two_ways_are_put_together() -> None:
    light, heavy = rows(0.02), rows(0.5).toarray()
    stacked, chosen = np.vstack([light.toarray(), heavy]), np.array([0, 25, 3, 39])
    for first, second in ((light, heavy), (light.toarray(), csr_array(heavy))):
        found = rows_of_all([first, second], chosen)
        np.testing.assert_array_equal(all_numbers(found), stacked[chosen])
    assert isinstance(rows_of_all([light, light], np.arange(30)), csr_array)
    assert isinstance(rows_of_all([light.toarray(), light.toarray()], np.arange(30)), csr_array)
    assert not isinstance(rows_of_all([heavy, heavy], np.arange(30)), csr_array)


def test_numbers_without_places_show_what_is_not_finite() -> None:
    X = rows(0.02)
    X.data[3] = np.inf
    assert np.isinf(numbers_of(X)).sum() == np.isinf(numbers_of(X.toarray())).sum() == 1
