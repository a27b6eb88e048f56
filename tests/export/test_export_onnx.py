"""The ONNX graph answers as the model does, and says so where it cannot answer."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from kinspan import MultiTaskSPCA
from kinspan.export import _steps, to_onnx
from tests.onnx_sessions import (
    SMALLEST,
    answers_of,
    assert_answers_alike,
    names,
    session_of,
    with_missing_classes,
)
from tests.worlds import World, random_world


def twenty_classes() -> World:
    return with_missing_classes(random_world(1, n=3_000, p=12, n_tasks=6, n_classes=20))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_many_tasks_of_two_classes(dtype: str) -> None:
    X, y, task = random_world(0, n=2_000, n_tasks=45, n_classes=2)
    labels = np.array(["no", "yes"])[y]
    model = MultiTaskSPCA().fit(X, labels, task=names(task))
    assert len(model.tasks_) == 45
    assert_answers_alike(model, model.tasks_, dtype)


@cache
def model_of_twenty_classes(unseen_classes: str) -> MultiTaskSPCA:
    X, y, task = twenty_classes()
    return MultiTaskSPCA(unseen_classes=unseen_classes).fit(X, y - 7, task=10 * task)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("unseen_classes", ["never", "share"])
def test_many_classes_of_which_tasks_lack_some(dtype: str, unseen_classes: str) -> None:
    model = model_of_twenty_classes(unseen_classes)
    assert model._rules.absent.any() == (unseen_classes == "never")
    assert_answers_alike(model, model.tasks_, dtype)


def test_a_task_never_answers_a_class_that_it_lacks() -> None:
    X, y, task = twenty_classes()
    model = MultiTaskSPCA().fit(X, y, task=task)
    label, probabilities = answers_of(to_onnx(model), X, np.full(len(X), 2))
    missing = np.setdiff1d(y, y[task == 2])
    assert len(missing) > 5
    assert not np.isin(label, missing).any()
    np.testing.assert_array_equal(probabilities[:, missing], 0.0)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "parameters",
    [
        {"priors": "empirical"},
        {"class_weight": {0: 5.0}},
        {"multi_class": "one-vs-all"},
        {"labels": "single", "metric": 0.5},
        {"labels": "plugin", "scale": "task", "row_sample": 0, "metric": 0.0},
    ],
    ids=str,
)
def test_parameters_of_the_model(n_classes: int, parameters: dict[str, Any]) -> None:
    X, y, task = random_world(2, n_classes=n_classes)
    model = MultiTaskSPCA(**parameters).fit(X, y, task=task)
    assert_answers_alike(model, model.tasks_)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_tasks_of_one_class(n_classes: int) -> None:
    """They are new tasks, with one rule of the others and a place of their own."""
    X, y, task = random_world(3, n_classes=n_classes)
    kept = (task > 0) | (y == 1)
    model = MultiTaskSPCA().fit(X[kept], y[kept], task=task[kept])
    assert_answers_alike(model, model.tasks_)
    assert_answers_alike(model, [0])


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("text", [True, False])
def test_unseen_tasks_share_what_others_agree_on(n_classes: int, text: bool) -> None:
    X, y, task = random_world(4, n_classes=n_classes)
    model = MultiTaskSPCA(unseen="shared").fit(X, y, task=names(task) if text else task)
    others = ["", "tâche 9", "TÂCHE 1"] if text else [-1, 99, 2**62]
    assert_answers_alike(model, [*model.tasks_.tolist(), *others])
    assert_answers_alike(model, others[1:2])


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("text", [True, False])
def test_unseen_tasks_that_are_refused_have_no_label(n_classes: int, text: bool) -> None:
    X, y, task = random_world(5, n_classes=n_classes)
    labels = np.array(["a", "b", "c"])[y] if text else y
    model = MultiTaskSPCA().fit(X, labels, task=task)
    graph = to_onnx(model)
    given = np.where(np.arange(len(task)) % 3 == 0, 77, task)
    label, probabilities = answers_of(graph, X, given)
    refused = given == 77
    assert set(label[refused].tolist()) == {"" if text else SMALLEST}
    assert np.isnan(probabilities[refused]).all()
    known = {"X": X[~refused], "task": task[~refused]}
    np.testing.assert_array_equal(label[~refused], model.predict(**known))
    np.testing.assert_allclose(probabilities[~refused], model.predict_proba(**known), atol=1e-12)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("n_tasks", [1, 4])
def test_rows_that_are_not_finite_have_no_label(value: float, n_classes: int, n_tasks: int) -> None:
    X, y, task = random_world(6, n_classes=n_classes, n_tasks=n_tasks)
    model = MultiTaskSPCA().fit(X, y, task=task)
    X[:7] = np.where(np.eye(7) == 1, value, X[:7])
    label, probabilities = answers_of(to_onnx(model), X, None if n_tasks == 1 else task)
    np.testing.assert_array_equal(label[:7], SMALLEST)
    assert np.isnan(probabilities[:7]).all()
    np.testing.assert_array_equal(label[7:], model.predict(X[7:], task=task[7:]))


def test_scores_of_any_size_have_probabilities() -> None:
    X, y, task = random_world(7, n_classes=2)
    model = MultiTaskSPCA().fit(X, y, task=task)
    for factor in (1e-12, 1e4, 1e100):
        _, probabilities = answers_of(to_onnx(model), factor * X, task)
        expected = model.predict_proba(factor * X, task=task)
        np.testing.assert_allclose(probabilities, expected, rtol=0, atol=1e-12)


def test_double_precision_matters_and_is_the_default() -> None:
    """Features far from zero lose their differences in single precision."""
    X, y, task = random_world(8, offset=1e8)
    model = MultiTaskSPCA().fit(X, y, task=task)
    label, _ = answers_of(to_onnx(model), X, task)
    np.testing.assert_array_equal(label, model.predict(X, task=task))
    rounded, _ = answers_of(to_onnx(model, dtype=np.float32), X.astype(np.float32), task)
    np.testing.assert_array_equal(rounded, model.predict(X.astype(np.float32), task=task))
    assert (rounded != label).any()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_model_of_one_task_needs_no_ids(n_classes: int) -> None:
    X, y, _ = random_world(9, n_classes=n_classes)
    for task in (None, "rome"):
        model = MultiTaskSPCA().fit(X, y, task=task)
        assert [value.name for value in to_onnx(model).graph.input] == ["features"]
        assert_answers_alike(model, None)
        assert_answers_alike(model, None, "float32")
    model = MultiTaskSPCA(unseen="shared").fit(X, y, task="rome")
    assert_answers_alike(model, ["rome", "oslo"])


def test_ids_that_are_equal_to_integers() -> None:
    X, y, task = random_world(10, n_classes=2)
    model = MultiTaskSPCA().fit(X, y == 1, task=task.astype(float))
    assert model.classes_.dtype == bool
    assert_answers_alike(model, model.tasks_, ids=[0, 1, 2, 3])
    model = MultiTaskSPCA().fit(X, 2.0 * y, task=list(np.array([-100, 100, 0, 7], np.int8)[task]))
    assert model.classes_.dtype == float
    assert_answers_alike(model, model.tasks_, ids=[-100, 0, 7, 100])
    model = MultiTaskSPCA().fit(X, y, task=[[True, 7, np.int64(3), 2.0][t] for t in task])
    assert model.tasks_.dtype == object
    assert_answers_alike(model, model.tasks_, ids=[int(t) for t in model.tasks_])


def test_the_task_as_a_column() -> None:
    X, y, task = random_world(11)
    frame = pd.DataFrame(X, columns=list("gfedcba"))
    frame.insert(2, "shop", names(task))
    for column in ("shop", 2, -6):
        model = MultiTaskSPCA(task_column=column).fit(frame, y)
        graph = to_onnx(model)
        label, probabilities = answers_of(graph, X, names(task))
        np.testing.assert_array_equal(label, model.predict(frame))
        np.testing.assert_allclose(probabilities, model.predict_proba(frame), atol=1e-12)
        described = {entry.key: entry.value for entry in graph.metadata_props}
        assert json.loads(described["feature_names"]) == list("gfedcba")
    wide = np.insert(X, 0, task, axis=1)
    numbers = MultiTaskSPCA(task_column=0).fit(wide, y)
    np.testing.assert_array_equal(answers_of(to_onnx(numbers), X, task)[0], numbers.predict(wide))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_blocks_of_rows_of_any_number(monkeypatch: Any, n_classes: int) -> None:
    monkeypatch.setattr(_steps, "_BLOCK_BYTES", 4 * 7 * 8 * (1 if n_classes == 2 else n_classes))
    X, y, task = random_world(12, n_classes=n_classes)
    model = MultiTaskSPCA().fit(X, y, task=task)
    session = session_of(to_onnx(model))
    whole = model.predict_proba(X, task=task)
    for n in (0, 1, 3, 4, 5, 8, 11, 300):
        label, found = session.run(None, {"features": X[:n], "task": task[:n]})
        assert label.shape == (n,)
        assert found.shape == (n, n_classes)
        np.testing.assert_allclose(found, whole[:n], rtol=0, atol=1e-12)


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted in other units elsewhere")
def test_memory_does_not_grow_with_rows_times_classes_times_features() -> None:
    """Coefficients of 5 000 rows, 20 classes and 500 features would take 400 MB at once."""
    code = """
import resource, onnxruntime
from kinspan import MultiTaskSPCA
from kinspan.export import to_onnx
from tests.worlds import random_world

X, y, task = random_world(0, n=5_000, p=500, n_classes=20)
model = MultiTaskSPCA(row_sample=0, metric=0.0).fit(X, y, task=task)
session = onnxruntime.InferenceSession(to_onnx(model).SerializeToString())
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = peak()
session.run(None, {"features": X, "task": task})
print(peak() - before)
"""
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", code]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root)
    assert int(shown.stdout) < 60_000


@pytest.mark.parametrize("n_ids", [1, 4, 6])
@pytest.mark.parametrize("n_rows", [1, 5])
def test_ids_that_are_not_one_per_row_are_refused(n_ids: int, n_rows: int) -> None:
    X, y, task = random_world(13)
    session = session_of(to_onnx(MultiTaskSPCA().fit(X, y, task=task)))
    rows = {"features": X[:n_rows], "task": task[:n_ids]}
    if n_ids == n_rows:
        assert len(session.run(None, rows)[0]) == n_rows
    else:
        with pytest.raises(Exception, match="rule"):
            session.run(None, rows)
