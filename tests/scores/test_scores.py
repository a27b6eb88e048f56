"""Scores of rows of mixed tasks, probabilities and projections."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from kinspan.scores import (
    paired_scores,
    probabilities,
    projectors,
    scoring,
    shrinkage,
    without_absent,
)


@pytest.mark.parametrize("n_scores", [1, 4])
@pytest.mark.parametrize("container", [np.asarray, np.asfortranarray, sp.csr_array, sp.csr_matrix])
def test_every_row_meets_the_rule_of_its_task(
    n_scores: int, container: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "_BLOCK_BYTES", 1000)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 6))
    coef, intercept = rng.normal(size=(5, n_scores, 6)), rng.normal(size=(5, n_scores))
    rules = rng.integers(-1, 4, 200)  # −1 is the last rule
    expected = [coef[rule] @ x + intercept[rule] for rule, x in zip(rules, X, strict=True)]
    np.testing.assert_allclose(paired_scores(container(X), rules, coef, intercept), expected)


def test_no_rows_give_no_scores() -> None:
    for n_scores in (1, 3):
        found = paired_scores(
            np.empty((0, 2)),
            np.empty(0, np.intp),
            np.ones((1, n_scores, 2)),
            np.ones((1, n_scores)),
        )
        assert found.shape == (0, n_scores)


def test_probabilities_add_up_and_survive_extreme_scores() -> None:
    extreme = np.array([[-1e308], [0.0], [3.0], [1e308]])
    found = probabilities(extreme, np.zeros((4, 2), bool))
    np.testing.assert_allclose(found, np.hstack([1 - found[:, 1:], found[:, 1:]]))
    np.testing.assert_allclose(found[:, 1], [0.0, 0.5, 1 / (1 + np.exp(-3)), 1.0])
    absent = np.array([[False, True, False]])
    found = probabilities(np.array([[0.0, 5.0, 1.0]]), absent)
    np.testing.assert_allclose(found, [[1 / (1 + math.e), 0.0, math.e / (1 + math.e)]])


def test_absent_classes_are_below_all_others_by_a_bounded_amount() -> None:
    absent = np.array([[False, True, False], [False, False, False]])
    found = without_absent(np.array([[-5e4, 9.0, 3.0], [1.0, 2.0, 3.0]]), absent)
    np.testing.assert_array_equal(found, [[-5e4, -5e4 - 100, 3.0], [1.0, 2.0, 3.0]])


def test_projectors_are_the_leading_singular_vectors() -> None:
    coef = np.random.default_rng(0).normal(size=(3, 4, 9))
    coef -= coef.mean(axis=1, keepdims=True)
    found = projectors(coef, 2)
    for t in range(3):
        np.testing.assert_allclose(found[t] @ found[t].T, np.eye(2), atol=1e-10)
        expected = np.linalg.svd(coef[t])[2][:2]
        np.testing.assert_allclose(np.abs((found[t] * expected).sum(axis=1)), 1.0)
        assert np.all(coef[t, -1] @ found[t].T >= 0)


def test_projectors_of_rules_of_lower_rank_end_in_zeros() -> None:
    coef = np.zeros((1, 3, 4))
    coef[0, 1, 2], coef[0, 2, 2] = -1.0, 1.0
    np.testing.assert_allclose(projectors(coef, 2)[0], [[0, 0, 1, 0], [0, 0, 0, 0]], atol=1e-12)


def test_shrinkage_keeps_a_direction_without_signal() -> None:
    factor = shrinkage(np.array([2.0, -3.0, 0.0]), np.array([4.0, 4.0, 0.0]), np.array([1.0] * 3))
    np.testing.assert_allclose(factor, [0.5, 5e-4, 1e-3])


@pytest.mark.parametrize("n_scores", [1, 3])
@pytest.mark.parametrize("n_tasks", [1, 7, 300])
@pytest.mark.parametrize("n_rows", [0, 1, 50, 700])
@pytest.mark.parametrize("kind", ["double", "single", "sparse"])
def test_tasks_of_any_size_are_scored_in_groups(
    n_scores: int, n_tasks: int, n_rows: int, kind: str
) -> None:
    rng = np.random.default_rng(n_rows + n_tasks)
    coef = rng.standard_normal((n_tasks, n_scores, 11))
    intercept = rng.standard_normal((n_tasks, n_scores))
    X = rng.standard_normal((n_rows, 11)) * (rng.random((n_rows, 11)) < 0.5)
    rules = np.minimum(rng.geometric(0.1, n_rows) - 1, n_tasks - 1)  # most rows in few tasks
    given = {"double": X, "single": X.astype(np.float32), "sparse": sp.csr_array(X)}[kind]
    expected = [coef[t] @ x + intercept[t] for t, x in zip(rules, X, strict=True)]
    found = paired_scores(given, rules, coef, intercept)
    assert found.shape == (n_rows, n_scores)
    if n_rows:
        np.testing.assert_allclose(found, expected, atol=1e-5 if kind == "single" else 1e-12)


def test_small_probabilities_of_two_classes_are_not_zero() -> None:
    scores = np.array([[50.0], [-50.0], [0.0]])
    found = probabilities(scores, np.zeros((3, 2), dtype=bool))
    np.testing.assert_allclose(found[:, 0], 1.0 / (1.0 + np.exp(scores[:, 0])), rtol=1e-12)
