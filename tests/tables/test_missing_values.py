"""Values that stand for a missing one are missing in every format, however they are written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
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


def test_codes_are_missing_in_categories_of_numbers_too() -> None:
    frame = pd.DataFrame({"code": [1, 2, -9, 2], "is": [True, False, True, False]})
    encoder = TableEncoder(as_text=["code"], missing="keep", missing_values=["-9", "0"], rare=1)
    found = encoder.fit_transform(frame)
    assert encoder.get_feature_names_out().tolist() == ["code=1", "code=2", "is"]
    np.testing.assert_array_equal(found[2], [np.nan, np.nan, 1.0])
    assert found[:, 2].tolist() == [1.0, 0.0, 1.0, 0.0]  # false is not the number 0
