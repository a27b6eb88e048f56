"""Forecasts of scores: the truth on new rows, what a loaded model says, and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinspan
from kinspan import MultiTaskSPCA
from kinspan.displays import RocForecastDisplay
from kinspan.metrics import Score, ScoredRows


def rare(seed: int, counts: Any, p: int = 8) -> tuple[Any, Any, Any, Any]:
    """Related Gaussian tasks with these numbers of both classes, and their means."""
    rng = np.random.default_rng(seed)
    counts = np.asarray(counts)
    shared = rng.normal(size=p)
    means = 0.6 * (shared + 0.5 * rng.normal(size=(len(counts), p)))
    cells = np.repeat(np.arange(counts.size), counts.ravel())
    task, y = cells // 2, cells % 2
    return rng.normal(size=(len(y), p)) + means[task] * y[:, None], y, task, means


def true_scores(model: MultiTaskSPCA, means: Any, score: Score, share: float) -> Any:
    rng, found = np.random.default_rng(99), []
    for t, mean in enumerate(means):
        y = np.repeat([0, 1], 3000)
        X = rng.normal(size=(6000, len(mean))) + mean * y[:, None]
        weights = np.where(y == 1, share, 1.0 - share)
        answers, p = model.predict(X, task=t), model.predict_proba(X, task=t)
        found.append(score.of(ScoredRows(y, answers, p, weights)))
    return np.array(found)


@pytest.mark.parametrize(
    ("score", "most"), [("roc_auc", 0.02), ("average_precision", 0.05), ("log_loss", 0.02)]
)
def test_forecasts_are_near_the_scores_of_new_rows(score: str, most: float) -> None:
    inside, gaps = [], []
    for seed in range(3):
        X, y, task, means = rare(seed, np.tile([180, 20], (15, 1)))
        clf = MultiTaskSPCA(priors="empirical").fit(X, y, task=task)
        found = clf.forecast(score=score)
        truth = true_scores(clf, means, Score(score), 0.1)[found.tasks]
        inside += ((found.low < truth) & (truth < found.high)).tolist()
        gaps += (found.value - truth).tolist()
    assert abs(np.mean(gaps)) < most
    assert np.mean(inside) > 0.8


def test_what_no_row_tells_is_unknown() -> None:
    X, y, task, _ = rare(3, np.tile([20, 1], (4, 1)))  # no positive has another one to be left to
    clf = MultiTaskSPCA(priors="empirical").fit(X, y, task=task)
    for score in ("roc_auc", "average_precision", "f1", "log_loss", "brier_score"):
        found = clf.forecast(score=score)
        assert np.isnan([found.value, found.low, found.high]).all()
        assert np.isnan(clf.learning_curve(0, [0, 10], score=score)).all()
    assert str(clf.labels_needed(0, 0.7, score="roc_auc")).startswith("Task 0: AUC unknown now")
    with pytest.raises(ValueError, match="no task has two rows of each class"):
        RocForecastDisplay.from_estimator(clf)
    with pytest.warns(UserWarning, match="'f1' is not known yet: no task has two rows of class 1"):
        same = MultiTaskSPCA(priors="empirical", threshold="f1").fit(X, y, task=task)
    np.testing.assert_array_equal(same.predict(X, task=task), clf.predict(X, task=task))


def test_one_to_five_positives_lean_on_the_others_and_say_so() -> None:
    counts = np.tile([100, 30], (12, 1))
    counts[:5, 1] = [1, 2, 3, 4, 5]
    X, y, task, _ = rare(3, counts)
    clf = MultiTaskSPCA(priors="empirical").fit(X, y, task=task)
    found = clf.forecast(score="roc_auc")
    width = dict(zip(found.tasks, found.high - found.low, strict=True))
    usual = np.mean([width[t] for t in range(5, 12)])
    assert np.mean([width[t] for t in range(5)]) > 1.3 * usual
    assert (found.low > 0).all()
    assert (found.high <= 1).all()
    assert found.labels.tolist() == counts[found.tasks].tolist()


def test_a_task_of_one_class_is_unknown_and_comes_first() -> None:
    X, y, task, _ = rare(4, [[40, 10], [30, 0], [40, 12]])
    found = MultiTaskSPCA().fit(X, y, task=task).forecast(score="f1")
    assert found.tasks[0] == 1
    assert np.isnan(found.value[0])
    assert np.isfinite(found.value[1:]).all()
    assert "unknown" in repr(found)


def test_the_worst_comes_first_whichever_way_is_better() -> None:
    X, y, task, _ = rare(5, np.tile([40, 10], (6, 1)))
    clf = MultiTaskSPCA().fit(X, y, task=task)
    assert (np.diff(clf.forecast(score="roc_auc").value) >= 0).all()
    assert (np.diff(clf.forecast(score="log_loss").value) <= 0).all()
    one = clf.forecast(3, score="roc_auc")
    assert one.tasks == [3]


def test_a_loaded_model_says_the_same(tmp_path: Path) -> None:
    X, y, task, _ = rare(6, np.tile([40, 10], (4, 1)))
    clf = MultiTaskSPCA().fit(X, y, task=task)
    kinspan.save(clf, tmp_path / "m.kinspan")
    again = kinspan.load(tmp_path / "m.kinspan")
    before, after = (model.forecast(score="roc_auc") for model in (clf, again))
    np.testing.assert_array_equal(after.value, before.value)


def test_given_priors_are_the_shares_of_new_rows() -> None:
    """Labels may have been collected in equal numbers."""
    X, y, task, means = rare(7, np.tile([60, 60], (8, 1)))
    clf = MultiTaskSPCA(priors=[0.95, 0.05]).fit(X, y, task=task)
    found = clf.forecast(score="average_precision")
    truth = true_scores(clf, means, Score("average_precision"), 0.05)[found.tasks]
    assert abs(np.mean(found.value - truth)) < 0.08
    np.testing.assert_allclose(found.chance, 0.05)


def test_what_knowing_nothing_gives_is_next_to_the_forecast() -> None:
    """A task with two positives of twenty is not the best one because "never" is seldom wrong."""
    X, y, task, _ = rare(9, [[18, 2], [10, 10]])
    clf = MultiTaskSPCA(priors="empirical").fit(X, y, task=task)
    found = clf.forecast(score="error")
    blind = dict(zip(found.tasks, zip(found.majority, found.chance, strict=True), strict=True))
    np.testing.assert_allclose(blind[0], [0.1, 0.18])
    np.testing.assert_allclose(blind[1], [0.5, 0.5])
    assert "majority  chance" in repr(found)
    ranks = clf.forecast(score="average_precision")
    np.testing.assert_allclose(ranks.majority, ranks.chance)


def test_thousands_of_labels_are_counted_in_full() -> None:
    X, y, task, _ = rare(10, [[17000, 1000]])
    clf = MultiTaskSPCA(row_sample=50).fit(X, y, task=task)
    assert "17,000 / 1,000" in repr(clf.forecast(score="roc_auc"))
    assert "18,000" in repr(clf.forecast())


def test_a_cost_says_in_which_order_classes_are() -> None:
    X, y, task, _ = rare(11, [[40, 10], [30, 12]])
    names = np.array(["stay", "churn"])[y]
    clf = MultiTaskSPCA(pos_label="churn").fit(X, names, task=task)
    found = clf.forecast(score={"cost": [[0, 20], [1, 0]]})
    assert "in the order 'churn', 'stay'" in repr(found)


def test_f1_without_a_threshold_says_that_there_is_one() -> None:
    X, y, task, _ = rare(12, [[40, 10], [30, 12]])
    for threshold, said in ((None, True), ("f1", False)):
        clf = MultiTaskSPCA(priors="empirical", threshold=threshold).fit(X, y, task=task)
        assert ("threshold='f1'" in clf.forecast(score="f1").note) is said
    three = MultiTaskSPCA().fit(X, np.arange(len(y)) % 3, task=task)
    assert not three.forecast(score="f1").note


def test_what_cannot_be_forecast_is_refused() -> None:
    X, y, task, _ = rare(8, np.tile([20, 10], (3, 1)))
    clf = MultiTaskSPCA().fit(X, y, task=task)
    with pytest.raises(ValueError, match="score='auc' is no score"):
        clf.forecast(score="auc")
    with pytest.raises(ValueError, match="as a share of them"):
        clf.forecast(score={"lift_at_budget": 10})
    with pytest.raises(ValueError, match="fit it with row_sample=100"):
        MultiTaskSPCA(row_sample=0).fit(X, y, task=task).forecast(score="f1")
    three = MultiTaskSPCA().fit(X, np.arange(len(y)) % 3, task=task)
    with pytest.raises(ValueError, match="two classes, and there are 3; use recall_at_budget"):
        three.forecast(score={"precision_at_budget": 0.1})


@pytest.mark.parametrize(
    ("score", "most"),
    [("roc_auc", 0.03), ("log_loss", 0.08), ("brier_score", 0.04), ("balanced_error", 0.04)],
)
def test_scores_of_several_classes_are_near_those_of_new_rows(score: str, most: float) -> None:
    rng, k, m, p = np.random.default_rng(10), 8, 4, 10
    shared = 0.6 * rng.normal(size=(m, p))
    means = shared + 0.5 * rng.normal(size=(k, m, p))
    cells = np.repeat(np.arange(k * m), 25)
    task, y = cells // m, cells % m
    clf = MultiTaskSPCA().fit(rng.normal(size=(len(y), p)) + means[task, y], y, task=task)
    found = clf.forecast(score=score)
    gaps, inside = [], []
    for t, value, low, high in zip(found.tasks, found.value, found.low, found.high, strict=True):
        new = np.repeat(np.arange(m), 500)
        X = rng.normal(size=(len(new), p)) + means[t, new]
        answers, proba = clf.predict(X, task=t), clf.predict_proba(X, task=t)
        truth = Score(score).of(ScoredRows(new, answers, proba, np.ones(len(new))))
        gaps.append(value - truth)
        inside.append(low <= truth <= high)
    assert abs(np.mean(gaps)) < most
    assert np.mean(inside) >= 0.7
    assert found.labels.shape == (k, m)


def test_the_classes_of_labels_are_named() -> None:
    X, y, task, _ = rare(8, np.tile([20, 10], (3, 1)))
    found = MultiTaskSPCA().fit(X, np.where(y > 0, "yes", "no"), task=task).forecast(score="f1")
    lines = repr(found).splitlines()
    assert lines[0].endswith("  labels no / yes")
    assert lines[1].endswith("  20 / 10")
    many = MultiTaskSPCA().fit(X, np.arange(len(y)) % 5, task=task).forecast(score="roc_auc")
    assert repr(many).splitlines()[0].endswith("  labels per class")
    assert {line.split("  ")[-1] for line in repr(many).splitlines()[1:4]} == {"6 to 6"}


def test_curves_of_several_classes_are_refused() -> None:
    X, y, task, _ = rare(8, np.tile([20, 10], (3, 1)))
    three = MultiTaskSPCA().fit(X, np.arange(len(y)) % 3, task=task)
    for ask in (
        lambda: three.learning_curve(0, [1], score="roc_auc"),
        lambda: three.labels_needed(0, 0.9, score="roc_auc"),
    ):
        with pytest.raises(ValueError, match="score='roc_auc': curves of scores are for two"):
            ask()
    with pytest.raises(ValueError, match="threshold is for two classes, and y has 3"):
        MultiTaskSPCA(threshold="f1").fit(X, np.arange(len(y)) % 3, task=task).coef_
