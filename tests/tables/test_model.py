"""A model of the command line in Python answers the raw table as `kinspan predict` does."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

import kinspan
from kinspan import MultiTaskSPCA, displays
from kinspan.export import to_onnx
from kinspan.tables import TableModel
from tests.cli.running import ROLES as WORLD_ROLES
from tests.cli.running import WORLD, refusal, succeed, written
from tests.cli.test_recipe import ROLES, messy, stored
from tests.onnx_sessions import session_of

MESSY = ("--categorical", "encode", "--missing", "mean", "--rare", "4")


def with_more(seed: int, share: float = 0.05) -> pd.DataFrame:
    """Dates, and categories that are rare or new."""
    frame = messy(seed, share=share)
    rng = np.random.default_rng(seed)
    days = pd.to_timedelta(rng.integers(0, 900, len(frame)), unit="D")
    frame.insert(1, "since", pd.Timestamp("2020-01-01") + days)
    frame.loc[seed % 7, "plan"] = f"only {seed}"
    return frame


def fitted(folder: Path, *options: str, frame: pd.DataFrame | None = None) -> Any:
    data = stored(with_more(0) if frame is None else frame, folder)
    succeed("fit", data, *ROLES, *(options or MESSY), "--out", folder / "m.kinspan")
    return kinspan.load(folder / "m.kinspan")


def scored(folder: Path, new: pd.DataFrame, *options: str) -> pd.DataFrame:
    return scored_as(folder, new, "csv", *options)


def scored_as(folder: Path, new: pd.DataFrame, ending: str, *options: str) -> pd.DataFrame:
    data = stored(new, folder, ending, "new")
    succeed("predict", folder / "m.kinspan", data, *options, "--out", folder / "scored.csv")
    return pd.read_csv(folder / "scored.csv", dtype={"predicted": str})


def assert_same_answers(model: Any, new: Any, expected: pd.DataFrame) -> None:
    assert model.predict(new).tolist() == expected["predicted"].tolist()
    shares = expected[["p_no", "p_yes"]].to_numpy()
    np.testing.assert_allclose(model.predict_proba(new), shares, rtol=1e-12)


def test_the_answers_of_the_command_line(tmp_path: Path) -> None:
    model, new = fitted(tmp_path), with_more(1)
    assert isinstance(model, TableModel)
    expected = scored(tmp_path, new)
    assert_same_answers(model, new, expected)
    read = pd.read_csv(tmp_path / "new.csv", parse_dates=["since"])
    assert_same_answers(model, read, expected)
    assert_same_answers(model, read[read.columns[::-1]].assign(more="x"), expected)
    assert_same_answers(model, pl.from_pandas(read), expected)
    np.testing.assert_array_equal(model.predict_log_proba(read), np.log(model.predict_proba(read)))
    right = (expected["predicted"] == new["sold"]).mean()
    assert model.score(read, new["sold"]) == pytest.approx(right)
    assert model.decision_function(read).shape == (len(new),)


def test_dates_that_pandas_has_read_as_text_are_dates(tmp_path: Path) -> None:
    model, new = fitted(tmp_path), with_more(1)
    expected = scored(tmp_path, new)
    assert_same_answers(model, pd.read_csv(tmp_path / "new.csv"), expected)


def test_frames_of_text_are_read_as_files_are(tmp_path: Path) -> None:
    frame = with_more(0).astype(object)
    frame["age"] = [None if pd.isna(v) else f"{1000 * v:,.3f}" for v in frame["age"]]
    frame.loc[3, "age"] = "?"
    options = ("--thousands", ",", "--missing-values", "?")
    model = fitted(tmp_path, *MESSY, *options, frame=frame)
    expected = scored(tmp_path, frame)
    assert_same_answers(model, pd.read_csv(tmp_path / "new.csv", dtype=str), expected)
    assert_same_answers(model, pl.read_csv(tmp_path / "new.csv", infer_schema=False), expected)
    with pytest.raises(ValueError, match="240 of 240 values in 'age' are numbers such as '1,5'"):
        model.predict(frame.assign(age="1,5"))


def test_unknown_categories_are_said_as_by_the_command_line(tmp_path: Path) -> None:
    model = fitted(tmp_path, "--categorical", "encode", "--missing", "mean")
    new = with_more(0, share=0.0).assign(plan=1)
    said = "unknown category of 'plan' in 240 rows: it counts as none"
    with pytest.warns(UserWarning, match=f"^{said}$"):
        model.predict_proba(new)
    with pytest.warns(UserWarning, match=f"^{said}$"):
        model.partial_fit(new, new["sold"])
    ran = succeed("predict", tmp_path / "m.kinspan", stored(new, tmp_path, name="new"))
    assert said in ran.err


@pytest.mark.parametrize("numbers", [19_900, 19_900.5, True])
def test_numbers_are_no_dates(numbers: float, tmp_path: Path) -> None:
    """Nobody knows whether these are days, seconds or microseconds."""
    model, new = fitted(tmp_path), with_more(1).assign(since=numbers)
    said = "column 'since' holds dates in the fit, and (int64|double|bool) here; make dates"
    with pytest.raises(ValueError, match=said):
        model.predict_proba(new)
    with pytest.raises(ValueError, match=said):
        model.partial_fit(new, new["sold"])
    data = stored(new, tmp_path, "parquet", "new")
    message = refusal("predict", tmp_path / "m.kinspan", data)
    assert "column 'since' holds dates in the fit, and " in message


@pytest.mark.parametrize("name", ["age", "since", "plan"])
def test_a_column_without_any_value_is_missing_whatever_its_type(name: str, tmp_path: Path) -> None:
    model, new = fitted(tmp_path), with_more(1)
    expected = model.predict_proba(new.assign(**{name: None}))
    nothing: Any
    for nothing in (np.nan, pd.NaT, pd.NA, ""):
        np.testing.assert_array_equal(model.predict_proba(new.assign(**{name: nothing})), expected)
    model.partial_fit(new.assign(**{name: np.nan}), new["sold"])
    found = scored_as(tmp_path, new.assign(**{name: np.nan}), "parquet")[["p_no", "p_yes"]]
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert model.predict_proba(new[:5]).shape == (5, 2)


def test_new_tasks_are_refused_or_get_the_shared_rule(tmp_path: Path) -> None:
    model, new = fitted(tmp_path), with_more(2).assign(shop="nowhere")
    with pytest.raises(ValueError, match="'nowhere', which fit has not seen"):
        model.predict(new)
    model.unseen = "shared"
    assert_same_answers(model, new, scored(tmp_path, new, "--unseen", "shared"))


def test_copies_and_files_of_it_answer_the_same(tmp_path: Path) -> None:
    model, new = fitted(tmp_path), with_more(1)
    kinspan.save(model, tmp_path / "again.kinspan")
    again = kinspan.load(tmp_path / "again.kinspan")
    for other in (again, copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.predict_proba(new), model.predict_proba(new))
    succeed("predict", tmp_path / "again.kinspan", tmp_path / "a.csv", "--out", tmp_path / "s.csv")
    assert not hasattr(clone(model), "classes_")


def test_it_is_a_model_like_any_other(tmp_path: Path) -> None:
    model, frame = fitted(tmp_path), with_more(0)
    encoded = pd.DataFrame(model.table_.transform(frame), columns=model.feature_names_in_)
    shares = model.predict_proba(encoded, task=frame["shop"].to_numpy())
    np.testing.assert_allclose(shares, model.predict_proba(frame), rtol=1e-12)
    assert model.explain_transfer("shop 0", most=1).forecast_error == model.forecast_error_[0]
    model.fit(WORLD.X, WORLD.y, task=WORLD.task)
    expected = MultiTaskSPCA().fit(WORLD.X, WORLD.y, task=WORLD.task)
    found = model.predict(WORLD.X, task=WORLD.task)
    assert found.tolist() == expected.predict(WORLD.X, task=WORLD.task).tolist()


@pytest.mark.filterwarnings("ignore:unknown category of 'plan'")
def test_rows_that_the_command_line_leaves_without_an_answer_are_refused(tmp_path: Path) -> None:
    options = ("--categorical", "encode", "--missing", "drop")
    model, new = fitted(tmp_path, *options), with_more(1)
    expected, whole = scored(tmp_path, new), new.notna().all(axis=1)
    assert_same_answers(model, new[whole], expected[whole.to_numpy()])
    with pytest.raises(ValueError, match=r"is missing in row .* fit it with missing='mean'"):
        model.predict(new)


def test_what_is_wrong_with_a_frame_is_named(tmp_path: Path) -> None:
    model, new = fitted(tmp_path), with_more(1, share=0.0)
    for frame, said in (
        (new.drop(columns="age"), "'age' is not a column"),
        (new.drop(columns="plan"), "columns 'plan' are missing"),
        (new.assign(age="old"), "column 'age' holds string"),
        (
            new.assign(age=["?", *["1"] * (len(new) - 1)]),
            "not a number: '\\?'; make such values mis",
        ),
        (new.assign(since="yesterday"), "column 'since' holds dates in the fit"),
        (new.assign(shop=7), "task contains '7'"),
        (new.drop(columns="shop"), "task='shop' is not a column"),
    ):
        with pytest.raises(ValueError, match=said):
            model.predict(frame)


def test_one_task_and_numbers_alone(tmp_path: Path) -> None:
    data = written(WORLD.table(), tmp_path / "a.csv")
    succeed("fit", data, "--label", "ill", "--exclude", "note,clinic", "--out", tmp_path / "one")
    frame = WORLD.table().to_pandas()
    one = kinspan.load(tmp_path / "one")
    plain = MultiTaskSPCA().fit(WORLD.X, WORLD.y)
    assert one.predict(frame).tolist() == plain.predict(WORLD.X).tolist()
    succeed("fit", data, *WORLD_ROLES, "--out", tmp_path / "m")
    model = kinspan.load(tmp_path / "m")
    assert model.predict(frame).tolist() == model.predict(
        frame[WORLD.names], task=WORLD.task
    ).tolist()  # fmt: skip
    assert [value.name for value in to_onnx(model).graph.input] == ["features", "task"]


def onnx_answers(model: Any, new: pd.DataFrame, **options: Any) -> tuple[Any, Any]:
    session = session_of(to_onnx(model, **options))
    about = session.get_modelmeta().custom_metadata_map
    numbers, texts, dates = (
        json.loads(about[f"{kind}_columns"]) for kind in ("numbers", "texts", "dates")
    )
    table = new.copy()
    for name in dates:
        table[name] = (table[name] - pd.Timestamp(0)) / pd.Timedelta("1D")
    wanted = [value.name for value in session.get_inputs()]
    kind = np.float32 if options.get("dtype") == "float32" else np.float64
    given = {
        "numbers": table[numbers].to_numpy(kind),
        "texts": table[texts].fillna("").to_numpy(object),
        "task": table["shop"].to_numpy(object),
    }
    label, shares = session.run(None, {name: given[name] for name in wanted})
    return label, shares


def test_the_graph_contains_filling_and_encoding(tmp_path: Path) -> None:
    model, new = fitted(tmp_path), with_more(1)
    expected = model.predict_proba(new)
    label, shares = onnx_answers(model, new)
    assert label.tolist() == model.predict(new).tolist()
    np.testing.assert_allclose(shares, expected, rtol=1e-9)
    _, shares = onnx_answers(model, new, dtype="float32")
    np.testing.assert_allclose(shares, expected, rtol=1e-2)
    elsewhere = new.assign(shop="nowhere")
    assert np.isnan(onnx_answers(model, elsewhere)[1]).all()
    model.unseen = "shared"
    found = onnx_answers(model, elsewhere)[1]
    np.testing.assert_allclose(found, model.predict_proba(elsewhere), rtol=1e-9)


@pytest.mark.filterwarnings("ignore:unknown category of 'plan'")
@pytest.mark.parametrize("missing", ["error", "drop"])
def test_the_graph_refuses_rows_with_holes_where_predict_does(missing: str, tmp_path: Path) -> None:
    frame = with_more(0, share=0.0)
    model = fitted(tmp_path, "--categorical", "encode", "--missing", missing, frame=frame)
    new = with_more(1)
    whole = new.notna().all(axis=1).to_numpy()
    label, shares = onnx_answers(model, new)
    assert np.isfinite(shares).all(axis=1).tolist() == whole.tolist()
    assert label[whole].tolist() == model.predict(new[whole]).tolist()
    assert set(label[~whole]) == {""}


@pytest.mark.parametrize("dropped", [["age", "visits", "since"], ["plan"]])
def test_graphs_of_texts_or_numbers_alone(dropped: list[str], tmp_path: Path) -> None:
    model = fitted(tmp_path, frame=with_more(0).drop(columns=dropped))
    new = with_more(1)
    label, shares = onnx_answers(model, new)
    np.testing.assert_allclose(shares, model.predict_proba(new), rtol=1e-9)
    assert label.tolist() == model.predict(new).tolist()


def test_a_graph_of_one_task(tmp_path: Path) -> None:
    data = stored(with_more(0).drop(columns="shop"), tmp_path)
    succeed("fit", data, "--label", "sold", *MESSY, "--out", tmp_path / "m.kinspan")
    model, new = kinspan.load(tmp_path / "m.kinspan"), with_more(1)
    np.testing.assert_allclose(onnx_answers(model, new)[1], model.predict_proba(new), rtol=1e-9)


def test_what_a_graph_cannot_contain_is_said(tmp_path: Path) -> None:
    frame = messy(share=0.0)
    frame.loc[3, "plan"] = ""
    data = stored(frame, tmp_path, "parquet")  # in which "" is a text
    succeed("fit", data, *ROLES, "--categorical", "encode", "--out", tmp_path / "m")
    message = refusal("export", tmp_path / "m", "--onnx", tmp_path / "m.onnx")
    assert "column 'plan' has the category '', which is a missing text in the graph" in message
    fitted(tmp_path)
    ran = succeed("export", tmp_path / "m.kinspan", "--onnx", tmp_path / "m.onnx")
    assert "dates as days since 1970: since" in ran.err
    assert "inputs numbers, texts and task" in ran.out


def test_pictures_take_rows_of_the_table(tmp_path: Path) -> None:
    """As a frame that holds the task, or with `task=` besides, as in `predict`."""
    model, new = fitted(tmp_path), with_more(1)
    y, one = new["sold"].to_numpy(), new["shop"] == model.tasks_[0]
    for display in (displays.RocForecastDisplay, displays.CalibrationForecastDisplay):
        of_table = display.from_estimator(model, new[one], y[one])
        assert of_table.name == str(model.tasks_[0])
        said = display.from_estimator(
            model, new[one].drop(columns="shop"), y[one], task=model.tasks_[0]
        )
        np.testing.assert_array_equal(of_table.actual, said.actual)
    errors = displays.ForecastDisplay.from_estimator(model, new, y)
    wrong = (model.predict(new[one]) != y[one]) * 1.0
    by_class = [wrong[y[one] == c].mean() for c in model.classes_]
    assert errors.actual is not None
    assert errors.actual[0] == pytest.approx(np.mean(by_class))
    assert displays.ScoreDistributionDisplay.from_estimator(model, new[one], y[one]).ax_ is not None
