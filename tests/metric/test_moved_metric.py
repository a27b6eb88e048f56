"""Rows around other means, from the basis of rows around their own, beside a new decomposition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinspan.metric import SampledRows, around_other_means, covariance_of_rows

SHARES = (0.0, 0.4, 0.8)


def moved_world(n: int, p: int) -> tuple[Any, SampledRows, Any, Any]:
    """Rows around the means of four cells, not all of which were sampled, and means elsewhere."""
    rng = np.random.default_rng(n)
    cells, keys = np.arange(n) % 4, np.arange(n, dtype=np.uint64)
    rows = SampledRows(cells, np.full(n, n / 3.0), rng.integers(1, 4, n).astype(float), keys)
    values = rng.normal(size=(n, p)) * np.geomspace(1.0, 3.0, p) + 0.1
    return values, rows, rng.normal(size=(4, p)), cells


@pytest.mark.parametrize(("n", "p"), [(60, 20), (30, 50)])
def test_a_moved_metric_is_that_of_the_moved_rows(n: int, p: int) -> None:
    residuals, rows, offsets, cells = moved_world(n, p)
    before = covariance_of_rows(residuals, rows, offsets)
    expected = covariance_of_rows(residuals + offsets[cells], rows, offsets)
    vectors = np.vstack([residuals + offsets[cells], offsets])
    turned = before.basis.coordinates(offsets)
    found = around_other_means(before, turned, cells, rows, SHARES)
    np.testing.assert_allclose(found.mean_value, expected.mean_value)
    along = before.basis.coordinates(vectors)
    np.testing.assert_allclose(found.residuals, along[:n], atol=1e-12)
    for share in SHARES:
        root = found.root(share)
        here = root.turned(along)
        there = expected.basis.coordinates(vectors) / np.sqrt(expected.stretch(share))
        np.testing.assert_allclose(here @ here.T, there @ there.T, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(root.restored(here), along, atol=1e-9)
        inverse = along / found.stretch(share) + root.inverse_beyond(along)
        np.testing.assert_allclose(inverse @ along.T, here @ here.T, atol=1e-9)
        squares = along**2 @ (1.0 / found.stretch(share)) + root.squares_beyond(along)
        np.testing.assert_allclose(squares, (here**2).sum(axis=1), rtol=1e-9)
        np.testing.assert_allclose(found.noise(share), expected.noise(share), rtol=1e-9)
        coef = np.random.default_rng(0).normal(size=(2, 3, here.shape[1]))
        back = root.turned_back(coef)
        lengths = back**2 @ found.stretch(share) + root.lengths_beyond(back)
        np.testing.assert_allclose(lengths, (coef**2).sum(axis=2), rtol=1e-9)
        back = before.basis.turned_back(back)
        np.testing.assert_allclose(back @ vectors.T, coef @ here.T, atol=1e-9)
