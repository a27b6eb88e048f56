"""Theorem 3, Corollary 1 and the optimal labels: naive oracles, simulation, optimality."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import sqrtm
from scipy.stats import norm

from kinspan import labels as step_4
from kinspan.datasets import gaussian_mixture
from kinspan.theory import error_rate, mtl_score_means, optimal_error_rate, optimal_labels
from tests.theory.theory_simulation import (
    Floats,
    align,
    assert_within,
    gap_to_error,
    population_means,
    random_gram,
    sampled_means,
    unit,
)

CORRELATED = np.kron([[1.5, 1.0], [1.0, 1.5]], [[1.0, -1.0], [-1.0, 1.0]])
CASES = {
    "balanced, correlated": (CORRELATED, [[100, 100], [20, 20]], 200),
    "unbalanced": (random_gram(4, 1) * 2, [[300, 40], [15, 60]], 400),
    "more features": (random_gram(6, 2) * 2, [[30, 20], [25, 50], [10, 15]], 1000),
    "singular": (random_gram(6, 3, rank=2) * 2, [[80, 50], [25, 50], [10, 60]], 300),
}
THREE_CLASSES = (random_gram(6, 4) * 4, [[100, 40, 60], [30, 90, 20]], 500)
FOUR_CLASSES = (random_gram(12, 5) * 3, [[50, 40, 60, 30], [30, 90, 20, 20], [15, 15, 25, 35]], 800)

each_case = pytest.mark.parametrize(("gram", "counts", "p"), CASES.values(), ids=CASES.keys())
many_classes = pytest.mark.parametrize(
    ("gram", "counts", "p"), [THREE_CLASSES, FOUR_CLASSES], ids=["three classes", "four classes"]
)


def printed(gram: Floats, counts: list[list[int]], p: int) -> tuple[float, Floats, Floats]:
    """c₀, D_c and 𝓜 of the paper."""
    n = np.ravel(counts)
    c0, c = p / n.sum(), np.diag(n / n.sum())
    return c0, c, np.sqrt(c) @ gram @ np.sqrt(c) / c0


def contrast(n_cells: int, target: int) -> Floats:
    delta = np.zeros(n_cells)
    delta[2 * target], delta[2 * target + 1] = 1, -1
    return delta


@each_case
def test_corollary_1_as_printed_times_the_root_of_c0(
    gram: Floats, counts: list[list[int]], p: int
) -> None:
    c0, D, scaled = printed(gram, counts, p)
    y = np.random.default_rng(0).standard_normal(len(gram))
    root = np.sqrt(D)
    above = y @ root @ scaled @ np.linalg.inv(root)
    below = y @ (root @ scaled @ root + D) @ y
    np.testing.assert_allclose(mtl_score_means(gram, counts, p, y), np.sqrt(c0 / below) * above)


@many_classes
def test_theorem_3_as_printed_with_the_root_of_c0(
    gram: Floats, counts: list[list[int]], p: int
) -> None:
    c0, D, scaled = printed(gram, counts, p)
    m = len(counts[0])
    y = np.random.default_rng(0).standard_normal((len(gram), m))
    root, label_root = np.sqrt(D), np.real(sqrtm(y @ y.T))
    values, vectors = np.linalg.eigh(label_root @ (root @ scaled @ root + D) @ label_root)
    values, vectors = values[::-1][:m], vectors[:, ::-1][:, :m]
    projected = vectors.T @ label_root @ root @ scaled @ np.linalg.inv(root)
    theory = mtl_score_means(gram, counts, p, y)
    by_print = (np.sqrt(c0 / values)[:, None] * projected).T
    np.testing.assert_allclose(align(by_print, theory), theory, atol=1e-6)


@each_case
def test_one_column_of_labels_is_corollary_1(gram: Floats, counts: list[list[int]], p: int) -> None:
    y = np.random.default_rng(1).standard_normal(len(gram))
    flat = mtl_score_means(gram, counts, p, y)
    np.testing.assert_allclose(mtl_score_means(gram, counts, p, y[:, None])[:, 0], flat)
    np.testing.assert_allclose(mtl_score_means(gram, counts, p, y.reshape(-1, 2)), flat)


@each_case
def test_scores_and_errors_of_any_labels_are_simulated(
    gram: Floats, counts: list[list[int]], p: int
) -> None:
    M, n = population_means(gram, p), np.ravel(counts)
    y = np.random.default_rng(2).standard_normal(len(gram))
    drawn = []
    for seed in range(100):
        means = sampled_means(M, counts, np.random.default_rng(seed))
        drawn.append(M @ unit((n * y) @ means))
    assert_within(drawn, mtl_score_means(gram, counts, p, y))
    for t in range(len(counts)):
        gaps = np.array(drawn)[:, 2 * t] - np.array(drawn)[:, 2 * t + 1]
        assert_within(gap_to_error(gaps), error_rate(gram, counts, p, y, target=t))


@many_classes
def test_components_are_simulated_from_rows(gram: Floats, counts: list[list[int]], p: int) -> None:
    M, m = population_means(gram, p), len(counts[0])
    y = np.random.default_rng(3).standard_normal((len(gram), m)) * 3.0 ** -np.arange(m)
    theory = mtl_score_means(gram, counts, p, y)
    drawn = []
    for seed in range(60):
        train = gaussian_mixture(M.reshape(-1, m, p), counts, random_state=seed)
        Xy = train.X.T @ y[m * train.task + train.y]
        V = np.linalg.svd(Xy, full_matrices=False)[0]
        drawn.append(align(M @ V, theory))
    assert_within(drawn, theory)


@each_case
def test_optimal_labels_are_those_printed(gram: Floats, counts: list[list[int]], p: int) -> None:
    c0, D, scaled = printed(gram, counts, p)
    inverse_root = np.diag(np.diag(D) ** -0.5)
    for t in range(len(counts)):
        delta = contrast(len(gram), t)
        inner = np.linalg.solve(scaled + np.eye(len(gram)), scaled)
        found = optimal_labels(gram, counts, p, target=t)
        np.testing.assert_allclose(found.ravel(), inverse_root @ inner @ inverse_root @ delta)
        H = inverse_root @ scaled @ inner @ inverse_root
        expected = norm.sf(np.sqrt(c0 * delta @ H @ delta) / 2)
        assert optimal_error_rate(gram, counts, p, target=t) == pytest.approx(expected)
        assert error_rate(gram, counts, p, found, target=t) == pytest.approx(expected)


@each_case
def test_no_other_labels_are_better(gram: Floats, counts: list[list[int]], p: int) -> None:
    rng = np.random.default_rng(4)
    best = optimal_error_rate(gram, counts, p, target=0)
    y = optimal_labels(gram, counts, p, target=0)
    for size in (1e-3, 0.1, 1.0, 10.0):
        other = y + size * np.abs(y).max() * rng.standard_normal(y.shape)
        assert error_rate(gram, counts, p, other, target=0) >= best
    assert error_rate(gram, counts, p, y + 0.1 * np.abs(y).max(), target=0) >= best


@each_case
def test_the_optimum_is_simulated_from_rows(gram: Floats, counts: list[list[int]], p: int) -> None:
    M, t = population_means(gram, p), len(counts) - 1
    y = optimal_labels(gram, counts, p, target=t)
    gaps = []
    for seed in range(60):
        train = gaussian_mixture(M.reshape(-1, 2, p), counts, random_state=seed)
        w = unit(y[train.task, train.y] @ train.X)
        gaps.append(w @ (M[2 * t] - M[2 * t + 1]))
    assert_within(gap_to_error(gaps), optimal_error_rate(gram, counts, p, target=t))


@many_classes
def test_the_optimum_of_many_classes_is_best_for_every_pair(
    gram: Floats, counts: list[list[int]], p: int
) -> None:
    n = np.ravel(counts)
    t, m = 1, len(counts[0])
    y = optimal_labels(gram, counts, p, target=t)
    errors = np.asarray(optimal_error_rate(gram, counts, p, target=t))
    np.testing.assert_allclose(error_rate(gram, counts, p, y, target=t), errors)
    a = np.linalg.solve(gram + np.diag(p / n), gram)
    for i in range(m):
        for j in range(i):
            delta = np.zeros(len(gram))
            delta[t * m + i], delta[t * m + j] = 1, -1
            assert errors[i, j] == pytest.approx(norm.sf(np.sqrt(delta @ gram @ a @ delta) / 2))
    other = y + 0.2 * np.abs(y).max() * np.random.default_rng(0).standard_normal(y.shape)
    assert np.all(np.asarray(error_rate(gram, counts, p, other, target=t)) >= errors)


@many_classes
def test_the_optimum_of_many_classes_is_simulated(
    gram: Floats, counts: list[list[int]], p: int
) -> None:
    M, n, t, m = population_means(gram, p), np.ravel(counts), 0, len(counts[0])
    y = optimal_labels(gram, counts, p, target=t)
    errors = []
    for seed in range(100):
        means = sampled_means(M, counts, np.random.default_rng(seed))
        V = np.linalg.svd(means.T @ (n[:, None] * y), full_matrices=False)[0][:, : m - 1]
        scores = M[t * m : (t + 1) * m] @ V
        distances = np.linalg.norm(scores[:, None] - scores[None], axis=-1)
        errors.append(gap_to_error(distances)[np.triu_indices(m, 1)])
    expected = np.asarray(optimal_error_rate(gram, counts, p, target=t))
    assert_within(errors, expected[np.triu_indices(m, 1)])


def test_theory_is_the_formula_of_the_fit_fed_the_population() -> None:
    """For opposite classes the contrasts of the fit carry all: half the weights, the same error."""
    gram, counts, p = CASES["balanced, correlated"]
    n = np.array(counts)
    contrasts = gram.reshape(2, 2, 2, 2)
    gamma = 2 * (contrasts[:, 0, :, 0] - contrasts[:, 0, :, 1])
    noise = p / n[:, 0] + p / n[:, 1]
    weights = step_4.optimal_weights(gamma, noise)
    for t in range(2):
        y = optimal_labels(gram, counts, p, target=t)
        np.testing.assert_allclose((y * n)[:, 0] / weights[t], (y * n)[0, 0] / weights[t, 0])


def test_a_negative_gap_gives_an_error_above_one_half() -> None:
    gram, counts, p = CASES["unbalanced"]
    y = optimal_labels(gram, counts, p, target=1)
    right, wrong = (error_rate(gram, counts, p, sign * y, target=1) for sign in (1, -1))
    assert isinstance(right, float)
    assert isinstance(wrong, float)
    assert wrong > 0.5
    assert wrong == pytest.approx(1 - right)
