"""Files, batches and clusters with missing numbers give the model of all rows in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from kinspan import MultiTaskSPCA
from kinspan.engines import files
from tests._rows.test_holes import with_holes
from tests.engines.stored_worlds import assert_same_model

X, Y, TASK = with_holes(1)
PLAIN = MultiTaskSPCA().fit(X, Y, task=TASK)


def table() -> pd.DataFrame:
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(7)])
    return frame.assign(label=Y, city=TASK)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_files(kind: str, tmp_path: Path) -> None:
    for i, part in enumerate(np.array_split(np.arange(len(X)), 3)):
        rows = table().iloc[part]
        if kind == "csv":
            rows.to_csv(tmp_path / f"{i}.csv", index=False)
        else:
            rows.to_parquet(tmp_path / f"{i}.parquet")
    roles: dict[str, Any] = {"label": "label", "task": "city"}
    model = files.fit(MultiTaskSPCA(), tmp_path, batch_rows=40, **roles)
    assert_same_model(model, PLAIN)
    asked = files.predict(model, tmp_path, task="city", method="predict_proba", batch_rows=50)
    found = np.concatenate([answers.values for answers in asked])
    np.testing.assert_allclose(found, PLAIN.predict_proba(X, task=TASK), rtol=1e-8, atol=1e-10)
    with pytest.raises(files.FileError, match="X contains NaN in column 'x0'"):
        files.fit(MultiTaskSPCA(missing="refuse"), tmp_path, **roles)
    with pytest.raises(ValueError, match="missing='no'; use one of 'impute', 'refuse'"):
        files.statistics(tmp_path, missing="no", **roles)


def test_batches() -> None:
    cut = np.array_split(np.arange(len(X)), 4)
    batches = [(X[rows], Y[rows], TASK[rows]) for rows in cut]
    assert_same_model(files.from_batches(batches).fit(MultiTaskSPCA()), PLAIN)
    with pytest.raises(ValueError, match=r"batch 0 .*: X contains NaN in column 0"):
        files.from_batches(batches, missing="refuse")


def test_clusters() -> None:
    dd = pytest.importorskip("dask.dataframe", reason="needs kinspan[dask]")
    da = pytest.importorskip("dask.array", reason="needs kinspan[dask]")
    from kinspan.engines import dask as cluster  # noqa: PLC0415

    rows = dd.from_pandas(table(), npartitions=3)
    model = cluster.fit(MultiTaskSPCA(), rows, "label", task="city")
    assert_same_model(model, PLAIN)
    found = cluster.predict(model, rows.drop(columns="label"), task="city").compute()
    np.testing.assert_array_equal(found, PLAIN.predict(X, task=TASK))
    chunks, of_chunks = da.from_array(X, chunks=(70, -1)), da.from_array(TASK, chunks=70)
    complete = MultiTaskSPCA().fit(np.nan_to_num(X), Y, task=TASK)
    for one in (PLAIN, complete):
        found = cluster.predict_proba(one, chunks, task=of_chunks).compute()
        np.testing.assert_allclose(found, one.predict_proba(X, task=TASK), rtol=1e-8, atol=1e-10)
    lazy = cluster.statistics(da.from_array(X, chunks=(100, -1)), Y, task=TASK, missing="refuse")
    with pytest.raises(ValueError, match="X contains NaN in column 0"):
        lazy.compute()
    with pytest.raises(ValueError, match="missing='no'; use one of 'impute', 'refuse'"):
        cluster.statistics(rows, "label", task="city", missing="no")


def sites(folder: Path) -> tuple[list[Path], pd.DataFrame]:
    """Files of four sites with other columns, and all their rows in one frame."""
    kept = [("x0", "x1", "x2", "x3"), ("x0", "x1", "x2"), ("x0", "x3"), ("x4", "x1")]
    rows, paths = table().fillna(0.0), []
    for i, names in enumerate(kept):
        site = rows[rows["city"] == i][[*names, "label", "city"]]
        paths.append(folder / f"{i}.csv")
        site.to_csv(paths[-1], index=False)
    return paths, pd.concat([pd.read_csv(path) for path in paths])


def test_files_of_sites_may_have_other_columns(tmp_path: Path) -> None:
    paths, whole = sites(tmp_path)
    roles: dict[str, Any] = {"label": "label", "task": "city"}
    names = ["x0", "x1", "x2", "x3", "x4"]
    read = files.statistics(paths, **roles)
    assert read.feature_names == tuple(names)
    shown = "'x1' (1 tasks), 'x2' (2 tasks), 'x3' (2 tasks), 'x4' (3 tasks)"
    assert f"without any value in some tasks: 'x0' (1 tasks), {shown}" in str(read)
    model = read.fit(MultiTaskSPCA())
    plain = MultiTaskSPCA().fit(whole[names], whole["label"], task=whole["city"])
    assert_same_model(model, plain)
    both = files.statistics(paths, n_jobs=2, batch_rows=30, **roles).fit(MultiTaskSPCA())
    assert_same_model(both, plain)
    asked = files.predict(model, paths, task="city", method="predict_proba")
    found = np.concatenate([answers.values for answers in asked])
    expected = plain.predict_proba(whole[names], task=whole["city"])
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-10)


def test_columns_that_no_task_lacks_are_needed(tmp_path: Path) -> None:
    roles: dict[str, Any] = {"label": "label", "task": "city"}
    paths, _ = sites(tmp_path)
    with pytest.raises(files.FileError, match=r"columns 'x3' are missing, which .*0\.csv has"):
        files.statistics(paths, missing="refuse", **roles)
    pd.read_csv(paths[1])[["label", "city"]].assign(z=1.0).to_csv(paths[1], index=False)
    with pytest.raises(files.FileError, match=r"none of the features of .*0\.csv is there"):
        files.statistics(paths, **roles)
    model = files.fit(MultiTaskSPCA(), paths[0], **roles)
    with pytest.raises(files.FileError, match="the feature 'x1' is not a column"):
        list(files.predict(model, paths[2], task="city"))
