"""Left-out scores by rules of several sizes, as if all were as large as that of the task."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinspan.risk import LeftOutRows


def of(noise_share: float, m: int = 2) -> Any:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(6, m))
    tasks, classes = np.repeat([0, 1], 3), np.array([0, 1, 1, 0, 0, 1])
    resized = rng.normal(size=6) if m == 2 else np.zeros(6)
    shares = np.array([noise_share, 0.0])
    return LeftOutRows(scores, tasks, classes, np.ones(6), np.zeros((2, m)), resized, shares)


def test_the_difference_of_two_classes_moves_as_far_as_the_rule_is_no_noise() -> None:
    for share in (0.0, 0.25, 1.0):
        rows = of(share)
        moved = np.diff(rows.of_one_size() - rows.scores, axis=1)[:, 0]
        kept = np.where(rows.tasks == 0, 1.0 - share, 1.0)
        np.testing.assert_allclose(moved, kept * rows.resized)
        np.testing.assert_allclose((rows.of_one_size() - rows.scores).sum(axis=1), 0, atol=1e-12)


def test_scores_of_several_classes_stay() -> None:
    rows = of(0.0, m=3)
    np.testing.assert_array_equal(rows.of_one_size(), rows.scores)


@pytest.mark.parametrize("m", [2, 3])
def test_guesses_that_answer_as_often_are_wrong_as_often_as_shuffled_answers(m: int) -> None:
    rng = np.random.default_rng(1)
    n, priors = 400, np.array([[0.7, 0.3, 0.0][:m], [0.2, 0.3, 0.5][:m]])
    tasks, classes = np.repeat([0, 1], n // 2), rng.integers(0, m, n)
    classes[tasks == 0] %= 2
    scores = rng.normal(size=(n, m)) + np.where(priors[tasks] > 0, 0.5, -np.inf)
    weights = rng.integers(1, 3, n).astype(float)
    shares = np.zeros(2)
    rows = LeftOutRows(scores, tasks, classes, weights, np.zeros((2, m)), np.zeros(n), shares)
    for t, found in enumerate(rows.error_of_guesses(priors)):
        pi = priors[t] / priors[t].sum()
        cells = [(tasks == t) & (classes == c) for c in range(m)]
        counts = [weights[cell].sum() for cell in cells]
        answered = sum(
            p * weights[cell] @ (scores[cell].argmax(axis=1)[:, None] == np.arange(m)) / count
            for p, cell, count in zip(pi, cells, counts, strict=True)
            if count
        )
        assert found == pytest.approx(1.0 - pi @ answered)


def test_guesses_for_a_class_without_rows_are_those_of_other_tasks() -> None:
    scores = np.array(
        [[0, 1], [1, 0], [0, 1], [1, 0], [0, 1]], dtype=float
    )  # answers 1, 0, 1, 0, 1
    tasks, classes = np.array([0, 0, 0, 1, 1]), np.array([1, 1, 1, 0, 0])
    rows = LeftOutRows(
        scores, tasks, classes, np.ones(5), np.zeros((3, 2)), np.zeros(5), np.zeros(3)
    )
    half = np.full((3, 2), 0.5)
    # Of class 1 two in three are answered as 1, of class 0 one in two, in every task.
    np.testing.assert_allclose(rows.error_of_guesses(half), 0.5)
    found = rows.error_of_guesses(np.tile([0.9, 0.1], (3, 1)))
    second = 0.9 / 2 + 0.1 * 2 / 3
    np.testing.assert_allclose(found, 0.9 * second + 0.1 * (1 - second))
