"""Forecasts of scores: what each part of the error and of its interval is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import beta, norm

from kinspan.risk import Forecast, LeftOut, forecast_of_scores

EQUAL = np.array([0.5, 0.5])


def forecast(
    margins: Any, t: Any, c: Any, priors: Any, inflation: float = 1.0, weights: Any = None
) -> Forecast:
    """Of two classes, from their margins."""
    left_out = LeftOut(np.column_stack([-margins, margins]) / 2, np.full(len(margins), inflation))
    weights = np.ones(len(margins)) if weights is None else weights
    return forecast_of_scores(left_out, t, c, weights, priors)


def exact_margins(n: int, centre: float, deviation: float = 1.0) -> tuple[Any, Any, Any]:
    """n rows a class of one task, with exactly these means and this pooled deviation."""
    noise = np.tile([-1.0, 1.0], n // 2) * np.sqrt((2 * n - 2) / (2 * n)) * deviation
    margins = np.concatenate([noise - centre, noise + centre])
    return margins, np.zeros(2 * n, dtype=np.intp), np.repeat([0, 1], n)


def distances(interval: Any) -> Any:
    return norm.isf(interval)


@pytest.mark.parametrize("n", [4, 40])
@pytest.mark.parametrize("centre", [0.0, 0.8, 3.0])
def test_the_interval_has_three_parts(n: int, centre: float) -> None:
    """Errors of the two means, of the deviation, and five per cent of the distance for tails."""
    found = forecast(*exact_margins(n, centre), EQUAL[None])
    assert found.error[0] == pytest.approx(norm.sf(centre))
    of_means = 2 / n / 4
    of_deviation = centre**2 / (2 * (2 * n - 2))
    of_tails = (0.05 * centre) ** 2
    half = norm.isf(0.05) * np.sqrt(of_means + of_deviation + of_tails)
    near, far = distances(found.interval[0])
    np.testing.assert_allclose([near, far], [centre + half, centre - half], rtol=1e-9)


def test_intervals_cover_tails_that_differ_by_some_per_cent_of_their_distance() -> None:
    """New rows of a task follow Q(d(1 + 0.05 z)): many rows measure d, and no row measures z."""
    rng, k, n, d = np.random.default_rng(0), 1000, 400, 2.0
    t, c = np.repeat(np.arange(k), 2 * n), np.tile(np.repeat([0, 1], n), k)
    margins = d * (2 * c - 1) + rng.normal(size=len(c))
    found = forecast(margins, t, c, np.full((k, 2), 0.5))
    truth = norm.sf(d * (1 + 0.05 * rng.normal(size=k)))
    covered = ((found.interval[:, 0] <= truth) & (truth <= found.interval[:, 1])).mean()
    assert abs(covered - 0.9) < 4 * np.sqrt(0.9 * 0.1 / k)


def test_rules_with_all_rows_are_less_noisy_than_those_without_one() -> None:
    """The deviation is divided by the root of how much longer a rule without a row is."""
    found = forecast(*exact_margins(10, 1.0), EQUAL[None], inflation=1.44)
    assert found.error[0] == pytest.approx(norm.sf(1.2))


def test_deviations_of_few_rows_are_drawn_to_that_of_all() -> None:
    """As by two more rows with the common variance, whatever a task's own rows show."""
    loud, quiet = exact_margins(4, 1.0, deviation=2.0), exact_margins(20, 1.0, deviation=0.5)
    margins, t, c = (np.concatenate(both) for both in zip(loud, quiet, strict=True))
    t[len(loud[0]) :] = 1
    found = forecast(margins, t, c, np.full((2, 2), 0.5))
    freedom, variance = np.array([6.0, 38.0]), np.array([4.0, 0.25])
    common = freedom @ variance / freedom.sum()
    drawn = (freedom * variance + 2 * common) / (freedom + 2)
    np.testing.assert_allclose(found.error, norm.sf(1 / np.sqrt(drawn)))


def test_a_weight_is_so_many_rows() -> None:
    rng = np.random.default_rng(0)
    c, weights = np.tile([0, 1], 6), rng.integers(1, 4, 12)
    margins = 2.0 * c - 1 + rng.normal(size=12)
    once = forecast(margins, np.zeros(12, np.intp), c, EQUAL[None], weights=weights.astype(float))
    again = np.repeat(np.arange(12), weights)
    often = forecast(margins[again], np.zeros(len(again), np.intp), c[again], EQUAL[None])
    np.testing.assert_allclose(once.error, often.error)
    np.testing.assert_allclose(once.interval, often.interval)


def test_as_many_rows_as_means_have_no_deviation() -> None:
    """One row a class is no forecast; rows of another task are enough to tell the deviation."""
    t, c = np.array([0, 0]), np.array([0, 1])
    assert np.isnan(forecast(np.array([-1.0, 1.0]), t, c, EQUAL[None]).error[0])
    more, both = np.array([-1.0, 1.0, -1.2, 1.1, -0.7]), np.full((2, 2), 0.5)
    found = forecast(more, np.array([0, 0, 1, 1, 1]), np.array([0, 1, 0, 1, 0]), both)
    assert np.isfinite(found.error).all()


def counted(n_wrong: Any, n: Any, priors: Any) -> Forecast:
    """A task of three classes with so many wrong of so many rows."""
    c = np.repeat(np.arange(3), n)
    wrong = np.concatenate([np.arange(size) < some for some, size in zip(n_wrong, n, strict=True)])
    scores = np.eye(3)[np.where(wrong, (c + 1) % 3, c)]
    left_out = LeftOut(scores, np.ones(len(c)))
    tasks = np.zeros(len(c), dtype=np.intp)
    return forecast_of_scores(left_out, tasks, c, np.ones(len(c)), np.array([priors]))


def test_errors_of_many_classes_are_a_proportion_with_an_interval_of_jeffreys() -> None:
    """The posterior of as many rows as would give the weighted error the same variance."""
    found = counted([3, 4, 10], [10, 20, 40], [0.2, 0.6, 0.2])
    error = 0.2 * 0.3 + 0.6 * 0.2 + 0.2 * 0.25
    n = 1 / (0.2**2 / 10 + 0.6**2 / 20 + 0.2**2 / 40)
    assert found.error[0] == pytest.approx(error)
    expected = beta.ppf([0.05, 0.95], error * n + 0.5, (1 - error) * n + 0.5)
    np.testing.assert_allclose(found.interval[0], expected)


def test_intervals_of_none_and_of_all_wrong_reach_the_end() -> None:
    third = [1 / 3] * 3
    none, every = counted([0] * 3, [5] * 3, third), counted([5] * 3, [5] * 3, third)
    assert none.interval[0, 0] == 0.0 < none.interval[0, 1] < 0.2
    assert every.interval[0, 1] == 1.0 > every.interval[0, 0] > 0.8
