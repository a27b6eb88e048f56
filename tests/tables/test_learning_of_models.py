"""A model of the command line learns from rows of its table in Python too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import kinspan
from kinspan.tables import TableModel
from tests.cli.test_recipe import messy
from tests.engines.stored_worlds import assert_same_model
from tests.tables.test_model import fitted

OPTIONS = ("--categorical", "encode", "--missing", "mean")


def halves() -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """All rows, and two parts that have all categories."""
    frame = messy(0)
    first = np.arange(len(frame)) % 2 == 0
    return frame, frame[first], frame[~first]


def test_batches_of_the_table_are_learnt_as_in_one_file(tmp_path: Path) -> None:
    frame, first, second = halves()
    model = fitted(tmp_path, *OPTIONS, frame=first)
    whole = fitted(tmp_path, *OPTIONS, frame=frame)
    assert model.partial_fit(second, second["sold"]) is model
    assert_same_model(model, whole)
    np.testing.assert_allclose(model.predict_proba(frame), whole.predict_proba(frame), rtol=1e-9)
    kinspan.save(model, tmp_path / "again.kinspan")
    again = kinspan.load(tmp_path / "again.kinspan")
    np.testing.assert_array_equal(again.predict_proba(frame), model.predict_proba(frame))
    encoded = pd.DataFrame(model.table_.transform(second), columns=model.feature_names_in_)
    other = fitted(tmp_path, *OPTIONS, frame=first)
    assert isinstance(other, TableModel)
    other.partial_fit(encoded, second["sold"], task=second["shop"])
    assert_same_model(other, model)


def test_labels_are_those_of_the_table_unless_others_are_given(tmp_path: Path) -> None:
    _, first, second = halves()
    expected = fitted(tmp_path, *OPTIONS, frame=first).partial_fit(second, second["sold"])
    for rows in (second, pl.from_pandas(second)):
        model = fitted(tmp_path, *OPTIONS, frame=first)
        assert_same_model(model.partial_fit(rows), expected)
    with pytest.raises(ValueError, match="pass y, or X with the label column 'sold'"):
        model.partial_fit(second.drop(columns="sold"))


def test_tasks_may_be_given_instead_of_their_column(tmp_path: Path) -> None:
    frame, new = messy(0), messy(1)
    model = fitted(tmp_path, *OPTIONS, frame=frame)
    expected = model.predict_proba(new.assign(shop="shop 1"))
    for given in (new, new.drop(columns="shop")):
        np.testing.assert_array_equal(model.predict_proba(given, task="shop 1"), expected)
    tasks = new["shop"].to_numpy()
    found = model.predict_proba(new.drop(columns="shop"), task=tasks)
    np.testing.assert_array_equal(found, model.predict_proba(new))


def test_a_task_joins_with_rows_of_the_table(tmp_path: Path) -> None:
    frame = messy(0)
    rest = frame["shop"] != "shop 0"
    joining = frame[~rest]
    expected: Any = fitted(tmp_path, *OPTIONS, frame=frame)
    for given in (joining, joining.drop(columns="shop")):
        model = fitted(tmp_path, *OPTIONS, frame=frame[rest])
        model.add_task("shop 0", given, given["sold"])
        assert_same_model(model, expected)


def test_a_fit_of_statistics_forgets_the_table(tmp_path: Path) -> None:
    model = fitted(tmp_path, *OPTIONS, frame=messy(0))
    model.fit_moments(model._statistics)
    with pytest.raises(AttributeError, match="not fitted from a table"):
        _ = model.table_


def test_spreadsheets_mix_text_with_values(tmp_path: Path) -> None:
    """Object columns, as frames of spreadsheets have them."""
    frame = messy(0).assign(vip=np.arange(240) % 3 == 0)
    frame["since"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(240) % 90, unit="D")
    model = fitted(tmp_path, *OPTIONS, "--missing-values", "?", frame=frame)
    new = frame.astype(object)
    for name in ("age", "visits", "vip", "since"):
        new.loc[5:8, name] = None
    written = new.where(new.notna(), "?")
    np.testing.assert_array_equal(model.predict_proba(written), model.predict_proba(new))
    mixed = new.copy()
    mixed.loc[9, "age"] = "old"
    with pytest.raises(ValueError, match="values in 'age' is not a number: 'old'"):
        model.predict(mixed)
