"""Labels that are wrong with known probabilities."""

from __future__ import annotations

import numpy as np
import pytest

from kinspan.theory import (
    error_rate,
    mislabelled_cells,
    mislabelled_error_rate,
    mislabelled_optimal_error_rate,
    mislabelled_optimal_labels,
    optimal_error_rate,
    optimal_labels,
)
from tests.theory.theory_simulation import (
    Floats,
    assert_within,
    gap_to_error,
    population_means,
    random_gram,
    unit,
)

TWO = (2 * random_gram(4, 21), np.array([[120, 80], [30, 45]]), 400)
CONFUSION = np.array([[[0.9, 0.1], [0.25, 0.75]], [[0.7, 0.3], [0.0, 1.0]]])
THREE = (4 * random_gram(6, 22), np.array([[90, 60, 80], [40, 35, 50]]), 500)
MIXED = np.array([[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.0, 0.3, 0.7]])


def observed_sums(M: Floats, counts: Floats, confusion: Floats, seed: int) -> Floats:
    """(cells, features) sums of the rows of each observed cell: rows labelled at random."""
    rng, (k, m) = np.random.default_rng(seed), counts.shape
    joint = [rng.multinomial(counts[t, j], confusion[t, j]) for t in range(k) for j in range(m)]
    true_of_seen = np.reshape(joint, (k, m, m))
    sums = np.einsum("tjl,tjp->tlp", true_of_seen, M.reshape(k, m, -1))
    rows = true_of_seen.sum(axis=1)
    noise = rng.standard_normal(sums.shape) * np.sqrt(rows)[..., None]
    return np.asarray((sums + noise).reshape(k * m, -1))


@pytest.mark.parametrize("t", [0, 1])
def test_two_classes_are_simulated(t: int) -> None:
    gram, counts, p = TWO
    M = population_means(gram, p)
    best = mislabelled_optimal_labels(gram, counts, p, target=t, confusion=CONFUSION)
    for y in (best, np.array([[1.0, -1.0], [1.0, -1.0]])):
        gaps = [
            unit(y.ravel() @ observed_sums(M, counts, CONFUSION, seed)) @ (M[2 * t] - M[2 * t + 1])
            for seed in range(100)
        ]
        theory = mislabelled_error_rate(gram, counts, p, y, target=t, confusion=CONFUSION)
        assert_within(gap_to_error(gaps), theory)


def test_three_classes_are_simulated() -> None:
    gram, counts, p = THREE
    M, confusion = population_means(gram, p), np.broadcast_to(MIXED, (2, 3, 3))
    y = mislabelled_optimal_labels(gram, counts, p, target=1, confusion=MIXED)
    errors = []
    for seed in range(100):
        sums = observed_sums(M, counts, confusion, seed)
        V = np.linalg.svd(sums.T @ y, full_matrices=False)[0][:, :2]
        scores = M[3:] @ V
        distances = np.linalg.norm(scores[:, None] - scores[None], axis=-1)
        errors.append(gap_to_error(distances)[np.triu_indices(3, 1)])
    theory = np.asarray(mislabelled_optimal_error_rate(gram, counts, p, target=1, confusion=MIXED))
    assert_within(errors, theory[np.triu_indices(3, 1)])


def test_right_labels_change_nothing() -> None:
    gram, counts, p = TWO
    y = np.random.default_rng(0).standard_normal((2, 2))
    for t in range(2):
        found = mislabelled_optimal_labels(gram, counts, p, target=t, confusion=np.eye(2))
        np.testing.assert_allclose(found, optimal_labels(gram, counts, p, target=t))
        assert mislabelled_error_rate(
            gram, counts, p, y, target=t, confusion=np.eye(2)
        ) == pytest.approx(error_rate(gram, counts, p, y, target=t))


def test_swapped_labels_swap_back() -> None:
    gram, counts, p = TWO
    swap = [[[0, 1], [1, 0]], [[1, 0], [0, 1]]]
    found = mislabelled_optimal_labels(gram, counts, p, target=1, confusion=swap)
    expected = optimal_labels(gram, counts, p, target=1)
    np.testing.assert_allclose(found, [expected[0, ::-1], expected[1]])
    assert mislabelled_optimal_error_rate(
        gram, counts, p, target=1, confusion=swap
    ) == pytest.approx(optimal_error_rate(gram, counts, p, target=1))


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.3, 0.5])
def test_flips_of_opposite_classes_cost_rows(rate: float) -> None:
    gram = np.kron([[1.5, 1.0], [1.0, 2.0]], [[1, -1], [-1, 1]])
    counts = np.array([[50, 50], [30, 30]])
    flips = np.array([[[1 - rate, rate], [rate, 1 - rate]], np.eye(2)])
    found = mislabelled_optimal_error_rate(gram, counts, 100, target=0, confusion=flips)
    fewer = counts * [[(1 - 2 * rate) ** 2], [1]]
    assert found == pytest.approx(optimal_error_rate(gram, fewer, 100, target=0))


def test_no_other_labels_are_better_and_wrong_labels_never_help() -> None:
    gram, counts, p = TWO
    rng = np.random.default_rng(0)
    best = mislabelled_optimal_error_rate(gram, counts, p, target=0, confusion=CONFUSION)
    y = mislabelled_optimal_labels(gram, counts, p, target=0, confusion=CONFUSION)
    for size in (0.01, 0.1, 1.0):
        other = y + size * np.abs(y).max() * rng.standard_normal(y.shape)
        error = mislabelled_error_rate(gram, counts, p, other, target=0, confusion=CONFUSION)
        assert error >= best
    assert best > optimal_error_rate(gram, counts, p, target=0)


def test_labels_drawn_blindly_leave_what_the_other_tasks_know() -> None:
    gram = np.kron([[1.5, 1.0], [1.0, 2.0]], [[1, -1], [-1, 1]])
    counts, blind = [[50, 50], [30, 30]], np.array([np.full((2, 2), 0.5), np.eye(2)])
    found = mislabelled_optimal_error_rate(gram, counts, 100, target=0, confusion=blind)
    assert found == pytest.approx(optimal_error_rate(gram, [[0, 0], [30, 30]], 100, target=0))


def test_a_class_that_is_never_observed_is_an_empty_cell() -> None:
    seen = mislabelled_cells(np.eye(2), [40, 60], 20, confusion=[[1, 0], [1, 0]])
    np.testing.assert_array_equal(seen.counts, [[100, 0]])
    y = mislabelled_optimal_labels(np.eye(2), [40, 60], 20, target=0, confusion=[[1, 0], [1, 0]])
    assert y[0, 1] == 0
