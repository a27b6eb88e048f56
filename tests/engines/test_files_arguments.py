"""Arguments, paths and models are checked before files are read."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinspan import MultiTaskSPCA
from kinspan.engines import files
from tests.engines.small_tables import NAMED, good_and, parquet

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.parquet")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"label": None}, "label=None; name the column"),
        ({"task": "y"}, "task and label are both column 'y'"),
        ({"features": []}, r"features=\[\] leaves nothing to learn from"),
        ({"features": ["y"]}, "column 'y' is named as label and among the features"),
        ({"features": ["a", "a"]}, "names a column twice"),
        ({"features": 3}, "features=3; use a list of column names"),
        ({"features": {"a", "b"}}, "use a list of column names"),
        ({"features": [1]}, r"features=\[1\]; use a list of column names"),
        ({"features": "b"}, r"features='b' is one column of double.* features=\['b'\]"),
        ({"features": ["t"]}, "column 't' holds string, and features must be numbers"),
        ({"task": 3}, "task=3; use the name of a column, or lambda path: 3"),
        ({"as_text": "a"}, "as_text names 'a', which is neither the task nor the label"),
        ({"delimiter": ";;"}, "delimiter=';;'; use one character"),
        ({"batch_rows": 0}, "batch_rows=0; use a whole number"),
        ({"on_error": "ignore"}, "on_error='ignore'; use one of 'raise', 'skip'"),
        ({"progress": "no"}, "progress='no'; use one of"),
        ({"row_sample": -1}, "row_sample=-1"),
        ({"sample_weight": "t"}, "column 't' holds string, and weights must be numbers"),
        ({"sample_weight": [1.0]}, "sample_weight is not a name, but this file has named columns"),
        ({"task": ["u"] * 20}, "task is given as values, but this file has named columns"),
    ],
)
def test_arguments_are_checked(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=message):
        files.statistics(tmp_path, **{"label": "y", **options})


def test_paths_are_checked(tmp_path: Path) -> None:
    for paths, kind, message in (
        (tmp_path / "no.csv", FileNotFoundError, r"no\.csv'?: there is no such file"),
        (tmp_path / "*.csv", FileNotFoundError, r"no file matches paths=.*\*\.csv"),
        (tmp_path, FileNotFoundError, "holds no file that ends in .parquet"),
        ([], ValueError, "paths is empty"),
        (3, TypeError, "paths=3"),
        (b"a.csv", TypeError, "paths=b'a.csv'; use text"),
        ({"a": tmp_path}, TypeError, "paths={'a': .*}; use text"),
        (io.StringIO("x,y\n1,0\n"), TypeError, "paths=<_io.StringIO .*>; use text"),
        ([3], TypeError, "paths contains 3"),
    ):
        with pytest.raises(kind, match=message):
            files.statistics(paths, label="y")
    parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"a\.parquet is among paths 2 times"):
        files.statistics([tmp_path, tmp_path / "a.parquet"], label="y")


def test_values_belong_to_one_file(tmp_path: Path) -> None:
    """Otherwise two matrices with equally many rows would get the same labels."""
    for name in "ab":
        np.save(tmp_path / f"{name}.npy", np.ones((4, 2)))
    with pytest.raises(ValueError, match=r"label is given as values, but .* '\{stem\}_label\.npy'"):
        files.statistics(tmp_path, label=[0, 1, 0, 1])


def test_folders_and_patterns(tmp_path: Path) -> None:
    for name in (
        "a.parquet",
        "sub/b.parquet",
        ".hidden/c.parquet",
        "_temporary/d.parquet",
        "[e].parquet",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        parquet(tmp_path / name)
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / "README.txt").write_text("")
    for paths, n_files in (
        (tmp_path, 3),
        (str(tmp_path / "*.parquet"), 2),
        (str(tmp_path / "**" / "[ab].parquet"), 2),
        ([tmp_path / "sub", tmp_path / "[e].parquet"], 2),
    ):
        assert len(files.statistics(paths, **NAMED).files) == n_files


def test_vectors_of_different_lengths(tmp_path: Path) -> None:
    for lists, message in (
        ([[1.0], [1.0, 2.0]], "'v' holds lists of different lengths"),
        ([[1.0], None], "'v' holds no list in some rows"),
    ):
        pa.parquet.write_table(pa.table({"v": lists, "y": [0, 1]}), tmp_path / "a.parquet")
        with pytest.raises(files.FileError, match=message):
            files.statistics(tmp_path, label="y", features="v")


def test_models_that_files_cannot_fit(tmp_path: Path) -> None:
    good_and(tmp_path)
    with pytest.raises(TypeError, match="model is of type dict; pass a MultiTaskSPCA"):
        files.fit({}, tmp_path, **NAMED)
    with pytest.raises(ValueError, match=r"forget=0.1 depends on the order of rows.*partial_fit"):
        files.fit(MultiTaskSPCA(forget=0.1), tmp_path, **NAMED)
    with pytest.raises(ValueError, match="task_column='a' of the model is not the task column"):
        files.fit(MultiTaskSPCA(task_column="a"), tmp_path, **NAMED)
    with pytest.raises(ValueError, match="task_column=0 of the model is not the task column"):
        files.fit(MultiTaskSPCA(task_column=0), tmp_path, **NAMED)


def test_scores_of_other_files_are_refused(tmp_path: Path) -> None:
    good_and(tmp_path)
    model = files.fit(MultiTaskSPCA(missing="refuse"), tmp_path, **NAMED)
    other = tmp_path / "other"
    other.mkdir()
    for changed, message in (
        ({"b": None}, "the feature 'b' is not a column"),
        ({"b": [np.nan] * 20}, "rows 0 to 19: X contains NaN"),
        ({"t": [1, 2] * 10}, "task column 't' holds integers, but in the model it holds text"),
        ({"t": ["u", "w"] * 10}, "rows 0 to 19: task contains 'w', which fit has not seen"),
    ):
        parquet(other / "a.parquet", **changed)
        with pytest.raises(files.FileError, match=message):
            list(files.predict(model, other, task="t"))
    with pytest.raises(ValueError, match="method='score'; use one of"):
        files.predict(model, other, method="score")


def test_batches_that_cannot_be_counted() -> None:
    X, y = np.ones((4, 2)), [0, 1, 0, 1]
    cases: tuple[tuple[Any, type[Exception], str], ...] = (
        ([], ValueError, "batches has no rows"),
        ([(X, y), X], TypeError, r"batches: number 1, from 0, is of type ndarray; use \(X, y\)"),
        ([(X, y), (X * np.inf, y)], ValueError, r"batch 1 .*: X contains infinity in column 0"),
        (
            [(X, y), (X, ["0", "1"] * 2)],
            ValueError,
            "y holds text, but in batch 0 it holds integers",
        ),
        ([(X, y), (X[:, :1], y)], ValueError, "moments of 2 and of 1 features"),
        ([(X, y, None, [-1.0] * 4)], ValueError, "sample_weight contains negative"),
    )
    for batches, kind, message in cases:
        with pytest.raises(kind, match=message):
            files.from_batches(batches)


@pytest.mark.parametrize("n_jobs", [[], {}, "two", 0, 1.5, True, np.array([1, 2])])
def test_a_number_of_processes_is_a_whole_number(tmp_path: Path, n_jobs: Any) -> None:
    good_and(tmp_path)
    with pytest.raises(ValueError, match=r"n_jobs=.*; use a whole number of processes, -1 for one"):
        files.statistics(tmp_path, n_jobs=n_jobs, **NAMED)


def test_files_that_are_read_and_skipped_are_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    good_and(tmp_path)
    (tmp_path / "bad.parquet").write_bytes(b"nothing")
    with caplog.at_level("INFO", logger="kinspan"), pytest.warns(files.SkippedFilesWarning):
        files.statistics(tmp_path, on_error="skip", progress=False, **NAMED)
    said = "\n".join(caplog.messages)
    assert said.count("read ") == 2
    assert f"skipped {tmp_path / 'bad.parquet'}: " in said
