"""Batches of rows in their order: for scores, for others, and from others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from kinspan import MultiTaskSPCA
from kinspan.engines import files
from tests.engines.stored_worlds import (
    FORMATS,
    MATRICES,
    NAMED,
    Writer,
    assert_same_model,
    in_memory,
    stored_world,
    write_parquet,
    write_split,
)

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.parquet")

# The tables have a column of text, which is left out and warned of: test_files_refused looks at it.
pytestmark = pytest.mark.filterwarnings("ignore:columns are not numeric")


def test_single_precision_stays_single(tmp_path: Path) -> None:
    pa.parquet.write_table(
        pa.table({"a": pa.array([1.0, 2.0], pa.float32()), "y": [0, 1]}), tmp_path / "a.parquet"
    )
    (batch,) = files.batches(tmp_path, label="y")
    assert batch.X.dtype == np.float32
    assert batch.y.tolist() == [0, 1]  # type: ignore[union-attr]


@pytest.mark.parametrize("kind", [pa.list_(pa.float32(), 8), pa.list_(pa.float32())])
def test_batches_of_vectors_are_bounded_too(kind: Any, tmp_path: Path) -> None:
    n = 300_000
    lists = pa.FixedSizeListArray.from_arrays(np.zeros(8 * n, dtype=np.float32), 8).cast(kind)
    pa.parquet.write_table(pa.table({"v": lists, "y": np.arange(n) % 2}), tmp_path / "a.parquet")
    assert max(batch.X.size for batch in files.batches(tmp_path, features="v")) <= 1 << 21


def test_a_fitted_model_knows_the_names(tmp_path: Path) -> None:
    world = stored_world(10)
    write_parquet(world, slice(None), tmp_path / "a")
    model = files.fit(MultiTaskSPCA(), tmp_path, **NAMED)
    frame = pd.DataFrame(world.X, columns=world.names)
    expected = in_memory(world).predict(world.X, task=world.task)
    assert model.predict(frame, task=world.task).tolist() == expected.tolist()
    assert model.n_features_in_ == len(world.names)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.rename(columns={"x1": "other"}), task=world.task)


def test_a_task_column_of_the_model_is_the_task(tmp_path: Path) -> None:
    world = stored_world(11)
    write_parquet(world, slice(None), tmp_path / "a")
    model = files.fit(MultiTaskSPCA(task_column="clinic"), tmp_path, label="ill")
    frame = world.table().drop_columns(["ill", "note"]).to_pandas()
    assert model.feature_names_in_.tolist() == list(frame.columns)
    expected = in_memory(world).predict(world.X, task=world.task)
    assert model.predict(frame).tolist() == expected.tolist()
    found = np.concatenate([a.values for a in files.predict(model, tmp_path, batch_rows=99)])
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize(("write", "where"), FORMATS)
def test_answers_come_in_the_order_of_the_rows(
    write: Writer, where: dict[str, Any], tmp_path: Path
) -> None:
    world = stored_world(12)
    for i, rows in enumerate((slice(0, 250), slice(250, None))):
        write(world, rows, tmp_path / str(i))
    model = files.fit(MultiTaskSPCA(), tmp_path, **where)
    read = where if write in MATRICES.values() else NAMED
    paths = sorted(p for p in tmp_path.iterdir() if "_" not in p.name)
    here = in_memory(world)
    for method in ("predict", "predict_proba"):
        answers = list(files.predict(model, paths, task=read["task"], method=method, batch_rows=70))
        assert [a.first_row for a in answers[:4]] == [0, 70, 140, 210]
        assert answers[-1].path == paths[-1]
        expected = getattr(here, method)(world.X, task=world.task)
        found = np.concatenate([a.values for a in answers])
        if method == "predict":
            assert found.tolist() == expected.tolist()
        else:
            np.testing.assert_allclose(found, expected, rtol=1e-7)
        assert np.concatenate([np.asarray(a.task) for a in answers]).tolist() == world.task.tolist()


def test_batches_can_be_learnt_by_anyone(tmp_path: Path) -> None:
    world = stored_world(13)
    write_split(world, write_parquet, tmp_path)
    batches = files.batches(tmp_path, **NAMED, batch_rows=77)
    read = files.from_batches(batches)
    assert read.n_rows == len(world.X)
    assert_same_model(read.fit(MultiTaskSPCA()), in_memory(world))


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, pd.DataFrame])
def test_batches_from_anywhere(container: Any) -> None:
    world = stored_world(14)
    cuts = (slice(0, 100), slice(100, 100), slice(100, 600))
    rows = ((container(world.X[s]), world.y[s], world.task[s]) for s in cuts)
    model = files.from_batches(rows).fit(MultiTaskSPCA())
    assert_same_model(model, in_memory(world))
    assert model.predict(container(world.X), task=world.task).tolist()  # without a warning


def test_batches_with_names_make_a_model_with_names() -> None:
    world = stored_world(14)
    frame = pd.DataFrame(world.X, columns=world.names)
    rows = [(frame[i : i + 100], world.y[i : i + 100]) for i in range(0, 600, 100)]
    model = files.from_batches(rows).fit(MultiTaskSPCA())
    assert model.feature_names_in_.tolist() == world.names
    turned = [rows[0], (frame[100:][frame.columns[::-1]], world.y[100:])]
    kept: dict[str, Any] = {"row_sample": 1000}  # which rows are sampled depends on the order
    found = files.from_batches(turned, **kept).fit(MultiTaskSPCA(**kept))
    expected = MultiTaskSPCA(**kept).fit(frame, world.y)
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-8, atol=1e-10)
    with pytest.raises(ValueError, match=r"batch 1 .* its columns are .*größe.*x6"):
        files.from_batches(turned, missing="refuse")
    with pytest.raises(ValueError, match=r"batch 1 .* its columns are None"):
        files.from_batches([rows[0], (world.X, world.y)])


def test_batches_may_have_other_columns() -> None:
    world = stored_world(14)
    frame = pd.DataFrame(world.X, columns=world.names)
    whole, lacking = frame.copy(), world.names[1:3]
    whole.loc[300:, lacking] = np.nan
    rows = [
        (frame[:300], world.y[:300], world.task[:300]),
        (frame[300:].drop(columns=lacking), world.y[300:], world.task[300:]),
    ]
    model = files.from_batches(rows).fit(MultiTaskSPCA())
    assert_same_model(model, MultiTaskSPCA().fit(whole, world.y, task=world.task))
    with pytest.raises(ValueError, match=r"batch 1 .*: the features differ: .*none are the same"):
        files.from_batches([rows[0], (frame[:50].add_prefix("_"), world.y[:50], world.task[:50])])


def test_a_single_task_needs_no_name(tmp_path: Path) -> None:
    world = stored_world(15)
    write_parquet(world, slice(None), tmp_path / "a")
    model = files.fit(MultiTaskSPCA(), tmp_path, label="ill")
    assert_same_model(model, MultiTaskSPCA().fit(world.X, world.y))
    assert len(list(files.predict(model, tmp_path))) == 1
