"""Arrays of other libraries that cannot be learnt from, and what is said about them."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from kinspan import ClassMoments, MultiTaskSPCA
from tests.array_libraries import Convert, placed, strict
from tests.worlds import random_world


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_and_infinity_are_named(convert: Convert, bad: float) -> None:
    world = random_world(8)
    model = MultiTaskSPCA(missing="refuse").fit(world.X, world.y, task=world.task)
    world.X[[3, 5], 4] = bad
    X, y, task = placed(world, convert)
    message = f"X contains {'NaN' if np.isnan(bad) else 'infinity'} in column 4, in 2 of 300 rows"
    with pytest.raises(ValueError, match=message):
        ClassMoments.from_samples(X, y, task, missing="refuse")
    with pytest.raises(ValueError, match=message):
        model.predict(X, task=task)


def test_holes_on_a_device_are_refused_with_the_way_out(there: Convert) -> None:
    world = random_world(8)
    model = MultiTaskSPCA().fit(world.X, world.y, task=world.task)
    world.X[3, 4] = np.nan
    X, y, task = placed(world, there)
    with pytest.raises(ValueError, match="for rows in memory only: pass a NumPy array"):
        MultiTaskSPCA().fit(X, y, task=task)
    with pytest.raises(ValueError, match="for rows in memory only: pass a NumPy array"):
        model.predict(X, task=task)


def test_holes_of_another_library_in_memory_are_filled() -> None:
    world = random_world(8)
    world.X[::4, 4] = np.nan
    X, y, task = placed(world, strict(None))
    plain = MultiTaskSPCA().fit(world.X, world.y, task=world.task)
    found = MultiTaskSPCA().fit(X, y, task=task)
    np.testing.assert_allclose(found.coef_, plain.coef_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.full(300, -1.0), "negative, infinite or NaN"),
        (np.full(300, np.nan), "negative, infinite or NaN"),
        (np.zeros(300), "zero for every row"),
        (np.ones(299), "sample_weight has 299 values for 300 rows"),
        (np.full(300, 1e-3), "weights are frequencies"),
    ],
)
def test_weights_on_a_device_are_doubted_too(there: Convert, weights: Any, message: str) -> None:
    world = placed(random_world(9), there)
    with pytest.raises(ValueError, match=message):
        ClassMoments.from_samples(*world, sample_weight=there(weights))


def test_what_cannot_be_is_refused_on_a_device(there: Convert) -> None:
    X, y, task = placed(random_world(10), there)
    with pytest.raises(ValueError, match="pass task= and X without that column"):
        MultiTaskSPCA(task_column=0).fit(X, y)
    with pytest.raises(ValueError, match="expected a 2D array"):
        MultiTaskSPCA().fit(X[:, 0], y, task=task)
    with pytest.raises(ValueError, match="use real numbers"):
        MultiTaskSPCA().fit(there(np.ones((300, 2), complex)), y, task=task)
    with pytest.raises(ValueError, match="y has 299 values for 300 rows"):
        MultiTaskSPCA().fit(X, y[:299], task=task)
    with pytest.raises(ValueError, match="y has no label in any row"):
        MultiTaskSPCA().fit(X, there(np.full(300, np.nan)), task=task)
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        MultiTaskSPCA().fit(X, there(np.linspace(0, 1, 300)), task=task)
    model = MultiTaskSPCA().fit(X, y, task=task)
    with pytest.raises(ValueError, match="task contains 9, which fit has not seen"):
        model.predict(X, task=there(np.full(300, 9)))
    with pytest.raises(ValueError, match="expecting 7 features"):
        model.predict(X[:, :6], task=task)


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    convert = strict("device1")
    world = placed(random_world(15), convert)
    monkeypatch.setitem(sys.modules, "array_api_compat", None)
    with pytest.raises(ImportError, match=r"pip install 'kinspan\[array-api\]'"):
        ClassMoments.from_samples(*world)


def test_sparse_tensors_are_refused() -> None:
    torch: Any = pytest.importorskip("torch")
    world = random_world(18)
    with pytest.raises(TypeError, match="pass a CSR matrix of SciPy"):
        MultiTaskSPCA().fit(torch.from_numpy(world.X).to_sparse(), world.y, task=world.task)
