"""Theorem 2 against simulated supervised PCA, and its distance to Theorem 1."""

from __future__ import annotations

import numpy as np
import pytest

from kinspan.datasets import gaussian_mixture
from kinspan.theory import (
    optimal_error_rate,
    pca_score_means,
    spca_error_rate,
    spca_pca_gap,
    spca_score_means,
)
from tests.theory.theory_simulation import (
    Floats,
    align,
    assert_within,
    gap_to_error,
    population_means,
    random_gram,
)

THREE = np.array([[6.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 1.0]])
CASES = [
    (np.array([[1.0, -0.5], [-0.5, 2.0]]), [100, 60], 200),
    (np.array([[1.0, -1.0], [-1.0, 1.0]]), [120, 30], 400),
    (THREE, [150, 100, 60], 400),  # eigenvalues apart: close ones would swap components
    (THREE, [20, 300, 40], 800),
]
NAMES = ["two classes", "opposite, unbalanced", "three classes", "three classes, unbalanced"]


def simulated(gram: Floats, counts: list[int], p: int, seed: int) -> Floats:
    """(classes, components) true means on the eigenvectors of XyyᵀXᵀ from rows, canonical y."""
    M = population_means(gram, p)
    train = gaussian_mixture(M[None], [counts], random_state=seed)
    y = np.eye(len(counts))[train.y]
    V = np.linalg.svd(train.X.T @ y, full_matrices=False)[0]
    return np.asarray(M @ V)


def distances(means: Floats) -> Floats:
    return np.asarray(((means[:, None] - means[None]) ** 2).sum(axis=-1))


@pytest.mark.parametrize(("gram", "counts", "p"), CASES, ids=NAMES)
def test_score_means_and_errors(gram: Floats, counts: list[int], p: int) -> None:
    theory = spca_score_means(gram, counts, p)
    drawn = [align(simulated(gram, counts, p, seed), theory) for seed in range(60)]
    informative = np.abs(theory).max(axis=0) > 0.1
    assert_within(np.array(drawn)[:, :, informative], theory[:, informative])
    errors = gap_to_error([np.sqrt(distances(means)) for means in drawn])
    expected = np.asarray(spca_error_rate(gram, counts, p))
    assert_within(errors[:, 0, 1], expected if len(counts) == 2 else expected[0, 1])
    if len(counts) > 2:
        assert_within(errors[:, 1, 2], expected[1, 2])


@pytest.mark.parametrize(("gram", "counts", "p"), CASES, ids=NAMES)
def test_the_corrected_formula_as_printed(gram: Floats, counts: list[int], p: int) -> None:
    n = np.array(counts)
    c0, c = p / n.sum(), n / n.sum()
    root = np.diag(np.sqrt(c))
    scaled = root @ gram @ root / c0
    values, vectors = np.linalg.eigh(np.diag(c) + root @ scaled @ root)
    projected = vectors.T @ root @ scaled @ np.linalg.inv(root)
    printed = (np.sqrt(c0 / values)[:, None] * projected).T[:, ::-1]
    theory = spca_score_means(gram, counts, p)
    np.testing.assert_allclose(align(printed, theory), theory, atol=1e-12)


def test_canonical_labels_are_optimal_for_one_task() -> None:
    for gram, counts, p in CASES:
        np.testing.assert_allclose(
            spca_error_rate(gram, counts, p), optimal_error_rate(gram, counts, p, target=0)
        )


def test_the_gap_is_that_of_the_two_theorems_and_never_negative() -> None:
    rng = np.random.default_rng(0)
    for seed in range(200):
        m = int(rng.integers(2, 5))
        gram = random_gram(m, seed, rank=int(rng.integers(1, m + 2))) * rng.uniform(0.1, 9)
        counts, p = rng.integers(5, 300, m), int(rng.integers(10, 400))
        after_spca, after_pca = (
            distances(means(gram, counts, p)) for means in (spca_score_means, pca_score_means)
        )
        found = spca_pca_gap(gram, counts, p)
        np.testing.assert_allclose(found.gap, after_spca - after_pca, atol=1e-8)
        assert found.gap.min() >= 0
        np.testing.assert_allclose(found.relative * after_spca, found.gap, atol=1e-10)


@pytest.mark.parametrize("counts", [[500, 500], [700, 300], [990, 10]])
def test_the_explicit_gap_holds_for_opposite_means_whatever_the_balance(counts: list[int]) -> None:
    found = spca_pca_gap([[2, -2], [-2, 2]], counts, 300)
    assert found.gap[0, 1] == pytest.approx(found.explicit)
    assert found.gap[0, 1] == pytest.approx(16 / (1000 / 300 * 8 + 4))
    assert found.relative[0, 1] == pytest.approx(16 / (1000 / 300 * 8**2))


@pytest.mark.parametrize(
    ("gram", "p"),
    [([[4, 0], [0, 0]], 300), ([[2, 0.5], [0.5, 2]], 300), ([[1, -1], [-1, 1]], 3000)],
)
def test_elsewhere_the_explicit_gap_is_wrong_and_not_given(gram: list[list[float]], p: int) -> None:
    found = spca_pca_gap(gram, [700, 300], p)
    assert np.isnan(found.explicit)
    G = np.array(gram)
    printed = 16 / (1000 / p * (G[0, 0] + G[1, 1] - 2 * G[0, 1]) + 4)
    assert abs(found.gap[0, 1] - printed) > 0.01
    assert np.isnan(spca_pca_gap(np.eye(3), [10, 10, 10], 5).explicit)
