"""Theorem 1 against simulated principal components."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse.linalg import svds

from kinspan.datasets import gaussian_mixture
from kinspan.theory import pca_error_rate, pca_score_means, phase_transition
from tests.theory.theory_simulation import (
    Floats,
    align,
    assert_within,
    gap_to_error,
    population_means,
)

CASES = [
    (np.array([[2.0, -2.0], [-2.0, 2.0]]), [250, 250], 300, 1),
    (np.array([[3.0, -1.5], [-1.5, 4.0]]), [400, 100], 300, 1),
    (np.array([[9.0, 2.0], [2.0, 12.0]]), [100, 150], 500, 2),
    (np.array([[9.0, 1.0, 0.0], [1.0, 12.0, 0.5], [0.0, 0.5, 20.0]]), [400, 200, 300], 800, 3),
]
NAMES = ["opposite", "unbalanced", "two components", "three classes"]


def simulated(gram: Floats, counts: list[int], p: int, tau: int, seed: int) -> Floats:
    """(classes, components) mean scores of test rows on the components of one training set."""
    M = population_means(gram, p)
    X = gaussian_mixture(M[None], [counts], random_state=seed).X
    U = svds(X, k=tau, random_state=seed)[2][::-1]
    return np.asarray(M @ U.T)


@pytest.mark.parametrize(("gram", "counts", "p", "tau"), CASES, ids=NAMES)
def test_score_means_and_errors(gram: Floats, counts: list[int], p: int, tau: int) -> None:
    theory = pca_score_means(gram, counts, p, n_components=tau)
    assert phase_transition(gram, counts, p).informative.sum() == tau
    drawn = [align(simulated(gram, counts, p, tau, seed), theory) for seed in range(20)]
    assert_within(drawn, theory)
    gaps = [np.linalg.norm(means[0] - means[1]) for means in drawn]
    expected = pca_error_rate(gram, counts, p, n_components=tau)
    assert_within(gap_to_error(gaps), expected if len(counts) == 2 else np.asarray(expected)[0, 1])


def test_below_the_transition_pca_guesses() -> None:
    gram = np.array([[0.6, -0.6], [-0.6, 0.6]])
    assert pca_error_rate(gram, [100, 100], 200) == 0.5
    np.testing.assert_array_equal(pca_score_means(gram, [100, 100], 200), 0)


def test_more_components_than_classes_carry_nothing() -> None:
    gram, counts, p, _ = CASES[3]
    few, many = (pca_score_means(gram, counts, p, n_components=n) for n in (1, 5))
    np.testing.assert_array_equal(few, many[:, :1])
    np.testing.assert_array_equal(many[:, 3:], 0)
    np.testing.assert_array_equal(pca_error_rate(gram, counts, p, n_components=5),
                                  pca_error_rate(gram, counts, p))  # fmt: skip


def test_with_many_rows_pca_knows_the_means() -> None:
    gram = CASES[3][0]
    means = pca_score_means(gram, [1e12, 2e12, 3e12], 100)
    np.testing.assert_allclose(means @ means.T, gram, atol=1e-6)
