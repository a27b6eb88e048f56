"""What to label for a score: curves begin at the forecast; labels of one class, or of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinspan import MultiTaskSPCA
from kinspan.metrics import Score
from tests.answers.test_score_forecasts import rare, true_scores

SCORES: list[Any] = ["roc_auc", "average_precision", "log_loss", "f1", {"lift_at_budget": 0.05}]
RARE = np.array([[90, 10], [200, 20], [200, 5], [150, 15], [180, 30]])


@pytest.fixture(scope="module")
def clf() -> MultiTaskSPCA:
    X, y, task, _ = rare(0, RARE)
    return MultiTaskSPCA(priors="empirical").fit(X, y, task=task)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("threshold", [None, "f1", {"budget": 0.1, "tasks": "all"}])
def test_with_no_more_labels_it_is_the_forecast(score: Any, threshold: Any) -> None:
    X, y, task, _ = rare(1, RARE)
    model = MultiTaskSPCA(priors="empirical", threshold=threshold).fit(X, y, task=task)
    for t in (0, 2):
        forecast = model.forecast(t, score=score)
        for label in ("each class", "rows", "positives"):
            begins = model.learning_curve(t, [0], score=score, label=label)
            np.testing.assert_allclose(begins, forecast.value, rtol=1e-12)
        assert model.labels_needed(t, 0.5, score=score).present == pytest.approx(forecast.value[0])


@pytest.mark.parametrize("score", ["roc_auc", "average_precision"])
def test_more_labels_are_better_and_so_are_more_kinds(clf: MultiTaskSPCA, score: str) -> None:
    more = [0, 1, 10, 100, 1000]
    curves = {
        label: clf.learning_curve(2, more, score=score, label=label)
        for label in ("rows", "positives", "each class")
    }
    for curve in curves.values():
        assert (np.diff(curve) > 0).all()
    assert (curves["each class"][2:] > curves["positives"][2:]).all()
    assert (curves["positives"][1:4] > curves["rows"][1:4]).all()  # rows are rarely positive


def test_a_row_is_as_many_labels_of_each_class_as_classes_are_frequent(clf: MultiTaskSPCA) -> None:
    """The error of twenty classes' worth of rows, and of the class alone, by hand."""
    learning, counts = clf._rules.learning, RARE[0]
    share = counts / counts.sum()
    for label, added in (("rows", 40 * share), ("positives", [0, 40]), ("each class", [40, 40])):
        n = counts + np.asarray(added, dtype=float)
        own = learning.own[0]
        known = [
            learning.passed_on[0] + own**2 / (own + (learning.spread[0] / of).sum())
            for of in (counts, n)
        ]
        growth = learning.growth(0, np.array(40.0), n / 40 - counts / 40)
        assert growth == pytest.approx(np.sqrt(known[1] / known[0]))
        error = clf.learning_curve(0, [40], label=label)[0]
        assert error == learning.error(0, np.array(40.0), np.asarray(added) / 40)


def test_the_number_of_labels_is_the_smallest(clf: MultiTaskSPCA) -> None:
    curve = clf.learning_curve(1, np.arange(60), score="roc_auc", label="positives")
    wanted = float(curve[40] + curve[41]) / 2
    answer = clf.labels_needed(1, wanted, score="roc_auc")
    of = {way.label: way for way in answer.ways}
    assert list(of) == ["positives", "rows", "each class"]
    assert of["positives"].more == 41
    assert of["positives"].expected == pytest.approx(curve[41])
    assert of["rows"].more is not None
    assert of["rows"].more > 41
    assert clf.labels_needed(1, float(curve[0]) - 0.01, score="roc_auc").ways[0].more == 0
    assert f"{of['rows'].more}" in repr(answer)


def test_what_cannot_be_reached(clf: MultiTaskSPCA) -> None:
    limit = clf.labels_needed(1, 0.9, score="roc_auc").ways[1]
    above = clf.labels_needed(1, limit.ends[1] + 1e-4, score="roc_auc").ways[1]
    within = clf.labels_needed(1, limit.ends[1] - 1e-4, score="roc_auc").ways[1]
    assert (above.verdict, above.more) == ("out of reach", None)
    assert (within.verdict, within.more) == ("uncertain", None)
    assert above.expected == limit.limit


def test_a_loss_falls_to_what_is_wanted(clf: MultiTaskSPCA) -> None:
    now, later = clf.learning_curve(1, [0, 300], score="log_loss")
    assert later < now
    more = clf.labels_needed(1, float(now + later) / 2, score="log_loss").ways[2]
    assert more.limit < later
    assert more.verdict == "uncertain"  # it may be no better than guessing
    assert clf.labels_needed(1, float(now) + 0.01, score="log_loss").ways[2].more == 0


def test_a_task_of_one_class_is_unknown() -> None:
    X, y, task, _ = rare(4, [[40, 10], [30, 0], [40, 12]])
    answer = MultiTaskSPCA().fit(X, y, task=task).labels_needed(1, 0.8, score="roc_auc")
    assert np.isnan(answer.present)
    assert {way.verdict for way in answer.ways} == {"unknown"}


def test_four_times_the_labels_bring_what_was_promised() -> None:
    promised, true, before = [], [], []
    for seed in range(6):
        counts = np.tile([150, 15], (8, 1))
        X, y, task, means = rare(seed, counts, p=20)
        few = MultiTaskSPCA(priors="empirical").fit(X, y, task=task)
        promised.append(few.learning_curve(0, [3 * 165], score="roc_auc", label="rows")[0])
        before.append(few.forecast(0, score="roc_auc").value[0])
        rng = np.random.default_rng([seed, 1])
        added = np.repeat([0, 1], [450, 45])
        X = np.concatenate([X, rng.normal(size=(495, 20)) + means[0] * added[:, None]])
        y, task = np.concatenate([y, added]), np.concatenate([task, np.zeros(495, dtype=int)])
        many = MultiTaskSPCA(priors="empirical").fit(X, y, task=task)
        true.append(true_scores(many, means[:1], Score("roc_auc"), 0.09)[0])
    gaps = np.array(promised) - true
    assert abs(gaps.mean()) < 4 * gaps.std() / np.sqrt(len(gaps)) + 0.01
    assert (np.array(promised) > before).all()


def test_bad_questions_are_refused_by_name(clf: MultiTaskSPCA) -> None:
    with pytest.raises(
        ValueError, match="label='ones' is nothing that can be labelled; use one of"
    ):
        clf.learning_curve(0, [1], label="ones")
    with pytest.raises(ValueError, match="wanted='much'; use a value of roc_auc"):
        clf.labels_needed(0, "much", score="roc_auc")  # type: ignore[call-overload]
    X, y, task, _ = rare(8, np.tile([20, 10], (3, 1)))
    three = MultiTaskSPCA().fit(X, np.arange(len(y)) % 3, task=task)
    with pytest.raises(ValueError, match="label='positives' needs two classes, and there are 3"):
        three.learning_curve(0, [1], label="positives")
