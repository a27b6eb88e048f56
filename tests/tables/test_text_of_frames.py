"""Text in a frame is read as in a text file, so that one table has one set of features."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import kinspan
from kinspan import MultiTaskSPCA
from kinspan.tables import TableEncoder
from tests.cli.running import succeed

CELLS = {
    "n": ["1.5", "?", "-3e2", "", "NA", " 7"],
    "whole": ["1", "2", "3", "4", "5", "?"],
    "day": ["2021-05-01", "?", "", "NA", "1969-12-31", "2021-02-28"],
    "at": ["2021-05-01 06:00:00", "", "2021-05-01 12:00", "2021-05-01", "?", "2021-05-02T00:00"],
    "zoned": ["2021-05-01T06:00Z", "", "2021-05-01T12:00:00+02:00"] * 2,
    "is": ["true", "False", "?", "", "TRUE", "0"],
    "plan": ["free", "?", "team", "", "team", "free"],
    "empty": ["", "", "?", "", "", ""],
}
DAY = 18_748.0  # 2021-05-01


def table(folder: Path) -> Path:
    frame = pd.DataFrame(CELLS).loc[lambda f: f.index.repeat(10)].reset_index(drop=True)
    frame["shop"], frame["sold"] = np.repeat(["a", "b", "c"], 20), np.arange(60) % 2
    frame.to_csv(folder / "a.csv", index=False)
    return folder / "a.csv"


def as_text(path: Path) -> Any:
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def with_types(path: Path) -> Any:
    return pd.read_csv(path, na_values=["?"])


def in_polars(path: Path) -> Any:
    return pl.read_csv(path, infer_schema=False)


@pytest.mark.parametrize("read", [as_text, with_types, in_polars])
def test_frames_and_files_give_the_same_features(read: Any, tmp_path: Path) -> None:
    data, options = table(tmp_path), ("--categorical", "encode", "--missing", "mean")
    roles = ("--task", "shop", "--label", "sold", "--missing-values", "?")
    succeed("fit", data, *roles, *options, "--out", tmp_path / "m")
    model: Any = kinspan.load(tmp_path / "m")
    encoder = TableEncoder(
        task_column="shop", exclude=["sold"], missing="keep", missing_values=["?"]
    )
    found = encoder.fit_transform(read(data))
    assert encoder.get_feature_names_out().tolist() == model.feature_names_in_.tolist()
    np.testing.assert_array_equal(found, model.table_.transform(as_text(data)))
    assert found[[0, 20, 50], 0].tolist() == [1.5, -300.0, 7.0]
    assert found[[0, 40, 50], 2].tolist() == [DAY, -1.0, DAY - 62]
    assert found[[0, 20, 30, 50], 3].tolist() == [DAY + 0.25, DAY + 0.5, DAY, DAY + 1]
    assert found[[0, 20], 4].tolist() == [DAY + 0.25, DAY + 10 / 24]
    assert found[[0, 10, 40, 50], 5].tolist() == [1.0, 0.0, 1.0, 0.0]
    assert np.isnan(found[:, -1]).all()


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (["2021-05-01"] * 9 + ["soon"], "1 of 10 values in 'c' is not a date: 'soon'"),
        (
            ["true", "false"] * 4 + ["-", "-"],
            "2 of 10 values in 'c' are neither true nor false: '-'",
        ),
        (["31.12.2021"] * 10, "10 of 10 values in 'c' are dates such as '31.12.2021'; write them"),
        (["1,5"] * 9 + ["7"], "10 of 10 values in 'c' are numbers such as '1,5'; .*decimal=','"),
        (
            [1.5] * 9 + ["?"],
            r"1 of 10 values in 'c' is not a number: '\?'; missing_values=\['\?'\]",
        ),
        (
            ["5.9"] * 4 + ["5,9"] * 5 + ["?"],
            "9 of 10 values in 'c' are numbers, such as '5,9' and '5.9'; write all numbers in one",
        ),
        (
            ["5 kg"] * 5 + ["7"] * 5,
            "10 of 10 values in 'c' are numbers, such as '7' and '5 kg'; write all numbers in one",
        ),
        (
            ["2024-01-05", "05.01.2024"] * 5,
            "10 of 10 values in 'c' are dates, such as '2024-01-05' and '05.01.2024'; write all",
        ),
        (
            ["2024-01-05"] * 9 + ["2024-01-05T10:00+02:00"],
            r"1 of 10 values in 'c' is a date with a zone, such as '2024-01-05T10:00\+02:00', and",
        ),
        (
            ["2024-01-05 10:00"] * 5 + ["2024-01-05 10:00:30.5Z"] * 5,
            "5 of 10 values in 'c' are dates with a zone, such as '2024-01-05 10:00:30.5Z', and",
        ),
    ],
)
def test_strays_in_frames_are_named(cells: list[Any], said: str) -> None:
    frame = pd.DataFrame({"c": pd.Series(cells, dtype=object), "x": 1.0})
    with pytest.raises(ValueError, match=said):
        TableEncoder().fit(frame)
    kept = TableEncoder(as_text=["c"]) if isinstance(cells[0], str) else TableEncoder(exclude=["c"])
    assert kept.fit(frame).get_feature_names_out()[-1] == "x"


@pytest.mark.parametrize(
    "cells",
    [
        ["S", "M", "L", "40"],
        ["5.9", "5,9", "a", "b"],  # half of them
        ["2024-01-05", "05.01.2024", "soon", "late"],
        ["08:00", "7", "noon", "never"],
    ],
)
def test_text_with_some_numbers_stays_text(cells: list[str]) -> None:
    frame = pd.DataFrame({"c": cells * 5})
    assert len(TableEncoder().fit(frame).get_feature_names_out()) == 4


def test_numbers_of_a_frame_may_be_written_in_any_way() -> None:
    frame = pd.DataFrame({"n": ["1.234,5", "7", "-0,25"]})
    found = TableEncoder(decimal=",", thousands=".").fit_transform(frame)
    assert found.ravel().tolist() == [1234.5, 7.0, -0.25]
    mixed = pd.DataFrame({"n": pd.Series([1.5, 2, "3,5", "-", None], dtype=object)})  # of Excel
    encoder = TableEncoder(decimal=",", missing_values=["-"], missing="keep")
    np.testing.assert_array_equal(
        encoder.fit_transform(mixed).ravel(), [1.5, 2.0, 3.5, np.nan, np.nan]
    )


def test_categories_of_a_frame_stay_categories() -> None:
    zones = pd.Categorical(["007", "010", "007"])
    found = TableEncoder().fit(pd.DataFrame({"zone": zones})).get_feature_names_out()
    assert found.tolist() == ["zone=007", "zone=010"]
    text = pd.DataFrame({"zone": ["007", "010", "007"]})
    assert TableEncoder().fit_transform(text).ravel().tolist() == [7.0, 10.0, 7.0]
    assert len(TableEncoder(as_text=["zone"]).fit(text).get_feature_names_out()) == 2


def test_columns_that_are_left_out_may_hold_anything() -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0], "notes": [["a"], "b"]})
    assert TableEncoder(exclude=["notes"]).fit_transform(frame).ravel().tolist() == [1.0, 2.0]
    assert TableEncoder(features=["x"]).fit_transform(frame).shape == (2, 1)


@pytest.mark.parametrize("nothing", [None, np.nan, pd.NA])
def test_columns_without_any_value_are_missing(nothing: Any) -> None:
    frame = pd.DataFrame({"x": [1.0, 2.0, 4.0], "y": 3.0})
    empty = frame.assign(y=pd.Series([nothing] * 3, dtype=object))
    for fitted in (frame, empty):
        encoder = TableEncoder(missing="keep").fit(fitted)
        for rows, second in ((frame, 3.0), (empty, np.nan)):
            expected = np.column_stack([frame["x"], np.full(3, second)])
            np.testing.assert_array_equal(encoder.transform(rows), expected)
    with pytest.warns(UserWarning, match="'y' has no value in any row"):
        filled = TableEncoder(missing="mean").fit_transform(empty)
    assert filled[:, 1].tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(ValueError, match="column 'y' is missing in row 1"):
        TableEncoder().fit(empty)


def test_na_among_objects_is_a_missing_value() -> None:
    rng = np.random.default_rng(0)
    X, y, task = rng.normal(size=(60, 3)), np.arange(60) % 2, np.repeat([0, 1], 30)
    X[3, 1] = X[40, 2] = np.nan
    frame = pd.DataFrame(X, columns=list("abc")).astype(object)
    frame.loc[3, "b"] = frame.loc[40, "c"] = pd.NA
    expected = MultiTaskSPCA().fit(X, y, task=task)
    for given in (frame, frame.to_numpy()):
        found = MultiTaskSPCA().fit(given, y, task=task)
        np.testing.assert_array_equal(found.coef_, expected.coef_)
        np.testing.assert_array_equal(
            found.predict_proba(given, task=task), expected.predict_proba(X, task=task)
        )
    assert frame.loc[3, "b"] is pd.NA  # as it came
    np.testing.assert_array_equal(TableEncoder(missing="keep").fit_transform(frame), X)


def test_empty_text_is_missing_unless_it_is_a_category(tmp_path: Path) -> None:
    """Parquet files may have it, where text is as it is."""
    frame = pd.DataFrame({"plan": ["free", "", "team"] * 20, "x": np.arange(60.0)})
    frame["sold"] = np.arange(60) % 2
    found = TableEncoder(missing="keep", exclude=["sold"]).fit_transform(frame)
    np.testing.assert_array_equal(found[:2], [[1, 0, 0], [np.nan, np.nan, 1]])
    frame.to_parquet(tmp_path / "a.parquet")
    options = ("--label", "sold", "--categorical", "encode", "--out", tmp_path / "m")
    succeed("fit", tmp_path / "a.parquet", *options)
    model: Any = kinspan.load(tmp_path / "m")
    assert model.feature_names_in_.tolist() == ["plan=", "plan=free", "plan=team", "x"]
    assert model.table_.transform(frame)[:2].tolist() == [[0, 1, 0, 0], [1, 0, 0, 1]]


def test_tasks_that_are_numbers_may_be_text(tmp_path: Path) -> None:
    data = table(tmp_path)
    frame = as_text(data).assign(shop=np.repeat(["7", "1003", "12"], 20))
    frame.to_csv(data, index=False)
    options = ("--label", "sold", "--categorical", "encode", "--missing", "mean")
    for more in ((), ("--as-text", "shop")):
        named = ("--task", "shop", *options, "--missing-values", "?", *more)
        succeed("fit", data, *named, "--out", tmp_path / "m")
        model: Any = kinspan.load(tmp_path / "m")
        assert model.tasks_.tolist() == (["1003", "12", "7"] if more else [7, 12, 1003])
        expected = model.predict_proba(frame)
        for other in (with_types(data), frame.assign(shop=frame["shop"].astype(object))):
            np.testing.assert_array_equal(model.predict_proba(other), expected)
        with pytest.raises(ValueError, match=r"'shop' holds text|'north', which fit has not seen"):
            model.predict(frame.assign(shop="north"))
