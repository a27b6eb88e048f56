"""`pos_label=`: scores and thresholds of the first of two classes are those of mirrored ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinspan
from kinspan import MultiTaskSPCA, task_report
from tests.answers.test_score_forecasts import rare

COUNTS = np.tile([120, 14], (6, 1))
GOALS = (
    *("f1", "cost", {"budget": 0.05}, {"precision": 0.5, "tasks": "all"}),
    {"cost": [[0, 1], [5, 0]]},
)
SCORES = ("average_precision", "f1", "error", {"lift_at_budget": 0.05}, {"cost": [[0, 1], [9, 0]]})


def other_way(given: Any) -> Any:
    """The same costs of classes in the other order."""
    if isinstance(given, dict) and "cost" in given:
        return {**given, "cost": np.array(given["cost"])[::-1, ::-1].tolist()}
    return given


def two_names(goal: Any, **more: Any) -> tuple[MultiTaskSPCA, MultiTaskSPCA, Any, Any, Any]:
    """The same rows with a rare class that is the second in sorted order, and the first."""
    X, y, task, _ = rare(3, COUNTS)
    second, first = np.where(y == 1, "yes", "no"), np.where(y == 1, "churn", "stay")
    usual = MultiTaskSPCA(threshold=goal, **more).fit(X, second, task=task)
    named = MultiTaskSPCA(threshold=other_way(goal), pos_label="churn", **more)
    return usual, named.fit(X, first, task=task), X, y, task


@pytest.mark.parametrize("goal", GOALS)
def test_the_name_of_the_class_changes_no_answer(goal: Any) -> None:
    usual, named, X, _, task = two_names(goal, priors="empirical")
    np.testing.assert_allclose(named.threshold_, -usual.threshold_, atol=1e-9)
    leaves = usual.predict(X, task=task) == "yes"
    np.testing.assert_array_equal(named.predict(X, task=task) == "churn", leaves)
    np.testing.assert_allclose(named.forecast_error_, usual.forecast_error_, atol=1e-9)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("priors", ["empirical", [0.9, 0.1]])
def test_nor_a_forecast_nor_a_curve(score: Any, priors: Any) -> None:
    usual, named, *_ = two_names("f1", priors=priors)
    if not isinstance(priors, str):
        named = MultiTaskSPCA(threshold="f1", pos_label="churn", priors=priors[::-1])
        X, y, task, _ = rare(3, COUNTS)
        named.fit(X, np.where(y == 1, "churn", "stay"), task=task)
    before, after = usual.forecast(score=score), named.forecast(score=other_way(score))
    for name in ("value", "low", "high", "chance"):
        np.testing.assert_allclose(getattr(after, name), getattr(before, name), atol=1e-9)
    for label in ("positives", "rows", "each class"):
        curves = [
            clf.learning_curve(0, [0, 10, 50], score=of, label=label)
            for clf, of in ((usual, score), (named, other_way(score)))
        ]
        np.testing.assert_allclose(curves[1], curves[0], atol=1e-9)


def test_nor_what_test_rows_get() -> None:
    _, named, X, y, task = two_names(None, priors="empirical")
    p, answers = named.predict_proba(X, task=task), named.predict(X, task=task)
    scores = [*SCORES[:-1], {"cost": [[0, 9], [1, 0]]}]
    found = task_report(
        np.where(y == 1, "churn", "stay"),
        *(answers, task),
        **{"y_proba": p, "scores": scores, "pos_label": "churn"},
    )
    wanted = task_report(
        y, (answers == "churn").astype(int), task, y_proba=p[:, 0], scores=list(SCORES)
    )
    assert found.scores is not None
    assert wanted.scores is not None
    np.testing.assert_allclose(found.scores.values, wanted.scores.values)
    np.testing.assert_allclose(found.scores.chance, wanted.scores.chance)


def test_tables_name_the_class_and_a_frequent_one_is_pointed_out() -> None:
    X, y, task, _ = rare(3, COUNTS)
    y = np.where(y == 1, "churn", "stay")
    plain = MultiTaskSPCA(priors="empirical").fit(X, y, task=task)
    table = repr(plain.forecast(score="f1"))
    assert "F1 (stay)" in table
    assert "with pos_label='churn' it is about the other" in table
    assert "pos_label" not in repr(plain.forecast(score="roc_auc"))  # the same for both
    named = MultiTaskSPCA(priors="empirical", pos_label="churn").fit(X, y, task=task)
    assert "F1 (churn)" in repr(named.forecast(score="f1"))
    assert "pos_label" not in repr(named.forecast(score="f1"))


def test_a_budget_of_the_frequent_class_needs_to_be_meant(recwarn: Any) -> None:
    X, y, task, _ = rare(3, COUNTS)
    y = np.where(y == 1, "churn", "stay")
    with pytest.warns(UserWarning, match="pass pos_label='churn'"):
        MultiTaskSPCA(threshold={"budget": 0.05}).fit(X, y, task=task)
    recwarn.clear()
    MultiTaskSPCA(threshold={"budget": 0.05}, pos_label="stay").fit(X, y, task=task)
    MultiTaskSPCA(threshold="error").fit(X, y, task=task)
    assert not recwarn.list


def test_a_stored_model_is_about_the_same_class(tmp_path: Path) -> None:
    _, named, X, _, task = two_names({"budget": 0.1}, priors="empirical")
    kinspan.save(named, tmp_path / "m.kinspan")
    again = kinspan.load(tmp_path / "m.kinspan")
    np.testing.assert_array_equal(again.predict(X, task=task), named.predict(X, task=task))
    before, after = (clf.forecast(score="f1") for clf in (named, again))
    np.testing.assert_array_equal(after.value, before.value)


def test_it_is_a_class_and_there_are_two() -> None:
    X, y, task, _ = rare(3, COUNTS)
    with pytest.raises(ValueError, match="pos_label=7 is not among the classes"):
        MultiTaskSPCA(pos_label=7).fit(X, y, task=task)
    with pytest.raises(ValueError, match="is for two classes"):
        MultiTaskSPCA(pos_label=1).fit(X, y + (np.arange(len(y)) % 7 == 0), task=task)
