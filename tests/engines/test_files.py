"""Files of any format, in any number and order, give the model that memory gives."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from kinspan import MultiTaskSPCA
from kinspan.engines import files
from kinspan.tables import reading
from tests.engines.stored_worlds import (
    BESIDE,
    FORMATS,
    NAMED,
    Writer,
    assert_same_model,
    in_memory,
    stored_world,
    write_npy,
    write_parquet,
    write_split,
)

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.parquet")

# The tables have a column of text, which is left out and warned of: test_files_refused looks at it.
pytestmark = pytest.mark.filterwarnings("ignore:columns are not numeric")


@pytest.mark.parametrize("parameters", [{}, {"row_sample": 0, "metric": 0.0}])
@pytest.mark.parametrize(("write", "where"), FORMATS)
def test_every_format_gives_the_model_of_memory(
    write: Writer, where: dict[str, Any], parameters: dict[str, Any], tmp_path: Path
) -> None:
    world = stored_world(0)
    write_split(world, write, tmp_path)
    model = files.fit(MultiTaskSPCA(**parameters), tmp_path, **where, batch_rows=50)
    assert_same_model(model, in_memory(world, **parameters))


def test_the_order_of_files_does_not_matter(tmp_path: Path) -> None:
    world = stored_world(1)
    write_split(world, write_parquet, tmp_path)
    paths = sorted(tmp_path.iterdir())
    expected = in_memory(world)
    for order in ([0, 1, 2], [2, 0, 1]):
        model = files.fit(MultiTaskSPCA(), [paths[i] for i in order], **NAMED)
        assert_same_model(model, expected)


@pytest.mark.long
def test_processes_and_parts_of_files_change_no_bit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = stored_world(2)
    write_split(world, write_parquet, tmp_path)
    whole = files.statistics(tmp_path, **NAMED)
    monkeypatch.setattr(reading, "_PART_BYTES", 4000)
    assert len(reading.parts_of(min(tmp_path.iterdir()))) > 1
    one, two = (files.statistics(tmp_path, **NAMED, n_jobs=n, batch_rows=20) for n in (1, 2))
    assert two.n_rows == one.n_rows == whole.n_rows == len(world.X)
    for first, second in (
        (one.statistics.moments.means, two.statistics.moments.means),
        (one.statistics.moments.squares, two.statistics.moments.squares),
        (one.statistics.sample.rows, two.statistics.sample.rows),  # type: ignore[union-attr]
    ):
        np.testing.assert_array_equal(first, second)
    assert_same_model(two.fit(MultiTaskSPCA()), in_memory(world))


def test_parts_of_a_matrix_are_its_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = stored_world(3)
    write_npy(world, slice(None), tmp_path / "X")
    monkeypatch.setattr(reading, "_PART_BYTES", 5000)
    assert len(reading.parts_of(tmp_path / "X.npy")) > 3
    assert_same_model(files.fit(MultiTaskSPCA(), tmp_path, **BESIDE), in_memory(world))


def test_columns_may_stand_in_another_order_and_have_other_types(tmp_path: Path) -> None:
    world = stored_world(4)
    first, second = world.table(slice(0, 300)), world.table(slice(300, None))
    pa.parquet.write_table(first, tmp_path / "a.parquet")
    second = second.select(second.column_names[::-1])
    place = second.column_names.index("clinic")
    coded = second.column("clinic").dictionary_encode()
    second = second.set_column(place, "clinic", coded.cast(pa.dictionary(pa.int8(), pa.string())))
    pa.feather.write_feather(second, tmp_path / "b.feather")
    read = files.statistics(tmp_path, **NAMED)
    assert read.feature_names == tuple(world.names)
    assert_same_model(read.fit(MultiTaskSPCA()), in_memory(world))


@pytest.mark.parametrize("kind", ["int64", "uint16", "bool", "float32", "decimal"])
def test_numbers_of_any_type_are_features(kind: str, tmp_path: Path) -> None:
    world = stored_world(5)
    rounded = np.round(np.abs(world.X))
    table = world.table()
    types = {"bool": pa.bool_(), "decimal": pa.decimal128(9, 2)}
    for j, name in enumerate(world.names):
        column = rounded[:, j] > 1 if kind == "bool" else rounded[:, j]
        cast = pa.array(column).cast(
            types.get(kind, pa.type_for_alias(kind) if kind not in types else None)
        )
        table = table.set_column(table.column_names.index(name), name, cast)
    pa.parquet.write_table(table, tmp_path / "a.parquet")
    read = files.statistics(tmp_path, **NAMED)
    X = rounded > 1 if kind == "bool" else rounded
    expected = MultiTaskSPCA().fit(X.astype(float), world.y, task=world.task)
    np.testing.assert_allclose(
        read.statistics.moments.means,
        expected.moments_.means,
        rtol=1e-6 if kind == "float32" else 1e-12,
    )


def test_weights_are_frequencies(tmp_path: Path) -> None:
    world = stored_world(6)
    weights = np.random.default_rng(0).integers(0, 3, len(world.X)) * 0.5
    table = world.table().append_column("times", pa.array(weights))
    table = table.set_column(
        0, world.names[0], pa.array(np.where(weights > 0, world.X[:, 0], np.nan))
    )
    pa.parquet.write_table(table, tmp_path / "a.parquet")
    model = files.fit(MultiTaskSPCA(), tmp_path, **NAMED, sample_weight="times", batch_rows=17)
    expected = MultiTaskSPCA().fit(world.X, world.y, task=world.task, sample_weight=weights)
    assert_same_model(model, expected)


def test_weights_that_count_no_rows_are_refused_in_the_end(tmp_path: Path) -> None:
    table = pa.table({"a": np.arange(40.0), "y": [0, 1] * 20, "w": np.full(40, 0.05)})
    pa.parquet.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"adds up to 1 over 20 rows or more of task 0, class 0"):
        files.statistics(tmp_path, label="y", sample_weight="w")


def test_a_function_of_the_path_says_the_task(tmp_path: Path) -> None:
    world = stored_world(7)
    for task in np.unique(world.task):
        folder = tmp_path / f"clinic={task}"
        folder.mkdir()
        table = world.table(world.task == task).drop_columns(["clinic"])
        pa.parquet.write_table(table, folder / "part-0.parquet")
    by_folder = files.fit(
        MultiTaskSPCA(),
        tmp_path,
        task=lambda path: path.parent.name.removeprefix("clinic="),
        label="ill",
    )
    assert_same_model(by_folder, in_memory(world))


def test_values_for_a_single_matrix(tmp_path: Path) -> None:
    world = stored_world(8)
    np.save(tmp_path / "X.npy", world.X)
    given = files.fit(MultiTaskSPCA(), tmp_path / "X.npy", task=world.task, label=list(world.y))
    assert_same_model(given, in_memory(world))


def test_a_column_of_vectors_is_all_features(tmp_path: Path) -> None:
    world = stored_world(9)
    flat = pa.array(world.X.ravel())
    table = world.table().select(["clinic", "ill"])
    for name, lists in {
        "fixed": pa.FixedSizeListArray.from_arrays(flat, world.X.shape[1]),
        "lists": pa.array(world.X.tolist()),
    }.items():
        pa.parquet.write_table(
            table.append_column("embedding", lists), tmp_path / f"{name}.parquet"
        )
        model = files.fit(
            MultiTaskSPCA(),
            tmp_path / f"{name}.parquet",
            **NAMED,
            features="embedding",
            batch_rows=100,
        )
        assert_same_model(model, in_memory(world))
        assert not hasattr(model, "feature_names_in_")


def test_the_index_of_pandas_is_not_a_feature(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0], "y": [0, 1, 0]}, index=[7, 8, 9])
    frame.to_parquet(tmp_path / "a.parquet")
    frame.to_csv(tmp_path / "b.csv")
    for path in tmp_path.iterdir():
        assert files.statistics(path, label="y").feature_names == ("a",)


def test_reports_say_what_was_read(tmp_path: Path) -> None:
    world = stored_world(16)
    write_split(world, write_parquet, tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read = files.statistics(tmp_path, **NAMED)
    assert [file.path for file in read.files] == sorted(tmp_path.iterdir())
    assert sum(file.n_rows for file in read.files) == read.n_rows == 600
    lines = str(read).splitlines()
    assert lines[0].startswith("600 rows from 3 files in ")
    assert lines[1:] == [
        "4 tasks, 3 classes, 7 features",
        "columns that are not features: 'note' (string)",
    ]
    assert "3 files, 0 skipped" in repr(read)
