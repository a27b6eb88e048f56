"""Text and dates in X are refused by the name of their column, whatever X is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from kinspan import ClassMoments, MultiTaskSPCA
from kinspan.tables import TableEncoder

Y = [0, 1, 0, 1]
FRAME = pd.DataFrame({"size": [1.0, 2.0, 3.0, 4.0], "plan": ["free", "team", "free", "7"]})
DATES = pd.date_range("2024-01-01", periods=4)


@pytest.mark.parametrize(
    ("X", "column", "value"),
    [
        (FRAME, "'plan'", "'free'"),
        (pl.from_pandas(FRAME), "'plan'", "'free'"),
        (FRAME.astype({"plan": "category"}), "'plan'", "'free'"),
        (FRAME.assign(plan=DATES), "'plan'", "2024-01-01"),
        (FRAME.to_numpy(), "1", "'free'"),
        (FRAME.to_numpy().tolist(), "1", "'free'"),
        (FRAME.to_numpy().astype(str), "1", "'free'"),
        (FRAME.assign(plan=["1", "2", "x", "y"]), "'plan'", "'x'"),
        (FRAME.assign(plan=pd.Series([1, 2, (), 3])), "'plan'", "()"),
    ],
)
def test_text_is_refused_by_its_column(X: Any, column: str, value: str) -> None:
    for call in (lambda: MultiTaskSPCA().fit(X, Y), lambda: ClassMoments.from_samples(X, Y)):
        with pytest.raises((ValueError, TypeError), match="X contains") as caught:
            call()
        assert f"in column {column}" in str(caught.value)
        assert value in str(caught.value)
        assert "TableEncoder" in str(caught.value)
        assert "DType" not in str(caught.value)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_columns_of_vectors_have_a_way_out(library: Any) -> None:
    X = library({"size": [1.0, 2.0, 3.0, 4.0], "embedding": [[0.5, 1.5]] * 4})
    with pytest.raises((ValueError, TypeError), match=r"in every cell of column 'embedding'; make"):
        MultiTaskSPCA().fit(X, Y)
    assert np.stack(X["embedding"]).shape == (4, 2)  # what the message says


def test_frames_that_are_plans_are_refused_with_the_way_out() -> None:
    plan, rows = pl.from_pandas(FRAME[["size"]]).lazy(), FRAME[["size"]]
    y: Any = pl.LazyFrame({"y": Y})
    calls: list[Any] = [
        lambda: MultiTaskSPCA().fit(plan, Y),
        lambda: MultiTaskSPCA().fit(rows, y),
        lambda: MultiTaskSPCA().fit(rows, Y).predict(plan),
        lambda: TableEncoder().fit(plan),
    ]
    for call in calls:
        with pytest.raises(TypeError, match=r"pass what its \.collect\(\) returns"):
            call()


def test_a_task_column_leaves_names_right() -> None:
    with pytest.raises(ValueError, match="in column 'plan'"):
        MultiTaskSPCA(task_column="size").fit(FRAME, Y)


def test_text_in_new_rows_is_refused_alike() -> None:
    clf = MultiTaskSPCA().fit(FRAME.assign(plan=[1.0, 2.0, 1.0, 2.5]), Y)
    with pytest.raises(ValueError, match="in column 'plan'"):
        clf.predict(FRAME)


def test_other_errors_stay_what_they_are() -> None:
    with pytest.raises(ValueError, match="inhomogeneous"):
        MultiTaskSPCA().fit([[1.0, 2.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="Complex"):
        MultiTaskSPCA().fit(np.ones((4, 1)) * 1j, Y)
