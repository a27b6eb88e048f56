"""How much tasks really differ, beyond the errors of their estimates."""

from __future__ import annotations

import numpy as np
import pytest

from kinspan._meta_analysis import variance_between


def test_the_estimate_of_dersimonian_and_laird_is_that_of_its_formula() -> None:
    """(Q − (n − 1))/(Σw − Σw²/Σw), with Q the weighted scatter around the weighted mean."""
    rng = np.random.default_rng(0)
    values, weights = 3.0 * rng.normal(size=6), rng.uniform(1, 9, 6)
    centre = np.average(values, weights=weights)
    q = sum(w * (value - centre) ** 2 for value, w in zip(values, weights, strict=True))
    expected = (q - 5) / (weights.sum() - (weights**2).sum() / weights.sum())
    assert variance_between(values, weights, 6) == pytest.approx(expected)


def test_many_estimates_tell_the_variance_of_what_they_estimate() -> None:
    rng = np.random.default_rng(1)
    found = []
    for _ in range(200):
        errors = rng.uniform(0.2, 2.0, 50)
        values = rng.normal(scale=1.5, size=50) + errors * rng.normal(size=50)
        found.append(variance_between(values, errors**-2, 50))
    assert abs(np.mean(found) - 1.5**2) < 4 * np.std(found) / np.sqrt(200)


def test_estimates_that_scatter_as_their_errors_do_differ_by_nothing() -> None:
    assert variance_between(np.array([1.0, 1.1, 0.9]), np.ones(3), 3) == 0.0


def test_values_without_weight_are_not_looked_at() -> None:
    values, weights = np.array([1.0, 5.0, 9.0]), np.array([2.0, 3.0, 4.0])
    found = variance_between(np.append(values, 1e9), np.append(weights, 0.0), 3)
    assert found == pytest.approx(variance_between(values, weights, 3))
