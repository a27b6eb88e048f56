"""Class moments of numbers of any size agree with exact arithmetic, on every way there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from kinspan import ClassMoments
from kinspan._rows import machine_code
from tests.array_libraries import CONVERTS
from tests.torture import oracle
from tests.torture.worlds import SPREADS, related, representable

Way = Callable[[Any], Any]
EPS = float(np.finfo(np.float64).eps)


@pytest.fixture(params=["numpy", "compiled", "csr", *CONVERTS])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Way:
    """How rows come: each takes another pass."""
    if request.param in CONVERTS:
        convert: Way = CONVERTS[request.param]()
        return convert
    if request.param == "compiled":
        pytest.importorskip("numba")
        monkeypatch.setattr(machine_code, "MANY_NUMBERS", 0)
    return sp.csr_array if request.param == "csr" else np.asarray


def assert_exact(
    found: ClassMoments, cells: oracle.Cells, of_mean: float, of_square: float
) -> None:
    """Means to so many roundings of themselves, squares to a relative error."""
    np.testing.assert_array_equal(found.counts, oracle.rounded(cells.counts))
    means, squares = oracle.rounded(cells.means), oracle.rounded(cells.squares)
    assert (np.abs(found.means - means) <= of_mean * np.abs(means).max(axis=(0, 1))).all()
    np.testing.assert_allclose(found.squares, squares, rtol=of_square)


@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize("offset", [0.0, 1e3, -1e12])
def test_offsets_and_spreads(way: Way, spread: float, offset: float) -> None:
    X, y, task = related(1, n=120)
    X = representable(X, offset) + offset
    X = X * 2.0 ** round(np.log2(spread))
    found = ClassMoments.from_samples(way(X), y, task)
    # A mean has the rounding of its own digits, and squares have twice that of their deviations.
    lost = EPS * max(abs(offset), 1.0)
    assert_exact(found, oracle.moments(X, y, task), 8 * EPS, 1e-13 + 100 * lost**2)


def test_features_of_wildly_different_size(way: Way) -> None:
    X, y, task = related(2, n=120)
    X = X * 10.0 ** np.array([-150, -80, -3, 5, 90, 150])
    found = ClassMoments.from_samples(way(X), y, task)
    assert_exact(found, oracle.moments(X, y, task), 8 * EPS, 1e-13)


@pytest.mark.parametrize("value", [0.0, 0.1, 1e12 / 3, 1e150 / 3, -1e200, 5e-324])
def test_what_is_constant_has_no_spread(way: Way, value: float) -> None:
    """Not even one of rounding, of which a feature could be made."""
    X, y, task = related(3, n=120)
    X[:, 2] = value
    found = ClassMoments.from_samples(way(X), y, task)
    np.testing.assert_array_equal(found.means[..., 2], value)
    np.testing.assert_array_equal(found.squares[..., 2], 0.0)
    halves = [
        ClassMoments.from_samples(way(X[half]), y[half], task[half])
        for half in (slice(None, 50), slice(50, None))
    ]
    for moments in (halves[0] + halves[1], found - halves[0]):
        np.testing.assert_array_equal(moments.means[..., 2], value)
        np.testing.assert_array_equal(moments.squares[..., 2], 0.0)


@pytest.mark.parametrize(
    ("dtype", "size"), [("f4", 3e38), ("f4", 1e20), ("f4", 1e-22), ("f4", 1e-37), ("f2", 6e4)]
)
def test_the_limits_of_single_and_half_precision(way: Way, dtype: str, size: float) -> None:
    X, y, task = related(4, n=120)
    X = (X / np.abs(X).max() * size).astype(dtype)
    try:
        rows = way(X)
    except (TypeError, ValueError):
        pytest.skip("the library has no half precision")
    found = ClassMoments.from_samples(rows, y, task)
    assert_exact(found, oracle.moments(X, y, task), 1e-6, 4e-6)


def test_subnormal_numbers_keep_their_means(way: Way) -> None:
    X, y, task = related(5, n=120)
    X = X * 1e-310
    found = ClassMoments.from_samples(way(X), y, task)
    exact = oracle.rounded(oracle.moments(X, y, task).means)
    np.testing.assert_allclose(found.means, exact, rtol=0, atol=2e-323)
    np.testing.assert_array_equal(found.squares, 0.0)  # of which a fit warns


@pytest.mark.parametrize("weight", [1.0, 1e7])
def test_heavy_rows(way: Way, weight: float) -> None:
    X, y, task = related(6, n=120)
    X = (X + 5.0) * 2.0**495
    weights = np.where(np.arange(len(X)) % 3 == 0, weight, 1.0)
    found = ClassMoments.from_samples(way(X), y, task, sample_weight=weights)
    assert_exact(found, oracle.moments(X, y, task, weights), 16 * EPS, 1e-13)


@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_sums_and_differences_of_moments(spread: float, offset: float) -> None:
    X, y, task = related(7, n=240)
    X = (representable(X, offset) + offset) * 2.0 ** round(np.log2(spread))
    parts = [
        ClassMoments.from_samples(X[rows], y[rows], task[rows])
        for rows in np.array_split(np.arange(len(X)), 7)
    ]
    whole = ClassMoments.from_samples(X, y, task)
    lost = 10 * EPS * max(offset, 1.0)
    assert_exact(sum(parts[1:], parts[0]), oracle.moments(X, y, task), 16 * EPS, 1e-12 + lost)
    kept = np.arange(len(X)) >= len(np.array_split(np.arange(len(X)), 7)[0])
    rest = oracle.moments(X[kept], y[kept], task[kept])
    assert_exact(whole - parts[0], rest, 32 * EPS, 1e-12 + lost)


@pytest.mark.parametrize("offset", [1e9, 1e12])
def test_rows_that_leave_one_behind_far_from_zero(offset: float) -> None:
    """What is left has no spread: its rounding must not look like rows that were never there."""
    for seed in range(20):
        X = representable(np.random.default_rng(seed).normal(size=(4, 3)), offset) + offset
        whole = ClassMoments.from_samples(X, np.zeros(4))
        rest = whole - ClassMoments.from_samples(X[1:], np.zeros(3))
        np.testing.assert_allclose(rest.means[0, 0], X[0], rtol=20 * EPS)


@pytest.mark.long
def test_ten_million_rows_of_a_cell() -> None:
    """In one pass, and as a sum of moments that doubles."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10_000_000, 1)).astype(np.float32)
    X += np.float32(3.0)
    found = ClassMoments.from_samples(X, np.zeros(len(X), dtype=np.int8))
    wide = X[:, 0].astype(np.float64)
    np.testing.assert_allclose(found.means[0, 0, 0], wide.mean(), rtol=1e-7)
    np.testing.assert_allclose(found.squares[0, 0, 0], wide.var() * len(X), rtol=1e-6)


@pytest.mark.parametrize("spread", [1e-150, 1e150])
def test_moments_of_ten_million_rows_at_the_limits(spread: float) -> None:
    X, y, task = related(8, n=80)
    X = X / np.abs(X).max() * spread
    found = ClassMoments.from_samples(X, y, task)
    cells = oracle.moments(X, y, task)
    for _ in range(20):  # each cell then has a million times its ten rows
        found = found + found
    many = oracle.Cells(cells.counts * 2**20, cells.means, cells.squares * 2**20)
    assert_exact(found, many, 16 * EPS, 1e-12)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("place", [0, -1])
@pytest.mark.parametrize("n", [500, 2_000, 40_000])
def test_an_outlier_costs_single_precision_no_digits(
    n: int, place: int, compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Deviations were taken from the last row of a cell: as an outlier it cost three digits."""
    if compiled:
        pytest.importorskip("numba")
        monkeypatch.setattr(machine_code, "MANY_NUMBERS", 0)
    for far in (10.0, 30.0, 100.0, 1e3, 5e3, 1e5):
        X = np.random.default_rng(int(far)).normal(size=(n, 3)).astype(np.float32)
        X[place] = far
        squares = ClassMoments.from_samples(X, np.zeros(n)).squares[0, 0]
        wide = X.astype(np.float64)
        error = np.abs(squares / (wide.var(axis=0) * n) - 1.0).max()
        assert error < (2e-6 if compiled else 3e-5), far
