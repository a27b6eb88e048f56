"""Scores of several classes: those of the registry for rows with the same weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinspan.metrics import SCORES, Score, ScoredRows
from kinspan.risk import forecast_of_several
from kinspan.risk.left_out_rows import LeftOutRows
from kinspan.risk.several_classes import _MEASURES, _drawn, _one_against_the_rest

LEVELS: dict[str, Any] = {
    **{"": None, "precision": 0.5, "budget": 0.1},
    "matrix": np.array([[0.0, 1.0, 2.0], [7.0, 0.5, 1.0], [3.0, 1.0, 0.0]]),
}
NAMES = [name for name in SCORES if name != "precision_at_budget"]


def left_out(n: int, tasks: int = 1, seed: int = 0) -> LeftOutRows:
    rng = np.random.default_rng(seed)
    task, classes = np.repeat(np.arange(tasks), 3 * n), np.tile(np.repeat([0, 1, 2], n), tasks)
    scores = rng.normal(size=(len(task), 3)) + 1.5 * np.eye(3)[classes]
    ones = np.ones(len(task))
    return LeftOutRows(
        scores, task, classes, ones, np.zeros((tasks, 3)), 0.0 * ones, np.zeros(tasks)
    )


@pytest.mark.parametrize("name", NAMES)
def test_drawn_scores_are_those_of_weighted_rows(name: str) -> None:
    drawn = _drawn(left_out(30), 0, np.full(3, 30.0), None)
    score = Score(name, LEVELS[SCORES[name].level])
    found = (_MEASURES.get(name) or _one_against_the_rest(name))(drawn, score.level)
    for i in (0, 57):
        rows = ScoredRows(drawn.classes, drawn.answers, drawn.probabilities, drawn.masses[i])
        assert found[i] == pytest.approx(score.of(rows), abs=1e-9)


def test_masses_have_the_shares_of_classes() -> None:
    drawn = _drawn(left_out(20), 0, np.full(3, 20.0), np.array([0.7, 0.2, 0.1]))
    sums = drawn.masses @ np.eye(3)[drawn.classes]
    np.testing.assert_allclose(sums, np.tile([0.7, 0.2, 0.1], (100, 1)))


def test_many_rows_are_sure_and_few_lean_on_the_others() -> None:
    many = forecast_of_several(left_out(3000), np.full((1, 3), 3000.0), None, "roc_auc", None)
    assert np.diff(many.interval[0]) < 0.02
    rows = left_out(10, tasks=12)
    few = forecast_of_several(rows, np.full((12, 3), 10.0), None, "roc_auc", None)
    alone = [
        _one_against_the_rest("roc_auc")(_drawn(rows, t, np.full(3, 10.0), None), None).mean()
        for t in range(12)
    ]
    assert few.value.std() < 0.7 * np.std(alone)
    assert few.value.mean() == pytest.approx(many.value[0], abs=0.03)
    assert ((few.interval[:, 0] < many.value) & (many.value < few.interval[:, 1])).mean() > 0.8


def test_a_task_of_one_class_is_like_the_others() -> None:
    rows = left_out(10, tasks=4)
    kept = (rows.tasks > 0) | (rows.classes == 0)
    parts = {name: getattr(rows, name)[kept] for name in ("scores", "tasks", "classes", "weights")}
    counts = np.full((4, 3), 10.0)
    counts[0, 1:] = 0.0
    found = forecast_of_several(rows._replace(**parts), counts, None, "log_loss", None)
    assert found.value[0] == pytest.approx(found.value[1:].mean(), abs=0.05)
