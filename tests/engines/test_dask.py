"""Fitting and answering on dask collections equals doing so in memory, however rows are cut."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from kinspan import MultiTaskSPCA, Statistics
from tests.worlds import random_world

dask: Any = pytest.importorskip("dask", reason="needs kinspan[dask]")
da: Any = pytest.importorskip("dask.array", reason="needs kinspan[dask]")
dd: Any = pytest.importorskip("dask.dataframe", reason="needs kinspan[dask]")
pd: Any = pytest.importorskip("pandas", reason="dask data frames need pandas")
from kinspan.engines import dask as cluster  # noqa: E402

NAMES = np.array(["rome", "oslo", "bern", "kyiv"])
NO_ROWS = {"metric": 0, "row_sample": 0}
CHUNKS: dict[str, Any] = {
    "one": (300,),
    "even": (50,) * 6,
    "single rows": (1,) * 30 + (270,),
    "some empty": (0, 120, 0, 0, 180, 0),
    "more than a branch": (12,) * 25,
}


@pytest.fixture(autouse=True)
def _in_this_thread() -> Iterator[None]:
    with dask.config.set(scheduler="synchronous"):
        yield


def assert_same(a: MultiTaskSPCA, b: MultiTaskSPCA) -> None:
    assert a.tasks_.tolist() == b.tasks_.tolist()
    assert a.classes_.tolist() == b.classes_.tolist()
    assert a.tasks_.dtype == b.tasks_.dtype
    assert a.classes_.dtype == b.classes_.dtype
    for name in ("coef_", "intercept_", "forecast_error_", "forecast_interval_", "metric_"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-9, atol=1e-12)


def frame(X: Any, **columns: Any) -> Any:
    return pd.DataFrame({f"x{i}": X[:, i] for i in range(X.shape[1])} | columns)


def cut(table: Any, sizes: tuple[int, ...]) -> Any:
    """A dask data frame with partitions of these sizes; some may be empty."""
    ends = np.cumsum([0, *sizes])
    parts = [table.iloc[start:stop] for start, stop in pairwise(ends)]
    return dd.from_map(lambda i: parts[i], range(len(parts)), meta=table.iloc[:0])


@pytest.mark.parametrize("parameters", [NO_ROWS, {}])
@pytest.mark.parametrize("sizes", CHUNKS.values(), ids=CHUNKS.keys())
def test_any_cut_of_an_array_gives_the_fit_in_memory(sizes: Any, parameters: Any) -> None:
    X, y, task = random_world(0)
    plain = MultiTaskSPCA(**parameters).fit(X, y, task=task)
    rows = da.from_array(X, chunks=(sizes, -1))
    assert_same(cluster.fit(MultiTaskSPCA(**parameters), rows, y, task=task), plain)


@pytest.mark.parametrize("sizes", CHUNKS.values(), ids=CHUNKS.keys())
def test_any_cut_of_a_frame_gives_the_fit_in_memory(sizes: Any) -> None:
    X, y, task = random_world(1)
    table = frame(X)
    plain = MultiTaskSPCA().fit(table, pd.Series(y), task=pd.Series(NAMES[task]))
    rows = cut(table.assign(label=y, city=NAMES[task]), sizes)
    clf = cluster.fit(MultiTaskSPCA(), rows, "label", task="city")
    assert_same(clf, plain)
    assert clf.feature_names_in_.tolist() == list(table.columns)
    assert all(type(name) is str for name in clf.tasks_.tolist())


@pytest.mark.parametrize("split_every", [2, 3, 100])
def test_columns_in_several_chunks_and_labels_cut_otherwise(split_every: int) -> None:
    X, y, task = random_world(2)
    rows, labels = da.from_array(X, chunks=(70, 3)), da.from_array(y, chunks=110)
    tasks = da.from_array(task, chunks=(1, 299))
    clf = cluster.fit(MultiTaskSPCA(), rows, labels, task=tasks, split_every=split_every)
    assert_same(clf, MultiTaskSPCA().fit(X, y, task=task))


def test_a_task_in_one_partition_only() -> None:
    X, y, task = random_world(3)
    order = np.argsort(task, kind="stable")
    X, y, task = X[order], y[order], task[order]
    rows = da.from_array(X, chunks=(tuple(np.bincount(task)), -1))
    assert_same(
        cluster.fit(MultiTaskSPCA(), rows, y, task=task), MultiTaskSPCA().fit(X, y, task=task)
    )


@pytest.mark.parametrize("kind", ["columns", "series", "arrays", "unknown arrays"])
def test_frames_with_labels_and_tasks_of_every_kind(kind: str) -> None:
    X, y, task = random_world(4)
    sizes = (100, 0, 150, 50)
    rows = cut(frame(X).assign(label=y, city=task), sizes)
    left = rows[list(frame(X).columns)]
    tables: dict[str, Any] = {
        "columns": (rows, "label", "city"),
        "series": (left, rows["label"], rows["city"]),
        "arrays": (left, da.from_array(y, chunks=(sizes,)), da.from_array(task, chunks=(sizes,))),
        "unknown arrays": (left, rows["label"].values, rows["city"].values),
    }
    table, labels, tasks = tables[kind]
    clf = cluster.fit(MultiTaskSPCA(), table, labels, task=tasks)
    assert_same(clf, MultiTaskSPCA().fit(frame(X), y, task=task))
    answers = cluster.predict(clf, table[[c for c in table if c != "label"]], task=tasks)
    np.testing.assert_array_equal(answers.compute(), clf.predict(frame(X), task=task))


def test_arrays_whose_chunk_sizes_are_unknown() -> None:
    X, y, task = random_world(5)
    rows = cut(frame(X).assign(label=y, city=NAMES[task]), (100, 0, 150, 50))
    values = rows[[f"x{i}" for i in range(7)]].values
    assert np.isnan(values.shape[0])
    plain = MultiTaskSPCA().fit(X, y, task=NAMES[task].astype(object))
    clf = cluster.fit(MultiTaskSPCA(), values, rows["label"].values, task=rows["city"])
    assert_same(clf, plain)
    answers = cluster.predict(clf, values, task=rows["city"])
    np.testing.assert_array_equal(answers.compute(), plain.predict(X, task=NAMES[task]))


@pytest.mark.parametrize("dtype", ["category", "string", "str", object])
def test_text_ids_are_the_same_as_from_pandas(dtype: Any) -> None:
    X, y, task = random_world(6)
    labels, cities = (pd.Series(NAMES[i]).astype(dtype) for i in (y, task))
    plain = MultiTaskSPCA().fit(frame(X), labels, task=cities)
    rows = cut(frame(X, label=labels, city=cities), (100, 200))
    assert_same(cluster.fit(MultiTaskSPCA(), rows, "label", task="city"), plain)


def test_ids_that_are_tuples_and_of_several_types() -> None:
    X, y, task = random_world(7)
    ids = np.empty(4, dtype=object)
    ids[:] = [("eu", 1), ("us", 2), "one", 1]
    plain = MultiTaskSPCA().fit(X, ids[y], task=ids[task])
    for rows in (da.from_array(X, chunks=((2, 298), -1)), cut(frame(X), (2, 298))):
        given = [da.from_array(ids[codes], chunks=((2, 298),)) for codes in (y, task)]
        clf = cluster.fit(MultiTaskSPCA(), rows, given[0], task=given[1])
        assert_same(clf, plain)
        answers = cluster.predict(clf, rows, task=("eu", 1)).compute()
        assert list(answers) == list(plain.predict(X, task=("eu", 1)))
    one = cluster.fit(MultiTaskSPCA(), da.from_array(X, chunks=(2, -1)), y, task=("eu", 1))
    assert one.tasks_.tolist() == [("eu", 1)]


def test_labels_in_a_tuple_are_labels() -> None:
    X, y, task = random_world(8)
    clf = cluster.fit(MultiTaskSPCA(), da.from_array(X, chunks=(60, -1)), tuple(y), task=list(task))
    assert_same(clf, MultiTaskSPCA().fit(X, y, task=task))


def test_weights_are_frequencies_and_partitions_may_weigh_nothing() -> None:
    X, y, task = random_world(9)
    weights = np.random.default_rng(0).integers(0, 4, 300)
    weights[100:150] = 0
    X[weights == 0] = np.nan
    plain = MultiTaskSPCA().fit(X, y, task=task, sample_weight=weights)
    rows = da.from_array(X, chunks=(50, -1))
    assert_same(cluster.fit(MultiTaskSPCA(), rows, y, task=task, sample_weight=weights), plain)
    table = cut(frame(X, label=y, city=task, often=weights), (50,) * 6)
    clf = cluster.fit(MultiTaskSPCA(), table, "label", task="city", sample_weight="often")
    assert_same(clf, plain)
    assert clf.n_features_in_ == 7


def test_rows_without_labels_are_those_of_the_fit_in_memory() -> None:
    X, y, task = random_world(3)
    X = np.concatenate([X, X + 0.1 * np.random.default_rng(0).standard_normal(X.shape)])
    y, task = np.concatenate([y.astype(float), np.full(len(y), np.nan)]), np.concatenate([task] * 2)
    X[5, 0] = X[-5, 1] = np.nan
    here = MultiTaskSPCA().fit(X, y, task=task)
    there = cluster.fit(MultiTaskSPCA(), da.from_array(X, chunks=(170, -1)), y, task=task)
    np.testing.assert_allclose(there.coef_, here.coef_, rtol=1e-7, atol=1e-10)
    np.testing.assert_allclose(there.unlabelled_weight_, here.unlabelled_weight_, rtol=1e-7)
    lazy = cluster.decision_function(there, da.from_array(X[:9], chunks=(4, -1)), task=task[:9])
    expected = there.decision_function(X[:9], task=task[:9])
    np.testing.assert_allclose(lazy.compute(), expected, rtol=1e-9)


def test_sparse_blocks() -> None:
    X, y, task = random_world(10)
    X[np.random.default_rng(0).uniform(size=X.shape) < 0.7] = 0.0
    rows = da.from_array(X, chunks=(80, -1)).map_blocks(sp.csr_array)
    plain = MultiTaskSPCA().fit(X, y, task=task)
    clf = cluster.fit(MultiTaskSPCA(), rows, y, task=task)
    assert_same(clf, plain)
    answers = cluster.predict(clf, rows, task=task).compute()
    np.testing.assert_array_equal(answers, plain.predict(X, task=task))


def test_the_task_as_a_column_that_the_model_names() -> None:
    X, y, task = random_world(11)
    table = frame(X).assign(city=NAMES[task])
    for column in ("city", -1):
        plain = MultiTaskSPCA(task_column=column).fit(table, y)
        clf = MultiTaskSPCA(task_column=column)
        assert_same(cluster.fit(clf, cut(table.assign(label=y), (90, 210)), "label"), plain)
        assert clf.feature_names_in_.tolist() == plain.feature_names_in_.tolist()
        answers = cluster.predict(clf, cut(table, (90, 210)))
        np.testing.assert_array_equal(answers.compute(), plain.predict(table))
    wide = np.insert(X, 2, task, axis=1)
    clf = cluster.fit(MultiTaskSPCA(task_column=2), da.from_array(wide, chunks=(90, -1)), y)
    assert_same(clf, MultiTaskSPCA(task_column=2).fit(wide, y))
    wide[7, 5] = np.nan  # counted as the user does, with the task column
    model = MultiTaskSPCA(task_column=2, missing="refuse")
    with pytest.raises(ValueError, match="X contains NaN in column 5"):
        cluster.fit(model, da.from_array(wide, chunks=(90, -1)), y)


def test_rows_are_computed_once_where_labels_come_from_the_same_source() -> None:
    X, y, task = random_world(12)
    seen: Counter[int] = Counter()

    def read(block: Any) -> Any:
        seen[int(block[0, -1])] += 1
        return block

    whole = np.column_stack([X, task, y, np.arange(300)])
    source = da.from_array(whole, chunks=(50, -1)).map_blocks(read, meta=np.empty((0, 0)))
    rows, tasks, labels = source[:, :7], source[:, 7].astype(int), source[:, 8].astype(int)
    clf = cluster.fit(MultiTaskSPCA(), rows, labels, task=tasks)
    assert_same(clf, MultiTaskSPCA().fit(X, y, task=task))
    assert seen == Counter(range(0, 300, 50))


def test_statistics_add_to_those_of_others() -> None:
    X, y, task = random_world(13)
    rows = da.from_array(X[:200], chunks=(60, -1))
    lazy = cluster.statistics(rows, y[:200], task=task[:200])
    both = lazy.compute() + Statistics.from_samples(X[200:], y[200:], task[200:])
    clf = MultiTaskSPCA().fit_moments(both.moments, both.sample)
    assert_same(clf, MultiTaskSPCA().fit(X, y, task=task))
    assert cluster.statistics(rows, y[:200], row_sample=0).compute().sample is None


def test_rows_are_sampled_with_the_key_that_is_given() -> None:
    X, y, task = random_world(13)
    rows = da.from_array(X, chunks=(60, -1))
    how: Any = {"row_sample": 5, "random_state": 8}
    found = cluster.statistics(rows, y, task=task, **how).compute().sample
    here = Statistics.from_samples(X, y, task, row_sample=5, random_state=8).sample
    assert here is not None
    np.testing.assert_array_equal(found.rows, here.rows)
    fitted = cluster.fit(MultiTaskSPCA(**how), rows, y, task=task).sample_
    assert fitted is not None
    np.testing.assert_array_equal(fitted.rows, here.rows)


def test_every_partition_may_bring_many_classes_of_few_rows() -> None:
    """A check of scikit-learn takes such labels for numbers, and warns."""
    X, _, task = random_world(16)
    y = np.array([f"class {i}" for i in range(30)])[np.arange(300) % 30]
    rows = cut(frame(X, label=y, city=task), (30,) * 10)
    plain = MultiTaskSPCA().fit(frame(X), pd.Series(y), task=task)
    assert_same(cluster.fit(MultiTaskSPCA(), rows, "label", task="city"), plain)


def test_the_page_on_clusters_runs() -> None:
    text = (Path(__file__).parents[2] / "docs" / "clusters.md").read_text(encoding="utf-8")
    section = text.split("## Dask\n")[1].split("\n## ")[0]
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", section, flags=re.DOTALL):
        exec(compile(block, "clusters.md", "exec"), names)
    np.testing.assert_array_equal(
        names["answers"], names["clf"].predict(names["digits"].X, task=names["digits"].task)
    )


def test_weights_of_a_partition_may_be_small_where_those_of_all_rows_are_not() -> None:
    rng = np.random.default_rng(0)
    y, task = rng.integers(0, 2, 400), rng.integers(0, 4, 400)
    X, w = rng.normal(size=(400, 3)) + y[:, None], np.full(400, 0.4)
    whole = MultiTaskSPCA().fit(X, y, task=task, sample_weight=w)
    rows = da.from_array(X, chunks=(25, -1))
    clf = cluster.fit(MultiTaskSPCA(), rows, y, task=task, sample_weight=w)
    np.testing.assert_allclose(clf.coef_, whole.coef_, rtol=1e-9)
