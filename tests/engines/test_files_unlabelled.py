"""Empty labels in files: the statistics are those of the same rows in memory, in any batches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from kinspan import MultiTaskSPCA, Statistics
from kinspan.engines import files

pytest.importorskip("pyarrow")

ROLES: dict[str, Any] = {"task": "shop", "label": "sold"}


def world(seed: int = 0, n: int = 300, kind: str = "text") -> tuple[Any, Any, Any]:
    """X, labels with None where there is none, and tasks."""
    rng = np.random.default_rng(seed)
    y, task = rng.integers(0, 3, n), rng.integers(0, 4, n)
    X = rng.normal(size=(n, 3)) + y[:, None]
    labels: Any = y.astype(object) if kind == "integers" else np.array(["a", "b", "c"], object)[y]
    labels[rng.random(n) < 0.6] = None
    return X, labels, np.array([f"shop {t}" for t in task])


def frame(X: Any, y: Any, task: Any) -> pd.DataFrame:
    labels = pd.Series(y, dtype="Int64" if 2 in y else "string")
    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])}
    return pd.DataFrame({**columns, "sold": labels, "shop": task})


def write(table: pd.DataFrame, path: Path) -> None:
    if path.suffix == ".csv":
        table.to_csv(path, index=False)
    elif path.suffix == ".parquet":
        table.to_parquet(path)
    else:
        table.to_feather(path)


def assert_same(found: Statistics | None, expected: Statistics | None) -> None:
    assert found is not None
    assert expected is not None
    for name in ("tasks", "classes"):
        ours, theirs = getattr(found.moments, name), getattr(expected.moments, name)
        assert ours.tolist() == theirs.tolist()
    np.testing.assert_array_equal(found.moments.counts, expected.moments.counts)
    np.testing.assert_allclose(found.moments.means, expected.moments.means, atol=1e-12)
    assert found.sample is not None
    assert expected.sample is not None
    ours, theirs = (np.sort(part.rows, axis=0) for part in (found.sample, expected.sample))
    np.testing.assert_allclose(ours, theirs, atol=1e-9)


@pytest.mark.parametrize("kind", ["text", "integers"])
@pytest.mark.parametrize("ending", ["csv", "parquet", "feather"])
def test_files_have_the_statistics_of_memory(ending: str, kind: str, tmp_path: Path) -> None:
    X, y, task = world(kind=kind)
    for i, rows in enumerate(np.array_split(np.arange(len(y)), 2)):
        write(frame(X[rows], y[rows], task[rows]), tmp_path / f"{i}.{ending}")
    expected = Statistics.from_samples(X, y, task)
    for at_once, jobs in ((None, 1), (7, 1), (None, 2)):
        read = files.statistics(tmp_path, **ROLES, batch_rows=at_once, n_jobs=jobs)
        assert_same(read.statistics, expected)
        assert_same(read.statistics.unlabelled, expected.unlabelled)
    assert f"{sum(label is None for label in y)} rows without labels" in str(read)
    models = [read.fit(MultiTaskSPCA()), MultiTaskSPCA().fit(X, y, task=task)]
    np.testing.assert_allclose(models[0].coef_, models[1].coef_, atol=1e-8)
    assert models[0].unlabelled_weight_.any()


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_whole_file_may_lack_labels_the_first_too(ending: str, tmp_path: Path) -> None:
    X, y, task = world(1)
    lacking = np.array([label is None for label in y])
    for name, rows in (("a", lacking), ("b", ~lacking)):
        write(frame(X[rows], y[rows], task[rows]), tmp_path / f"{name}.{ending}")
    expected, read = Statistics.from_samples(X, y, task), files.statistics(tmp_path, **ROLES)
    assert_same(read.statistics, expected)
    assert_same(read.statistics.unlabelled, expected.unlabelled)


def test_labels_far_below_in_a_text_file_are_found(tmp_path: Path) -> None:
    n = 60_000  # more than the first megabyte, from which the types of columns are guessed
    X = np.random.default_rng(0).normal(size=(n, 2))
    y = np.full(n, None, dtype=object)
    y[-40:] = np.tile(["a", "b"], 20)
    write(frame(X, y, np.full(n, "u")), tmp_path / "a.csv")
    read = files.statistics(tmp_path, **ROLES)
    assert read.statistics.moments.classes.tolist() == ["a", "b"]
    assert read.statistics.moments.counts.tolist() == [[20, 20]]
    assert read.statistics.unlabelled is not None
    assert read.statistics.unlabelled.moments.counts.sum() == n - 40


@pytest.mark.parametrize("values", [False, True])
def test_matrices_have_nan_or_none_for_no_label(values: bool, tmp_path: Path) -> None:
    X, y, task = world(2, kind="integers")
    y[:2] = None
    label = np.array([np.nan if v is None else v for v in y], dtype=float)
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", label)
    np.save(tmp_path / "task.npy", task)
    label_of: Any = y.tolist() if values else "y.npy"
    place = tmp_path / "X.npy" if values else tmp_path
    read = files.statistics(place, label=label_of, task="task.npy", batch_rows=11)
    expected = Statistics.from_samples(X, y, task)
    assert_same(read.statistics, expected)
    assert_same(read.statistics.unlabelled, expected.unlabelled)


def test_a_label_can_stand_for_none(tmp_path: Path) -> None:
    X, y, task = world(3, kind="integers")
    y = np.array([-1 if label is None else label for label in y])
    write(frame(X, y.astype(object), task), tmp_path / "a.parquet")
    expected = MultiTaskSPCA(unlabelled=-1).fit(X, y, task=task)
    found = files.fit(MultiTaskSPCA(unlabelled=-1), tmp_path, **ROLES)
    np.testing.assert_allclose(found.coef_, expected.coef_, atol=1e-8)
    assert found.classes_.tolist() == [0, 1, 2]
    assert files.fit(MultiTaskSPCA(), tmp_path, **ROLES).classes_.tolist() == [-1, 0, 1, 2]


def test_batches_give_none_to_other_programs(tmp_path: Path) -> None:
    X, y, task = world(4)
    write(frame(X, y, task), tmp_path / "a.csv")
    found = np.concatenate([batch.y for batch in files.batches(tmp_path, **ROLES, batch_rows=50)])
    assert found.tolist() == y.tolist()
    model = MultiTaskSPCA()
    for batch in files.batches(tmp_path, **ROLES, batch_rows=100):
        assert batch.y is not None
        model.partial_fit(batch.X, batch.y, task=batch.task, classes=["a", "b", "c"])
    assert model.moments_.counts.sum() == sum(label is not None for label in y)


@pytest.mark.parametrize("first", ["labelled", "unlabelled"])
def test_batches_of_any_source_may_lack_labels(first: str) -> None:
    X, y, task = world(5)
    order = np.argsort([label is None for label in y], kind="stable")
    order = order if first == "labelled" else order[::-1]
    parts = [(X[rows], y[rows], task[rows]) for rows in np.array_split(order, 9)]
    read, expected = files.from_batches(parts), Statistics.from_samples(X, y, task)
    assert_same(read.statistics, expected)
    assert_same(read.statistics.unlabelled, expected.unlabelled)
    assert read.n_rows == len(y)


def test_weights_of_rows_without_labels_count(tmp_path: Path) -> None:
    X, y, task = world(6)
    weights = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    table = frame(X, y, task).assign(times=weights)
    write(table, tmp_path / "a.parquet")
    read = files.statistics(tmp_path, **ROLES, sample_weight="times")
    expected = Statistics.from_samples(X, y, task, sample_weight=weights)
    assert read.statistics.unlabelled is not None
    assert expected.unlabelled is not None
    np.testing.assert_array_equal(
        read.statistics.unlabelled.moments.counts, expected.unlabelled.moments.counts
    )
