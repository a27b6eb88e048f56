from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

from kinspan.model_selection import TaskReport, task_report

ROWS = st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=60)


def naive(rows: list[tuple[int, int, int]], task: int) -> dict[str, float]:
    own = [(truth, guess) for truth, guess, t in rows if t == task]
    error = sum(truth != guess for truth, guess in own) / len(own)
    by_class: dict[int, list[bool]] = {}
    for truth, guess in own:
        by_class.setdefault(truth, []).append(truth != guess)
    return {
        "n_samples": len(own),
        "error_rate": error,
        "balanced_error_rate": sum(sum(w) / len(w) for w in by_class.values()) / len(by_class),
        "standard_error": (error * (1 - error) / len(own)) ** 0.5,
    }


@settings(max_examples=100)
@given(rows=ROWS)
def test_the_report_is_what_naive_loops_find(rows: list[tuple[int, int, int]]) -> None:
    y_true, y_pred, task = zip(*rows, strict=True)
    report = task_report(y_true, y_pred, task)
    assert report.tasks.tolist() == sorted(set(task))
    expected = [naive(rows, t) for t in report.tasks.tolist()]
    for name in expected[0]:
        np.testing.assert_allclose(getattr(report, name), [line[name] for line in expected])
    assert report.overall == pytest.approx(np.mean(np.array(y_true) != np.array(y_pred)))
    assert report.mean == pytest.approx(np.mean([line["error_rate"] for line in expected]))


@pytest.fixture(name="report")
def _report() -> TaskReport:
    task = ["b"] * 4 + ["a"] * 10
    return task_report([0, 0, 0, 1] + [0] * 10, [1, 0, 1, 1] + [0] * 9 + [1], task)


def test_balanced_errors_are_those_of_scikit_learn() -> None:
    y_true, y_pred = np.random.default_rng(0).integers(0, 3, size=(2, 50))
    report = task_report(y_true, y_pred, "one task for all rows")
    expected = 1 - balanced_accuracy_score(y_true, y_pred)
    assert report.balanced_error_rate.tolist() == pytest.approx([expected])


def test_standard_errors_of_the_last_lines_are_those_of_sums(report: TaskReport) -> None:
    variance = report.standard_error**2
    n = report.n_samples
    assert report.mean_standard_error == pytest.approx(np.sqrt(variance.sum()) / 2)
    overall = np.sqrt((n**2 * variance).sum()) / n.sum()
    assert report.overall_standard_error == pytest.approx(overall)


def test_the_text_is_an_aligned_table(report: TaskReport) -> None:
    assert repr(report) == str(report)
    assert str(report).splitlines() == [
        "task     rows   error  balanced  std. error",
        "a          10  10.0 %    10.0 %       9.5 %",
        "b           4  50.0 %    33.3 %      25.0 %",
        "overall    14  21.4 %                 9.8 %",
        "mean           30.0 %    21.7 %      13.4 %",
    ]


def test_sorting_by_error_puts_the_worst_first_and_changes_nothing_else(report: TaskReport) -> None:
    worst_first = report.sorted_by_error()
    assert worst_first.tasks.tolist() == ["b", "a"]
    assert worst_first.n_samples.tolist() == [4, 10]
    assert worst_first.error_rate.tolist() == [0.5, 0.1]
    assert (worst_first.overall, worst_first.mean) == (report.overall, report.mean)


def test_ids_and_labels_are_any_hashable_values() -> None:
    task: list[Any] = [("site", 2), ("site", 1), ("site", 2)]
    report = task_report(["a", ("b", 1), 3], ["a", ("b", 1), "3"], task)
    assert report.tasks.tolist() == [("site", 1), ("site", 2)]
    assert report.error_rate.tolist() == [0.0, 0.5]
    assert "('site', 1)" in str(report)
    assert report.to_frame().index.tolist() == [("site", 1), ("site", 2)]


def test_of_many_tasks_the_worst_are_shown() -> None:
    task = np.repeat(np.arange(40), 2)
    wrong = task == 39
    lines = repr(task_report(np.zeros(80), wrong.astype(float), task)).splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["39", "0", "1"]


def test_of_many_tasks_thirty_are_shown_and_the_means_are_those_of_all() -> None:
    task = np.repeat(np.arange(40), 2)
    y_true = np.tile([0, 1], 40)
    report = task_report(y_true, np.zeros(80, dtype=int), task)
    lines = repr(report).splitlines()
    assert len(lines) == 1 + 30 + 3
    assert lines[31].split() == ["and", "10", "more"]
    assert lines[32].split()[:3] == ["overall", "80", "50.0"]
    with_scores = task_report(y_true, np.zeros(80, dtype=int), task, scores=["f1"], y_proba=y_true)
    assert len(repr(with_scores).splitlines()) == 1 + 30 + 5
    assert len(task_report(y_true[:60], y_true[:60], task[:60]).tasks) == 30
    assert "more" not in repr(task_report(y_true[:60], y_true[:60], task[:60]))


def test_the_notebook_table_escapes_ids(report: TaskReport) -> None:
    shown = task_report([0], [0], ["<b>&"])._repr_html_()
    assert ">&lt;b&gt;&amp;</td>" in shown
    assert report._repr_html_().count("<tr>") == 5


def test_the_frame_has_a_row_for_every_task(report: TaskReport) -> None:
    frame = report.to_frame()
    assert frame.index.tolist() == ["a", "b"]
    assert frame.index.name == "task"
    assert frame.loc["b", "error_rate"] == 0.5
    assert frame.columns.tolist() == [
        "n_samples",
        "error_rate",
        "balanced_error_rate",
        "standard_error",
    ]


def test_a_frame_without_pandas_says_what_to_install(
    report: TaskReport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="to_frame\\(\\) needs pandas"):
        report.to_frame()


def test_a_report_does_not_change(report: TaskReport) -> None:
    with pytest.raises(AttributeError):
        report.tasks = np.array(["c"])  # type: ignore[misc]


def test_rows_that_do_not_match_are_refused() -> None:
    with pytest.raises(ValueError, match="y_pred has 1 values for 2 rows"):
        task_report([0, 1], [0], ["a", "a"])
    with pytest.raises(ValueError, match="task has 3 values for 2 rows"):
        task_report([0, 1], [0, 1], ["a", "a", "b"])
    with pytest.raises(ValueError, match="y_true has no rows"):
        task_report([], [], [])


def test_scores_are_columns_and_what_knowing_nothing_gives_is_below() -> None:
    rng = np.random.default_rng(3)
    task, y = np.repeat(["a", "b"], 50), rng.integers(0, 2, size=100)
    p = rng.uniform(size=100)
    asked = ["roc_auc", {"lift_at_budget": 0.1}]
    report = task_report(y, p > 0.5, task, y_proba=p, scores=asked, labels=[False, True])
    assert str(report).splitlines()[0].split("  ")[-2:] == ["AUC", "lift at 10 %"]
    assert [line.split()[0] for line in str(report).splitlines()[-2:]] == ["majority", "chance"]
    frame = report.to_frame()
    assert frame["roc_auc"]["a"] == roc_auc_score(y[:50], p[:50])
    worst_first = report.sorted_by_error()
    pd.testing.assert_frame_equal(worst_first.to_frame().sort_index(), frame)


def test_a_score_that_a_task_cannot_have_is_a_dash() -> None:
    report = task_report(
        [0, 0, 0, 1], [0, 0, 0, 1], [1, 1, 2, 2], y_proba=[0, 0, 0, 1.0], scores="roc_auc"
    )
    assert str(report).splitlines()[1].endswith("–")
    assert str(report).splitlines()[4].endswith("1.000")  # the mean of the tasks that have one


def test_labels_name_all_classes() -> None:
    with pytest.raises(ValueError, match="y_true has 2, which labels"):
        task_report([0, 2], [0, 0], "a", scores="f1", labels=[0, 1])
