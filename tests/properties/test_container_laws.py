"""The same rows in any container make the same model and the same answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from kinspan import MultiTaskSPCA
from tests.properties.random_worlds import assert_same_rules, fit, rounded, worlds
from tests.worlds import World


def names(X: Any) -> list[str]:
    return [f"f{i}" for i in range(X.shape[1])]


CONTAINERS: dict[str, Callable[[Any], Any]] = {
    "single precision": lambda X: X.astype(np.float32),
    "half precision": lambda X: X.astype(np.float16),
    "integers": lambda X: X.astype(np.int64),
    "small integers": lambda X: X.astype(np.int8),
    "columns first": np.asfortranarray,
    "other byte order": lambda X: X.astype(X.dtype.newbyteorder()),
    "every second row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "read only": lambda X: np.broadcast_to(X, X.shape),
    "list": lambda X: X.tolist(),
    "CSR": sp.csr_array,
    "CSC": sp.csc_array,
    "COO": sp.coo_array,
    "CSR with zeros": lambda X: sp.csr_array(
        (X.ravel(), np.tile(np.arange(X.shape[1]), len(X)), np.arange(0, X.size + 1, X.shape[1])),
        shape=X.shape,
    ),
    "pandas": lambda X: pd.DataFrame(X, columns=names(X)),
    "polars": lambda X: pl.DataFrame(X, schema=names(X)),
}


@pytest.mark.filterwarnings("ignore::kinspan.exceptions.CopiesWarning")  # rounding makes some
@given(world=worlds(), metric=st.sampled_from(["auto", 0.0]))
def test_containers_agree(world: World, metric: Any) -> None:
    world = rounded(world)
    plain = fit(world, metric=metric)
    scores = plain.decision_function(world.X, task=world.task)
    for name, contained in CONTAINERS.items():
        X = contained(world.X)
        model = fit(world._replace(X=X), metric=metric)
        assert_same_rules(model, plain)
        found = model.decision_function(X, task=world.task)
        np.testing.assert_allclose(found, scores, rtol=1e-9, atol=1e-9, err_msg=name)


@given(world=worlds(), is_polars=st.booleans())
def test_a_task_column_is_the_task(world: World, is_polars: bool) -> None:
    columns = dict(zip(names(world.X), world.X.T, strict=True))
    columns["shop"] = np.array([f"shop {t}" for t in world.task])
    frame = (pl.DataFrame if is_polars else pd.DataFrame)(columns)
    model = MultiTaskSPCA(task_column="shop").fit(frame, world.y)
    plain = MultiTaskSPCA().fit(world.X, world.y, task=columns["shop"])
    assert_same_rules(model, plain)
    assert (model.predict(frame) == plain.predict(world.X, task=columns["shop"])).all()


@given(world=worlds(), kind=st.sampled_from(["list", "pandas", "polars", "text", "column"]))
def test_labels_and_tasks_come_in_any_container(world: World, kind: str) -> None:
    of: dict[str, Callable[[Any], Any]] = {
        "list": lambda values: values.tolist(),
        "pandas": pd.Series,
        "polars": pl.Series,
        "text": lambda values: np.array([str(value) for value in values]),
        "column": lambda values: values.astype(np.uint8),
    }
    other = world._replace(y=of[kind](world.y), task=of[kind](world.task))
    model, plain = fit(other), fit(world)
    assert list(map(str, model.tasks_.tolist())) == list(map(str, plain.tasks_.tolist()))
    np.testing.assert_allclose(model.coef_, plain.coef_, rtol=1e-9, atol=1e-12)
