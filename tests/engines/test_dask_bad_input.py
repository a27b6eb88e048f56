"""Dask collections that cannot be fitted or answered are refused, and leave the model unchanged."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from kinspan import MultiTaskSPCA
from tests.worlds import random_world

da: Any = pytest.importorskip("dask.array", reason="needs kinspan[dask]")
dd: Any = pytest.importorskip("dask.dataframe", reason="needs kinspan[dask]")
pd: Any = pytest.importorskip("pandas", reason="dask data frames need pandas")
from kinspan.engines import dask as cluster  # noqa: E402

WORLD = random_world(0)


def table(**columns: Any) -> Any:
    X, y, task = WORLD
    features = {f"x{i}": X[:, i] for i in range(7)}
    return pd.DataFrame({**features, "label": y, "city": task, **columns})


def frame(**columns: Any) -> Any:
    return dd.from_pandas(table(**columns), npartitions=3)


def array() -> Any:
    return da.from_array(WORLD.X, chunks=(100, -1))


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ("lable", r"y='lable' is not a column of X, which has 'x0', .*\(9 in all\)"),
        (None, "the target y is None"),
        (WORLD.y, "y is of type ndarray, but how many rows .* make y a column of X"),
        (da.from_array(WORLD.y, chunks=50), "y has 6 partitions and X has 3, some of unknown size"),
        (
            da.from_array(WORLD.y, chunks=((90, 110, 100),)),
            r"100 rows of X and (90|110) of y; cut both",
        ),
    ],
)
def test_labels_of_a_frame_that_do_not_fit(y: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        cluster.fit(MultiTaskSPCA(), frame(), y, task="city")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"y": "label"}, "y='label' is not a column of X, which is an array"),
        ({"y": WORLD.y[:-1]}, "y has 299 values for 300 rows"),
        ({"y": WORLD.y, "task": WORLD.task[:7]}, "task has 7 values for 300 rows"),
        ({"y": WORLD.y, "sample_weight": "often"}, "sample_weight='often' is not a column"),
        ({"y": WORLD.y, "sample_weight": np.zeros(300)}, "none of positive sample_weight"),
        ({"y": WORLD.y, "split_every": 1}, "split_every=1"),
        ({"y": WORLD.y, "split_every": 0}, "split_every=0; use a whole number"),
        ({"y": np.zeros(300)}, "y contains one class"),
        ({"y": np.linspace(0, 1, 300)}, "continuous"),
    ],
)
def test_arguments_that_do_not_fit_an_array(given: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        cluster.fit(MultiTaskSPCA(), array(), **given)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (WORLD.X, "X is of type ndarray; pass a dask array or data frame"),
        (table(), "X is of type DataFrame; pass a dask array"),
        (da.zeros(300), r"X has shape \(300,\); expected a 2D array"),
        (da.zeros((0, 7)), "no partition of X has a row"),
        (da.from_array(WORLD.X, chunks=(100, -1))[[]], "no partition of X has a row"),
    ],
)
def test_rows_that_are_none(X: Any, message: str) -> None:
    n_rows = X.shape[0] if X.ndim == 2 else 300
    with pytest.raises((ValueError, TypeError), match=message):
        cluster.fit(MultiTaskSPCA(), X, np.zeros(n_rows))


def test_unknown_sizes_cannot_be_cut_like_an_array_in_memory() -> None:
    values = frame()[[f"x{i}" for i in range(7)]].values
    with pytest.raises(ValueError, match="y has 1 partitions and X has 3, some of unknown size"):
        cluster.fit(MultiTaskSPCA(), values, WORLD.y)


def test_a_task_column_with_a_typing_error_is_not_one_task() -> None:
    with pytest.raises(ValueError, match="task='citi' is not a column of X"):
        cluster.fit(MultiTaskSPCA(), frame(), "label", task="citi")


def test_nan_is_named_and_a_failed_fit_changes_nothing() -> None:
    X, y, task = WORLD
    spoilt = X.copy()
    spoilt[130, 3] = np.nan
    clf = cluster.fit(MultiTaskSPCA(missing="refuse"), frame(), "label", task="city")
    before = clf.coef_.copy()
    with pytest.raises(ValueError, match="X contains NaN in column 'x3', in 1 of 100 rows"):
        cluster.fit(clf, frame(x3=spoilt[:, 3]), "label", task="city")
    with pytest.raises(ValueError, match="X contains NaN in column 3, in 1 of 100 rows"):
        cluster.fit(clf, da.from_array(spoilt, chunks=(100, -1)), y, task=task)
    np.testing.assert_array_equal(clf.coef_, before)
    assert clf.feature_names_in_.tolist() == [f"x{i}" for i in range(7)]


def test_parameters_are_checked_before_rows_are_read() -> None:
    unreadable = array().map_blocks(lambda block: 1 / 0, meta=np.empty((0, 0)))
    with pytest.raises(ValueError, match="labels='best'"):
        cluster.fit(MultiTaskSPCA(labels="best"), unreadable, WORLD.y)
    with pytest.raises(ValueError, match=r"forget=0\.1 needs rows in the order"):
        cluster.fit(MultiTaskSPCA(forget=0.1), unreadable, WORLD.y)
    with pytest.raises(ValueError, match="row_sample=-1"):
        cluster.statistics(unreadable, WORLD.y, row_sample=-1)


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function"])
def test_questions_that_cannot_be_answered_fail_at_once(method: str) -> None:
    ask: Any = getattr(cluster, method)
    with pytest.raises(ValueError, match="not fitted yet"):
        ask(MultiTaskSPCA(), array(), task=0)
    clf = MultiTaskSPCA().fit(table().drop(columns=["label", "city"]), WORLD.y, task=WORLD.task)
    rows = frame().drop(columns="label")
    with pytest.raises(ValueError, match="task=None, but 4 tasks were fitted"):
        ask(clf, rows.drop(columns="city"))
    with pytest.raises(ValueError, match="task contains 'oslo', which fit has not seen"):
        ask(clf, rows.drop(columns="city"), task="oslo")
    with pytest.raises(ValueError, match=r"(?s)unseen at fit time:\n- label"):
        ask(clf, frame(), task="city")
    with pytest.raises(ValueError, match="6 features, but MultiTaskSPCA is expecting 7"):
        ask(MultiTaskSPCA().fit(*WORLD[:2]), array()[:, :6])
    lazy = ask(
        clf, dd.from_pandas(table(city=99).drop(columns="label"), npartitions=2), task="city"
    )
    with pytest.raises(ValueError, match="task contains 99, which fit has not seen"):
        lazy.compute()


def test_unseen_tasks_may_share() -> None:
    X, y, task = WORLD
    clf = MultiTaskSPCA(unseen="shared").fit(X, y, task=task)
    found = cluster.predict(clf, array(), task="oslo").compute()
    np.testing.assert_array_equal(found, clf.predict(X, task="oslo"))


def test_without_dask_the_way_to_get_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "dask"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "dask", None)
    monkeypatch.delitem(sys.modules, "kinspan.engines.dask")
    with pytest.raises(ImportError, match=r"pip install 'kinspan\[dask\]'"):
        import_module("kinspan.engines.dask")


@pytest.mark.parametrize("name", ["y", "task", "sample_weight"])
@pytest.mark.parametrize("values", [{0: 1}, {1, 2}, {}, set()])
def test_dictionaries_and_sets_are_not_one_value_per_row(name: str, values: Any) -> None:
    given = {"y": WORLD.y, "task": WORLD.task, name: values}
    with pytest.raises(TypeError, match=f"{name} is of type (dict|set); pass one value per row"):
        cluster.statistics(array(), given.pop("y"), **given)
    if name == "task":
        clf = MultiTaskSPCA().fit(WORLD.X, WORLD.y, task=WORLD.task)
        with pytest.raises(TypeError, match=r"task is of type (dict|set); pass one value per row"):
            cluster.predict(clf, array(), task=values)
