"""Tables of sites with other columns are one table in which these are missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import kinspan
from tests.cli.running import refusal, succeed
from tests.cli.test_recipe import ROLES, messy, stored

OPTIONS = ("--categorical", "encode", "--missing", "mean")


def sites(folder: Path) -> tuple[list[Path], Path]:
    """Shops without a plan, without an age, and with points; and all in one table."""
    frame = messy(0, share=0.02)
    frame["points"] = np.random.default_rng(1).normal(size=len(frame)).round(6)
    lacking = {"shop 0": ["points"], "shop 1": ["plan", "points"], "shop 2": ["age"], "shop 3": []}
    whole, paths = frame.copy(), []
    for shop, columns in lacking.items():
        rows = frame["shop"] == shop
        whole.loc[rows, columns] = None
        own = frame[rows].drop(columns=columns)
        paths.append(stored(own, folder, name=f"site {shop[-1]}"))
    return paths, stored(whole, folder, name="whole")


def scored(model: Path, data: Path) -> pd.DataFrame:
    out = model.parent / "scored.csv"
    succeed("predict", model, data, "--out", out)
    return pd.read_csv(out)


def test_a_fit_of_sites_is_that_of_all_rows(tmp_path: Path) -> None:
    paths, whole = sites(tmp_path)
    apart, joined = tmp_path / "apart", tmp_path / "joined"
    ran = succeed("fit", *paths, *ROLES, *OPTIONS, "--out", apart)
    assert "site 1.csv lacks 'plan', 'points': missing in all its rows" in ran.err
    assert "site 3.csv lacks" not in ran.err
    succeed("fit", whole, *ROLES, *OPTIONS, "--out", joined)
    first, second = kinspan.load(apart), kinspan.load(joined)
    order = [first.feature_names_in_.tolist().index(n) for n in second.feature_names_in_]
    np.testing.assert_allclose(first.coef_[:, :, order], second.coef_, rtol=1e-8, atol=1e-10)
    for path in paths:
        found, table = scored(apart, path), pd.read_csv(whole)
        expected = table[table["shop"] == found["shop"][0]]
        assert found["predicted"].tolist() == second.predict(expected).tolist()


def test_what_a_table_lacks_is_said_with_the_column_that_may_be_meant(tmp_path: Path) -> None:
    paths, _ = sites(tmp_path)
    model, other = tmp_path / "m", tmp_path / "other.csv"
    succeed("fit", *paths, *ROLES, *OPTIONS, "--out", model)
    pd.read_csv(paths[3]).rename(columns={"age": "Age "}).to_csv(other, index=False)
    said = f"{other} lacks 'age': missing in all its rows; it has 'Age ': is that 'age'?"
    assert said in succeed("predict", model, other, "--out", tmp_path / "scored.csv").err
    assert said in succeed("evaluate", model, other).err
    sums = tmp_path / "all.sums", tmp_path / "other.sums"
    succeed("moments", paths[3], *ROLES, *OPTIONS, "--out", sums[0])
    like = ("--like", sums[0], "--missing", "mean", "--out", sums[1])
    assert said in succeed("moments", other, *like).err
    plain = succeed("evaluate", model, paths[2]).err
    assert "site 2.csv lacks 'age': missing in all its rows\n" in plain


def test_a_frame_may_lack_what_a_task_lacks(tmp_path: Path) -> None:
    paths, whole = sites(tmp_path)
    succeed("fit", *paths, *ROLES, *OPTIONS, "--out", tmp_path / "m")
    model: Any = kinspan.load(tmp_path / "m")
    for path in paths:
        frame = pd.read_csv(path)
        expected = scored(tmp_path / "m", path)[["p_no", "p_yes"]].to_numpy()
        np.testing.assert_allclose(model.predict_proba(frame), expected, rtol=1e-12)
    frame = pd.read_csv(whole)
    same = model.predict_proba(frame.assign(points=np.nan, plan=None, age=np.nan))
    without = frame.drop(columns=["points", "plan", "age"])
    np.testing.assert_array_equal(model.predict_proba(without), same)
    with pytest.raises(ValueError, match="'visits' is not a column"):
        model.predict(frame.drop(columns="visits"))


def test_other_columns_are_refused_where_missing_values_are(tmp_path: Path) -> None:
    paths, _ = sites(tmp_path)
    whole = [stored(pd.read_csv(p).dropna(), tmp_path, name=p.stem) for p in paths]
    out, encode = ("--out", tmp_path / "m"), OPTIONS[:2]
    assert "columns 'plan' are missing" in refusal("fit", *whole[:2], *ROLES, *encode, *out)
    assert "'age' is not a column" in refusal("fit", whole[0], whole[2], *ROLES, *encode, *out)


def test_names_and_patterns_may_be_those_of_some_sites(tmp_path: Path) -> None:
    paths, _ = sites(tmp_path)
    options = ("--features", "visits,po*", "--missing", "mean", "--out", tmp_path / "m")
    succeed("fit", *paths[2:], *ROLES, *options)
    assert kinspan.load(tmp_path / "m").feature_names_in_.tolist() == ["visits", "points"]
    assert "--features po*: no such column" in refusal("fit", paths[0], *ROLES, *options)
