"""`threshold=`: what `predict` answers, and what is forecast of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinspan
from kinspan import MultiTaskSPCA
from kinspan.export import to_onnx
from kinspan.metrics import Score
from kinspan.report.contents import contents
from tests.answers.test_score_forecasts import rare, true_scores
from tests.onnx_sessions import answers_of

COUNTS = np.tile([180, 20], (15, 1))


def fitted(seed: int, threshold: Any, **more: Any) -> tuple[MultiTaskSPCA, Any, Any, Any]:
    X, y, task, means = rare(seed, COUNTS)
    clf = MultiTaskSPCA(threshold=threshold, priors="empirical", **more)
    return clf.fit(X, y, task=task), X, task, means


@pytest.mark.parametrize("threshold", ["f1", {"budget": 0.05}, {"precision": 0.5, "tasks": "all"}])
def test_scores_above_the_threshold_are_answered_and_nothing_else_changes(threshold: Any) -> None:
    clf, X, task, _ = fitted(0, threshold)
    plain, *_ = fitted(0, None)
    np.testing.assert_array_equal(
        clf.decision_function(X, task=task), plain.decision_function(X, task=task)
    )
    np.testing.assert_array_equal(
        clf.predict_proba(X, task=task), plain.predict_proba(X, task=task)
    )
    above = clf.decision_function(X, task=task) > clf.threshold_[task]
    np.testing.assert_array_equal(clf.predict(X, task=task), above.astype(int))
    assert (plain.threshold_ == 0).all()
    np.testing.assert_array_equal(
        plain.predict(X, task=task), plain.decision_function(X, task=task) > 0
    )


def test_a_stored_model_and_its_graph_answer_alike(tmp_path: Path) -> None:
    for threshold in ("error", {"precision": 0.5, "tasks": "all"}, {"cost": [[0, 1], [5, 0]]}):
        clf, X, task, _ = fitted(1, threshold)
        expected = clf.predict(X, task=task)
        kinspan.save(clf, tmp_path / "m.kinspan")
        again = kinspan.load(tmp_path / "m.kinspan")
        np.testing.assert_array_equal(again.predict(X, task=task), expected)
        np.testing.assert_array_equal(again.threshold_, clf.threshold_)
        before, after = (model.forecast(score="f1") for model in (clf, again))
        np.testing.assert_array_equal(after.value, before.value)
        label, p = answers_of(to_onnx(clf, dtype="float64"), X, task)
        np.testing.assert_array_equal(label, expected)
        np.testing.assert_allclose(p, clf.predict_proba(X, task=task), rtol=1e-9)


def test_goals_are_reached_on_new_rows() -> None:
    """Means over tasks; what is forecast of the answers is what happens."""
    clf, _, _, means = fitted(2, "f1")
    plain, *_ = fitted(2, None)
    truth, without = (true_scores(c, means, Score("f1"), 0.1) for c in (clf, plain))
    assert truth.mean() > without.mean() + 0.03
    assert clf.forecast(score="f1").value.mean() == pytest.approx(truth.mean(), abs=0.06)
    costs = np.array([[0.0, 1.0], [8.0, 0.0]])
    clf, *_ = fitted(2, {"cost": costs})
    cost = true_scores(clf, means, Score("cost", costs), 0.1).mean()
    assert cost < 0.9 * true_scores(plain, means, Score("cost", costs), 0.1).mean()
    assert clf.forecast(score={"cost": costs}).value.mean() == pytest.approx(cost, rel=0.15)


def test_a_budget_is_kept_on_new_rows() -> None:
    clf, _, _, means = fitted(3, {"budget": 0.1})
    rng, chosen = np.random.default_rng(0), []
    for t, mean in enumerate(means):
        y = rng.uniform(size=4000) < 0.1
        chosen.append(clf.predict(rng.normal(size=(4000, 8)) + mean * y[:, None], task=t).mean())
    assert np.mean(chosen) == pytest.approx(0.1, abs=0.02)


def test_the_error_that_is_forecast_is_that_of_the_answers() -> None:
    clf, _, _, means = fitted(4, {"budget": 0.3})
    truth = true_scores(clf, means, Score("error"), 0.1)
    assert clf.forecast_error_.mean() == pytest.approx(truth.mean(), abs=0.02)
    plain, *_ = fitted(4, None)
    assert clf.forecast_error_.mean() > 1.5 * plain.forecast_error_.mean()


@pytest.mark.parametrize(
    "more", [{"class_weight": {0: 1.0, 1: 20.0}}, {"threshold": {"cost": [[0, 1], [20, 0]]}}]
)
def test_rules_that_seek_low_costs_can_be_wrong_more_often_than_the_majority(more: Any) -> None:
    error, covered = [], []
    for seed in range(4, 8):
        clf, _, _, means = fitted(seed, **{"threshold": None, **more})
        truth = true_scores(clf, means, Score("error"), 0.1)
        low, high = clf.forecast_interval_.T
        error.append(clf.forecast_error_ - truth)
        covered.append((low <= truth) & (truth <= high))
        assert truth.mean() > 0.15  # of the majority .1
    assert np.mean(error) == pytest.approx(0.0, abs=0.02)
    assert np.mean(covered) >= 0.8  # of 60


def test_a_task_that_can_leave_out_no_positive_is_announced_as_the_others_are() -> None:
    counts = np.tile([60, 20], (8, 1))
    counts[-1] = 20, 1
    for more in ({"class_weight": {0: 1, 1: 10}}, {"threshold": {"precision": 0.9}}):
        X, y, task, _ = rare(3, counts)
        error = MultiTaskSPCA(**more).fit(X, y, task=task).forecast_error_
        assert error[-1] < error[:-1].max() + 0.05


def test_costs_are_those_of_class_weight() -> None:
    weights = {0: 1.0, 1: 8.0}
    clf, X, task, _ = fitted(5, "cost", class_weight=weights)
    same, *_ = fitted(5, {"cost": [[0, 1], [8, 0]]}, class_weight=weights)
    np.testing.assert_array_equal(clf.predict(X, task=task), same.predict(X, task=task))


def test_tasks_that_are_not_fitted_use_the_threshold_of_all() -> None:
    clf, X, _, _ = fitted(6, "f1", unseen="shared")
    together, *_ = fitted(6, {"f1": None, "tasks": "all"}, unseen="shared")
    np.testing.assert_array_equal(
        clf.predict(X, task="new"), clf.decision_function(X, task="new") > together.threshold_[0]
    )


def test_what_has_no_threshold_is_refused() -> None:
    X, y, task, _ = rare(7, COUNTS)
    with pytest.raises(ValueError, match="threshold is for two classes, and y has 3"):
        MultiTaskSPCA(threshold="f1").fit(X, np.arange(len(y)) % 3, task=task)
    with pytest.raises(ValueError, match="use row_sample=100"):
        MultiTaskSPCA(threshold="f1", row_sample=0).fit(X, y, task=task)
    with pytest.raises(ValueError, match="threshold='auc'; use None"):
        MultiTaskSPCA(threshold="auc").fit(X, y, task=task)


def test_streams_have_thresholds_too() -> None:
    X, y, task, _ = rare(8, COUNTS)
    whole = MultiTaskSPCA(threshold="f1").fit(X, y, task=task)
    stream = MultiTaskSPCA(threshold="f1")
    for part in np.array_split(np.random.default_rng(0).permutation(len(y)), 4):
        stream.partial_fit(X[part], y[part], task=task[part], classes=[0, 1])
    np.testing.assert_allclose(stream.threshold_, whole.threshold_, atol=1e-6)


@pytest.mark.parametrize(
    ("threshold", "said"),
    [
        ("cost", "Answers are chosen for the least cost, not for few errors."),
        ("f1", "Answers are chosen for the largest F1, not for few errors."),
        ({"budget": 0.05}, "Answers are chosen for a budget of 5.0 %, not for few errors."),
        ({"precision": 0.5, "tasks": "all"}, "a precision of 50.0 %, not for few errors."),
        ("error", ""),
        (None, ""),
    ],
)
def test_errors_come_with_what_answers_are_chosen_for(threshold: Any, said: str) -> None:
    clf, *_ = fitted(0, threshold)
    shown = repr(clf.forecast())
    assert shown.endswith(said) if said else "not for few errors" not in shown
    goal = contents(clf, None, False)["about"]["goal"]
    assert goal.endswith(said) if said else not goal


def test_errors_are_not_planned_for_a_threshold_that_is_for_something_else() -> None:
    """One in ten is of the class, and missing it costs thirty times as much as calling in vain."""
    rng = np.random.default_rng(0)
    y, task = np.tile(np.repeat([0, 1], [45, 5]), 4), np.repeat(range(4), 50)
    X = rng.normal(size=(200, 10)) + 0.3 * y[:, None]
    cost = {"cost": [[0, 1], [30, 0]]}
    clf = MultiTaskSPCA(priors="empirical", threshold=cost).fit(X, y, task=task)
    answer = clf.labels_needed(0, 0.2)
    assert answer.present_error > 0.2
    assert (answer.verdict, answer.more_per_class) == ("other goal", None)
    assert "the threshold is for another goal" in repr(answer)
    assert clf.labels_needed(0, 0.99).verdict == "reached"
    assert clf.labels_needed(0, 0.5, score=cost).score.startswith("cost")
