"""Graphs that run, and the law that they answer as the model does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from kinspan import MultiTaskSPCA
from kinspan.export import to_onnx
from tests.worlds import World

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

N_ROWS = 10_000
TOLERANCE = {"float64": 1e-12, "float32": 1e-6}  # rounding of the probabilities themselves
SMALLEST = -(2**63)


def session_of(graph: Any) -> Any:
    onnx.checker.check_model(graph, full_check=True)
    assert {constant.name for constant in graph.graph.initializer} <= set(inputs_of(graph.graph))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(
        graph.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def inputs_of(graph: Any) -> Iterator[str]:
    """What the operators of a graph, and of the graphs in it, use."""
    for node in graph.node:
        yield from node.input
        for attribute in node.attribute:
            yield from inputs_of(attribute.g)


def answers_of(graph: Any, X: Any, task: Any = None) -> tuple[Any, Any]:
    rows = {"features": X} if task is None else {"features": X, "task": task}
    label, probabilities = session_of(graph).run(["label", "probabilities"], rows)
    return label, probabilities


def assert_answers_alike(
    model: MultiTaskSPCA, task: Any, dtype: str = "float64", ids: Any = None, seed: int = 0
) -> None:
    """On random rows; `ids` are the tasks as the graph knows them, if not as the model does."""
    rng = np.random.default_rng(seed)
    n_features = model._rules.coef.shape[2]
    X = (3.0 * rng.normal(size=(N_ROWS, n_features))).astype(dtype)
    drawn = rng.integers(0, len(task), N_ROWS) if task is not None else None
    given = None if drawn is None else np.asarray(task)[drawn]
    known = given if ids is None else np.asarray(ids)[drawn]
    label, probabilities = answers_of(to_onnx(model, dtype=dtype), X, known)
    expected = model.predict_proba(X, task=given)
    np.testing.assert_array_equal(label, model.predict(X, task=given))
    np.testing.assert_allclose(probabilities, expected, rtol=0, atol=TOLERANCE[dtype])
    assert probabilities.dtype == dtype
    assert len(np.unique(label)) == len(model.classes_)


def names(task: Any) -> Any:
    return np.array([f"tâche {t}" for t in range(task.max() + 1)])[task]


def with_missing_classes(world: World) -> World:
    kept = (world.task + world.y) % 3 > 0
    return World(world.X[kept], world.y[kept], world.task[kept])
