"""Rows minus the means of their cells, without zeros of the rows, beside all of their numbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csc_array

from kinspan.metric import DenseRows, SampledRows, SparseRows, covariance_of_rows


def both_ways(n: int = 30, p: int = 200) -> tuple[SparseRows, DenseRows]:
    rng = np.random.default_rng(0)
    stored = csc_array(np.where(rng.random((n, p)) < 0.05, rng.random((n, p)), 0.0))
    cells, means = np.arange(n) % 4, 0.1 * rng.normal(size=(4, p))
    return SparseRows(stored, means, cells), DenseRows(stored.toarray() - means[cells])


def test_products_are_those_of_all_numbers() -> None:
    light, dense = both_ways()
    rng = np.random.default_rng(1)
    vectors, weights = rng.normal(size=(3, 200)), rng.normal(size=(5, 30))
    some, counts = slice(20, 70), rng.integers(1, 4, 30).astype(float)
    assert light.shape == dense.shape
    np.testing.assert_allclose(light.squared(), dense.squared(), atol=1e-12)
    np.testing.assert_allclose(light.along(vectors), dense.along(vectors), atol=1e-12)
    np.testing.assert_allclose(light.combined(weights), dense.combined(weights), atol=1e-12)
    np.testing.assert_allclose(
        light.combined(weights, some), dense.combined(weights)[:, some], atol=1e-12
    )
    np.testing.assert_allclose(light.fourth_powers(counts), dense.fourth_powers(counts), atol=1e-12)


def test_other_precisions_are_kept() -> None:
    light, _ = both_ways()
    single = light.astype(np.float32)
    found = single.combined(np.ones((1, 30), dtype=np.float32))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, light.combined(np.ones((1, 30))), atol=1e-5)


def test_rows_are_exact_where_they_are_longer_than_means() -> None:
    light, _ = both_ways()
    assert light.is_exact
    assert not light._replace(means=100.0 * light.means).is_exact


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_the_metric_is_the_same(share: float) -> None:
    light, dense = both_ways()
    rows = SampledRows(light.cells, np.full(30, 7.5), np.ones(30), np.arange(30, dtype=np.uint64))
    one, other = (covariance_of_rows(r, rows, light.means) for r in (light, dense.values))
    np.testing.assert_allclose(one.noise(share), other.noise(share), rtol=1e-9)
    turned = [c.root(share).turned(c.basis.coordinates(light.means)) for c in (one, other)]
    np.testing.assert_allclose(turned[0] @ turned[0].T, turned[1] @ turned[1].T, atol=1e-9)
