"""Ids have one type in all files, also in text files, which say none."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from kinspan.engines import files
from tests.engines.small_tables import GOOD, NAMED, good_and, parquet, tasks

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.parquet")


@pytest.mark.parametrize("header", ["t,y,a,b\n", "t,y,a,b"])
def test_files_without_rows_are_read(header: str, tmp_path: Path) -> None:
    (tmp_path / "0.csv").write_text(header)
    pa.parquet.write_table(pa.table(GOOD).slice(0, 0), tmp_path / "1.parquet")
    good_and(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read = files.statistics(tmp_path, **NAMED)
    assert [file.n_rows for file in read.files] == [0, 0, 20, 20]


def test_ids_have_one_type_in_all_files(tmp_path: Path) -> None:
    """Text files say no types: what the first file has is meant."""
    parquet(tmp_path / "a.parquet", t=["1", "2"] * 10)
    (tmp_path / "b.csv").write_text("t,y,a,b\n1,0,1,2\n007,1,1,2\n")
    assert tasks(files.statistics(tmp_path, **NAMED)) == ["007", "1", "2"]
    parquet(tmp_path / "a.parquet", t=[1, 2] * 10)
    assert tasks(files.statistics(tmp_path, **NAMED)) == [1, 2, 7]
    assert tasks(files.statistics(tmp_path, **NAMED, as_text=["t"])) == ["007", "1", "2"]


@pytest.mark.parametrize("first", ["int64", "double"])
def test_whole_numbers_are_integers_or_numbers_as_in_the_first_file(
    first: str, tmp_path: Path
) -> None:
    kinds = {"int64": np.array([0, 1] * 10), "double": np.array([0.0, 1.0] * 10)}
    parquet(tmp_path / "a.parquet", y=kinds.pop(first))
    parquet(tmp_path / "b.parquet", y=next(iter(kinds.values())))
    classes = files.statistics(tmp_path, **NAMED).statistics.moments.classes
    assert classes.tolist() == [0, 1]
    assert classes.dtype == (np.int64 if first == "int64" else np.float64)


def test_ids_of_text_files_that_begin_otherwise(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("t,y,a\n" + "1,0,1\n2,1,2\n" * 150_000 + "x,0,1\n")
    with pytest.raises(files.FileError, match=r"'t' cannot be read as int64.*as_text=\['t'\]"):
        files.statistics(tmp_path, **NAMED)
    assert tasks(files.statistics(tmp_path, **NAMED, as_text="t")) == ["1", "2", "x"]


def test_long_numbers_of_text_files_are_no_ids(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("t,y,a\n12345678901234567890,0,1\n12345678901234567891,1,2\n")
    with pytest.raises(files.FileError, match="'t' has numbers of more than 15 digits"):
        files.statistics(tmp_path, **NAMED)
    assert len(tasks(files.statistics(tmp_path, **NAMED, as_text="t"))) == 2


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum(["u", "v"]), pl.String])
@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_categories_are_their_text(kind: Any, ending: str, tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1.0, 2.0, 4.0], "t": ["u", "v", "u"], "y": [0, 1, 1]})
    frame = frame.with_columns(pl.col("t").cast(kind))
    if ending == "arrow":
        frame.write_ipc(tmp_path / "a.arrow")
    else:
        frame.write_parquet(tmp_path / "a.parquet")
    (batch,) = files.batches(tmp_path, **NAMED)
    assert batch.task is not None
    assert batch.task.tolist() == ["u", "v", "u"]


def test_dates_are_ids(tmp_path: Path) -> None:
    days = np.array(["2024-01-01", "2024-01-02"] * 10, dtype="datetime64[D]")
    parquet(tmp_path / "a.parquet", t=days)
    assert tasks(files.statistics(tmp_path, **NAMED)) == np.unique(days).tolist()


def test_truth_values_of_text_files_are_features(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,t,y\ntrue,u,0\nfalse,u,1\n")
    (batch,) = files.batches(tmp_path, **NAMED)
    assert batch.X.tolist() == [[1.0], [0.0]]


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_text_files_as_others_write_them(mark: bytes, tmp_path: Path) -> None:
    """A byte order mark, dates, lines in quotes, and the end of lines of other systems."""
    rows = b't,note,y,a\r\n2024-01-01,"two\r\nlines",ja,1\r\n2024-01-02,"a ""b""",nein,2\r\n'
    (tmp_path / "a.csv").write_bytes(mark + rows)
    read = files.statistics(tmp_path, **NAMED)
    assert tasks(read) == ["2024-01-01", "2024-01-02"]
    assert read.left_out == {"note": "string"}
    assert read.statistics.moments.means[0, 0].tolist() == [1.0]
