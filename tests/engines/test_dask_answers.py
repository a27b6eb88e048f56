"""Answers on dask collections are lazy, and those in memory."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from kinspan import MultiTaskSPCA
from tests.worlds import random_world

da: Any = pytest.importorskip("dask.array", reason="needs kinspan[dask]")
pytest.importorskip("dask.dataframe", reason="needs kinspan[dask]")
from kinspan.engines import dask as cluster  # noqa: E402
from tests.engines.test_dask import NAMES, _in_this_thread, cut, frame  # noqa: E402, F401


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function"])
def test_answers_are_lazy_and_equal_those_in_memory(method: str, n_classes: int) -> None:
    X, y, task = random_world(14, n_classes=n_classes)
    sizes = (0, 130, 170)
    plain = MultiTaskSPCA().fit(frame(X), NAMES[y], task=NAMES[task])
    expected = getattr(plain, method)(frame(X), task=NAMES[task])
    table = frame(X).set_index(np.arange(300) * 10)
    found = getattr(cluster, method)(plain, cut(table.assign(city=NAMES[task]), sizes), task="city")
    np.testing.assert_array_equal(np.shape(found.compute()), expected.shape)
    assert found.compute().index.tolist() == table.index.tolist()
    if expected.ndim == 2:
        assert found.columns.tolist() == found.compute().columns.tolist() == plain.classes_.tolist()
    else:
        assert found.dtype == found.compute().dtype
    plain = MultiTaskSPCA().fit(X, NAMES[y], task=NAMES[task])
    rows = da.from_array(X, chunks=(sizes, 3))
    found = getattr(cluster, method)(plain, rows, task=da.from_array(NAMES[task], chunks=99))
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype == found.compute().dtype
    assert found.chunks[0] == sizes
    if method == "predict":
        np.testing.assert_array_equal(found.compute(), expected)
    else:
        np.testing.assert_allclose(found.compute(), expected, rtol=1e-9, atol=1e-12)


def test_the_model_is_sent_once_and_without_its_rows() -> None:
    X, y, task = random_world(15, n=1_000, p=50)
    clf = MultiTaskSPCA().fit(X, y, task=task)
    rows = da.random.default_rng(0).normal(size=(3_000, 50), chunks=(100, -1))
    graph = dict(cluster.predict(clf, rows, task=2).__dask_graph__())
    sizes = sorted(len(pickle.dumps(node)) for node in graph.values())
    assert len(pickle.dumps(clf)) > X.nbytes
    assert sizes[-1] < X.nbytes / 4
    assert sizes[-2] < 2_000
