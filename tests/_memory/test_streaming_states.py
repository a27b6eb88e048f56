"""Streams in odd states: announced classes, one class so far, other parameters, no task."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from kinspan import MultiTaskSPCA
from tests._memory.test_streaming import assert_same, fitted, rows


def test_announced_classes_hold_for_every_way_to_learn() -> None:
    X, y, task = rows()
    announced = ["a", "b", "z"]
    clf = MultiTaskSPCA().partial_fit(X, y, task=task, classes=announced)
    rest = task != "shop 0"
    declared = MultiTaskSPCA().partial_fit(X[rest], y[rest], task=task[rest], classes=announced)
    np.testing.assert_allclose(clf.leave_out("shop 0").forecast_error, declared.forecast_error_)
    with pytest.raises(ValueError, match="'q'"):
        clf.add_task("new", X[:2], ["a", "q"])
    assert_same(clf.remove_task("shop 0"), declared)
    more = fitted(X, np.where(y == "a", "q", y), task)
    clf.merge(more).partial_fit(X[:1], ["q"], task=task[:1])
    assert clf.classes_.tolist() == ["a", "b", "q", "z"]
    clf.fit_moments(more.moments_).partial_fit(X[:1], ["new"], task=task[:1])
    assert clf.classes_.tolist() == ["b", "new", "q"]


def test_a_model_of_one_class_shows_itself_and_has_no_rules_yet() -> None:
    X, y, task = rows()
    first = y == "a"
    clf = MultiTaskSPCA().partial_fit(X[first], y[first], task=task[first])
    assert "MultiTaskSPCA" in clf._repr_html_()
    assert "Not fitted" not in clf._repr_html_()
    assert not hasattr(clf, "coef_")
    assert clf.remove_task("shop 0").add_task("new").tasks_.tolist()[0] == "new"


def test_parameters_that_change_later_wait_for_more_rows() -> None:
    X, y, task = rows()
    clf, before = fitted(X[:300], y[:300], task[:300]), fitted(X[:300], y[:300], task[:300])
    clf.set_params(priors=[0.9, 0.1], labels="naive")
    assert_same(clf, before)
    expected = before.explain_transfer("shop 0")
    np.testing.assert_allclose(clf.explain_transfer("shop 0").gain, expected.gain, atol=1e-12)
    np.testing.assert_allclose(
        clf.leave_out("shop 0").forecast_error, before.leave_out("shop 0").forecast_error
    )
    clf.partial_fit(X[300:], y[300:], task=task[300:])
    assert_same(clf, fitted(X, y, task, priors=[0.9, 0.1], labels="naive"))


def test_a_task_column_is_no_feature_that_models_compare() -> None:
    X, y, task = rows()
    codes = np.unique(task, return_inverse=True)[1]
    plain = MultiTaskSPCA().fit(X, y, task=codes)
    clf = MultiTaskSPCA(task_column=0).merge(plain)
    table = np.column_stack([codes, X])
    np.testing.assert_array_equal(clf.predict(table), plain.predict(X, task=codes))
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(12)])
    by_column = MultiTaskSPCA(task_column="shop").fit(frame.assign(shop=task), y)
    both = by_column + fitted(frame, y, task)
    assert both.moments_.counts.sum() == 800


def test_rows_without_a_task_do_not_go_to_one_of_several() -> None:
    X, y, task = rows()
    clf = fitted(X, y, task)
    with pytest.raises(ValueError, match="task is None"):
        clf.partial_fit(X[:3], y[:3])
    alone = MultiTaskSPCA().partial_fit(X, y).partial_fit(X[:3], y[:3])
    assert alone.moments_.counts.sum() == 403


def test_rows_are_checked_before_classes_are_missed() -> None:
    clf = MultiTaskSPCA().partial_fit(np.eye(3), [0, 0, 0])
    with pytest.raises(ValueError, match="X has 2 features"):
        clf.predict(np.eye(2))
    with pytest.raises(ValueError, match="one class, 0"):
        clf.predict(np.eye(3))


def test_parameters_are_checked_before_what_is_merged() -> None:
    X, y = np.random.default_rng(0).normal(size=(20, 3)), np.tile([0, 1], 10)
    first, second = (
        MultiTaskSPCA().fit(X[:, :p], y, task="a").add_task("b", X[:, :p]) for p in (3, 2)
    )
    with pytest.raises(ValueError, match="labels='x'"):
        first.set_params(labels="x").merge(second)
