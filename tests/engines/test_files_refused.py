"""Errors of unreadable files name the file and the reason; the others may be read without it."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinspan import MultiTaskSPCA
from kinspan.engines import files
from tests.engines.small_tables import GOOD, NAMED, good_and, parquet, skipping

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
pytest.importorskip("pyarrow.feather")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"b": ["x"] * 20}, r"column 'b' holds string, and features must be numbers \(as .*a\.par"),
        (
            {"b": None},
            r"columns 'b' are missing, which .*a\.parquet has; columns are 'a', 't', 'y'",
        ),
        ({"c": np.ones(20)}, r"numeric columns 'c' \(double\) are not features of .*a\.parquet"),
        ({"t": None}, r"task='t' is not a column; there are 'a', 'b', 'y'"),
        ({"t": [1, 2] * 10}, r"task column 't' holds integers, but in .*a\.parquet it holds text"),
        (
            {"y": ["0", "1"] * 10},
            r"label column 'y' holds text, but in .* holds integers; .*as_text",
        ),
        ({"y": [True, False] * 10}, "label column 'y' holds true or false, but in"),
        ({"y": [0.5, 1.0] * 10}, r"label column 'y' holds numbers, but in .* it holds integers"),
        ({"y": [b"0"] * 20}, r"column 'y' holds binary, which cannot be ids; .* as_text=\['y'\]"),
        ({"t": ["u", "v", "u", None] * 5}, r"task column 't' is missing in row 3"),
        ({"b": [1.0, np.nan] * 10}, "rows 0 to 19: X contains NaN in column 'b', in 10 of 20 rows"),
        ({"b": [1, None] * 10}, "X contains NaN in column 'b', in 10 of 20 rows"),
        ({"b": [1.0, np.inf] * 10}, "X contains infinity in column 'b'"),
    ],
)
def test_a_table_unlike_the_first(changed: dict[str, Any], message: str, tmp_path: Path) -> None:
    good_and(tmp_path, **changed)
    with pytest.raises(files.FileError, match=message) as error:
        files.statistics(tmp_path, **NAMED, missing="refuse")
    assert error.value.path == tmp_path / "b.parquet"
    assert str(error.value).startswith(str(tmp_path / "b.parquet"))
    read = skipping(tmp_path, **NAMED, missing="refuse")
    assert [path.name for path, _ in read.skipped] == ["b.parquet"]
    assert read.n_rows == 20


def write_bytes(content: bytes) -> Callable[[Path], int]:
    return lambda path: path.write_bytes(content)


def truncated(path: Path) -> None:
    parquet(path)
    path.write_bytes(path.read_bytes()[:-100])


def truncated_feather(path: Path) -> None:
    pa.feather.write_feather(pa.table(GOOD), path)
    path.write_bytes(path.read_bytes()[:-100])


UNREADABLE = [
    ("b.parquet", truncated, "Parquet magic bytes not found"),
    ("b.parquet", write_bytes(b"name,age\nx,1\n"), "Parquet magic bytes not found"),
    ("b.parquet", write_bytes(b""), "0 bytes"),
    ("b.feather", truncated_feather, "Not an Arrow file"),
    ("b.arrow", write_bytes(b"x" * 100), "metadata bytes"),
    ("b.arrow", write_bytes(b""), "empty"),
    ("b.csv", write_bytes(b""), "Empty CSV file"),
    ("b.csv", write_bytes(b"a,b,t,y\n1,2,u,0\n1,2\n"), "Expected 4 columns, got 2"),
    ("b.csv", write_bytes(b"a,b,t,y\n1,2,\xfc,0\n"), "column 't' .* use encoding='WINDOWS-1252'"),
    ("b.csv", write_bytes(b"a,b,t,y\n1,x,u,0\n"), r"column 'b' holds string, and features must be"),
    ("b.csv", write_bytes(b"a,b,b,t,y\n1,1,1,u,0\n"), "column 'b' occurs 2 times"),
    ("b.csv", write_bytes(b"a,b,t,y\n1,1,,0\n"), "task column 't' is missing in row 0"),
    ("b.csv", write_bytes(b"a;b;t;y\n1;1;u;0\n"), r"task='t' is not a column.*Use delimiter=';'"),
    ("b.csv", write_bytes(b"a;b;t;y\n1,5;1,5;u;0\n"), r"Expected 1 columns.*Use delimiter=';'"),
    ("b.csv.gz", write_bytes(b"a,b,t,y\n1,1,u,0\n"), "incorrect header"),
    (
        "b.npy",
        lambda path: np.save(path, np.ones((3, 2))),
        "tables with named columns .* two calls",
    ),
    ("b.xls", write_bytes(b"x"), "the name ends in none of .parquet, .pq"),
    ("missing.parquet", lambda path: None, "No such file"),
]


@pytest.mark.parametrize(("name", "write", "message"), UNREADABLE)
def test_unreadable_files_name_themselves_and_can_be_skipped(
    name: str, write: Callable[[Path], Any], message: str, tmp_path: Path
) -> None:
    parquet(tmp_path / "a.parquet")
    write(tmp_path / name)
    parquet(tmp_path / "c.parquet")
    paths = [tmp_path / "a.parquet", tmp_path / name, tmp_path / "c.parquet"]
    with pytest.raises(files.FileError, match=message) as error:
        files.statistics(paths, **NAMED)
    assert error.value.path == tmp_path / name
    read = skipping(paths, **NAMED)
    assert [file.path.name for file in read.files] == ["a.parquet", "c.parquet"]
    assert read.skipped[0].path == tmp_path / name
    assert name in str(read)
    assert "1 file skipped" in str(read)
    twice = files.statistics([paths[0], paths[2]], **NAMED).statistics.moments
    np.testing.assert_array_equal(read.statistics.moments.counts, twice.counts)


def test_a_file_that_breaks_late_leaves_nothing_behind(tmp_path: Path) -> None:
    """Its first rows are good: they must not count."""
    parquet(tmp_path / "a.parquet")
    (tmp_path / "b.csv").write_text("a,b,t,y\n" + "1,2,u,0\n" * 200_000 + "oh,2,u,0\n")
    read = skipping(tmp_path, **NAMED, batch_rows=1000)
    assert read.statistics.moments.counts.sum() == read.n_rows == 20
    assert "column 'b' cannot" not in read.skipped[0].reason
    assert "column 'a' cannot be read as double: invalid value 'oh'" in read.skipped[0].reason


@pytest.mark.long
def test_errors_of_processes_name_the_file(tmp_path: Path) -> None:
    good_and(tmp_path, b=[np.nan] * 20)
    parquet(tmp_path / "c.parquet")
    read = skipping(tmp_path, **NAMED, n_jobs=2, missing="refuse")
    assert [file.path.name for file in read.files] == ["a.parquet", "c.parquet"]
    with pytest.raises(files.FileError, match=r"b\.parquet: rows 0 to 19: X contains NaN"):
        files.statistics(tmp_path, **NAMED, n_jobs=2, missing="refuse")


def test_errors_can_be_sent_between_processes() -> None:
    error = pickle.loads(pickle.dumps(files.FileError(Path("a.csv"), "torn")))
    assert (error.path, error.reason, str(error)) == (Path("a.csv"), "torn", "a.csv: torn")


def test_the_first_file_may_be_the_bad_one(tmp_path: Path) -> None:
    (tmp_path / "0.parquet").write_bytes(b"torn")
    good_and(tmp_path)
    read = skipping(tmp_path, **NAMED)
    assert read.n_rows == 40
    assert read.feature_names == ("a", "b")


def test_nothing_that_could_be_read_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "0.parquet").write_bytes(b"torn")
    (tmp_path / "1.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match=r"none of 2 files could be read: .*0\.parquet.*1\.csv"):
        files.statistics(tmp_path, **NAMED, on_error="skip")
    (tmp_path / "0.parquet").unlink()
    (tmp_path / "1.csv").write_text("a,t,y\n")
    with pytest.raises(ValueError, match=r"no row to learn from in '.*1\.csv'"):
        files.statistics(tmp_path, **NAMED, missing="refuse")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_rows_without_any_task_are_not_skipped(kind: str, tmp_path: Path) -> None:
    """Answers must line up with rows: a column without values is an error, not an empty file."""
    table = pa.table({"a": [1.0, 2, 3, 4], "t": ["x", "x", "x", "x"], "y": [0, 1, 0, 1]})
    pq.write_table(table, tmp_path / "known.parquet")
    clf = files.fit(MultiTaskSPCA(), tmp_path / "known.parquet", task="t", label="y")
    path = tmp_path / f"new.{kind}"
    if kind == "csv":
        path.write_text("a,t\n1,\n2,\n", encoding="utf-8")
    else:
        pq.write_table(pa.table({"a": [1.0, 2], "t": pa.array([None, None], pa.null())}), path)
    with pytest.raises(files.FileError, match=r"new.*'t'"):
        list(files.predict(clf, path, task="t"))
    with pytest.raises(files.FileError, match=r"new.*'t'"):
        list(files.batches(path, task="t"))
    (tmp_path / "empty.csv").write_text("a,t\n", encoding="utf-8")
    assert list(files.predict(clf, tmp_path / "empty.csv", task="t")) == []


def test_statistics_of_files_know_their_features(tmp_path: Path) -> None:
    table = pa.table({"a": [1.0, 2, 3, 4], "b": [1.0, 5, 2, 2], "y": [0, 1, 0, 1]})
    pq.write_table(table, tmp_path / "one.parquet")
    pq.write_table(table.select(["b", "a", "y"]), tmp_path / "two.parquet")
    one, two = (
        files.statistics(tmp_path / f"{name}.parquet", label="y").statistics
        for name in ("one", "two")
    )
    assert one.feature_names == ("a", "b")
    np.testing.assert_allclose((one + two).moments.means, one.moments.means)


def test_columns_that_are_left_out_are_named(tmp_path: Path) -> None:
    """One typing error makes text of a column of numbers."""
    path = tmp_path / "a.csv"
    path.write_text("a,b,y\n1,2,0\n2,3,1\n1,oops,0\n3,1,1\n", encoding="utf-8")
    with pytest.warns(files.LeftOutColumnsWarning, match=r"b \(string\)"):
        clf = files.fit(MultiTaskSPCA(), path, label="y")
    assert clf.feature_names_in_.tolist() == ["a"]
    files.fit(MultiTaskSPCA(), path, label="y", features=["a"])  # said, and so not warned of


def test_a_file_under_two_names_is_one(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,y\n1,0\n2,1\n", encoding="utf-8")
    with pytest.raises(ValueError, match="2 times"):
        files.statistics([path, tmp_path / ".." / tmp_path.name / "a.csv"], label="y")
