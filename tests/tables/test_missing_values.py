"""Values that stand for a missing one are missing in every format, however they are written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import kinspan
from kinspan.tables import TableEncoder
from tests.cli.running import succeed
from tests.cli.test_recipe import ROLES, stored
from tests.tables.test_model import MESSY, fitted, onnx_answers, with_more

CODES = {"age": -999.0, "visits": -99.9, "plan": "?"}
NAMED = ("--missing-values", "-999,-99.9,?")


def with_codes(seed: int) -> pd.DataFrame:
    """A table in which missing ages, visits and plans have codes."""
    frame = with_more(seed)
    is_coded = np.arange(len(frame)) % 9
    return frame.assign(
        **{n: frame[n].where(is_coded != i, code) for i, (n, code) in enumerate(CODES.items())}
    )


def without_codes(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.assign(**{n: frame[n].where(frame[n] != code, None) for n, code in CODES.items()})


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather"])
def test_codes_are_missing_in_files_frames_and_graphs(ending: str, tmp_path: Path) -> None:
    known, new = with_codes(0), with_codes(1)
    expected = fitted(tmp_path, frame=without_codes(known)).predict_proba(without_codes(new))
    data, model = stored(known, tmp_path, ending, "known"), tmp_path / "codes.kinspan"
    succeed("fit", data, *ROLES, *MESSY, *NAMED, "--out", model)
    data, answers = stored(new, tmp_path, ending, "new"), tmp_path / "scored.csv"
    succeed("predict", model, data, "--out", answers)
    found = pd.read_csv(answers)[["p_no", "p_yes"]].to_numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    loaded: Any = kinspan.load(model)
    for frame in (new, new.convert_dtypes(), new.astype(str).where(new.notna(), "")):
        np.testing.assert_allclose(loaded.predict_proba(frame), expected, rtol=1e-9)
    np.testing.assert_allclose(onnx_answers(loaded, new)[1], expected, rtol=1e-9)
    single = {"age": "float32", "visits": "float32"}
    np.testing.assert_allclose(loaded.predict_proba(new.astype(single)), expected, rtol=1e-5)
    in_single = onnx_answers(loaded, new, dtype="float32")[1]
    np.testing.assert_allclose(in_single, expected, rtol=1e-2)


@pytest.mark.parametrize("code", ["-999", "-999.0", " -9.99e2"])
def test_a_code_is_a_number_however_it_is_written(code: str) -> None:
    frame = pd.DataFrame({"n": [1.0, -999.0, 3.0], "whole": [-999, 5, 6]})
    frame["text"] = ["-999.00", "2", "-0999"]
    found = TableEncoder(missing="keep", missing_values=[code]).fit_transform(frame)
    np.testing.assert_array_equal(np.isnan(found), [[0, 1, 1], [1, 0, 0], [0, 0, 1]])


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_codes_of_labels_and_tasks_are_missing_too(ending: str, tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": np.arange(60.0), "shop": np.arange(60) % 3})
    frame["visits"], frame["sold"] = frame["age"] ** 2 % 7, np.arange(60) % 2
    frame.loc[::10, "sold"] = -9
    frame.loc[1::10, "shop"] = -9
    data = stored(frame, tmp_path, ending)
    options = ("--missing-values", "-9", "--missing", "mean", "--out", tmp_path / "m")
    ran = succeed("fit", data, *ROLES, *options)
    model: Any = kinspan.load(tmp_path / "m")
    assert model.classes_.tolist() == [0, 1]
    assert model.tasks_.tolist() == [0, 1, 2]
    assert model.moments_.counts.sum() == 48
    assert "6 of 60 rows dropped" in ran.err
    with pytest.raises(ValueError, match="'shop' is missing in row 2"):
        model.predict(frame)
    expected = model.predict(frame[frame["shop"] >= 0])
    assert model.predict(frame[frame["shop"] >= 0].astype(str)).tolist() == expected.tolist()


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_text_as_polars_writes_it(ending: str, tmp_path: Path) -> None:
    """Large text and views of text."""
    frame = with_codes(0).assign(sold=lambda f: f["sold"].where(f.index % 7 > 0, "?"))
    typed = frame.astype({"age": float, "visits": float})
    data, other = stored(frame, tmp_path), tmp_path / f"b.{ending}"
    written = pl.from_pandas(typed)
    written.write_parquet(other) if ending == "parquet" else written.write_ipc(other)
    models: list[Any] = []
    for path in (data, other):
        model, answers = tmp_path / f"{path.stem}.kinspan", tmp_path / f"{path.stem}-scored.csv"
        succeed("fit", path, *ROLES, *MESSY, *NAMED, "--out", model)
        succeed("predict", model, path, "--out", answers)
        models.append(kinspan.load(model))
        shares = pd.read_csv(answers)[["p_no", "p_yes"]].to_numpy()
        np.testing.assert_allclose(shares, models[0].predict_proba(frame), rtol=1e-9)
    assert models[1].classes_.tolist() == ["no", "yes"]


def test_codes_are_missing_in_categories_of_numbers_too() -> None:
    frame = pd.DataFrame({"code": [1, 2, -9, 2], "is": [True, False, True, False]})
    encoder = TableEncoder(as_text=["code"], missing="keep", missing_values=["-9", "0"], rare=1)
    found = encoder.fit_transform(frame)
    assert encoder.get_feature_names_out().tolist() == ["code=1", "code=2", "is"]
    np.testing.assert_array_equal(found[2], [np.nan, np.nan, 1.0])
    assert found[:, 2].tolist() == [1.0, 0.0, 1.0, 0.0]  # false is not the number 0
