"""Text, missing values and new categories: tables agree with a naive oracle, in any batches."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import kinspan
from kinspan import MultiTaskSPCA
from kinspan.tables import categories, reader
from tests.cli.running import refusal, succeed
from tests.engines.stored_worlds import assert_same_model
from tests.selection.naive_filling import NaiveFilling

ROLES = ("--task", "shop", "--label", "sold")
PLANS = ["free", "team", "größer"]


def messy(seed: int = 0, n: int = 240, share: float = 0.05) -> pd.DataFrame:
    """Numbers and text with missing values; every shop has its own mean."""
    rng = np.random.default_rng(seed)
    shop = rng.integers(0, 4, n)
    sold = np.where(rng.random(n) < 0.5, "yes", "no")
    plan = rng.integers(0, 3, n)
    frame = pd.DataFrame(
        {
            "age": rng.normal(size=n) + 10 * shop + (sold == "yes"),
            "plan": np.array(PLANS)[np.where(rng.random(n) < 0.3, 0, plan)],
            "visits": rng.poisson(3, n).astype(float),
        }
    ).astype(object)
    frame[rng.random(frame.shape) < share] = None
    frame["shop"], frame["sold"] = [f"shop {s}" for s in shop], sold
    return frame


def one_hot(frame: pd.DataFrame, categories: list[str]) -> pd.DataFrame:
    """Columns in the order of the features; missing values are NaN."""
    columns = {"age": frame["age"].astype(float)}
    for category in categories:
        hot = (frame["plan"] == category).astype(float)
        columns[f"plan={category}"] = hot.where(frame["plan"].notna())
    return pd.DataFrame({**columns, "visits": frame["visits"].astype(float)})


def stored(frame: pd.DataFrame, folder: Path, ending: str = "csv", name: str = "a") -> Path:
    path = folder / f"{name}.{ending}"
    if ending == "csv":
        frame.to_csv(path, index=False)
        return path
    typed = frame.astype({"age": float, "visits": float})
    if ending == "parquet":
        typed.to_parquet(path)
    else:
        typed.to_feather(path)
    return path


def fit(data: Path, *options: str) -> MultiTaskSPCA:
    succeed("fit", data, *ROLES, *options, "--out", data.parent / "m.kinspan")
    model: MultiTaskSPCA = kinspan.load(data.parent / "m.kinspan")
    return model


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "BATCH_ROWS", 37)


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather"])
def test_missing_values_take_what_task_and_row_say_of_them(ending: str, tmp_path: Path) -> None:
    frame = messy()
    model = fit(stored(frame, tmp_path, ending), "--categorical", "encode", "--missing", "mean")
    features, task = one_hot(frame, sorted(PLANS)), frame["shop"].to_numpy()
    assert model.feature_names_in_.tolist() == list(features.columns)
    naive = NaiveFilling.of(features.to_numpy(), task, y=frame["sold"])
    filled = naive.own_rows(features.to_numpy(), task)
    expected = MultiTaskSPCA().fit(filled, frame["sold"], task=task)
    assert_same_model(model, expected)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_rows_with_missing_values_are_dropped_and_counted(ending: str, tmp_path: Path) -> None:
    frame = messy(1)
    data = stored(frame, tmp_path, ending)
    model = fit(data, "--categorical", "encode", "--missing", "drop")
    whole = frame.notna().all(axis=1)
    features = one_hot(frame, sorted(PLANS))[whole].to_numpy()
    expected = MultiTaskSPCA().fit(features, frame["sold"][whole], task=frame["shop"][whole])
    assert_same_model(model, expected)
    options = ("--categorical", "encode", "--missing", "drop", "--out", tmp_path / "m")
    ran = succeed("fit", data, *ROLES, *options)
    assert f"{int((~whole).sum())} of 240 rows dropped" in ran.err


@pytest.mark.parametrize("policy", ["drop", "mean"])
def test_rows_without_a_task_cannot_be_learnt_from(policy: str, tmp_path: Path) -> None:
    frame = messy(2, share=0.0)
    frame.loc[[3, 40, 41], "shop"] = None
    model = fit(stored(frame, tmp_path), "--exclude", "plan", "--missing", policy)
    assert model.moments_.counts.sum() == len(frame) - 3
    message = refusal("fit", tmp_path / "a.csv", *ROLES, "--exclude", "plan")
    assert "a.csv: column 'shop' is missing in row 4 " in message
    assert "--missing drop" in message


def test_a_hole_is_refused_by_file_column_and_row(tmp_path: Path) -> None:
    frame = messy(3, share=0.0)
    frame.loc[100, "visits"] = None
    data = stored(frame, tmp_path)
    message = refusal("fit", data, *ROLES, "--categorical", "encode", "--out", tmp_path / "m")
    assert message.startswith(f"{data}: column 'visits' is missing in row 101 ")
    assert "--missing mean" in message
    assert not (tmp_path / "m").exists()


def test_text_is_refused_by_name(tmp_path: Path) -> None:
    frame = messy(share=0.0).assign(country="DE", at="08:15")
    data = stored(frame, tmp_path)
    message = refusal("fit", data, *ROLES, "--out", tmp_path / "m")
    assert all(name in message for name in ("'plan'", "'country'", "'at'", "--categorical"))
    assert "'age'" not in message
    message = refusal("fit", data, *ROLES, "--categorical", "encode", "--out", tmp_path / "m")
    assert "'at' (time32[s])" in message
    assert "'plan'" not in message


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather"])
def test_dates_are_days(ending: str, tmp_path: Path) -> None:
    frame = messy(7, share=0.0).drop(columns="plan")
    days = np.random.default_rng(0).integers(0, 9000, len(frame))
    since = pd.Timestamp("1970-01-01") + pd.to_timedelta(days, unit="D")
    at = pd.Series(since) + pd.Timedelta("6h")
    data = stored(frame.assign(since=since.date, at=at), tmp_path, ending)
    model = fit(data)
    expected = pd.DataFrame(
        {"age": frame["age"], "visits": frame["visits"], "since": days, "at": days + 0.25}
    ).astype(float)
    assert model.feature_names_in_.tolist() == list(expected.columns)
    assert_same_model(
        model, MultiTaskSPCA().fit(expected.to_numpy(), frame["sold"], task=frame["shop"])
    )
    scored_rows = scored(tmp_path / "m.kinspan", data)
    shares = model.predict_proba(expected, task=frame["shop"].to_numpy())
    np.testing.assert_allclose(scored_rows["p_yes"], shares[:, 1], rtol=1e-9)
    broken = stored(frame.assign(since="yesterday", at=at), tmp_path, "csv", "broken")
    message = refusal("predict", tmp_path / "m.kinspan", broken)
    assert "column 'since' holds dates in the fit, and something else here" in message


def test_rare_categories_are_one_feature(tmp_path: Path) -> None:
    frame = messy(8, share=0.0)
    frame.loc[:4, "plan"] = [f"only {i}" for i in range(5)]
    data = stored(frame, tmp_path)
    model = fit(data, "--categorical", "encode", "--rare", "3")
    names = [*(f"plan={name}" for name in sorted(PLANS)), "plan: rare"]
    assert model.feature_names_in_.tolist() == ["age", *names, "visits"]
    hot = one_hot(frame, sorted(PLANS))
    hot.insert(4, "plan: rare", (~frame["plan"].isin(PLANS)).astype(float))
    assert_same_model(model, MultiTaskSPCA().fit(hot.to_numpy(), frame["sold"], task=frame["shop"]))
    new = frame.assign(plan="never heard of")
    ran = succeed("predict", tmp_path / "m.kinspan", stored(new, tmp_path, name="new"))
    assert ran.err == ""  # a new category is a rare one
    expected = one_hot(new, sorted(PLANS))
    expected.insert(4, "plan: rare", 1.0)
    shares = model.predict_proba(expected, task=frame["shop"].to_numpy())
    found = pd.read_csv(io.StringIO(ran.out))
    np.testing.assert_allclose(found["p_yes"], shares[:, 1], rtol=1e-9)
    options = ("--like", tmp_path / "m.kinspan", "--rare", "3", "--out", tmp_path / "x")
    assert "--like determines the columns" in refusal("moments", data, *options)


def test_numbers_are_categories_if_they_are_said_to_be_text(tmp_path: Path) -> None:
    frame = messy(4, share=0.0).drop(columns="plan")
    frame["zone"] = np.arange(len(frame)) % 3 + 1
    for ending in ("csv", "parquet"):
        data = stored(frame, tmp_path, ending)
        model = fit(data, "--categorical", "encode", "--as-text", "zone")
        names = model.feature_names_in_.tolist()
        assert names == ["age", "visits", "zone=1", "zone=2", "zone=3"]
    assert "'zone'" in refusal("fit", data, *ROLES, "--as-text", "zone", "--out", tmp_path / "m")


def test_too_many_categories_are_a_column_to_leave_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(categories, "MOST_CATEGORIES", 2)
    data = stored(messy(share=0.0), tmp_path)
    message = refusal("fit", data, *ROLES, "--categorical", "encode", "--out", tmp_path / "m")
    assert "column 'plan' has more than 2 categories" in message
    assert "--exclude plan" in message


def test_features_of_the_same_name_are_refused(tmp_path: Path) -> None:
    data = stored(messy(share=0.0).rename(columns={"visits": "plan=free"}), tmp_path)
    message = refusal("fit", data, *ROLES, "--categorical", "encode", "--out", tmp_path / "m")
    assert "two features are called 'plan=free'" in message


def test_columns_without_any_value_count_for_nothing(tmp_path: Path) -> None:
    data = stored(messy(share=0.0).assign(age=None), tmp_path)
    options = (*ROLES, "--exclude", "plan", "--out", tmp_path / "m", "--missing")
    ran = succeed("fit", data, *options, "mean")
    assert "'age' has no value in any row: it counts as none" in ran.err
    assert "240 of 240 lack a value" in refusal("fit", data, *options, "drop")


def scored(model: Path, data: Path, *options: str) -> pd.DataFrame:
    out = data.parent / "scored.csv"
    succeed("predict", model, data, "--out", out, *options)
    return pd.read_csv(out)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_new_rows_are_treated_like_those_that_were_fitted(ending: str, tmp_path: Path) -> None:
    frame, new = messy(5), messy(6)
    model = fit(stored(frame, tmp_path), "--categorical", "encode", "--missing", "mean")
    new.loc[[5, 50], "plan"] = "never heard of"
    new.loc[[7, 70], "shop"] = "nowhere"
    data = stored(new, tmp_path, ending, "new")
    found = scored(tmp_path / "m.kinspan", data, "--unseen", "shared")
    rows = one_hot(new, sorted(PLANS))
    assert (rows.loc[[5, 50], rows.columns.str.startswith("plan=")] == 0).all(axis=None)
    features, task = one_hot(frame, sorted(PLANS)), frame["shop"].to_numpy()
    naive = NaiveFilling.of(features.to_numpy(), task, y=frame["sold"])
    rows[:] = naive.rows(rows.to_numpy(), new["shop"].to_numpy())
    model.unseen = "shared"
    expected = model.predict_proba(rows, task=new["shop"].to_numpy())
    np.testing.assert_allclose(found[["p_no", "p_yes"]].to_numpy(), expected, rtol=1e-9)


def test_unknown_categories_and_filled_values_are_said(tmp_path: Path) -> None:
    fit(stored(messy(5), tmp_path), "--categorical", "encode", "--missing", "mean")
    new = messy(6)
    new.loc[[5, 50], "plan"] = "never heard of"
    cells = new.drop(columns=["shop", "sold"], errors="ignore")
    n_missing = int(cells.isna().to_numpy().sum())  # of the table, not of its features
    data = stored(new, tmp_path, "csv", "new")
    ran = succeed("predict", tmp_path / "m.kinspan", data, "--out", tmp_path / "s.csv")
    assert "unknown category of 'plan' in 2 rows" in ran.err
    assert f"{n_missing} missing values filled in" in ran.err


def test_rows_with_missing_values_stay_in_place_without_an_answer(tmp_path: Path) -> None:
    fit(stored(messy(5), tmp_path), "--categorical", "encode", "--missing", "drop")
    new = messy(6)
    data = stored(new, tmp_path, "csv", "new")
    ran = succeed("predict", tmp_path / "m.kinspan", data, "--out", tmp_path / "s.csv")
    found = pd.read_csv(tmp_path / "s.csv")
    whole = new.notna().all(axis=1)
    assert found["predicted"].notna().tolist() == whole.tolist()
    assert found["p_yes"].notna().tolist() == whole.tolist()
    assert f"{int((~whole).sum())} rows without an answer" in ran.err


def test_missing_values_are_refused_later_if_they_were_before(tmp_path: Path) -> None:
    fit(stored(messy(5, share=0.0), tmp_path), "--exclude", "plan")
    new = messy(6, share=0.0)
    new.loc[9, "age"] = None
    data = stored(new, tmp_path, "csv", "new")
    message = refusal("predict", tmp_path / "m.kinspan", data, "--out", tmp_path / "s.csv")
    assert "column 'age' is missing in row 10 " in message
    assert not (tmp_path / "s.csv").exists()


def test_infinity_is_refused_by_name(tmp_path: Path) -> None:
    frame = messy(share=0.0).drop(columns="plan")
    frame.loc[11, "visits"] = np.inf
    for policy in ("error", "mean", "drop"):
        options = ("--missing", policy, "--out", tmp_path / "m")
        message = refusal("fit", stored(frame, tmp_path), *ROLES, *options)
        assert "column 'visits' is inf in row 12 " in message
