"""What the other values of a row say of a missing one is a regression, and has not seen the row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinspan.selection.other_values import _slope, regressed
from tests.selection.naive_filling import NaiveFilling


def correlated(seed: int, n: int, p: int, share: float = 0.3) -> tuple[Any, Any]:
    """Deviations of rows with few factors, in units of their own, and where holes are."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)) @ rng.normal(size=(2, p)) + 0.5 * rng.normal(size=(n, p))
    holes = rng.random((n, p)) < share
    X = X * np.geomspace(0.1, 10.0, p)
    X -= np.nanmean(np.where(holes, np.nan, X), axis=0)
    return np.where(holes, 0.0, X), holes


def found_by(deviations: Any, holes: Any, weights: Any = None, shift: Any = None) -> Any:
    n, p = deviations.shape
    weights = np.ones(n) if weights is None else weights
    shift = np.zeros(p) if shift is None else shift
    return regressed(deviations, holes, weights, shift, np.zeros(p))


def added(found: Any, deviations: Any) -> Any:
    """What is added to the fills of new rows."""
    return np.zeros_like(deviations) if found.others is None else found.others.of(deviations)


@pytest.mark.parametrize(("n", "p"), [(30, 6), (8, 12), (9, 9)], ids=["tall", "wide", "square"])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.6])
def test_it_is_a_ridge_regression_on_the_other_values(n: int, p: int, share: float) -> None:
    X, holes = correlated(n, n, p, share)
    task = np.zeros(n, dtype=int)
    naive = NaiveFilling.of(np.where(holes, np.nan, X), task)
    found = found_by(X, holes)
    own = naive.own_rows(np.where(holes, np.nan, X), task)
    np.testing.assert_allclose(found.left_out[holes], own[holes], rtol=1e-8, atol=1e-10)
    new, absent = correlated(n + 1, 20, p, 0.5)
    expected = naive.rows(np.where(absent, np.nan, new), np.zeros(20, dtype=int))
    given = added(found, np.where(absent, 0.0, new))
    np.testing.assert_allclose(given[absent], expected[absent], rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize(("n", "p"), [(20, 5), (5, 20)])
def test_a_row_of_weight_two_is_the_row_twice(n: int, p: int) -> None:
    X, holes = correlated(1, n, p)
    weights = np.random.default_rng(0).integers(1, 4, n).astype(float)
    copies = weights.astype(int)
    light = found_by(X, holes, weights)
    heavy = found_by(np.repeat(X, copies, axis=0), np.repeat(holes, copies, axis=0))
    # Copies see each other, so that only the slope of the regression may differ.
    first, second = added(light, X), added(heavy, X)
    ratio = float((first * second).sum() / (second**2).sum())
    np.testing.assert_allclose(first, ratio * second, rtol=1e-8, atol=1e-10)


def test_units_of_features_do_not_matter() -> None:
    X, holes = correlated(2, 40, 7)
    units = 2.0 ** np.arange(-3, 4)
    plain, other = found_by(X, holes), found_by(X * units, holes)
    np.testing.assert_allclose(other.left_out, plain.left_out * units, rtol=1e-9, atol=1e-12)


def test_constant_features_take_and_say_exactly_nothing() -> None:
    X, holes = correlated(3, 40, 7)
    X[:, 2] = 0.0
    found = found_by(X, holes)
    assert not found.left_out[:, 2].any()
    new = correlated(4, 10, 7)[0]
    assert not added(found, new)[:, 2].any()
    moved = new + 1e6 * (np.arange(7) == 2)
    np.testing.assert_array_equal(added(found, moved), added(found, new))


def test_deviations_that_are_rounding_are_none() -> None:
    X, holes = correlated(5, 40, 7)
    X[:, 2] = 1e-16 * X[:, 2]
    found = regressed(X, holes, np.ones(40), np.zeros(7), np.full(7, 1e-12))
    assert not found.left_out[:, 2].any()


@pytest.mark.parametrize("seed", range(10))
def test_features_that_say_nothing_of_each_other_add_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, holes = rng.normal(size=(50, 40)), rng.random((50, 40)) < 0.3
    found = found_by(np.where(holes, 0.0, X), holes)
    assert not found.left_out.any()
    assert found.others is None


@pytest.mark.parametrize(("slope", "counts"), [(0.39, False), (0.41, True), (-0.5, False)])
def test_a_slope_counts_from_four_standard_errors_on(slope: float, counts: bool) -> None:
    """A hundred values that lie one above and below what is expected: the standard error is .1."""
    expected, noise = np.ones((100, 1)), np.resize([1.0, -1.0], (100, 1))
    weights, there = np.full(100, 0.01), np.array([1.0])
    found = _slope(expected, slope * expected + noise, weights, there)
    assert found[0] == pytest.approx(slope * (1.0 - (0.4 / slope) ** 2) if counts else 0.0)


def test_correlated_values_are_found_again() -> None:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(300, 2)) @ rng.normal(size=(2, 20)) + 0.3 * rng.normal(size=(300, 20))
    holes = rng.random(X.shape) < 0.3
    found = found_by(np.where(holes, 0.0, X), holes)
    left = ((X - found.left_out)[holes] ** 2).mean()
    assert left < 0.25 * (X[holes] ** 2).mean()


@pytest.mark.parametrize(("n", "p"), [(30, 6), (8, 12)])
def test_holes_lie_at_the_shift_before_others_speak(n: int, p: int) -> None:
    X, holes = correlated(8, n, p)
    shift = np.linspace(-0.5, 0.5, p)
    task, holed = np.zeros(n, dtype=int), np.where(holes, np.nan, X)
    naive = NaiveFilling.of(holed, task, shift)
    found = found_by(np.where(holes, 0.0, X - shift), holes, shift=shift)
    own = naive.own_rows(holed, task) - shift
    np.testing.assert_allclose(found.left_out[holes], own[holes], rtol=1e-8, atol=1e-10)
    all_holes = naive.row(np.full(p, np.nan), 0) - shift
    np.testing.assert_allclose(added(found, np.zeros((1, p)))[0], all_holes, atol=1e-10)


@pytest.mark.parametrize("size", [1e-150, 1e150])
def test_extreme_sizes_stay_numbers(size: float) -> None:
    X, holes = correlated(9, 30, 6)
    plain, other = found_by(X, holes), found_by(X * size, holes)
    np.testing.assert_allclose(other.left_out / size, plain.left_out, rtol=1e-9, atol=1e-12)


def test_one_row_and_rows_without_values_are_left_alone() -> None:
    for X in (np.ones((1, 3)), np.zeros((4, 3)), np.zeros((0, 3))):
        found = found_by(X, np.zeros(X.shape, dtype=bool))
        assert np.isfinite(found.left_out).all()
        assert not added(found, np.zeros((2, 3))).any()
    nothing = found_by(np.zeros((4, 3)), np.ones((4, 3), dtype=bool))
    assert not nothing.left_out.any()
