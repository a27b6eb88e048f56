"""The metadata and versions of an ONNX file, and what cannot be written into one."""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kinspan import MultiTaskSPCA
from kinspan.export import _checks, to_onnx
from tests.onnx_sessions import (
    SMALLEST,
    assert_answers_alike,
    names,
    session_of,
    with_missing_classes,
)
from tests.worlds import random_world

onnx = pytest.importorskip("onnx")
reference = pytest.importorskip("onnx.reference")


@pytest.mark.parametrize("opset", [13, 17, 21, None])
@pytest.mark.parametrize("text", [True, False])
def test_opsets_in_two_runtimes(opset: int | None, text: bool) -> None:
    opset = opset or onnx.defs.onnx_opset_version()
    X, y, task = with_missing_classes(random_world(14, n_classes=4))
    ids = names(task) if text else task
    labels = np.array(list("abcd"))[y] if text else y
    model = MultiTaskSPCA(unseen="shared").fit(X, labels, task=ids)
    graph = to_onnx(model, opset=opset)
    onnx.checker.check_model(graph, full_check=True)
    versions = {entry.domain: entry.version for entry in graph.opset_import}
    assert versions == {"": opset, "ai.onnx.ml": 2}
    rows = {"features": X, "task": np.where(np.arange(len(X)) % 5 == 0, ids[:1], ids)}
    expected = model.predict(X, task=rows["task"])
    label, probabilities = reference.ReferenceEvaluator(graph).run(None, rows)
    np.testing.assert_array_equal(label, expected)
    np.testing.assert_allclose(
        probabilities, model.predict_proba(X, task=rows["task"]), rtol=0, atol=1e-12
    )
    if opset <= 21:  # a runtime need not know the newest
        np.testing.assert_array_equal(session_of(graph).run(None, rows)[0], expected)


def test_the_metadata_describe_the_model() -> None:
    X, y, task = random_world(15)
    frame = pd.DataFrame(X, columns=list("gfedcba"))
    model = MultiTaskSPCA().fit(frame, np.array(["x", "y", "z"])[y], task=task)
    graph = onnx.load_from_string(to_onnx(model).SerializeToString())
    assert (graph.ir_version, graph.opset_import[0].version) == (8, 17)
    assert graph.producer_name == "kinspan"
    described = {entry.key: entry.value for entry in graph.metadata_props}
    assert described.pop("kinspan_version") == graph.producer_version
    assert described.pop("unseen") == "error"
    assert {key: json.loads(value) for key, value in described.items()} == {
        "classes": ["x", "y", "z"],
        "no_label": "",
        "n_tasks": 4,
        "feature_names": list("gfedcba"),
    }
    session = session_of(graph)
    shapes = {v.name: (v.type, v.shape) for v in session.get_inputs() + session.get_outputs()}
    assert shapes == {
        "features": ("tensor(double)", ["rows", 7]),
        "task": ("tensor(int64)", ["rows"]),
        "label": ("tensor(string)", ["rows"]),
        "probabilities": ("tensor(double)", ["rows", 3]),
    }


@pytest.mark.parametrize(
    ("ids", "named"),
    [
        ([("eu", 1), ("eu", 2)], r"\('eu', 1\) of type tuple"),
        ([0.5, 1.0], "0.5 of type float"),
        (["1", 2], "of type"),
        ([2, "1"], "of type"),
        (list(np.array(["2024-01-01", "2024-01-02"], dtype="datetime64[ns]")), "datetime64"),
        (list(np.array([2**63, 1], dtype=np.uint64)), "9223372036854775808"),
    ],
    ids=str,
)
def test_ids_that_onnx_does_not_know(ids: list[Any], named: str) -> None:
    X, y, _ = random_world(16, n_classes=2)
    given = [ids[i % 2] for i in range(len(y))]
    with pytest.raises(ValueError, match=f"tasks_ contains .*{named}.*Fit with such ids"):
        to_onnx(MultiTaskSPCA().fit(X, y, task=given))
    one = MultiTaskSPCA().fit(X, y, task=ids[:1] * len(y))
    assert_answers_alike(one, None)


@pytest.mark.parametrize(
    ("classes", "named"),
    [([("a",), ("b",)], "of type tuple"), (["", "b"], "''"), ([SMALLEST, 0], str(SMALLEST))],
)
def test_classes_that_onnx_does_not_know(classes: list[Any], named: str) -> None:
    X, y, task = random_world(17, n_classes=2)
    model = MultiTaskSPCA().fit(X, [classes[j] for j in y], task=task)
    with pytest.raises(ValueError, match=f"classes_ contains .*{named}.*[Ff]it with"):
        to_onnx(model)


def test_arguments_that_are_refused() -> None:
    X, y, task = random_world(18)
    model = MultiTaskSPCA()
    with pytest.raises(NotFittedError):
        to_onnx(model)
    model.fit(X, y, task=task)
    with pytest.raises(ValueError, match=r"opset=12; use a whole number from 13 to \d+"):
        to_onnx(model, opset=12)
    with pytest.raises(ValueError, match=r"opset=1000"):
        to_onnx(model, opset=1000)
    unknown: list[Any] = ["float16", None, int]
    for dtype in unknown:
        with pytest.raises(ValueError, match=r"dtype=.*use 'float64' or 'float32'"):
            to_onnx(model, dtype=dtype)
    pipeline: Any = make_pipeline(StandardScaler(), model)
    with pytest.raises(TypeError, match=r"model is of type Pipeline; .*last step"):
        to_onnx(pipeline)


def test_rules_that_are_too_large_for_a_file(monkeypatch: Any) -> None:
    X, y, task = random_world(18)
    model = MultiTaskSPCA().fit(X, y, task=task)
    monkeypatch.setattr(_checks, "_LARGEST_FILE", model._rules.coef.nbytes)
    to_onnx(model)
    monkeypatch.setattr(_checks, "_LARGEST_FILE", model._rules.coef.nbytes - 1)
    with pytest.raises(ValueError, match=r"rules of 4 tasks take .* GB.*; fit on fewer features"):
        to_onnx(model)


def test_a_missing_library_is_named(monkeypatch: Any) -> None:
    X, y, task = random_world(19)
    model = MultiTaskSPCA().fit(X, y, task=task)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'kinspan\[onnx\]'"):
        to_onnx(model)
