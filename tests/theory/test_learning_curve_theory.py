"""What more labels would buy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from kinspan.theory import labels_needed, learning_curve, optimal_error_rate
from tests.theory.theory_simulation import random_gram

GRAM, COUNTS, P = 6 * random_gram(4, 41), np.array([[10, 12], [50, 40]]), 100


def test_each_point_is_the_optimal_error() -> None:
    add = np.array([[[0, 0], [0, 0]], [[5, 0], [0, 9]], [[30, 30], [30, 30]]])
    curve = learning_curve(GRAM, COUNTS, P, target=0, add=add)
    expected = [optimal_error_rate(GRAM, COUNTS + extra, P, target=0) for extra in add]
    np.testing.assert_array_equal(curve, expected)
    one = learning_curve(GRAM, COUNTS, P, target=0, add=add[1])
    assert one.shape == ()
    assert one == curve[1]


def test_alternatives_of_any_shape_and_many_classes() -> None:
    gram, counts = random_gram(6, 42), np.full((2, 3), 20)
    add = np.arange(4).reshape(2, 2, 1, 1) * np.ones((2, 3))
    curve = learning_curve(gram, counts, 50, target=1, add=add)
    assert curve.shape == (2, 2, 3, 3)
    np.testing.assert_array_equal(curve[1, 1], optimal_error_rate(gram, counts + 3, 50, target=1))


def test_rows_of_any_cell_never_hurt() -> None:
    for cell in range(4):
        add = np.arange(0, 500, 25)[:, None] * np.eye(4)[cell]
        curve = learning_curve(GRAM, COUNTS, P, target=0, add=add.reshape(-1, 2, 2))
        assert np.all(np.diff(curve) <= 1e-13)


@pytest.mark.parametrize("error", [0.4, 0.2, 0.1, 0.08])
def test_the_number_is_the_smallest(error: float) -> None:
    found = labels_needed(GRAM, COUNTS, P, target=0, error=error)
    assert found.per_class is not None
    counts = COUNTS.copy()
    counts[0] = found.per_class
    assert optimal_error_rate(GRAM, counts, P, target=0) == found.error_rate <= error
    if found.per_class > 0:
        counts[0] -= 1
        assert float(np.max(optimal_error_rate(GRAM, counts, P, target=0))) > error


def test_closed_form_of_one_task() -> None:
    """Classes ∓μ, n rows each: Q(s/sqrt(s + p/2n)) with s = ‖μ‖²."""
    n = labels_needed([[1, -1], [-1, 1]], [0, 1], 100, target=0, error=0.2).per_class
    x = norm.isf(0.2)
    assert n == np.ceil(100 / 2 / (1 / x**2 - 1))


def test_one_label_can_be_enough() -> None:
    found = labels_needed([[25, -25], [-25, 25]], [9, 9], 10, target=0, error=1e-4)
    assert found.per_class == 1


def test_what_cannot_be_reached_is_said() -> None:
    squared = GRAM[0, 0] + GRAM[1, 1] - 2 * GRAM[0, 1]
    limit = norm.sf(np.sqrt(squared) / 2)
    found = labels_needed(GRAM, COUNTS, P, target=0, error=limit - 1e-6)
    assert found.per_class is None
    assert found.error_rate == found.limit == pytest.approx(limit)
    assert labels_needed(GRAM, COUNTS, P, target=0, error=found.limit).per_class is None
    just = labels_needed(GRAM, COUNTS, P, target=0, error=limit + 1e-6)
    assert just.per_class is not None
    assert just.per_class > 1e5
    assert labels_needed(np.zeros((4, 4)), COUNTS, P, target=0, error=0.4).per_class is None


def test_what_other_tasks_give_needs_no_labels() -> None:
    gram = np.kron(np.ones((2, 2)), [[1, -1], [-1, 1]])
    found = labels_needed(gram, [[7, 7], [500, 500]], 100, target=0, error=0.2)
    assert found.per_class == 0
    assert found.error_rate == pytest.approx(0.1701779, abs=5e-7)


def test_many_classes_count_the_worst_pair() -> None:
    gram, counts = 4 * random_gram(6, 43), np.full((2, 3), 20)
    found = labels_needed(gram, counts, 50, target=1, error=0.25)
    counts[1] = found.per_class
    worst = float(np.max(optimal_error_rate(gram, counts, 50, target=1)))
    assert worst == found.error_rate <= 0.25
    many = np.max(optimal_error_rate(gram, np.full((2, 3), 1e9), 50, target=1))
    assert found.limit == pytest.approx(many, abs=1e-6)
