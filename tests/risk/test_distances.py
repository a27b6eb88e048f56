"""Errors as standard distances, and the spread of scores that two sets of errors imply."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from kinspan.risk import spread_of_scores
from kinspan.risk.distances import distance_of_two, distances_at
from kinspan.risk.gaussian import error_of_equal_classes, error_of_two

TWO = np.array([2, 2])


def errors_at(distances: Any) -> Any:
    """Of two classes."""
    return norm.sf(distances)


def test_distances_of_two_classes_are_quantiles() -> None:
    errors = np.array([0.5, 0.3, 0.01, 0.7, np.nan])
    found = distances_at(errors, np.full(5, 2))
    np.testing.assert_allclose(found[:3], norm.isf(errors[:3]), atol=1e-4)
    assert found[3] == 0.0  # worse than chance
    assert np.isnan(found[4])


@pytest.mark.parametrize("m", [2, 3, 10])
def test_distances_undo_the_error(m: int) -> None:
    distance = np.array([0.1, 1.0, 2.5])
    errors = error_of_equal_classes(distance, m)
    np.testing.assert_allclose(distances_at(errors, np.full(3, m)), distance, atol=1e-4)


@pytest.mark.parametrize("share", [0.5, 0.3, 0.05])
def test_the_error_of_two_classes_is_the_least_of_all_thresholds(share: float) -> None:
    thresholds = np.linspace(-30.0, 30.0, 600001)
    for distance in (0.2, 1.0, 2.5):
        errors = (1 - share) * norm.sf(thresholds + distance) + share * norm.cdf(
            thresholds - distance
        )
        found = float(error_of_two(distance, share))
        assert found == pytest.approx(errors.min(), abs=1e-9)
        if found < 0.999 * share:
            assert distance_of_two(found, share) == pytest.approx(distance, abs=2e-3)
    assert error_of_two(0.0, share) == pytest.approx(share)
    assert distance_of_two(share, share) == distance_of_two(2 * share, share) == 0.0
    assert np.isnan(distance_of_two(float("nan"), share))


@pytest.mark.parametrize(("n_rows", "power"), [(0, 0.0), (200, 0.5), (600, 0.75), (10**9, 1.0)])
def test_the_spread_is_believed_as_far_as_rows_tell(n_rows: int, power: float) -> None:
    """The squared ratio of the distances, to the power rows/(rows + 200)."""
    plain, actual = np.array([1.5, 2.5]), np.array([1.0, 1.2])
    found = spread_of_scores(errors_at(plain), errors_at(actual), TWO, n_rows)
    assert found == pytest.approx((plain.sum() / actual.sum()) ** (2 * power), rel=1e-3)


def test_tasks_without_a_forecast_say_nothing_about_the_spread() -> None:
    isotropic, error = errors_at([2.0, 1.0]), errors_at([1.0, 0.9])
    one = spread_of_scores(isotropic[:1], error[:1], TWO[:1], 500)
    both = spread_of_scores(isotropic, np.array([error[0], np.nan]), TWO, 500)
    assert both == pytest.approx(one)
    assert spread_of_scores(np.full(2, 0.5), error, TWO, 500) == 1.0  # nothing to compare with


@pytest.mark.parametrize(("plain", "actual", "bound"), [(2.0, 0.01, 100.0), (1.0, 9.0, 0.1)])
def test_the_spread_is_bounded(plain: float, actual: float, bound: float) -> None:
    found = spread_of_scores(errors_at([plain]), errors_at([actual]), TWO[:1], 10**12)
    assert found == pytest.approx(bound, rel=1e-6)
