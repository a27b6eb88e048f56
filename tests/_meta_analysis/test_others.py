"""What every task is, given the others: limits, and a simulation."""

from __future__ import annotations

import numpy as np

from kinspan._meta_analysis.others import Before, given_others


def test_a_task_alone_is_its_own_estimate() -> None:
    found = given_others(np.array([0.7]), np.array([0.2]), [0.1, 1.0])
    np.testing.assert_allclose([*found.mean, *found.variance, *found.own], [0.7, 0.2, 1.0])


def test_a_task_without_an_estimate_is_like_the_others() -> None:
    values, variances = np.array([1.0, 3.0, 99.0]), np.array([0.1, 0.1, np.inf])
    found = given_others(values, variances, [0.5])
    np.testing.assert_allclose(found.mean[2], 2.0)
    np.testing.assert_allclose(found.variance[2], 0.5 + 0.6 / 2)
    assert found.own[2] == 0.0
    # Nor does it say anything of the others.
    rest = given_others(values[:2], variances[:2], [0.5])
    np.testing.assert_allclose(found.mean[:2], rest.mean)


def test_nothing_is_known_without_any_estimate() -> None:
    found = given_others(np.zeros(2), np.full(2, np.inf), [1.0])
    assert np.isnan(found.mean).all()


def test_the_prior_of_a_task_is_made_of_the_others() -> None:
    """The textbook posterior for one variance between tasks, written out."""
    x, v, between = np.array([0.0, 1.0, 4.0]), np.array([0.5, 1.0, 2.0]), 0.3
    found = given_others(x, v, [between])
    for t in range(3):
        rest = np.arange(3) != t
        weights = 1.0 / (v[rest] + between)
        centre, prior = weights @ x[rest] / weights.sum(), 1.0 / weights.sum() + between
        expected = (x[t] / v[t] + centre / prior) / (1 / v[t] + 1 / prior)
        np.testing.assert_allclose(found.mean[t], expected)
        np.testing.assert_allclose(found.variance[t], 1 / (1 / v[t] + 1 / prior))


def test_posteriors_cover_what_they_say_whatever_tasks_differ_by() -> None:
    rng = np.random.default_rng(1)
    for between in (0.01, 0.1, 1.0):
        inside = []
        for _ in range(40):
            variances = rng.uniform(0.05, 0.5, size=30)
            truth = 2.0 + np.sqrt(between) * rng.normal(size=30)
            values = truth + np.sqrt(variances) * rng.normal(size=30)
            found = given_others(values, variances, [1.0, 1 / 3, 0.1, 1 / 30, 0.01])
            inside += (np.abs(found.mean - truth) < 1.645 * np.sqrt(found.variance)).tolist()
        # Wider where tasks are all the same, because they might not be.
        assert 0.85 < np.mean(inside) < 0.99


def test_what_was_before_is_one_more_task_that_nobody_asks_for() -> None:
    values, variances = np.array([0.3, -0.2, 0.9]), np.array([0.1, 0.5, 0.2])
    first = Before(1.5, 0.4)
    found = given_others(values, variances, [0.3], first)
    more = given_others(np.r_[values, 1.5], np.r_[variances, 0.4], [0.3])
    np.testing.assert_allclose(found.mean, more.mean[:3])
    np.testing.assert_allclose(found.variance, more.variance[:3])
    single = given_others(values[:1], variances[:1], [0.3], first)
    assert 0.3 < single.mean[0] < 1.5
