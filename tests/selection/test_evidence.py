"""Weights of rules from left-out scores: the optimum of what is stated, and fair to every task."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax

from kinspan.selection.decisions import PRIOR_ROWS
from kinspan.selection.evidence import Evidence, evidence_of
from kinspan.selection.weights_of_all import pooled_weights


def evidence_for(tasks: Any, classes: Any, n_classes: int = 2) -> Evidence:
    """All rows usable, all classes present."""
    present = np.ones((int(np.max(tasks)) + 1, n_classes), bool)
    ones = np.ones(len(tasks))
    return evidence_of(np.asarray(tasks), np.asarray(classes), ones, ones > 0, present)


def scores_of(margins: Any, classes: Any) -> Any:
    """(rules, rows, 2) scores that favour the true class by (rules, rows) margins."""
    signs = np.where(np.asarray(classes) == 1, 1.0, -1.0)
    return np.stack([-signs * margins, signs * margins], axis=-1) / 2.0


def test_rules_that_are_the_same_share_their_weight() -> None:
    rng = np.random.default_rng(0)
    classes = np.tile([0, 1], 60)
    one = scores_of(1.0 + rng.normal(size=(1, 120)), classes)
    evidence = evidence_for(np.repeat([0, 1], 60), classes)
    alone = pooled_weights(one, evidence, np.ones(1)).weights
    three = pooled_weights(np.repeat(one, 3, axis=0), evidence, np.full(3, 1 / 3)).weights
    assert (three >= 0).all()
    assert three.sum() == pytest.approx(alone.sum(), rel=1e-3)


def stated_objective(scores: Any, evidence: Evidence, prior: Any) -> Any:
    """The loss of all tasks, and PRIOR_ROWS mean rows of curvature around the prior."""

    def log_probabilities(weights: Any) -> Any:
        return log_softmax(np.tensordot(weights, scores, axes=1), axis=1)

    at_prior, b = np.exp(log_probabilities(prior)), evidence.fleet
    held = np.zeros((len(prior), len(prior)))
    for n, p in enumerate(at_prior):
        held += b[n] * scores[:, n] @ (np.diag(p) - np.outer(p, p)) @ scores[:, n].T
    held /= b.sum()

    def value(weights: Any) -> float:
        right = log_probabilities(weights)[np.arange(len(b)), evidence.classes]
        away = weights - prior
        return float(-(b @ right) + 0.5 * PRIOR_ROWS.constant * away @ held @ away)

    return value


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_pooled_weights_minimise_the_stated_objective(seed: int, n_classes: int) -> None:
    rng = np.random.default_rng(seed)
    tasks, classes = np.repeat(np.arange(4), 30), np.tile(np.arange(n_classes), 120 // n_classes)
    signal = np.eye(n_classes)[classes] * rng.uniform(-0.5, 2.0, (4, 1, 1))
    scores = signal + rng.normal(size=(4, 120, n_classes))
    evidence, prior = evidence_for(tasks, classes, n_classes), np.full(4, 0.25)
    found = pooled_weights(scores, evidence, prior).weights
    value = stated_objective(scores, evidence, prior)
    best = minimize(value, prior, method="L-BFGS-B", bounds=[(0.0, None)] * 4, tol=1e-14)
    assert value(found) <= best.fun + 1e-7
    np.testing.assert_allclose(found, best.x, atol=1e-3)
    assert (found >= 0).all()


@pytest.mark.parametrize("size", [1.0, 30.0, 1000.0])
def test_scores_of_any_size_find_the_optimum(size: float) -> None:
    """Newton's steps start where probabilities may be zero and one: the loss is flat there."""
    rng = np.random.default_rng(0)
    classes = np.tile([0, 1], 60)
    scores = size * scores_of(0.8 + rng.normal(size=(2, 120)), classes)
    evidence, prior = evidence_for(np.zeros(120, int), classes), np.full(2, 0.5)
    found = pooled_weights(scores, evidence, prior).weights
    value = stated_objective(scores, evidence, prior)
    grid = [minimize(value, start * prior, method="L-BFGS-B", bounds=[(0, None)] * 2).fun
            for start in (1.0, 0.1, 1 / size)]  # fmt: skip
    assert value(found) <= min(grid) * (1 + 1e-5)


def test_weights_go_to_the_better_rule_as_rows_grow() -> None:
    shares = []
    for n in (4, 40, 400, 4000):
        rng = np.random.default_rng(0)
        classes = np.tile([0, 1], n)
        margins = np.array([2.0, 0.0])[:, None] + 2.0 * rng.normal(size=(2, 2 * n))
        evidence = evidence_for(np.repeat(np.arange(n), 2), classes)  # many small tasks
        weights = pooled_weights(scores_of(margins, classes), evidence, np.full(2, 0.5)).weights
        shares.append(weights[0] / weights.sum())
    assert shares[0] < 0.8  # before any evidence both count the same
    assert shares[2] > 0.94  # 800 rows against a prior of 100
    assert shares[3] > 0.97


def test_classes_of_a_task_count_equally_whatever_their_rows() -> None:
    rng = np.random.default_rng(0)
    tasks, classes = rng.integers(0, 3, 300), (rng.random(300) < 0.2).astype(int)
    weights = rng.integers(1, 4, 300).astype(float)
    usable = rng.random(300) < 0.9
    evidence = evidence_of(tasks, classes, weights, usable, np.ones((3, 2), bool))
    totals = np.bincount(tasks * 2 + classes, evidence.own).reshape(3, 2)
    of_task = np.bincount(tasks, weights * usable)
    np.testing.assert_allclose(totals, np.tile(of_task[:, None] / 2, 2))
    assert (evidence.own[~usable] == 0).all()
    within = weights[usable] / evidence.own[usable]
    for cell in range(6):  # rows of a cell count by their weights
        of_cell = (tasks * 2 + classes)[usable] == cell
        np.testing.assert_allclose(within[of_cell], within[of_cell][0])


def test_a_giant_counts_as_a_large_task_among_all() -> None:
    sizes = np.array([4, 100, 10**5])
    tasks = np.repeat(np.arange(3), sizes)
    evidence = evidence_for(tasks, np.arange(len(tasks)) % 2)
    totals, largest = np.bincount(tasks, evidence.fleet), PRIOR_ROWS.constant
    np.testing.assert_allclose(totals, sizes * largest / (sizes + largest))
    assert 0.99 * largest < totals.max() < largest
    np.testing.assert_allclose(np.bincount(tasks, evidence.own), sizes)


def test_only_tasks_that_can_leave_out_rows_of_all_their_classes_are_evidence() -> None:
    """Of the second task one class has a single row, the third has one class only."""
    tasks = np.repeat([0, 1, 2, 3], [4, 3, 3, 4])
    classes = np.array([0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1])
    usable = np.arange(14) != 6  # the single row, without which its class would be empty
    present = np.array([[1, 1, 0], [1, 1, 0], [1, 0, 0], [1, 1, 0]], bool)
    evidence = evidence_of(tasks, classes, np.ones(14), usable, present)
    assert (evidence.own > 0).tolist() == [True] * 4 + [False] * 6 + [True] * 4
    np.testing.assert_array_equal(evidence.fleet > 0, evidence.own > 0)
    np.testing.assert_array_equal(evidence.present, present[tasks])


def test_losses_are_of_the_classes_that_a_task_has() -> None:
    present = np.array([[True, True, False]])
    evidence = evidence_of(
        np.zeros(2, int), np.array([0, 1]), np.ones(2), np.ones(2, bool), present
    )
    losses = evidence.losses(np.array([[1.0, 2.0, 99.0], [1.0, 2.0, -99.0]]))
    np.testing.assert_allclose(losses, np.log1p(np.exp([1.0, -1.0])))


def test_rows_that_are_no_evidence_do_not_matter() -> None:
    rng = np.random.default_rng(0)
    tasks, classes = np.repeat([0, 1], 20), np.tile([0, 1], 20)
    scores = scores_of(1.0 + rng.normal(size=(2, 40)), classes)
    usable = np.arange(40) % 5 > 0
    evidence = evidence_of(tasks, classes, np.ones(40), usable, np.ones((2, 2), bool))
    found = pooled_weights(scores, evidence, np.full(2, 0.5)).weights
    scores[:, ~usable] = np.nan
    np.testing.assert_array_equal(pooled_weights(scores, evidence, np.full(2, 0.5)).weights, found)


def test_pooled_weights_have_not_seen_the_rows_that_they_score() -> None:
    """Against weights that are found again without each row, to first order.

    The curvature in which the prior is measured stays that of all rows.
    """
    rng = np.random.default_rng(3)
    classes, tasks = np.tile([0, 1], 40), np.repeat(np.arange(4), 20)
    signs = np.where(classes == 1, 1.0, -1.0)
    scores = scores_of(rng.uniform(0.5, 1.5, (3, 1)) + rng.normal(size=(3, 80)) * 1.5, classes)
    prior, present = np.full(3, 1 / 3), np.full((4, 2), True)
    evidence = evidence_of(tasks, classes, np.ones(80), np.full(80, True), present)
    rule = pooled_weights(scores, evidence, prior)
    weights, found = rule.weights, rule.scores
    seen, again = np.tensordot(weights, scores, axes=1), np.empty_like(found)
    for i in range(80):
        left = replace(evidence, fleet=evidence.fleet * (np.arange(80) != i))
        again[i] = np.tensordot(pooled_weights(scores, left, prior).weights, scores[:, i], axes=1)
    margins = [signs * (s[:, 1] - s[:, 0]) for s in (seen, found, again)]
    far, near = (np.abs(margin - margins[2]).mean() for margin in margins[:2])
    assert near < 0.5 * far
    assert margins[1].mean() < margins[0].mean()
