"""Degenerate populations have a defined answer; impossible ones an error that says what to do."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kinspan import theory
from tests.theory.theory_simulation import Floats, random_gram

ZERO = np.zeros((4, 4))
COUNTS = [[10, 20], [30, 5]]
LABELS = [[1, -1], [1, -1]]
IDENTITY = np.eye(2)


def test_zero_means_leave_guessing() -> None:
    half = pytest.approx(0.5, abs=1e-12)
    assert theory.pca_error_rate(np.zeros((2, 2)), [10, 20], 50) == half
    assert theory.spca_error_rate(np.zeros((2, 2)), [10, 20], 50) == half
    assert theory.optimal_error_rate(ZERO, COUNTS, 50, target=0) == half
    assert theory.error_rate(ZERO, COUNTS, 50, LABELS, target=0) == half
    assert theory.error_rate(ZERO, COUNTS, 50, np.ones((4, 2)), target=0) == half
    assert (
        theory.mislabelled_optimal_error_rate(ZERO, COUNTS, 50, target=0, confusion=IDENTITY)
        == half
    )
    assert theory.lssvm_error_rate(ZERO, COUNTS, 50, LABELS, target=0) == half
    for function in (theory.bayes_error_rate, theory.semi_supervised_error_rate):
        np.testing.assert_allclose(function(ZERO, COUNTS, 50, 0.5), 0.5)
    M = np.zeros((2, 2, 6))
    assert theory.anisotropic_optimal_error_rate(M, COUNTS, covariances=np.eye(6), target=0) == half
    np.testing.assert_array_equal(theory.optimal_labels(ZERO, COUNTS, 50, target=0), 0)
    three = theory.spca_error_rate(np.zeros((3, 3)), [10, 20, 5], 50)
    np.testing.assert_array_equal(three, 0.5 - 0.5 * np.eye(3))
    assert not theory.phase_transition(ZERO, COUNTS, 50).informative.any()
    assert np.all(theory.spca_pca_gap(np.zeros((2, 2)), [10, 20], 50).relative == 0)


def test_zero_labels_leave_guessing() -> None:
    gram = random_gram(4, 0)
    assert theory.error_rate(gram, COUNTS, 50, np.zeros(4), target=0) == 0.5
    assert theory.error_rate(gram, COUNTS, 50, np.zeros((4, 2)), target=0) == 0.5
    assert theory.lssvm_error_rate(gram, COUNTS, 50, np.zeros(4), target=0) == 0.5


def nearly_empty(counts: list[list[int]]) -> Floats:
    return np.where(np.array(counts) == 0, 1e-7, counts).astype(float)


@pytest.mark.parametrize("counts", [[[10, 0], [30, 5]], [[0, 0], [30, 5]], [[10, 20], [0, 5]]])
def test_an_empty_cell_is_the_limit_of_few_rows(counts: list[list[int]]) -> None:
    """Zero label, infinite noise; as a target its mean still counts."""
    gram, few = 2 * random_gram(4, 3), nearly_empty(counts)
    empty = np.array(counts) == 0
    for t in range(2):
        labels = theory.optimal_labels(gram, counts, 50, target=t)
        assert np.all(labels[empty] == 0)
        for function in (
            lambda n, t=t: theory.optimal_error_rate(gram, n, 50, target=t),
            lambda n, t=t: theory.error_rate(gram, n, 50, LABELS, target=t),
            lambda n, t=t: theory.lssvm_error_rate(gram, n, 50, LABELS, target=t),
            lambda n: theory.mtl_score_means(gram, n, 50, LABELS),
            lambda n: theory.bayes_error_rate(gram, n, 50, 0.5),
            lambda n: theory.semi_supervised_error_rate(gram, n, 50, 0.5),
            lambda n: theory.phase_transition(gram, n, 50).eigenvalues,
            lambda n, t=t: theory.mislabelled_optimal_error_rate(
                gram, n, 50, target=t, confusion=[[0.9, 0.1], [0.1, 0.9]]
            ),
        ):
            np.testing.assert_allclose(function(counts), function(few), atol=2e-4)
        assert theory.error_rate(gram, counts, 50, labels, target=t) == pytest.approx(
            theory.optimal_error_rate(gram, counts, 50, target=t)
        )


def test_an_empty_class_of_one_task_and_with_covariances() -> None:
    gram = 4 * random_gram(3, 4)
    for function in (theory.pca_score_means, theory.spca_score_means):
        np.testing.assert_allclose(
            np.abs(function(gram, [100, 0, 60], 50)),
            np.abs(function(gram, [100, 1e-7, 60], 50)),
            atol=2e-4,
        )
    rng = np.random.default_rng(0)
    M, C = rng.standard_normal((2, 2, 8)), np.diag(np.arange(1.0, 9))
    counts, few = [[10, 0], [30, 5]], nearly_empty([[10, 0], [30, 5]])
    exact, close = (
        theory.anisotropic_optimal_error_rate(M, n, covariances=C, target=0) for n in (counts, few)
    )
    assert exact == pytest.approx(close, abs=1e-5)


def test_a_task_without_any_rows_and_nothing_to_borrow_guesses() -> None:
    found = theory.labels_needed([[1, -1], [-1, 1]], [5, 5], 10, target=0, error=0.49)
    assert found.per_class is not None
    gone = theory.learning_curve([[1, -1], [-1, 1]], [5, 5], 10, target=0, add=[[-5, -5]])
    assert gone == 0.5


@pytest.mark.parametrize("rank", [1, 2])
def test_a_singular_gram_is_the_limit_of_regular_ones(rank: int) -> None:
    gram = random_gram(4, 5, rank=rank)
    near = gram + 1e-9 * np.eye(4)
    for t in range(2):
        for function in (theory.optimal_error_rate, theory.lssvm_optimal_labels):
            exact, close = (function(g, COUNTS, 50, target=t) for g in (gram, near))
            np.testing.assert_allclose(exact, close, rtol=1e-5, atol=1e-6)
    for of_all in (theory.bayes_error_rate, theory.semi_supervised_error_rate):
        exact, close = (of_all(g, COUNTS, 50, 0.3) for g in (gram, near))
        np.testing.assert_allclose(exact, close, atol=1e-6)


def test_fewer_features_than_cells() -> None:
    """The formulas hold; the means only have to fit into the features."""
    gram = random_gram(6, 6, rank=2)
    counts = [[10, 20], [30, 5], [7, 9]]
    error = theory.optimal_error_rate(gram, counts, 2, target=0)
    assert isinstance(error, float)
    assert 0 < error < 0.5
    with pytest.raises(ValueError, match="n_features is 1, but the means of mean_gram span 2"):
        theory.optimal_error_rate(gram, counts, 1, target=0)


def test_singular_covariances_are_fine() -> None:
    """The noise of the target does not meet that of the other task, nor its means."""
    M = np.zeros((2, 2, 4))
    M[:, 0, 0] = 1
    C = np.stack([np.diag([1.0, 1, 0, 0]), np.diag([0.0, 0, 1, 1])])[:, None].repeat(2, axis=1)
    error = theory.anisotropic_optimal_error_rate(M, COUNTS, covariances=C, target=1)
    assert 0 <= error < 0.01


GRAM = random_gram(4, 0)
REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: theory.phase_transition(np.eye(3), COUNTS, 5), "mean_gram has shape (3, 3), but"),
    (lambda: theory.phase_transition(np.triu(np.ones((4, 4))), COUNTS, 5), "is not symmetric"),
    (lambda: theory.phase_transition(-GRAM, COUNTS, 5), "mean_gram has least eigenvalue -"),
    (lambda: theory.phase_transition(np.full((4, 4), np.nan), COUNTS, 5), "give finite numbers"),
    (lambda: theory.phase_transition("means", COUNTS, 5), "mean_gram is 'means'; give an array"),
    (lambda: theory.phase_transition(GRAM, [[-1, 2], [3, 4]], 5), "numbers of rows from 0"),
    (lambda: theory.phase_transition(GRAM, np.zeros((2, 2)), 5), "not all 0"),
    (lambda: theory.phase_transition(GRAM, [[1], [2], [3], [4]], 5), "at least two classes"),
    (lambda: theory.phase_transition(GRAM, COUNTS, 0), "n_features is 0; give a whole number"),
    (lambda: theory.phase_transition(GRAM, COUNTS, 9.5), "n_features is 9.5"),  # type: ignore[arg-type]
    (lambda: theory.marchenko_pastur_density(1.0, -3, 5), "n_samples is -3; give a positive"),
    (lambda: theory.pca_error_rate(GRAM, COUNTS, 5), "counts has 2 tasks"),
    (lambda: theory.spca_error_rate(GRAM, COUNTS, 5), "this theorem is about one"),
    (lambda: theory.pca_error_rate(np.eye(2), [1, 2], 5, n_components=0), "n_components is 0"),
    (lambda: theory.mtl_score_means(GRAM, COUNTS, 5, [1, 2, 3]), "labels has shape (3,); give"),
    (lambda: theory.error_rate(GRAM, COUNTS, 5, LABELS, target=2), "target is 2; give the index"),
    (lambda: theory.optimal_labels(GRAM, COUNTS, 5, target=-1), "target is -1"),
    (
        lambda: theory.optimal_error_rate(GRAM, COUNTS, 5, target=0, priors=[0.5, 0.6]),
        "priors is [0.5, 0.6]; give two positive probabilities",
    ),
    (
        lambda: theory.optimal_error_rate(
            np.eye(6), np.ones((2, 3)), 9, target=0, priors=[0.5, 0.5]
        ),
        "counts has 3 classes, but this formula is about two",
    ),
    (lambda: theory.decision_threshold([1, 2, 3]), "score_means is [1, 2, 3]; give two numbers"),
    (
        lambda: theory.decision_threshold([1, 2], score_variances=[1, 0]),
        "score_variances is [1, 0]; give two positive",
    ),
    (lambda: theory.bayes_error_rate(GRAM, COUNTS, 5, 1.2), "labelled_fraction is 1.2; give"),
    (lambda: theory.bayes_error_rate(GRAM, COUNTS, 5, [0.1, 0.2, 0.3]), "2 (one for each task)"),
    (lambda: theory.bayes_error_rate(np.eye(3), [1, 2, 3], 5, 1), "counts has 3 classes"),
    (
        lambda: theory.mislabelled_cells(GRAM, COUNTS, 5, confusion=np.eye(3)),
        "confusion has shape (3, 3); give (2, 2) or (2, 2, 2)",
    ),
    (
        lambda: theory.mislabelled_cells(GRAM, COUNTS, 5, confusion=[[0.9, 0.2], [0.0, 1.0]]),
        "rows of probabilities that add up to one",
    ),
    (
        lambda: theory.anisotropic_score_moments(np.ones((2, 3)), COUNTS, LABELS, covariances=[]),
        "means has shape (2, 3), but counts has shape (2, 2)",
    ),
    (
        lambda: theory.anisotropic_score_moments(
            np.ones((2, 2, 3)), COUNTS, LABELS, covariances=np.eye(2)
        ),
        "covariances has shape (2, 2); give (3, 3) or (2, 2, 3, 3)",
    ),
    (
        lambda: theory.anisotropic_score_moments(
            np.ones((2, 2, 3)), COUNTS, LABELS, covariances=np.diag([1, 1, -1])
        ),
        "covariances has least eigenvalue -1",
    ),
    (
        lambda: theory.anisotropic_score_moments(
            np.ones((2, 2, 3)), COUNTS, LABELS, covariances=np.zeros((3, 3))
        ),
        "covariances has a matrix of zeros",
    ),
    (
        lambda: theory.anisotropic_score_moments(
            np.ones((2, 2, 3)), COUNTS, np.ones((4, 2)), covariances=np.eye(3)
        ),
        "this function is about one score",
    ),
    (
        lambda: theory.learning_curve(GRAM, COUNTS, 5, target=0, add=[1, 2, 3]),
        "add has shape (3,) and least value 1; give rows to add to each cell, (..., 2, 2)",
    ),
    (lambda: theory.learning_curve(GRAM, COUNTS, 5, target=0, add=[[-11, 0], [0, 0]]), "below 0"),
    (lambda: theory.labels_needed(GRAM, COUNTS, 5, target=0, error=0), "error is 0; give a prob"),
    (
        lambda: theory.lssvm_score_means(GRAM, COUNTS, 5, LABELS, shared_strength=-1),
        "shared_strength is -1; give one number from 0",
    ),
    (
        lambda: theory.lssvm_score_means(
            GRAM, COUNTS, 5, LABELS, shared_strength=0, task_strengths=0
        ),
        "task_strengths is 0; give numbers from 0, one or one for each of 2 tasks, not all 0",
    ),
    (
        lambda: theory.lssvm_score_means(GRAM, COUNTS, 5, LABELS, shared_strength=1e30),
        "shared_strength is 1e+30; give one number from 0 to 1e+12",
    ),
    (lambda: theory.error_rate(GRAM, [[]], 5, LABELS, target=0), "counts is [[]]"),
    (lambda: theory.optimal_labels(np.array(GRAM) * 1j, COUNTS, 5, target=0), "mean_gram is"),
    (lambda: theory.optimal_labels(np.array(GRAM) * 1e300, COUNTS, 5, target=0), "mean_gram has"),
    (lambda: theory.threshold_error_rate([1, -1], float("nan")), "threshold is nan"),
    (lambda: theory.marchenko_pastur_density("all", 5, 5), "eigenvalues is 'all'"),
    (
        lambda: theory.pca_score_means([[1, -1], [-1, 1]], [5, 5], 5, n_components=10**30),
        "n_components is 1000000000000000000000000000000; give a whole number from 1 to 5",
    ),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_what_is_wrong_is_named(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        call()


def test_every_public_name_is_listed_and_has_an_example() -> None:
    for name in theory.__all__:
        public = getattr(theory, name)
        assert public.__doc__
        if not isinstance(public, type):
            assert ">>> from kinspan.theory import" in public.__doc__, name
