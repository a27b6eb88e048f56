"""Scores of rows: scikit-learn's, and laws that hold for all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import metrics

from kinspan.metrics import SCORES, Score, ScoredRows, scores_by_task

COSTS = np.array([[0.0, 1.0], [5.0, 0.0]])
LEVELS: dict[str, Any] = {"": None, "precision": 0.6, "budget": 0.1, "matrix": COSTS}
ALL = [Score(name, LEVELS[kind.level]) for name, kind in SCORES.items()]


def world(seed: int, n: int = 400, m: int = 2) -> ScoredRows:
    """Rare later classes, probabilities that know something, and ties among them."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(m, size=n, p=np.arange(m, 0, -1.0) ** 2 / (np.arange(m, 0, -1.0) ** 2).sum())
    odds = rng.normal(size=(n, m)).round(1) + 1.5 * np.eye(m)[truth]
    p = np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)
    return ScoredRows(truth, p.argmax(axis=1), p, np.ones(n))


def test_two_classes_are_scored_as_by_scikit_learn() -> None:
    rows = world(0)
    truth, answers, p = rows.truth, rows.answers, rows.probabilities[:, 1]
    expected = {
        "error": 1 - metrics.accuracy_score(truth, answers),
        "balanced_error": 1 - metrics.balanced_accuracy_score(truth, answers),
        "f1": metrics.f1_score(truth, answers),
        "log_loss": metrics.log_loss(truth, p),
        "brier_score": metrics.brier_score_loss(truth, p),
        "roc_auc": metrics.roc_auc_score(truth, p),
        "average_precision": metrics.average_precision_score(truth, p),
    }
    for name, value in expected.items():
        assert Score(name).of(rows) == pytest.approx(value, abs=1e-12), name


def test_many_classes_are_scored_as_by_scikit_learn() -> None:
    rows = world(1, m=4)
    truth, answers, p = rows[:3]
    expected = {
        "balanced_error": 1 - metrics.balanced_accuracy_score(truth, answers),
        "f1": metrics.f1_score(truth, answers, average="macro"),
        "log_loss": metrics.log_loss(truth, p),
        "brier_score": metrics.brier_score_loss(truth, p),
        "roc_auc": metrics.roc_auc_score(truth, p, multi_class="ovr"),
        "average_precision": metrics.average_precision_score(truth, p),
    }
    for name, value in expected.items():
        assert Score(name).of(rows) == pytest.approx(value, abs=1e-12), name


def test_a_cost_is_the_mean_over_rows() -> None:
    rows = world(2)
    expected = np.mean([COSTS[i, j] for i, j in zip(rows.truth, rows.answers, strict=True)])
    assert Score("cost", COSTS).of(rows) == pytest.approx(expected)


@pytest.mark.parametrize("score", ALL, ids=str)
def test_a_weight_of_two_is_the_row_twice(score: Score) -> None:
    rows = world(3, n=100)
    weights = np.random.default_rng(0).integers(0, 4, size=100)
    repeated = rows.where(np.repeat(np.arange(100), weights))
    weighted = rows._replace(weights=weights.astype(float))
    assert score.of(weighted) == pytest.approx(score.of(repeated), abs=1e-12)


@pytest.mark.parametrize("score", ALL, ids=str)
def test_rows_that_are_known_are_better_than_guesses(score: Score) -> None:
    rows = world(4)
    sure = np.eye(2)[rows.truth]
    perfect = rows._replace(answers=rows.truth, probabilities=sure)
    values = score.of(perfect), score.of_chance(rows), score.of_majority(rows)
    sign = 1 if score.kind.greater_is_better else -1
    if score.name != "calibration_error":  # who announces the shares is calibrated
        assert sign * values[0] > sign * max(values[1:])
        assert sign * score.of(rows) > sign * values[1]


def test_references_are_what_the_books_say() -> None:
    """With a share q of positives below one half."""
    rows = world(5)
    q = rows.truth.mean()
    chance = {
        "error": 2 * q * (1 - q),
        "balanced_error": 0.5,
        "f1": q,
        "log_loss": -q * np.log(q) - (1 - q) * np.log(1 - q),
        "brier_score": q * (1 - q),
        "calibration_error": 0.0,
        "roc_auc": 0.5,
        "average_precision": q,
        "cost": 6 * q * (1 - q),
        "recall_at_precision": 0.0,
        "recall_at_budget": 0.1,
        "precision_at_budget": q,
        "lift_at_budget": 1.0,
    }
    majority = {**chance, "error": q, "f1": 0.0, "cost": 5 * q}
    for score in ALL:
        assert score.of_chance(rows) == pytest.approx(chance[score.name], abs=1e-12), score
        assert score.of_majority(rows) == pytest.approx(majority[score.name], abs=1e-12), score


def test_a_budget_is_spent_on_the_most_probable_rows() -> None:
    rows = world(6)
    p = rows.probabilities[:, 1] + 1e-9 * np.arange(400)  # no ties
    rows = rows._replace(probabilities=np.stack([1 - p, p], axis=1))
    best = rows.truth[np.argsort(-p)[:40]]
    for level in (40, 0.1):
        assert Score("precision_at_budget", level).of(rows) == pytest.approx(best.mean())
        lift = best.mean() / rows.truth.mean()
        assert Score("lift_at_budget", level).of(rows) == pytest.approx(lift)
        recall = best.sum() / rows.truth.sum()
        assert Score("recall_at_budget", level).of(rows) == pytest.approx(recall)
    assert Score("recall_at_budget", 1000).of(rows) == pytest.approx(1.0)


def test_recall_at_a_precision_is_the_best_threshold() -> None:
    rows = world(7)
    p = rows.probabilities[:, 1]
    recalls = [0.0]
    for threshold in p:
        chosen = p >= threshold
        if rows.truth[chosen].mean() >= 0.6:
            recalls.append(rows.truth[chosen].sum() / rows.truth.sum())
    assert Score("recall_at_precision", 0.6).of(rows) == pytest.approx(max(recalls))


def test_calibration_is_the_mean_gap_of_ten_groups() -> None:
    rows = world(8)
    p = rows.probabilities[:, 1] + 1e-9 * np.arange(400)  # no ties
    rows = rows._replace(probabilities=np.stack([1 - p, p], axis=1))
    order = np.argsort(rows.probabilities[:, 1], kind="stable")
    groups = np.split(order, 10)
    gaps = [abs(rows.truth[g].mean() - rows.probabilities[g, 1].mean()) for g in groups]
    assert Score("calibration_error").of(rows) == pytest.approx(np.mean(gaps))


def test_what_ranks_is_undefined_for_rows_of_one_class() -> None:
    rows = world(9)
    rows = rows.where(rows.truth == 0)
    undefined = {score.name for score in ALL if np.isnan(score.of(rows))}
    of_ranks = {"roc_auc", "average_precision", "recall_at_precision"}
    assert undefined == {*of_ranks, "recall_at_budget", "precision_at_budget", "lift_at_budget"}


def test_tasks_are_scored_by_their_rows() -> None:
    rows, tasks = world(10), np.random.default_rng(0).integers(0, 3, size=400)
    found = scores_by_task(rows, tasks, 4, ALL)
    for t in range(3):
        expected = [score.of(rows.where(tasks == t)) for score in ALL]
        np.testing.assert_allclose(found.values[t], expected)
    assert np.isnan(found.values[3]).all()  # it has no rows
    np.testing.assert_allclose(found.overall[0], [score.of(rows) for score in ALL])
    np.testing.assert_allclose(found.means[0], found.values[:3].mean(axis=0))
    np.testing.assert_array_equal(found.of(np.array([1])).values, found.values[1:2])
