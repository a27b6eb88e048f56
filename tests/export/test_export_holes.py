"""The graph of a model that has met holes fills them as the model does."""

from __future__ import annotations

import numpy as np
import pytest

from kinspan import MultiTaskSPCA
from kinspan.export import to_onnx
from tests._rows.test_holes import with_holes
from tests.onnx_sessions import SMALLEST, answers_of
from tests.worlds import random_world


@pytest.mark.parametrize("unseen", ["error", "shared"])
@pytest.mark.parametrize("n_tasks", [1, 4])
def test_a_graph_fills_holes(unseen: str, n_tasks: int) -> None:
    X, y, task = with_holes(1)
    task = task % n_tasks
    model = MultiTaskSPCA(unseen=unseen).fit(X, y, task=task)
    needs_task = n_tasks > 1 or unseen == "shared"
    label, found = answers_of(to_onnx(model), X, task if needs_task else None)
    np.testing.assert_array_equal(label, model.predict(X, task=task))
    np.testing.assert_allclose(found, model.predict_proba(X, task=task), atol=1e-12)
    if unseen == "shared":
        _, found = answers_of(to_onnx(model), X, np.full(len(X), 99))
        np.testing.assert_allclose(found, model.predict_proba(X, task=99), atol=1e-12)
    X[5, 2] = np.inf
    assert answers_of(to_onnx(model), X, task if needs_task else None)[0][5] == SMALLEST


def test_a_graph_fills_holes_of_many_features_in_two_products() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(24, 2)) @ rng.normal(size=(2, 90)) + 0.1 * rng.normal(size=(24, 90))
    y, task = np.tile([0, 1], 12), np.repeat(["a", "b"], 12)
    X[rng.random(X.shape) < 0.2] = np.nan
    model = MultiTaskSPCA().fit(X, y, task=task)
    others = model._learnt.filling.others
    assert others is not None
    assert [step.shape for step in others.steps] == [(90, 24), (24, 90)]
    label, found = answers_of(to_onnx(model), X, task)
    np.testing.assert_array_equal(label, model.predict(X, task=task))
    np.testing.assert_allclose(found, model.predict_proba(X, task=task), atol=1e-12)


def test_a_graph_of_a_model_without_holes_refuses_them() -> None:
    X, y, task = random_world(2)
    model = MultiTaskSPCA().fit(X, y, task=task)
    X[5, 2] = np.nan
    label, found = answers_of(to_onnx(model), X, task)
    assert label[5] == SMALLEST
    assert np.isnan(found[5]).all()
