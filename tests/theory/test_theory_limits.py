"""Limits in which the answer is known exactly."""

from __future__ import annotations

import numpy as np
import pytest

from kinspan.theory import (
    anisotropic_optimal_error_rate,
    error_rate,
    mtl_score_means,
    optimal_error_rate,
    optimal_labels,
    spca_error_rate,
)
from tests.theory.theory_simulation import Floats, population_means, random_gram

SEEDS = range(20)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("m", [2, 3])
def test_identical_tasks_are_pooled_data(seed: int, m: int) -> None:
    gram = random_gram(m, seed)
    counts = np.random.default_rng(seed).integers(3, 60, (3, m))
    together = optimal_error_rate(np.tile(gram, (3, 3)), counts, 50, target=seed % 3)
    np.testing.assert_allclose(together, spca_error_rate(gram, counts.sum(axis=0), 50))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("m", [2, 3])
def test_orthogonal_tasks_are_single_tasks(seed: int, m: int) -> None:
    first, second = random_gram(m, seed), random_gram(m, seed + 100)
    gram = np.block([[first, np.zeros((m, m))], [np.zeros((m, m)), second]])
    counts = np.random.default_rng(seed).integers(3, 60, (2, m))
    alone = spca_error_rate(second, counts[1], 50)
    np.testing.assert_allclose(optimal_error_rate(gram, counts, 50, target=1), alone)
    labels = optimal_labels(gram, counts, 50, target=1).reshape(2, m, -1)
    np.testing.assert_allclose(labels[0], 0, atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_opposite_tasks_are_flipped_labels(seed: int) -> None:
    """Task 1 with its classes swapped: the labels swap with them, and the error stays."""
    gram = random_gram(4, seed)
    counts = np.random.default_rng(seed).integers(3, 60, (2, 2))
    swap = [1, 0, 2, 3]
    swapped = gram[np.ix_(swap, swap)]
    swapped_counts = counts.ravel()[swap].reshape(2, 2)
    labels = optimal_labels(gram, counts, 50, target=1).ravel()[swap]
    found = optimal_labels(swapped, swapped_counts, 50, target=1)
    np.testing.assert_allclose(found.ravel(), labels, rtol=1e-9)
    assert optimal_error_rate(swapped, swapped_counts, 50, target=1) == pytest.approx(
        optimal_error_rate(gram, counts, 50, target=1)
    )


def test_opposite_means_get_opposite_labels() -> None:
    opposite = np.array([[1.0, -1.0], [-1.0, 1.0]])
    same = np.kron(np.ones((2, 2)), opposite)
    flipped = np.kron([[1, -1], [-1, 1]], opposite)
    counts = [[40, 40], [10, 10]]
    assert optimal_error_rate(flipped, counts, 50, target=1) == pytest.approx(
        optimal_error_rate(same, counts, 50, target=1)
    )
    expected = optimal_labels(same, counts, 50, target=1) * [[-1], [1]]
    np.testing.assert_allclose(optimal_labels(flipped, counts, 50, target=1), expected)
    assert error_rate(flipped, counts, 50, [[1, -1], [1, -1]], target=1) > 0.5


@pytest.mark.parametrize("seed", SEEDS)
def test_adding_a_task_never_raises_the_optimal_error(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m, k = 2 + seed % 2, 4
    gram = random_gram(k * m, seed, rank=int(rng.integers(1, k * m + 3))) * rng.uniform(0.2, 5)
    counts = rng.integers(1, 100, (k, m))
    errors = [
        np.asarray(optimal_error_rate(gram[: s * m, : s * m], counts[:s], 60, target=0))
        for s in range(1, k + 1)
    ]
    assert np.all(np.diff(errors, axis=0) <= 1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_more_rows_never_raise_the_optimal_error(seed: int) -> None:
    rng = np.random.default_rng(seed)
    gram, counts = random_gram(6, seed), rng.integers(0, 50, (3, 2))
    counts[0] += 1
    more = counts + rng.integers(0, 50, (3, 2))
    before, after = (optimal_error_rate(gram, n, 60, target=1) for n in (counts, more))
    assert np.all(np.asarray(after) <= np.asarray(before) + 1e-12)


def rotation(p: int, seed: int) -> Floats:
    return np.asarray(np.linalg.qr(np.random.default_rng(seed).standard_normal((p, p)))[0])


def test_rotation_and_common_scale_change_nothing() -> None:
    p, counts = 20, [[10, 15], [30, 7]]
    rng = np.random.default_rng(0)
    M = population_means(random_gram(4, 0), p).reshape(2, 2, p)
    roots = rng.standard_normal((2, 2, p, p)) / np.sqrt(p)
    C = roots @ roots.swapaxes(-1, -2) + 0.1 * np.eye(p)
    U, scale = rotation(p, 1), 7.3
    before = anisotropic_optimal_error_rate(M, counts, covariances=C, target=1)
    turned = anisotropic_optimal_error_rate(M @ U, counts, covariances=U.T @ C @ U, target=1)
    scaled = anisotropic_optimal_error_rate(scale * M, counts, covariances=scale**2 * C, target=1)
    assert turned == pytest.approx(before, rel=1e-6)
    assert scaled == pytest.approx(before, rel=1e-6)


def test_the_scale_of_labels_does_not_matter() -> None:
    gram, counts = random_gram(4, 0), [[10, 15], [30, 7]]
    y = np.random.default_rng(0).standard_normal((4, 3))
    for labels in (y[:, 0], y):
        np.testing.assert_allclose(
            mtl_score_means(gram, counts, 30, labels),
            mtl_score_means(gram, counts, 30, 1e4 * labels),
        )


@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_tasks_and_classes_does_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    gram, counts = random_gram(9, seed), rng.integers(2, 40, (3, 3))
    tasks, classes = rng.permutation(3), rng.permutation(3)
    order = np.arange(9).reshape(3, 3)[np.ix_(tasks, classes)]
    errors = np.asarray(optimal_error_rate(gram, counts, 50, target=int(tasks[0])))
    permuted = optimal_error_rate(
        gram[np.ix_(order.ravel(), order.ravel())], counts.ravel()[order], 50, target=0
    )
    np.testing.assert_allclose(permuted, errors[np.ix_(classes, classes)], atol=1e-12)


def test_rows_without_end_leave_the_distance_of_the_means() -> None:
    gram = random_gram(4, 1)
    squared = gram[0, 0] + gram[1, 1] - 2 * gram[0, 1]
    y = optimal_labels(gram, np.full((2, 2), 1e12), 50, target=0)
    means = mtl_score_means(gram, np.full((2, 2), 1e12), 50, y)
    assert means[0] - means[1] == pytest.approx(np.sqrt(squared))
