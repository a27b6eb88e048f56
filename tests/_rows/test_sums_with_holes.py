"""The pass over rows with holes is the definition, compiled or not, whatever the rows look like."""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from kinspan import MultiTaskSPCA, Statistics
from kinspan._rows import dense_sums, machine_code, references
from kinspan._rows.holes import ObservedMoments, observed_moments
from kinspan._rows.sums import cell_moments
from tests._rows.small_pieces import N_CELLS, ONE_ROW, cells_of_different_sizes, cut_small

LACKING = 2  # a cell without values of a feature

needs_numba = pytest.mark.skipif(
    find_spec("numba") is None, reason="numba is not installed: pip install 'kinspan[fast]'"
)


@pytest.fixture(
    params=["numpy", *(pytest.param(way, marks=needs_numba) for way in ("span", "cell"))]
)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """One of the three passes, cut so small that few rows have many pieces."""
    if request.param == "numpy":
        monkeypatch.setattr(machine_code, "MANY_NUMBERS", 1 << 62)
        monkeypatch.setattr(dense_sums, "_BLOCK_BYTES", 3000)
        return "numpy"
    cut_small(request.param, monkeypatch)
    return str(request.param)


def rows_with_holes(
    seed: int = 0, n: int = 1200, p: int = 21, share: float = 0.3, offset: float = 0.0
) -> tuple[Any, Any]:
    """Rows of cells of different sizes: one is empty, one a single row, one lacks a feature."""
    rng = np.random.default_rng(seed)
    cells = cells_of_different_sizes(rng, n)
    X = rng.normal(size=(n, p)) + rng.normal(size=(N_CELLS, p))[cells] + offset
    X[rng.random(X.shape) < share] = np.nan
    X[cells == LACKING, 0] = np.nan
    return X, cells


def by_definition(
    X: Any, cells: Any, weights: Any = None, n_cells: int = N_CELLS
) -> ObservedMoments:
    x = np.asarray(X, np.longdouble)
    w = np.ones(len(x)) if weights is None else weights
    observed, means, squares = np.zeros((3, n_cells, x.shape[1]))
    for c, j in np.ndindex(observed.shape):
        mine = (cells == c) & (w > 0) & ~np.isnan(x[:, j])
        if mine.any():
            observed[c, j], mean = w[mine].sum(), np.average(x[mine, j], weights=w[mine])
            means[c, j], squares[c, j] = mean, (w[mine] * (x[mine, j] - mean) ** 2).sum()
    return ObservedMoments(observed, means, squares)


def assert_same(found: ObservedMoments, expected: ObservedMoments, rtol: float) -> None:
    np.testing.assert_array_equal(found.observed == 0, expected.observed == 0)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol)
    assert not found.means[found.observed == 0].any()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", ">f4", "longdouble"])
def test_moments_are_those_of_the_values_that_are_there(
    way: str, dtype: str, weighted: bool
) -> None:
    X, cells = rows_with_holes(offset=3.0)
    X = X.astype(dtype)
    rng = np.random.default_rng(1)
    weights = rng.integers(0, 4, len(X)) * rng.uniform(0.5, 1, len(X)) if weighted else None
    rtol = 3e-6 if dtype in ("float32", "float16", ">f4") and not weighted else 1e-12
    found = observed_moments(X, cells, N_CELLS, weights)
    assert_same(found, by_definition(X, cells, weights), rtol)


@pytest.mark.parametrize("order", ["C", "F"])
def test_any_layout_and_any_share_of_holes(way: str, order: Any) -> None:
    for share in (0.001, 0.5, 0.97, 1.0):
        X, cells = rows_with_holes(3, n=500, share=share)
        found = observed_moments(np.asarray(X, order=order), cells, N_CELLS, None)
        assert_same(found, by_definition(X, cells), rtol=1e-12)


def test_rows_without_zeros_are_the_same_rows(way: str) -> None:
    X, cells = rows_with_holes(4)
    X[np.random.default_rng(0).random(X.shape) < 0.6] = 0.0
    for dtype in (np.float64, np.float32):
        found = observed_moments(sp.csr_array(X.astype(dtype)), cells, N_CELLS, None)
        assert_same(found, by_definition(X.astype(dtype), cells), rtol=1e-12)


def test_more_cells_than_are_added_to_at_once(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dense_sums, "_FEW_CELLS", 5)
    X, cells = rows_with_holes(5)
    assert_same(observed_moments(X, cells, N_CELLS, None), by_definition(X, cells), rtol=1e-12)
    many = np.random.default_rng(0).integers(0, 900, len(X))
    expected = by_definition(X, many, n_cells=900)
    assert_same(observed_moments(X, many, 900, None), expected, rtol=1e-12)


@pytest.mark.parametrize(("dtype", "offset"), [("float32", 1e5), ("float64", 1e8)])
def test_large_offsets_lose_nothing_but_the_rounding_of_the_input(
    way: str, dtype: str, offset: float
) -> None:
    X, cells = rows_with_holes(6, offset=offset)
    X = X.astype(dtype)
    found, expected = observed_moments(X, cells, N_CELLS, None), by_definition(X, cells)
    rounding = 4 * float(np.finfo(dtype).eps)
    np.testing.assert_allclose(found.means, expected.means, rtol=rounding)
    rtol = 4e-6 if dtype == "float32" else 1e-12
    np.testing.assert_allclose(found.squares, expected.squares, rtol=rtol)


@pytest.mark.parametrize("far", [-9999.0, 1e6, 1e30])
def test_typical_values_far_from_the_others(way: str, far: float) -> None:
    """A second pass, in double precision."""
    X, cells = rows_with_holes(7, n=6000)
    X = X.astype(np.float32)
    mine = np.flatnonzero(cells == 0)
    X[mine[-1]] = X[mine[mine % 7 == 3][-1]] = X[mine[mine % 11 == (len(X) - 1) % 11][0]] = far
    assert_same(observed_moments(X, cells, N_CELLS, None), by_definition(X, cells), rtol=1e-11)


def test_features_that_do_not_vary_have_no_squares(way: str) -> None:
    X, cells = rows_with_holes(8)
    X = np.where(np.isnan(X), np.nan, np.arange(N_CELLS)[cells][:, None] + 0.1).astype(np.float32)
    found = observed_moments(X, cells, N_CELLS, None)
    assert not found.squares.any()
    np.testing.assert_allclose(found.means, by_definition(X, cells).means, rtol=1e-7)


@pytest.mark.parametrize("bad", [np.inf, -np.inf])
def test_infinity_shows_wherever_it_is(way: str, bad: float) -> None:
    X, cells = rows_with_holes(9)
    for row in (0, 5, 600, len(X) - 1, int(np.flatnonzero(cells == ONE_ROW)[0])):
        some = X.copy()
        some[row, 3] = bad
        found = observed_moments(some, cells, N_CELLS, None)
        shown = ~(np.isfinite(found.means) & np.isfinite(found.squares))
        assert np.argwhere(shown).tolist() == [[cells[row], 3]]


def test_rows_without_weight_are_not_read(way: str) -> None:
    X, cells = rows_with_holes(10)
    weights = np.random.default_rng(0).integers(0, 3, len(X)).astype(float)
    clean = observed_moments(X, cells, N_CELLS, weights)
    X[weights == 0] = np.inf
    found = observed_moments(X, cells, N_CELLS, weights)
    assert_same(found, clean, rtol=0)


def test_the_number_of_threads_changes_nothing(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, cells = rows_with_holes(11)
    found = []
    for n_threads in (1, 2, 4):
        monkeypatch.setattr(os, "cpu_count", lambda n=n_threads: n)
        found.append(observed_moments(X.astype(np.float32), cells, N_CELLS, None))
    for other in found[1:]:
        assert_same(other, found[0], rtol=0)


def test_the_first_pass_ends_with_the_first_holes(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which shows them, wherever they are."""
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    X, cells = rows_with_holes(12, n=20_000, share=0.0)
    X[:, 0] = 1.0
    X[5000, 3] = np.nan
    found = cell_moments(X, cells, N_CELLS, None)
    assert np.argwhere(np.isnan(found.means)).tolist() == [[cells[5000], 3]]
    reference = references.typical_rows(X, cells, found.counts, None)
    sums = dense_sums.deviation_sums(X, cells, None, np.zeros_like(reference))
    assert np.nansum(sums[0][:, 0]) < len(X) / 2  # of ones


def test_sampled_rows_in_single_precision_stay_in_it() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 30)), rng.integers(0, 2, 400)
    X += y[:, None] * 0.4
    X[rng.random(X.shape) < 0.3] = np.nan
    single, double = (
        MultiTaskSPCA().fit(X.astype(np.float32).astype(dtype), y) for dtype in (np.float32, float)
    )
    np.testing.assert_allclose(single.coef_, double.coef_, rtol=1e-4, atol=1e-6)
    stored = Statistics.from_samples(X.astype(np.float32), y).sample
    assert stored is not None
    assert stored.rows.dtype == np.float32
