"""The transformer of tables: what it does to columns, and what scikit-learn expects of it."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from kinspan.tables import TableEncoder
from tests.cli.test_recipe import PLANS, messy, one_hot


def typed(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.astype({"age": float, "visits": float})


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [TableEncoder(missing=way) for way in ("error", "mean", "keep")]
)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.from_pandas, pa.table])
def test_the_same_of_every_library_and_of_an_oracle(library: Any) -> None:
    frame = typed(messy())
    encoder = TableEncoder(task_column="shop", exclude=["sold"], missing="mean")
    found = encoder.fit_transform(library(frame))
    hot = one_hot(frame, sorted(PLANS))
    expected = hot.fillna(hot.groupby(frame["shop"]).transform("mean"))
    np.testing.assert_allclose(found, expected.to_numpy(), rtol=1e-12)
    assert encoder.get_feature_names_out().tolist() == list(expected.columns)
    new = typed(messy(1)).assign(shop="nowhere", more=1.0)
    new = new[["more", "visits", "shop", "plan", "age"]]
    rows = one_hot(new, sorted(PLANS)).fillna(hot.mean())  # of a new task, the mean of all rows
    np.testing.assert_allclose(encoder.transform(library(new)), rows.to_numpy(), rtol=1e-12)


def test_missing_values_are_refused_filled_or_kept() -> None:
    frame = typed(messy()).drop(columns=["shop", "sold"])
    hot = one_hot(frame, sorted(PLANS))
    np.testing.assert_array_equal(TableEncoder(missing="keep").fit_transform(frame), hot.to_numpy())
    found = TableEncoder(missing="mean").fit_transform(frame)
    np.testing.assert_allclose(found, hot.fillna(hot.mean()).to_numpy(), rtol=1e-12)
    row = int(np.flatnonzero(frame.isna().any(axis=1))[0]) + 1
    with pytest.raises(ValueError, match=rf"X: column '\w+' is missing in row {row} .*'keep'"):
        TableEncoder().fit(frame)
    complete = TableEncoder().fit(frame.dropna())
    with pytest.raises(ValueError, match=rf"is missing in row {row} "):
        complete.transform(frame)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_dates_truth_and_categories_become_numbers(library: Any) -> None:
    day = datetime.date(1970, 1, 11)
    frame = library(
        {
            "day": [day, day + datetime.timedelta(5), day],
            "at": [datetime.datetime(1970, 1, 2, 12), datetime.datetime(1969, 12, 31), None],
            "is": [True, False, True],
            "n": [1, 2, 3],
        }
    )
    found = TableEncoder(missing="keep").fit_transform(frame)
    expected = [[10.0, 1.5, 1.0, 1.0], [15.0, -1.0, 0.0, 2.0], [10.0, np.nan, 1.0, 3.0]]
    np.testing.assert_array_equal(found, expected)


def test_categories_of_pandas_and_numbers_as_text() -> None:
    frame = pd.DataFrame({"c": pd.Categorical(["x", "y", "x"], ["z", "y", "x"]), "zone": [1, 2, 1]})
    encoder = TableEncoder(as_text=["zone"]).set_output(transform="pandas")
    found = encoder.fit_transform(frame)
    assert list(found.columns) == ["c=x", "c=y", "zone=1", "zone=2"]
    np.testing.assert_array_equal(found.to_numpy(), [[1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]])
    said = "^unknown category of 'c' in 1 row: it counts as none; unknown category of 'zone' in 1"
    with pytest.warns(UserWarning, match=said):
        new = encoder.transform(pd.DataFrame({"c": ["y", "new"], "zone": [2, 9]}))
    np.testing.assert_array_equal(new.to_numpy(), [[0, 1, 0, 1], [0, 0, 0, 0]])


def test_categories_that_are_numbers_or_truth() -> None:
    frame = pd.DataFrame(
        {"grade": pd.Categorical([1, 12, 1, None]), "is": pd.Categorical([True, False, True, True])}
    )
    encoder = TableEncoder(missing="keep")
    found = encoder.fit_transform(frame)
    names = ["grade=1", "grade=12", "is=false", "is=true"]
    assert encoder.get_feature_names_out().tolist() == names
    expected = [[1, 0, 0, 1], [0, 1, 1, 0], [1, 0, 0, 1], [np.nan, np.nan, 0, 1]]
    np.testing.assert_array_equal(found, expected)
    plain = pd.DataFrame({"grade": [1, 12, 1, None], "is": [True, False, True, True]})
    for other in (plain, plain.astype({"grade": "Int64"}), pl.from_pandas(plain)):
        np.testing.assert_array_equal(encoder.transform(other), expected)


def test_a_column_that_looks_like_tasks_is_named() -> None:
    frame = pd.DataFrame({"shop": np.repeat(["north", "south", "west"], 9), "n": np.arange(27.0)})
    said = (
        r"'shop' is encoded as a feature, but looks like tasks: 3 values in 27 rows; name it with"
    )
    with pytest.warns(UserWarning, match=said):
        assert TableEncoder().fit_transform(frame).shape == (27, 4)
    for choice in ({"task_column": "shop"}, {"exclude": ["shop"]}, {"features": ["shop", "n"]}):
        TableEncoder(**choice).fit(frame)  # warnings are errors


def test_values_that_pyarrow_does_not_know() -> None:
    frame = pd.DataFrame({"n": pd.Series([10**20, 5], dtype=object)})
    assert TableEncoder().fit_transform(frame).tolist() == [[1e20], [5.0]]
    binned = pd.DataFrame({"bin": pd.cut([1, 2, 3], 2)})
    with pytest.raises(ValueError, match=r"'bin' .* neither numbers, text nor dates"):
        TableEncoder().fit(binned)
    assert TableEncoder().fit_transform(binned.astype(str)).shape == (3, 2)


def test_rare_categories_are_together_with_new_ones() -> None:
    frame = pd.DataFrame({"c": ["a"] * 5 + ["b"] * 3 + ["c", "d"]})
    encoder = TableEncoder(rare=3).fit(frame)
    assert encoder.get_feature_names_out().tolist() == ["c=a", "c=b", "c: rare"]
    found = encoder.transform(pd.DataFrame({"c": ["a", "b", "c", "e"]}))
    np.testing.assert_array_equal(found, [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]])
    unique = pd.DataFrame({"c": [f"{i} of all" for i in range(500)] + ["often"] * 5})
    with pytest.raises(ValueError, match="'c' has more than 200 categories"):
        TableEncoder().fit(unique)
    names = TableEncoder(rare=2).fit(unique).get_feature_names_out()
    assert names.tolist() == ["c=often", "c: rare"]


def test_a_stray_does_not_make_categories_of_numbers() -> None:
    frame = pd.DataFrame({"n": [str(i) for i in range(50)] + ["?"], "x": np.arange(51.0)})
    with pytest.raises(ValueError, match=r"1 of 51 values in 'n' is not a number: '\?'; miss"):
        TableEncoder().fit(frame)
    assert len(TableEncoder(as_text=["n"]).fit(frame).get_feature_names_out()) == 52
    with pytest.raises(ValueError, match="make such values missing"):  # in later frames
        TableEncoder().fit(frame.assign(n=1.0)).transform(frame)
    c = pd.DataFrame({"c": ["a", "?", "b"]})
    found = TableEncoder(missing_values=["?"], missing="keep").fit_transform(c)
    np.testing.assert_array_equal(found, [[1, 0], [np.nan, np.nan], [0, 1]])


@pytest.mark.parametrize(
    ("parameters", "frame", "said"),
    [
        ({"missing": "guess"}, {"a": [1]}, "missing='guess'"),
        ({"rare": 0}, {"a": [1]}, "rare=0"),
        ({"exclude": "a"}, {"a": [1]}, "exclude='a'; use a list"),
        ({"exclude": ["b"]}, {"a": [1]}, "exclude='b' is not a column"),
        ({"exclude": ["a"]}, {"a": [1]}, "no column is left"),
        ({"task_column": "t"}, {"a": [1]}, "task='t' is not a column"),
        ({"task_column": "t", "missing": "mean"}, {"a": [1, 2], "t": ["u", None]}, "no task"),
        ({}, {"a": [1, "x"]}, "column 'a' of X holds values of several kinds"),
        ({}, {"a": [[1], [2]]}, "column.* 'a' .*neither numbers, text nor dates"),
        ({"decimal": ";"}, {"a": [1]}, "decimal=';'"),
        ({"as_text": ["z"]}, {"a": [1]}, "as_text='z' is not a column"),
    ],
)
def test_what_is_refused_is_named(
    parameters: dict[str, Any], frame: dict[str, Any], said: str
) -> None:
    with pytest.raises((ValueError, TypeError), match=said):
        TableEncoder(**parameters).fit(pd.DataFrame(frame))


def test_it_works_inside_scikit_learn() -> None:
    frame = typed(messy(share=0.0))
    chosen = make_column_transformer((TableEncoder(), ["age", "plan", "visits"]))
    pipe = make_pipeline(chosen, LogisticRegression()).fit(frame, frame["sold"])
    assert pipe.score(frame, frame["sold"]) > 0.5
    names = pipe[0].get_feature_names_out().tolist()
    assert names[0] == "tableencoder__age"
    encoder = clone(TableEncoder(rare=3, missing="mean", task_column="shop"))
    assert encoder.get_params()["rare"] == 3


def test_columns_that_fit_had_are_needed_by_name() -> None:
    frame = typed(messy(share=0.0))
    encoder = TableEncoder(task_column="shop", exclude=["sold"]).fit(frame)
    with pytest.raises(ValueError, match="columns 'plan' are missing"):
        encoder.transform(frame.drop(columns="plan"))
    with pytest.raises(ValueError, match="'age' is not a column"):
        encoder.transform(frame.drop(columns="age"))
    with pytest.raises(ValueError, match="'shop' is not a column"):
        encoder.transform(frame.drop(columns="shop"))
