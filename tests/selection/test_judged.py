"""With very many classes a part of the rows is judged: as many of each class, by their keys."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinspan import MultiTaskSPCA, Statistics
from kinspan.selection import judged
from kinspan.selection.judged import judged_rows


def rows(n_tasks: int, n_classes: int, n_rows: int) -> tuple[Any, Any, Any]:
    """Rows of every cell, around class means that all tasks share."""
    rng = np.random.default_rng(0)
    task, y = (codes.ravel() for codes in np.indices((n_tasks, n_classes, n_rows))[:2])
    means = rng.normal(size=(n_classes, 12))
    return means[y] + rng.normal(size=(len(y), 12)), y, task


def sample_of(X: Any, y: Any, task: Any) -> Any:
    return Statistics.from_samples(X, y, task=task).sample


def test_few_classes_are_judged_by_all_rows() -> None:
    found = judged_rows(sample_of(*rows(3, 4, 6)))
    assert found.rows == slice(None)
    assert not found.skipped.any()


def test_rows_of_a_task_are_as_many_of_each_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judged, "_SCORES", 3 * 4 * 100)
    X, y, task = rows(3, 4, 60)
    gone = (y == 0) & (np.arange(len(y)) % 60 > 9)  # ten rows of the first class are left
    sample = sample_of(X[~gone], y[~gone], task[~gone])
    found = judged_rows(sample)
    counts = np.bincount(sample.cells[found.rows]).reshape(3, 4)
    np.testing.assert_array_equal(counts, np.tile([10, 30, 30, 30], (3, 1)))
    assert not found.skipped.any()


def test_classes_without_judged_rows_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judged, "_SCORES", 1)
    sample = sample_of(*rows(2, 150, 2))
    found = judged_rows(sample)
    np.testing.assert_array_equal(np.bincount(sample.task_codes[found.rows]), [100, 100])
    assert found.skipped.sum() == 2 * 50
    order = np.random.default_rng(1).permutation(600)
    again = sample_of(*(column[order] for column in rows(2, 150, 2)))
    np.testing.assert_array_equal(judged_rows(again).rows, found.rows)


def test_a_part_of_the_rows_says_nearly_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """100 of 450 rows of each task, of 100 of its 150 classes: rules, and forecasts of errors."""
    X, y, task = rows(4, 150, 3)
    whole = MultiTaskSPCA().fit(X, y, task=task)
    monkeypatch.setattr(judged, "_SCORES", 1)
    part = MultiTaskSPCA().fit(X, y, task=task)
    same = (part.predict(X, task=task) == whole.predict(X, task=task)).mean()
    assert same > 0.9
    error = np.sqrt(0.25 / 100)
    assert (np.abs(part.forecast_error_ - whole.forecast_error_) < 4 * error).all()
    inside = part.forecast_interval_
    assert ((inside[:, 0] < whole.forecast_error_) & (whole.forecast_error_ < inside[:, 1])).all()
