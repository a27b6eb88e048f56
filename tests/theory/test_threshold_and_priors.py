"""The threshold between two Gaussian scores, and what priors change."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from kinspan.theory import (
    decision_threshold,
    error_rate,
    mtl_score_means,
    optimal_error_rate,
    optimal_labels,
    threshold_error_rate,
)
from tests.theory.theory_simulation import (
    Floats,
    assert_within,
    population_means,
    random_gram,
    sampled_means,
    unit,
)

GRAM, COUNTS, P = 1.5 * random_gram(4, 11), [[80, 40], [20, 30]], 400


def wrong(
    zeta: float | Floats,
    m: tuple[float, float],
    v: tuple[float, float],
    pi: tuple[float, float],
) -> Floats:
    below, above = (zeta - m[0]) / v[0] ** 0.5, (zeta - m[1]) / v[1] ** 0.5
    return np.asarray(pi[0] * norm.cdf(below) + pi[1] * norm.sf(above))


@pytest.mark.parametrize("pi", [(0.5, 0.5), (0.9, 0.1), (0.001, 0.999)])
@pytest.mark.parametrize("v", [(1.0, 1.0), (0.2, 1.5), (4.0, 0.5), (1.0, 1.0 + 1e-9)])
@pytest.mark.parametrize("m", [(1.0, -1.0), (3.0, 2.5), (0.2, 0.2), (10.0, -10.0)])
def test_no_other_threshold_is_better(
    m: tuple[float, float], v: tuple[float, float], pi: tuple[float, float]
) -> None:
    zeta = decision_threshold(m, score_variances=v, priors=pi)
    error = threshold_error_rate(m, zeta, score_variances=v, priors=pi)
    assert error == pytest.approx(wrong(zeta, m, v, pi), abs=1e-12)
    grid = np.append(np.linspace(-30, 30, 3001), [-1e6, 1e6])
    assert error <= wrong(grid, m, v, pi).min() + 1e-12


def test_equal_variances_give_the_formula() -> None:
    for variance in (1.0, 2.5):
        zeta = decision_threshold(
            [1.2, -0.4], score_variances=[variance, variance], priors=[0.7, 0.3]
        )
        assert zeta == pytest.approx(0.4 - variance * np.log(0.7 / 0.3) / 1.6)


def test_a_common_offset_moves_the_threshold_and_nothing_else() -> None:
    zeta = decision_threshold([1e8 + 1, 1e8 - 1], priors=[0.7, 0.3])
    assert zeta - 1e8 == pytest.approx(decision_threshold([1, -1], priors=[0.7, 0.3]), abs=1e-7)


def test_wrong_way_round_is_wrong_as_often_as_the_right_way_is_right() -> None:
    for pi in ([0.5, 0.5], [0.8, 0.2]):
        right = threshold_error_rate([1, -1], decision_threshold([1, -1], priors=pi), priors=pi)
        turned = threshold_error_rate([-1, 1], decision_threshold([-1, 1], priors=pi), priors=pi)
        assert turned == pytest.approx(1 - right)


def test_without_a_gap_the_more_frequent_class_is_answered() -> None:
    zero = np.zeros((4, 4))
    assert error_rate(zero, COUNTS, P, np.ones(4), target=0, priors=[0.7, 0.3]) == pytest.approx(
        0.3
    )
    assert error_rate(zero, COUNTS, P, np.ones(4), target=0) == 0.5


@pytest.mark.parametrize("pi", [(0.5, 0.5), (0.75, 0.25), (0.1, 0.9)])
def test_the_error_with_priors_is_simulated(pi: tuple[float, float]) -> None:
    M, n = population_means(GRAM, P), np.ravel(COUNTS)
    y = optimal_labels(GRAM, COUNTS, P, target=1).ravel()
    theory = mtl_score_means(GRAM, COUNTS, P, y)[2:]
    zeta = decision_threshold(theory, priors=pi)
    errors = []
    for seed in range(100):
        w = unit((n * y) @ sampled_means(M, COUNTS, np.random.default_rng(seed)))
        m = M[2:] @ w
        errors.append(wrong(zeta, (m[0], m[1]), (1.0, 1.0), pi))
    assert_within(errors, optimal_error_rate(GRAM, COUNTS, P, target=1, priors=pi))


def test_labels_that_are_best_for_one_prior_are_best_for_all() -> None:
    y = optimal_labels(GRAM, COUNTS, P, target=1)
    rng = np.random.default_rng(0)
    for pi in ([0.6, 0.4], [0.1, 0.9]):
        best = optimal_error_rate(GRAM, COUNTS, P, target=1, priors=pi)
        assert error_rate(GRAM, COUNTS, P, y, target=1, priors=pi) == pytest.approx(best)
        for _ in range(5):
            other = y + 0.3 * np.abs(y).max() * rng.standard_normal(y.shape)
            assert error_rate(GRAM, COUNTS, P, other, target=1, priors=pi) >= best
