"""Tasks that come and go, with many labels, with few and with none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from kinspan import MultiTaskSPCA
from tests.worlds import random_world


def places_world(seed: int, n_tasks: int = 20, n_per_class: int = 15, p: int = 20) -> Any:
    """Tasks with the same contrast at different places."""
    rng = np.random.default_rng(seed)
    contrast = 1.3 * np.eye(p)[0]
    centres = rng.normal(size=(n_tasks, p))
    y, task = np.tile([0, 1], n_per_class * n_tasks), np.repeat(np.arange(n_tasks), 2 * n_per_class)
    X = centres[task] + np.where(y == 1, 1.0, -1.0)[:, None] * contrast
    return X + rng.normal(size=X.shape), y, task


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, pd.DataFrame])
def test_a_task_that_joins_was_always_there(container: Any) -> None:
    X, y, task = random_world(0)
    whole = MultiTaskSPCA().fit(container(X), y, task=task)
    rest = task != 3
    clf = MultiTaskSPCA().fit(container(X[rest]), y[rest], task=task[rest])
    moments = clf.moments_
    assert clf.add_task(3, container(X[~rest]), y[~rest]) is clf
    np.testing.assert_allclose(clf.coef_, whole.coef_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(clf.forecast_error_, whole.forecast_error_, rtol=1e-9)
    np.testing.assert_array_equal(clf.moments_.means[:3], moments.means)
    np.testing.assert_array_equal(clf.moments_.squares[:3], moments.squares)
    back = clf.remove_task(3)
    alone = MultiTaskSPCA().fit(container(X[rest]), y[rest], task=task[rest])
    np.testing.assert_array_equal(back.coef_, alone.coef_)


def test_rows_of_a_task_may_come_one_after_the_other() -> None:
    X, y, task = random_world(1, n_classes=2)
    own = np.flatnonzero(task == 0)
    clf = MultiTaskSPCA().fit(X[task > 0], y[task > 0], task=task[task > 0])
    clf.add_task(0)
    for some in [*own[:6, None], own[6:30], *own[30:32, None], own[32:]]:
        clf.add_task(0, X[some], y[some])
    whole = MultiTaskSPCA().fit(X, y, task=task)
    np.testing.assert_allclose(clf.coef_, whole.coef_, rtol=1e-8, atol=1e-12)


@pytest.mark.long
def test_every_piece_of_knowledge_lowers_the_error_and_its_forecast() -> None:
    """Nothing, rows without labels, and many labels: in the mean over worlds, both fall."""
    errors, forecasts = [], []
    for seed in range(8):
        X, y, task = places_world(seed)
        rest, new = task > 0, task == 0
        fresh_X, fresh_y, fresh_task = places_world(seed)
        noise = np.random.default_rng(50 + seed).normal(size=fresh_X.shape)
        clf = MultiTaskSPCA().fit(X[rest], y[rest], task=task[rest])
        of_world: list[float] = []
        of_forecast: list[float] = []
        for rows, labels in ((None, None), (X[new], None), (X[new], y[new])):
            clf.add_task(0, rows, labels)
            test = fresh_task == 0
            shown = (fresh_X - X + _clean(seed) + noise)[test]
            of_world.append(1 - clf.score(shown, fresh_y[test], task=0))
            of_forecast.append(float(clf.forecast_error_[0]))
        errors.append(of_world)
        forecasts.append(of_forecast)
    error, forecast = np.mean(errors, axis=0), np.mean(forecasts, axis=0)
    assert error[0] > error[1] + 0.05
    assert error[1] > error[2] - 0.03
    assert forecast[0] > forecast[1] + 0.05
    spread = np.std(np.array(errors) - forecasts, axis=0) / np.sqrt(len(errors))
    assert np.all(np.abs(error - forecast) < 0.03 + 4 * spread)


def _clean(seed: int) -> Any:
    """The same world without its noise."""
    rng = np.random.default_rng(seed)
    contrast, centres = 1.3 * np.eye(20)[0], rng.normal(size=(20, 20))
    y, task = np.tile([0, 1], 300), np.repeat(np.arange(20), 30)
    return centres[task] + np.where(y == 1, 1.0, -1.0)[:, None] * contrast


def test_one_label_says_where_a_task_lies() -> None:
    """Tasks far from each other: with labels of one class the other is answered as well."""
    X, y, task = places_world(0)
    X = X + 10.0 * np.arange(20)[task][:, None]
    clf = MultiTaskSPCA().fit(X[task > 0], y[task > 0], task=task[task > 0])
    own = task == 0
    nothing = clf.add_task(0).score(X[own], y[own], task=0)
    one_class = np.flatnonzero(own & (y == 1))[:5]
    clf.add_task(0, X[one_class], y[one_class])
    assert clf.score(X[own], y[own], task=0) > nothing + 0.2
    assert clf.forecast_error_[0] < 0.35
    assert clf.single_task_error_[0] == 0.5


def test_new_tasks_can_be_asked_about() -> None:
    X, y, task = places_world(1)
    clf = MultiTaskSPCA().fit(X, y, task=task).add_task("new")
    curve = clf.learning_curve("new", [0, 1, 10, 100])
    assert np.all(np.diff(curve) < 0)
    assert curve[0] == pytest.approx(clf.forecast_error_[-1], abs=0.05)
    assert len(clf.explain_transfer("new").tasks) == 10
    assert clf.leave_out("new").change == pytest.approx(np.zeros(20), abs=1e-12)
    assert clf.transfer_gain_[-1] > 0
    low, high = clf.forecast_interval_[-1]
    assert 0 <= low < clf.forecast_error_[-1] < high <= 1


@pytest.mark.parametrize(
    "parameters", [{"row_sample": 0, "metric": 0}, {"scale": "task"}, {"labels": "single"}]
)
def test_new_tasks_under_other_parameters(parameters: Any) -> None:
    X, y, task = places_world(2)
    clf = MultiTaskSPCA(**parameters).fit(X[task > 0], y[task > 0], task=task[task > 0])
    clf.add_task(0, X[task == 0])
    assert clf.score(X[task == 0], y[task == 0], task=0) > 0.8
    assert 0 < clf.forecast_error_[0] < 0.3


def test_new_tasks_with_many_classes() -> None:
    rng = np.random.default_rng(0)
    means, centres = 3 * rng.normal(size=(5, 10)), 5 * rng.normal(size=(8, 10))
    y, task = rng.integers(0, 5, 1600), rng.integers(0, 8, 1600)
    X = means[y] + centres[task] + rng.normal(size=(1600, 10))
    clf = MultiTaskSPCA().fit(X[task > 0], y[task > 0], task=task[task > 0])
    clf.add_task(0, X[task == 0])
    assert clf.score(X[task == 0], y[task == 0], task=0) > 0.9
    assert clf.forecast_error_[0] < 0.1


def test_a_task_column_must_name_the_task() -> None:
    X, y, task = random_world(3)
    wide = np.column_stack([task, X])
    clf = MultiTaskSPCA(task_column=0).fit(wide[task > 0], y[task > 0])
    clf.add_task(0.0, wide[task == 0], y[task == 0])
    whole = MultiTaskSPCA(task_column=0).fit(wide, y)
    np.testing.assert_allclose(clf.coef_, whole.coef_, rtol=1e-9, atol=1e-12)
    with pytest.raises(ValueError, match=r"task column of X has 2\.0, 3\.0, 1\.0 in 224 rows"):
        clf.add_task(0.0, wide, y)


def test_bad_rows_change_nothing() -> None:
    X, y, task = random_world(4)
    clf = MultiTaskSPCA(missing="refuse").fit(X, y, task=task)
    before = dict(vars(clf))
    with pytest.raises(ValueError, match="y is given without X"):
        clf.add_task("new", y=[1, 2])
    with pytest.raises(ValueError, match="X has 3 features, but MultiTaskSPCA is expecting 7"):
        clf.add_task("new", X[:, :3], y)
    with pytest.raises(ValueError, match="X contains NaN in column 0"):
        clf.add_task("new", np.full((2, 7), np.nan), [0, 1])
    with pytest.raises(ValueError, match="task contains NaN, None or infinity"):
        clf.add_task(None, X, y)
    assert vars(clf) == before


def test_classes_leave_with_their_last_task_and_two_must_stay() -> None:
    X, y, task = random_world(5)
    y = np.where(task == 3, y + 10, y)
    clf = MultiTaskSPCA().fit(X, y, task=task)
    assert clf.remove_task(3).classes_.tolist() == [0, 1, 2]
    kept = MultiTaskSPCA().fit(
        X[task < 2], np.where(task == 0, 0, y)[task < 2], task=task[task < 2]
    )
    with pytest.raises(ValueError, match="y contains one class, 0"):
        kept.remove_task(1)
    assert kept.tasks_.tolist() == [0, 1]


@pytest.mark.long
@pytest.mark.parametrize("n_known", [1, 2, 20])
def test_a_new_task_far_from_all_others_is_believed(n_known: int) -> None:
    """Known tasks lie at one place, the new one four deviations away along what tells classes."""
    errors, forecasts = [], []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        axis = np.eye(10)[0]
        y, task = np.tile([0, 1], 50 * (n_known + 1)), np.repeat(np.arange(n_known + 1), 100)
        X = np.where(y, 1.5, -1.5)[:, None] * axis + rng.normal(size=(len(y), 10))
        X[task == n_known] += 4.0 * axis
        known = task < n_known
        clf = MultiTaskSPCA().fit(X[known], y[known], task=task[known])
        clf.add_task(n_known, X[~known])
        errors.append(1 - clf.score(X[~known], y[~known], task=n_known))
        forecasts.append(float(clf.forecast_error_[n_known]))
    assert np.mean(errors) < 0.1
    if n_known > 1:
        assert abs(np.mean(forecasts) - np.mean(errors)) < 0.03
    else:
        assert np.isnan(forecasts).all()


@pytest.mark.long
def test_forecasts_of_new_tasks_with_few_labels_are_honest() -> None:
    """Eight tasks of three labels per class, 200 features; the mean over worlds."""
    errors, forecasts = [], []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        direction = rng.normal(size=200) / np.sqrt(200)
        y, task = np.tile([0, 1], 24), np.repeat(np.arange(8), 6)
        sign = np.where(y == 1, 1.5, -1.5)[:, None]
        X = sign * direction + rng.normal(size=(48, 200))
        clf = MultiTaskSPCA().fit(X, y, task=task).add_task("new")
        new_y = np.tile([0, 1], 2000)
        new = np.where(new_y == 1, 1.5, -1.5)[:, None] * direction
        new = new + rng.normal(size=new.shape)
        errors.append(1 - clf.score(new, new_y, task="new"))
        forecasts.append(float(clf.forecast_error_[clf.tasks_ == "new"][0]))
    gap = np.array(forecasts) - errors
    assert abs(gap.mean()) < 0.03 + 4 * gap.std() / np.sqrt(len(gap))


def test_a_class_that_only_one_task_has_ever_seen_is_its_answer() -> None:
    X, y, task = random_world(0)
    own = np.random.default_rng(0).normal(size=(50, 7)) + 20
    clf = MultiTaskSPCA().fit(
        np.vstack([X, own]), np.append(y, np.full(50, 7)), task=np.append(task, np.full(50, 9))
    )
    np.testing.assert_array_equal(clf.predict(own, task=9), 7)
    assert np.isnan(clf.forecast_error_[-1])
    assert np.isnan(clf.learning_curve(9, [0, 10])).all()
    assert "single class" in repr(clf.labels_needed(9, 0.1))
    assert 7 not in clf.add_task("new", X[:30]).predict(X, task="new")


def test_an_empty_task_changes_nothing_for_the_others() -> None:
    X, y, task = random_world(6)
    clf = MultiTaskSPCA().fit(X, y, task=task)
    before, related = clf.coef_, clf.relatedness_
    clf.add_task(9)
    np.testing.assert_allclose(clf.coef_[:4], before, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(clf.relatedness_[:4, :4], related, rtol=1e-9, atol=1e-12)


def test_what_parameters_say_of_every_class_survives_the_last_task_of_a_class() -> None:
    X, y, task = random_world(7)
    kept = (task == 0) | (y < 2)
    X, y, task = X[kept], y[kept], task[kept]
    for parameters in ({"priors": [0.3, 0.3, 0.4]}, {"n_components": 2}):
        clf = MultiTaskSPCA(**parameters).fit(X, y, task=task)
        assert len(clf.leave_out(0).tasks) == 3
        assert len(clf.explain_transfer(1).tasks) == 3
    binary = MultiTaskSPCA().fit(X[y < 2], y[y < 2] * (task[y < 2] == 0), task=task[y < 2])
    answer = binary.explain_transfer(1)  # without task 0 there is one class
    assert np.isnan(answer.gain[answer.tasks.index(0)])
    assert "unknown" in repr(answer)


def test_ids_keep_their_order_when_a_foreign_one_leaves() -> None:
    X, y, task = random_world(8, n_tasks=12, n=900)
    clf = MultiTaskSPCA().fit(X, y, task=task)
    coef = clf.coef_
    clf.add_task("new").remove_task("new")
    assert clf.tasks_.tolist() == list(range(12))
    np.testing.assert_allclose(clf.coef_, coef, rtol=1e-9, atol=1e-12)
    assert clf.leave_out(11).tasks.tolist() == list(range(11))


def test_new_tasks_have_the_usual_priors_and_parameters_are_checked() -> None:
    X, y, task = random_world(13, n_classes=2)
    kept = (y == 1) | (np.arange(300) % 5 == 0)
    clf = MultiTaskSPCA(priors="empirical", unseen="shared").fit(X[kept], y[kept], task=task[kept])
    shared = clf.predict_proba(X, task="new")
    joined = clf.add_task("new").predict_proba(X, task="new")
    np.testing.assert_allclose(joined, shared, atol=0.005)  # the mean noise level has a task more
    with pytest.raises(ValueError, match="labels='bogus'"):
        clf.set_params(labels="bogus").add_task("other")


def test_one_known_task_lends_its_rule_whole() -> None:
    X, y, _ = random_world(10, n_classes=2)
    clf = MultiTaskSPCA(unseen="shared").fit(X, y, task="a")
    own, lent = (clf.predict_proba(X, task=task)[:, 1] for task in ("a", "b"))
    assert np.ptp(lent) > 0.5 * np.ptp(own)
