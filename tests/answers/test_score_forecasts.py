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
from tests.worlds import random_world


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


@pytest.mark.parametrize(("score", "priors"), [("balanced_error", None), ("error", "empirical")])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_error_has_one_forecast(score: str, priors: Any, n_classes: int) -> None:
    """Whoever asks for it by its name gets what `forecast` and its curve say."""
    rng = np.random.default_rng(0)
    y, task = rng.integers(0, n_classes, 300), np.repeat(np.arange(5), 60)
    X = rng.normal(size=(300, 6)) + y[:, None] * rng.normal(size=6)
    clf = MultiTaskSPCA(priors=priors).fit(X, y, task=task)
    found = clf.forecast(score=score)
    places = [clf.tasks_.tolist().index(t) for t in found.tasks]
    np.testing.assert_array_equal(found.value, clf.forecast_error_[places])
    low, high = clf.forecast_interval_[places].T
    if score == "balanced_error" or n_classes > 2:
        np.testing.assert_array_equal([found.low, found.high], [low, high])
    else:  # new rows do not have exactly the shares of the labels
        assert (found.low <= low).all()
        assert (found.high >= high).all()
        assert (found.high - found.low > high - low).any()
    if n_classes == 2:
        more = [0, 10, 100]
        for label in ("each class", "rows", "positives"):
            curve = clf.learning_curve(2, more, score=score, label=label)
            np.testing.assert_array_equal(curve, clf.learning_curve(2, more, label=label))
        assert clf.labels_needed(2, 0.01, score=score).present == clf.forecast_error_[2]


@pytest.mark.parametrize("priors", [None, "empirical"])
def test_errors_are_one_number_where_classes_are_equally_frequent(priors: str | None) -> None:
    X, y, task = random_world(3)
    keep = np.concatenate(
        [np.flatnonzero((task == t) & (y == c))[:9] for t in np.unique(task) for c in (0, 1)]
    )
    clf = MultiTaskSPCA(priors=priors).fit(X[keep], y[keep], task=task[keep])
    for score in ("error", "balanced_error"):
        found = clf.forecast(score=score)
        at = [clf.tasks_.tolist().index(t) for t in found.tasks]
        np.testing.assert_allclose(found.value, clf.forecast_error_[at], rtol=1e-12)
        ends = np.stack([found.low, found.high], axis=1)
        of_shares = 0.02 if score == "error" else 1e-9  # shares of new rows are not those of labels
        np.testing.assert_allclose(ends, clf.forecast_interval_[at], atol=of_shares)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_cost_that_all_errors_share_is_the_error_in_other_units(n_classes: int) -> None:
    """.29 was said of the cost and .27 of the error of one task."""
    X, y, task = random_world(0, n_tasks=4, n_classes=n_classes)
    clf = MultiTaskSPCA().fit(X, y, task=task)
    costs = 3.0 * (1.0 - np.eye(n_classes))
    error, cost = (clf.forecast(score=s) for s in ("error", {"cost": costs}))
    assert cost.tasks == error.tasks
    for name in ("value", "low", "high"):
        np.testing.assert_allclose(getattr(cost, name), 3.0 * getattr(error, name))
    if n_classes == 2:
        curves = [clf.learning_curve(1, [0, 20], score=s) for s in ("error", {"cost": costs})]
        np.testing.assert_allclose(curves[1], 3.0 * curves[0])
    costs[0, 1] += 1.0
    apart = clf.forecast(score={"cost": costs})
    assert not np.allclose(np.sort(apart.value), np.sort(cost.value))


def test_intervals_of_errors_count_how_often_a_rare_class_may_occur() -> None:
    """5 of 57 customers left: "never" is wrong in 3 to 18 % of the next ones, not in 8 to 10."""
    covered, n = np.zeros(2), 72
    for seed in range(n // 12):
        rng = np.random.default_rng(seed)
        share, task = rng.uniform(0.05, 0.2, size=12), np.repeat(np.arange(12), 60)
        of_new = np.repeat(np.arange(12), 4000)
        y, new = ((rng.random(len(t)) < share[t]).astype(int) for t in (task, of_new))
        X, X_new = (rng.normal(size=(len(c), 8)) + 0.4 * c[:, None] for c in (y, new))
        clf = MultiTaskSPCA(priors="empirical").fit(X, y, task=task)
        wrong = clf.predict(X_new, task=of_new) != new
        cells = 2 * of_new + new
        of_cells = (np.bincount(cells, wrong) / np.bincount(cells)).reshape(12, 2)
        true = {"error": np.bincount(of_new, wrong) / 4000, "balanced_error": of_cells.mean(axis=1)}
        for i, (score, at) in enumerate(true.items()):
            found = clf.forecast(score=score)
            inside = (found.low <= at[found.tasks]) & (at[found.tasks] <= found.high)
            covered[i] += inside.sum()
    assert (np.abs(covered / n - 0.9) < 4 * np.sqrt(0.09 / n)).all()


def test_both_errors_are_those_of_new_rows_with_rare_positives() -> None:
    """Classes that count equally, and as often as they occur, by rules that count them equally."""
    off = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        y, task = (rng.random(900) < 0.15).astype(int), np.arange(900) % 6
        new = (rng.random(6000) < 0.15).astype(int)
        X, X_new = (rng.normal(size=(len(c), 8)) + 0.4 * c[:, None] for c in (y, new))
        clf = MultiTaskSPCA().fit(X, y, task=task)
        wrong = clf.predict(X_new, task=np.arange(6000) % 6) != new
        true = wrong.mean(), np.mean([wrong[new == c].mean() for c in (0, 1)])
        found = [clf.forecast(score=s).value.mean() for s in ("error", "balanced_error")]
        off.append(np.subtract(found, true))
    error = np.std(off, axis=0, ddof=1) / np.sqrt(len(off))
    assert (np.abs(np.mean(off, axis=0)) < 4 * error + 0.005).all()


def test_errors_of_rare_classes_hardly_fall_with_labels() -> None:
    """Where one of ten leaves, many labels make a rule little better than "never"."""
    rng, n = np.random.default_rng(5), 60000
    task = np.repeat(np.arange(10), 150)
    y, new = (np.arange(size) % 10 == 0 for size in (1500, n))
    X, X_new, more = (rng.normal(size=(len(c), 8)) + 0.4 * c[:, None] for c in (y, new, new))
    clf = MultiTaskSPCA(priors="empirical").fit(X, y, task=task)
    rich = MultiTaskSPCA(priors="empirical").fit(more, new)
    best = 1 - rich.score(X_new, new)
    promised = [clf.learning_curve(t, [10**6])[0] for t in range(10)]
    assert np.mean(promised) == pytest.approx(best, abs=0.006)
    assert 0.085 < best < 0.1
