"""Optimal labels: the closed form, its limits, and the paper's own theory curve."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from kinspan.labels import (
    agreed_weights,
    optimal_weights,
    spectrum_of_gram,
    spectrum_of_rows,
    task_weights,
)
from kinspan.labels.fixed import naive_weights


def random_gram(seed: int, k: int = 5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(k, 3))
    return rows @ rows.T, rng.uniform(0.1, 2.0, k)


@pytest.mark.parametrize("seed", range(5))
def test_optimal_weights_solve_the_equation_of_the_paper(seed: int) -> None:
    gram, noise = random_gram(seed)
    for t in range(5):
        expected = np.linalg.solve(gram + np.diag(noise), gram[:, t])
        np.testing.assert_allclose(optimal_weights(gram, noise)[t], expected, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_no_other_weights_do_better(seed: int) -> None:
    gram, noise = random_gram(seed)
    rng = np.random.default_rng(seed)
    weights = optimal_weights(gram, noise)

    def gap(a: np.ndarray, t: int) -> float:
        return float(a @ gram[:, t] / np.sqrt(a @ (gram + np.diag(noise)) @ a))

    for t in range(5):
        best = gap(weights[t], t)
        others = [gap(weights[t] + 0.3 * rng.normal(size=5), t) for _ in range(200)]
        assert best >= max(others) - 1e-12


def test_the_theory_curve_of_figure_2() -> None:
    """Two tasks of similarity β, p = 100, 1000 and 50 rows per class; values to six decimals."""
    golden = [0.239750, 0.239102, 0.237128, 0.233739, 0.228768]
    golden += [0.221956, 0.212904, 0.201004, 0.185307, 0.164282]
    counts = np.array([1000.0, 50.0])
    for beta, expected in zip(np.arange(10) / 9, golden, strict=True):
        gram = 4 * np.array([[1.0, beta], [beta, 1.0]])  # of the contrasts μ₂ − μ₁ = 2μ
        noise = 2 * 100 / counts
        a = optimal_weights(gram, noise)[1]
        gap = a @ gram[:, 1] / np.sqrt(a @ (gram + np.diag(noise)) @ a)
        assert norm.sf(gap / 2) == pytest.approx(expected, abs=5e-7)


def test_identical_tasks_are_pooled_and_orthogonal_tasks_left_alone() -> None:
    noise = np.array([1.0, 0.5, 0.25])
    pooled = optimal_weights(np.ones((3, 3)), noise)
    np.testing.assert_allclose(pooled / pooled[:, :1], np.tile([1, 2, 4], (3, 1)), rtol=1e-9)
    alone = optimal_weights(np.diag([1.0, 2.0, 3.0]), noise)
    np.testing.assert_allclose(alone, np.diag(np.diagonal(alone)), atol=1e-12)


def test_opposite_tasks_get_opposite_weights() -> None:
    weights = optimal_weights(np.array([[1.0, -1.0], [-1.0, 1.0]]), np.ones(2))
    np.testing.assert_allclose(weights, [[1 / 3, -1 / 3], [-1 / 3, 1 / 3]])


def test_an_indefinite_estimate_is_projected() -> None:
    gram, noise = np.array([[1.0, 3.0], [3.0, 1.0]]), np.ones(2)
    values, vectors = np.linalg.eigh(gram)
    projected = (vectors * np.maximum(values, 0)) @ vectors.T
    np.testing.assert_allclose(
        optimal_weights(gram, noise), projected @ np.linalg.inv(projected + np.eye(2)), atol=1e-12
    )


def test_tasks_without_noise_or_without_contrast() -> None:
    weights = optimal_weights(np.diag([2.0, 0.0, 1.0]), np.array([0.0, 0.0, 1.0]))
    np.testing.assert_allclose(weights, np.diag([1.0, 0.0, 0.5]), atol=1e-9)


def test_naive_labels_of_balanced_tasks_are_plus_and_minus_one() -> None:
    counts = np.array([[3.0, 3.0], [50.0, 50.0]])
    labels = naive_weights(counts) / counts[:, 0]
    np.testing.assert_allclose(labels / labels[0], [1, 1])


def test_naive_labels_of_unbalanced_tasks_are_centred() -> None:
    """Σ ±1 (x − mean of all rows) = 2 n₁n₂/(n₁ + n₂) times the contrast."""
    counts = np.array([[3.0, 9.0], [50.0, 10.0]])
    expected = counts.prod(axis=1) / counts.sum(axis=1)
    weights = naive_weights(counts)
    np.testing.assert_allclose(weights / weights[0], expected / expected[0])


def test_a_target_without_signal_keeps_its_own_direction() -> None:
    spectrum = spectrum_of_gram(np.diag([0.5, 5.0]), np.ones(2), 10.0)
    weights = task_weights("plugin", spectrum, np.ones((2, 2)))
    np.testing.assert_allclose(weights.matrix(), [[1.0, 0.0], [0.0, 0.8]])
    weak = spectrum_of_gram(np.diag([1.05, 5.0]), np.ones(2), 10.0)
    weights = task_weights("plugin", weak, np.ones((2, 2)))
    np.testing.assert_allclose(weights.matrix(), np.diag([0.05 / 1.05, 0.8]))


@pytest.mark.parametrize("rule", ["single", "naive", "plugin"])
def test_the_signal_is_an_inner_product_without_the_noise_that_it_shares(rule: str) -> None:
    """⟨Σ_s a_ts d_s, d_t⟩ − a_tt ν_t: the weight of the target's own row is its share of noise."""
    rng = np.random.default_rng(0)
    rows, noise = rng.normal(size=(5, 8)) + 1.0, rng.uniform(1, 4, 5)
    counts = rng.integers(3, 30, (5, 2)).astype(float)
    weights = task_weights(rule, spectrum_of_rows(rows, noise, 8.0), counts)
    a = weights.matrix()
    expected = [a[t] @ rows @ rows[t] - a[t, t] * noise[t] for t in range(5)]
    np.testing.assert_allclose(weights.signal, expected, atol=1e-10)
    np.testing.assert_allclose(weights.noise_share, np.diagonal(a), atol=1e-12)


def test_a_contrast_without_noise_has_a_millionth_of_its_length() -> None:
    rows = np.array([[3.0, 4.0], [0.0, 0.0]])
    spectrum = spectrum_of_rows(rows, np.zeros(2), 2.0)
    np.testing.assert_allclose(spectrum.noise, [1e-12 * 25.0, 0.0])
    np.testing.assert_allclose((spectrum.rows**2).sum(axis=1), [25.0, 0.0])


def test_agreement_counts_precisions_and_leaves_out_single_class_tasks() -> None:
    counts = np.array([[5.0, 5.0], [5.0, 0.0], [5.0, 5.0]])
    noise = np.array([[1.0, 1.0], [1.0, 0.0], [2.0, 4.0]])
    np.testing.assert_allclose(agreed_weights(counts, noise), [0.75, 0.0, 0.25])
    np.testing.assert_allclose(agreed_weights(counts, np.zeros((3, 2))), [0.5, 0.0, 0.5])
    more_classes = np.array([[5.0, 5.0, 5.0], [5.0, 5.0, 0.0]])
    np.testing.assert_allclose(agreed_weights(more_classes, more_classes / 5.0), [0.5, 0.5])
