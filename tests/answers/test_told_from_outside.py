"""What a user sees in several places is one number, and says what the given rows say."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import kinspan
from kinspan import MultiTaskSPCA
from kinspan.datasets import load_digit_pairs
from kinspan.report.contents import contents
from tests.cli.running import succeed

DIGITS = load_digit_pairs(n_per_class=5, random_state=1000)


@pytest.fixture(scope="module")
def model() -> MultiTaskSPCA:
    return MultiTaskSPCA().fit(DIGITS.X, DIGITS.y, task=DIGITS.task)


def test_errors_of_now_are_one_number(model: MultiTaskSPCA, tmp_path: Path) -> None:
    """Attributes, questions, learning curve, command line and page."""
    kinspan.save(model, tmp_path / "m")
    said = succeed("plan", tmp_path / "m", "--error", "0.03", "--all", "--json").json["tasks"]
    planned = {row["task"]: row["present_error"] for row in said}
    page = contents(model, None, leave_out=False)
    shown = {row["name"]: row for row in page["tasks"]}
    curves = {
        row["name"]: curve["error"][0]
        for row, curve in zip(page["tasks"], page["curves"], strict=True)
    }
    for task, error in zip(model.tasks_.tolist(), model.forecast_error_, strict=True):
        asked = float(model.forecast(task).error[0]), planned[task]
        of_labels = model.labels_needed(task, 0.03).present_error
        curve = float(model.learning_curve(task, [0])[0])
        np.testing.assert_allclose([*asked, of_labels, curve], error, atol=1e-12)
        np.testing.assert_allclose([shown[task]["forecast"], curves[task]], error, atol=1e-5)
    json.dumps(page)  # plain data


def test_relatedness_is_one_number(model: MultiTaskSPCA) -> None:
    place = {task: i for i, task in enumerate(model.tasks_.tolist())}
    for task in model.tasks_[:2].tolist():
        found = model.explain_transfer(task, most=3)
        expected = model.relatedness_[place[task], [place[other] for other in found.tasks]]
        np.testing.assert_array_equal(found.relatedness, expected)


def test_leaving_a_task_out_does_not_move_all_others_alike(model: MultiTaskSPCA) -> None:
    for task in model.tasks_[:3]:
        left_out = model.leave_out(task)
        before = np.delete(model.forecast_error_, np.flatnonzero(model.tasks_ == task))
        moved = left_out.forecast_error - before
        assert np.std(moved) > 0.2 * abs(np.mean(moved))
        assert abs(np.mean(moved)) < 0.004


def test_more_sampled_rows_make_intervals_of_many_cells_narrower() -> None:
    """80 cells of 1 000 rows: the width falls with the root of the number of sampled rows."""
    rng = np.random.default_rng(1000)
    k, n, p = 40, 1000, 8
    task, y = np.repeat(np.arange(k), 2 * n), np.tile(np.repeat([0, 1], n), k)
    X = rng.normal(size=(len(y), p)) + rng.normal(size=(k, p))[task] + 0.4 * y[:, None]
    widths = []
    for size in (100, 400, 1000):
        found = MultiTaskSPCA(row_sample=size).fit(X, y, task=task)
        widths.append(float(np.diff(found.forecast_interval_, axis=1).mean()))
    assert widths[0] < 0.09  # of a tenant with 2 000 rows, by default
    assert widths[1] < 0.65 * widths[0]
    assert widths[2] < 0.75 * widths[1]
