"""Who helps whom: shares follow from the weights, gains from leaving out."""

from __future__ import annotations

import numpy as np
import pytest

from kinspan import MultiTaskSPCA
from kinspan.answers.who_helps import gains, most_from, shares
from kinspan.datasets import load_digit_pairs
from tests.report.models import many_tasks, rows_of


@pytest.fixture(scope="module")
def digits() -> MultiTaskSPCA:
    rows = load_digit_pairs(n_per_class=5)
    return MultiTaskSPCA().fit(rows.X, rows.y, task=rows.task)


def test_shares_are_weights_times_the_standard_error_of_a_contrast(digits: MultiTaskSPCA) -> None:
    """Two classes: the contrasts are ±(μ₁ − μ₀)/2, their squared error (σ₀²/n₀ + σ₁²/n₁)/2."""
    moments, rules = digits.moments_, digits._rules
    squares = (moments.squares / rules.scale[:-1, None] ** 2).sum(axis=2)
    noise = squares / (moments.counts - 1) / moments.counts
    error = np.sqrt(noise.sum(axis=1) / 2)
    for t, row in enumerate(shares(digits, np.arange(45))):
        (weights,) = rules.task_weights[rules.weights_of_task[t]]
        expected = weights.matrix()[t] * error
        np.testing.assert_allclose(row, expected / np.abs(expected).sum(), rtol=1e-9, atol=1e-15)


def test_the_most_help_is_the_largest_share_of_another_task(digits: MultiTaskSPCA) -> None:
    rows = np.abs(list(shares(digits, np.arange(45))))
    np.fill_diagonal(rows, 0.0)
    np.testing.assert_array_equal(most_from(digits), rows.argmax(axis=1))
    for t in (0, 20, 44):
        first = digits.explain_transfer(digits.tasks_[t], most=1).tasks
        assert first == [digits.tasks_[most_from(digits)[t]]]


def test_nobody_helps_tasks_that_go_alone() -> None:
    X, y, task = rows_of()
    assert (most_from(MultiTaskSPCA(labels="single").fit(X, y, task=task)) == -1).all()
    assert most_from(MultiTaskSPCA().fit(X, y)).tolist() == [-1]


@pytest.mark.long
@pytest.mark.parametrize("n_classes", [2, 3])
def test_shares_order_tasks_as_explain_transfer_does(n_classes: int) -> None:
    X, y, task = rows_of(6, n_classes, n=150)
    model = MultiTaskSPCA(labels="plugin").fit(X, y, task=task)
    for t, row in enumerate(shares(model, np.arange(6))):
        assert np.abs(row).sum() == pytest.approx(1.0)
        by_share = [s for s in np.argsort(-np.abs(row)) if s != t]
        for most in (1, 2, 4):
            assert set(model.explain_transfer(t, most=most).tasks) == set(by_share[:most])


def test_shares_have_the_sign_of_the_weights() -> None:
    """The rule of a task is a weighted sum of contrasts: labels_ has the same signs."""
    model = many_tasks(12)
    weights = model.labels_[:, 0, :, 1]
    for t, row in enumerate(shares(model, np.arange(12))):
        counted = np.abs(row) > 1e-6
        np.testing.assert_array_equal(np.sign(row[counted]), np.sign(weights[t, counted]))


def test_a_task_that_lacks_a_class_counts_on_the_classes_that_it_has() -> None:
    """Tasks with different classes have different sets of weights; only the own set counts."""
    X, y, task = rows_of(6, 3, n=300)
    kept = ~((task == 1) & (y == 0))
    model = MultiTaskSPCA(labels="plugin").fit(X[kept], y[kept], task=task[kept])
    in_rules = np.abs(model.labels_ * model.moments_.counts).sum(axis=(1, 3))
    for t, row in enumerate(shares(model, np.arange(6))):
        np.testing.assert_array_equal(np.abs(row) > 1e-9, in_rules[t] > 1e-9 * in_rules[t].max())


def test_a_new_task_is_helped_by_those_that_have_two_classes() -> None:
    X, y, task = rows_of(3, n=150)
    model = MultiTaskSPCA().fit(X, y, task=task).add_task(7)
    row = next(shares(model, np.array([3])))
    assert row[3] == 0
    assert (row[:3] > 0).all()
    assert most_from(model)[3] == row.argmax()


def test_blocks_of_targets_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    model = many_tasks(12)
    whole = np.array(list(shares(model, np.arange(12))))
    monkeypatch.setattr("kinspan.answers.who_helps._BLOCK", 5)
    np.testing.assert_allclose(list(shares(model, np.arange(12))), whole, rtol=1e-12, atol=1e-15)


def test_a_task_that_others_need_to_be_fitted_has_no_gain() -> None:
    X, y, task = rows_of(n_tasks=2)
    kept = (task == 0) | (y == 0)
    model = MultiTaskSPCA().fit(X[kept], y[kept], task=task[kept])
    gain = gains(model, np.arange(2))
    assert np.isnan(gain[1, 0])  # without task 0 there is one class
    assert np.isnan(gain[1, 1])  # its own
