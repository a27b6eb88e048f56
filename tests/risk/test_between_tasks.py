"""How far errors lie apart if distances between classes differ by a factor."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import norm

from kinspan.risk.between_tasks import change_of_error, rows_of_a_task
from kinspan.risk.gaussian import error_of_equal_classes


def best_error(distance: float, rarer: float) -> float:
    """Of the best threshold between two Gaussian classes, by brute force."""

    def error(threshold: float) -> float:
        missed = rarer * norm.cdf(threshold - distance / 2)
        return float(missed + (1 - rarer) * norm.sf(threshold + distance / 2))

    return float(minimize_scalar(error, bounds=(-9, 9), method="bounded").fun)


@pytest.mark.parametrize("rarer", [0.5, 0.2, 1 / 21])
@pytest.mark.parametrize("distance", [0.7, 2.0, 4.0])
def test_it_is_the_derivative_of_the_best_error(distance: float, rarer: float) -> None:
    if rarer < 0.1 and distance < 1:
        distance = 1.5  # hardly any row of the rarer class is found at .7
    step = 1e-3
    ends = [best_error(distance * np.exp(s), rarer) for s in (-step, step)]
    found = change_of_error(np.array(best_error(distance, rarer)), rarer)
    assert found == pytest.approx((ends[0] - ends[1]) / (2 * step), rel=0.01)


@pytest.mark.parametrize("m", [3, 20])
@pytest.mark.parametrize("distance", [0.5, 1.0, 3.0])
def test_it_is_the_derivative_of_the_error_of_equal_classes(distance: float, m: int) -> None:
    step = 1e-3
    near, here, far = error_of_equal_classes(distance * np.exp([-step, 0.0, step]), m)
    found = change_of_error(np.array(here), 1 - 1 / m)
    assert found == pytest.approx((near - far) / (2 * step), rel=0.01)


def test_errors_of_guessing_and_of_nothing_do_not_move() -> None:
    for chance in (0.5, 0.05, 0.9):
        middle = change_of_error(np.array(chance / 2), chance)
        ends = change_of_error(np.array([1e-9, chance]), chance)
        assert (ends < 1e-2 * middle).all()


@pytest.mark.parametrize("error", [0.05, 0.2, 0.35])
def test_a_known_task_is_worth_what_errors_vary(error: float) -> None:
    """Distances that differ by a tenth: errors vary as shares of so many rows would."""
    spread, rng = 0.1, np.random.default_rng(0)
    distances = norm.isf(error) * np.exp(spread * rng.normal(size=100_000))
    errors = norm.sf(distances)
    rows = rows_of_a_task(float(2 * errors.mean()), 1e6, 0.5) / spread**2
    expected = errors.mean() * (1 - errors.mean()) / errors.var()
    assert rows == pytest.approx(expected, rel=0.1)


def test_tasks_that_can_only_guess_are_alike() -> None:
    """As far as it is known that they can."""
    few, many = (rows_of_a_task(1.0, rows, 0.5) for rows in (10.0, 1e4))
    middle = rows_of_a_task(0.4, 1e4, 0.5)
    assert middle < few < many
    assert many > 100 * middle


@pytest.mark.parametrize("relative", [0.0, 1e-12, 1.0, 1.7])
@pytest.mark.parametrize("chance", [1e-4, 0.5, 0.999])
def test_it_is_a_number_whatever_the_errors(relative: float, chance: float) -> None:
    found: Any = [rows_of_a_task(relative, rows, chance) for rows in (1.0, 30.0, 1e6)]
    assert np.isfinite(found).all()
    assert min(found) > 0


@pytest.mark.parametrize("chance", [0.5, 2 / 3])
def test_rounding_of_the_chance_does_not_decide(chance: float) -> None:
    """It is a mean over tasks, which a sum in another order changes in the last digit."""
    found = [rows_of_a_task(0.4, 1e3, c) for c in (chance - 1e-15, chance, chance + 1e-15)]
    np.testing.assert_allclose(found, found[1], rtol=1e-9)
