"""Rows that are unlearnt: as if they had never been there, and what cannot be so."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kinspan import (
    ClassMoments,
    InexactRemovalWarning,
    MultiTaskSPCA,
    PrecisionWarning,
    Statistics,
)
from kinspan._rows import kept_rows
from tests._memory.test_streaming import SETTINGS, assert_same, fitted, rows
from tests.worlds import random_world


@pytest.mark.parametrize("settings", SETTINGS[:3])
def test_removed_rows_were_never_there(settings: Any) -> None:
    X, y, task = rows()
    size = settings.get("row_sample", 100)
    gone = np.random.default_rng(4).choice(400, 90, replace=False)
    rest = np.setdiff1d(np.arange(400), gone)
    removed = Statistics.from_samples(X[gone], y[gone], task[gone], row_sample=size)
    clf = fitted(X, y, task, **settings).remove(removed)
    assert_same(clf, fitted(X[rest], y[rest], task[rest], **settings), rtol=1e-8)
    if clf.sample_ is not None:
        assert not set(map(tuple, X[gone])) & set(map(tuple, clf.sample_.rows))


def test_removing_all_rows_of_a_task_or_a_class_removes_it() -> None:
    X, y, task = rows(m=3)
    for gone in (task == "shop 2", y == "b", (y == "b") & (task == "shop 1")):
        removed = Statistics.from_samples(X[gone], y[gone], task[gone])
        clf = fitted(X, y, task).remove(removed)
        assert_same(clf, fitted(X[~gone], y[~gone], task[~gone]), rtol=1e-8)


def test_one_of_two_equal_rows_leaves() -> None:
    X, y, task = rows()
    X[1], y[1], task[1] = X[0], y[0], task[0]
    removed = Statistics.from_samples(X[:1], y[:1], task[:1])
    assert_same(fitted(X, y, task).remove(removed), fitted(X[1:], y[1:], task[1:]), rtol=1e-8)


def test_what_cannot_be_exact_warns() -> None:
    X, y, task = rows()
    clf = fitted(X, y, task, row_sample=10)
    assert clf.sample_ is not None
    kept = np.array([tuple(row) in set(map(tuple, clf.sample_.rows)) for row in X])
    a = np.flatnonzero(kept)[0]
    b = np.flatnonzero(~kept & (task != task[a]))[0]  # of a cell that is not short afterwards
    with pytest.warns(InexactRemovalWarning, match="sample of 1 classes of tasks is shorter"):
        clf.remove(Statistics.from_samples(X[[a]], y[[a]], task[[a]], row_sample=10))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a row that the sample never had
        clf.remove(Statistics.from_samples(X[[b]], y[[b]], task[[b]], row_sample=10))
    with pytest.warns(InexactRemovalWarning, match="do not tell which rows"):
        fitted(X, y, task).remove(ClassMoments.from_samples(X[:1], y[:1], task[:1]))
    with pytest.warns(InexactRemovalWarning, match="may have faded"):
        fitted(X, y, task, forget=0.01, row_sample=0).remove(
            Statistics.from_samples(X[-1:], y[-1:], task[-1:], row_sample=0)
        )


def test_unknown_rows_leave_the_sample_with_their_cell() -> None:
    X, y, task = rows()
    with pytest.warns(InexactRemovalWarning):
        clf = fitted(X, y, task).remove(ClassMoments.from_samples(X[:1], y[:1], task[:1]))
    assert clf.sample_ is not None
    same_cell = (y == y[0]) & (task == task[0])
    assert not set(map(tuple, X[same_cell])) & set(map(tuple, clf.sample_.rows))
    assert len(clf.sample_.rows) == 400 - same_cell.sum()
    assert np.isfinite(clf.forecast_error_).all()


def test_what_was_not_there_cannot_be_removed() -> None:
    X, y, task = rows()
    clf = fitted(X, y, task)
    for bad, match in (
        ((X[:1], ["z"], task[:1]), "class 'z'"),
        ((X[:1], y[:1], "nowhere"), "task 'nowhere'"),
        ((X, np.repeat(y[0], 400), task[0]), "cannot remove 400 rows"),
        ((X, y, task), "no row would be left"),
    ):
        with pytest.raises(ValueError, match=match):
            clf.remove(Statistics.from_samples(*bad))
    with pytest.raises(TypeError, match="removed is of type list"):
        clf.remove([1])  # type: ignore[arg-type]
    assert_same(clf, fitted(X, y, task))


def test_removing_rows_leaves_new_tasks_where_they_are() -> None:
    X, y, task = rows()
    clf = fitted(X, y, task).add_task("new", X[:30])
    clf.remove(Statistics.from_samples(X[:3], y[:3], task[:3]))
    expected = fitted(X[3:], y[3:], task[3:]).add_task("new", X[:30])
    assert_same(clf, expected, rtol=1e-8)


def test_removing_a_task_says_if_others_would_have_more_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y, task = rows(n=2000)
    exact = fitted(X, y, task).remove_task("shop 3")
    assert_same(exact, fitted(X[task != "shop 3"], y[task != "shop 3"], task[task != "shop 3"]))
    monkeypatch.setattr(kept_rows, "_NUMBERS", 10 * 12 * 20)  # 10 cells, 12 features: 20 rows
    clf = fitted(X, y, task)
    gone = task == "shop 3"
    with pytest.warns(InexactRemovalWarning, match="8 classes of tasks is shorter"):
        clf.remove_task("shop 3")
    clf = fitted(X, y, task)
    with pytest.warns(InexactRemovalWarning, match="8 classes of tasks is shorter"):
        clf.remove(Statistics.from_samples(X[gone], y[gone], task[gone]))
    fitted(X, y, task).leave_out("shop 3")  # asks only


def test_removing_needs_the_same_features_and_rows_that_were_there() -> None:
    X, y, task = rows()
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(12)])
    clf = fitted(frame, y, task)
    permuted = Statistics.from_samples(frame[frame.columns[::-1]][:5], y[:5], task[:5])
    for model in (clf, fitted(frame, y, task).add_task("new")):
        with pytest.raises(ValueError, match=r"5 of the rows to remove .* in another order"):
            model.remove(permuted)
    with pytest.raises(ValueError, match="were not among those that were learnt"):
        clf.remove(Statistics.from_samples(frame[:5] + 50.0, y[:5], task[:5]))
    assert_same(clf, fitted(frame, y, task))


def test_rows_without_labels_stay_with_their_task() -> None:
    X, y, task = rows()
    clf = fitted(X, y, task).add_task("new", X[:50] + 100.0)
    rows_of_new = Statistics.from_samples(X[:20] + 100.0, y[:20], "new")
    clf.merge(rows_of_new).remove(rows_of_new)
    assert_same(clf, fitted(X, y, task).add_task("new", X[:50] + 100.0), rtol=1e-8)
    clf.remove_task("new").add_task("other")
    assert_same(clf, fitted(X, y, task).add_task("other"), rtol=1e-8)


def test_what_rounding_leaves_of_a_spread_is_none() -> None:
    """A spread of 1e-15 in a class of one row once changed coefficients by seven percent."""
    X, y, task = random_world(3, n=60, p=3, n_tasks=2, n_classes=2)
    single = np.flatnonzero((task == 0) & (y == 0))[0]
    gone = (task == 0) & (y == 0) & (np.arange(60) != single)
    both = ClassMoments.from_samples(X, y, task)
    rest = both - ClassMoments.from_samples(X[gone], y[gone], task[gone])
    np.testing.assert_array_equal(rest.squares[0, 0], 0.0)


@pytest.mark.parametrize(
    ("value", "constant"),
    [(1.0, 0.0), (1e12, 0.0), (1e3, 0.1), (1e9, 0.1), (1.0, 1e10), (1e12, 1e10)],
)
def test_a_column_that_only_removed_rows_had_leaves_nothing(value: float, constant: float) -> None:
    """Rounding of its mean was taken for its scale: coefficients of 1e16, silently."""
    rng = np.random.default_rng(3)
    for n_left in (3, 13):
        y, task = np.tile([0, 1], 2 * n_left), np.repeat([0, 1], 2 * n_left)
        X = np.column_stack([rng.normal(size=(len(y), 2)) + y[:, None], np.full(len(y), constant)])
        odd = np.array([[0.3, -0.2, constant + value]])
        clf = MultiTaskSPCA().fit(np.vstack([X, odd]), np.append(y, 0), task=np.append(task, 0))
        clf.remove(Statistics.from_samples(odd, [0], [0]))
        never = MultiTaskSPCA().fit(X, y, task=task)
        assert_allclose(clf.coef_, never.coef_, rtol=1e-9, atol=1e-12)
        assert_allclose(clf.forecast_error_, never.forecast_error_, rtol=1e-9)


def test_moments_without_the_only_rows_that_had_a_column_have_none_of_it() -> None:
    rng = np.random.default_rng(6)
    for n_left in range(3, 40, 3):
        X = np.column_stack([rng.normal(size=n_left), np.zeros(n_left)])
        odd = np.array([[0.3, 1.0], [0.1, 1.0], [0.7, 1.0]])
        whole = ClassMoments.from_samples(np.vstack([X, odd]), np.zeros(n_left + 3))
        rest = whole - ClassMoments.from_samples(odd, np.zeros(3))
        assert rest.means[0, 0, 1] == 0.0
        assert rest.squares[0, 0, 1] == 0.0


@pytest.mark.filterwarnings("ignore::kinspan.InexactRemovalWarning")
def test_removing_rows_far_away_warns_where_their_class_is_not_whole() -> None:
    """Of a class with more rows than are kept, nothing tells the spread that is left."""
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(600, 2)), np.tile([0, 1], 300)
    odd = np.full((2, 2), 1e9)
    clf = MultiTaskSPCA().fit(np.vstack([X, odd]), np.append(y, [0, 1]))
    gone = Statistics.from_samples(odd, [0, 1])
    with pytest.warns(PrecisionWarning, match="learn from the rows that are left"):
        clf.remove(gone)


@pytest.mark.parametrize("moved", [0.0, 0.5])
def test_rows_cannot_be_removed_twice_nor_if_they_were_never_there(moved: float) -> None:
    X, y, task = random_world(5, n=80)
    clf = MultiTaskSPCA().fit(X, y, task=task)
    if not moved:
        clf.remove(Statistics.from_samples(X[:3], y[:3], task[:3]))
    before = clf.coef_
    with pytest.raises(ValueError, match="were not among those that were learnt"):
        clf.remove(Statistics.from_samples(X[:3] + moved, y[:3], task[:3]))
    assert_array_equal(clf.coef_, before)
