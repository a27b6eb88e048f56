"""Answers as tables, in notebooks and as data frames."""

from __future__ import annotations

import numpy as np

from kinspan import MultiTaskSPCA
from kinspan.answers._table import Table, points
from tests.worlds import random_world


def test_forecasts_are_a_data_frame_too() -> None:
    X, y, task = random_world(0)
    clf = MultiTaskSPCA().fit(X, y, task=task)
    for score in (None, "roc_auc"):
        found = clf.forecast(score=score)
        frame = found.to_frame()
        assert frame.index.tolist() == found.tasks
        assert frame["low"].tolist() == found.low.tolist()
        assert frame["labels"].sum() == len(y)


def test_a_forecast_is_a_table_of_one_task_or_of_all() -> None:
    X, y, task = random_world(1)
    clf = MultiTaskSPCA().fit(X, y, task=task)
    every, one = clf.forecast(), clf.forecast(2)
    assert sorted(every.tasks) == [0, 1, 2, 3]
    assert np.all(np.diff(every.error) <= 0)
    np.testing.assert_array_equal(every.error, clf.forecast_error_[every.tasks])
    np.testing.assert_array_equal(every.low, clf.forecast_interval_[every.tasks, 0])
    np.testing.assert_array_equal(every.labels, clf.moments_.counts.sum(axis=1)[every.tasks])
    assert one.tasks == [2]
    assert [one.error[0], one.high[0]] == [clf.forecast_error_[2], clf.forecast_interval_[2, 1]]
    assert f"{100 * one.error[0]:.1f} %" in repr(one)


def test_tables_are_aligned_and_escaped() -> None:
    table = Table(
        "A <title>", ["task", "error"], [["a", "1.0 %"], ["long & <b>", "10.0 %"]], "End."
    )
    assert table.text().splitlines() == [
        "A <title>",
        "task         error",
        "a            1.0 %",
        "long & <b>  10.0 %",
        "End.",
    ]
    assert "long &amp; &lt;b&gt;" in table.html()
    assert "<b>" not in table.html().replace("&lt;b&gt;", "")


def test_notebooks_show_the_tasks_of_a_fitted_model() -> None:
    X, y, task = random_world(6)
    clf = MultiTaskSPCA()
    assert "forecast error" not in clf._repr_mimebundle_()["text/html"]
    assert "Not fitted" in clf._repr_mimebundle_()["text/html"]
    names = np.array(["north & co", "south", "east", "west"])[task]
    shown = clf.fit(X, y, task=names)._repr_mimebundle_()
    assert shown["text/plain"] == "MultiTaskSPCA()"
    assert "north &amp; co" in shown["text/html"]
    assert "forecast error" in shown["text/html"]
    assert "Not fitted" not in shown["text/html"]
    plain = MultiTaskSPCA(row_sample=0, metric=0).fit(X, y, task=names)
    assert "forecasts are a formula" in plain._repr_html_()
    assert "forecasts are a formula" not in shown["text/html"]
    for answer in (
        clf.explain_transfer("west"),
        clf.leave_out("west"),
        clf.labels_needed("west", 0.1),
    ):
        assert "west" in answer._repr_html_()
        assert "west" in repr(answer)


def test_only_the_worst_of_many_tasks_are_shown() -> None:
    X, y, task = random_world(7, n=2000, n_tasks=50)
    shown = MultiTaskSPCA().fit(X, y, task=task)._repr_mimebundle_()["text/html"]
    assert "50 tasks, 3 classes; the 30 with the largest forecast error" in shown


def test_what_rounds_to_nothing_has_no_minus() -> None:
    assert [points(gain) for gain in (-1e-5, 0.0, -0.001, 0.012)] == [
        "+0.0",
        "+0.0",
        "-0.1",
        "+1.2",
    ]
