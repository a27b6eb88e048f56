"""Empty label cells: rows to learn from without a label, and nothing to compare with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import kinspan
from kinspan import MultiTaskSPCA
from kinspan.cli.stored import read_statistics
from tests.cli.running import kinspan as run
from tests.cli.running import refusal, succeed

ROLES = ("--task", "shop", "--label", "sold")
FEATURES = [f"x{j}" for j in range(6)]


def table(seed: int = 0, n: int = 480, share: float = 0.8) -> pd.DataFrame:
    """Four shops, most rows of which have no label."""
    rng = np.random.default_rng(seed)
    sold, shop = rng.integers(0, 2, n), np.arange(n) % 4
    X = rng.normal(size=(n, 6)) + np.where(sold, 0.8, -0.8)[:, None]
    frame = pd.DataFrame(X.round(6), columns=FEATURES)
    frame["shop"], frame["sold"] = shop, np.where(sold, "yes", "no")
    frame["truth"] = frame["sold"]
    frame.loc[rng.random(n) < share, "sold"] = None
    return frame


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    table().drop(columns="truth").to_csv(tmp_path / "a.csv", index=False)
    return tmp_path


def test_empty_cells_are_rows_without_labels(stored: Path) -> None:
    ran = succeed("fit", stored / "a.csv", *ROLES, "--out", stored / "m")
    frame = table()
    n_free = int(frame["sold"].isna().sum())
    assert f"4 of 4 tasks use their rows without labels, {n_free} in all.\n" in ran.out
    assert f"{len(frame) - n_free} rows, 6 features" in ran.out
    expected = MultiTaskSPCA().fit(frame[FEATURES], frame["sold"], task=frame["shop"])
    found = kinspan.load(stored / "m")
    np.testing.assert_allclose(found.coef_, expected.coef_, atol=1e-8)
    weight = found.unlabelled_weight_
    assert weight.min() > 0.1
    np.testing.assert_allclose(weight, expected.unlabelled_weight_, atol=1e-8)
    found = succeed("fit", stored / "a.csv", *ROLES, "--out", stored / "m", "--json").json
    assert found["rows_without_labels"] == n_free
    shown = sorted(of["unlabelled_weight"] for of in found["tasks"])
    np.testing.assert_allclose(shown, sorted(weight), atol=1e-3)


def test_a_table_without_empty_labels_says_nothing_of_them(tmp_path: Path) -> None:
    table(share=0.0).drop(columns="truth").to_csv(tmp_path / "a.csv", index=False)
    ran = succeed("fit", tmp_path / "a.csv", *ROLES, "--out", tmp_path / "m")
    assert "without labels" not in ran.out + ran.err


@pytest.mark.parametrize("value", ["-1", "unknown"])
def test_another_cell_can_stand_for_no_label(value: str, stored: Path) -> None:
    expected = succeed("fit", stored / "a.csv", *ROLES, "--out", stored / "m", "--json").json
    frame = table().drop(columns="truth").fillna({"sold": value})
    if value == "-1":
        frame["sold"] = frame["sold"].map({"no": 0, "yes": 1, "-1": -1})
    frame.to_csv(stored / "b.csv", index=False)
    options = ("--unlabelled", value, "--out", stored / "n")
    found = succeed("fit", stored / "b.csv", *ROLES, *options, "--json").json
    assert found["rows_without_labels"] == expected["rows_without_labels"]
    assert len(found["classes"]) == 2
    errors = [[of["forecast_error"] for of in part["tasks"]] for part in (found, expected)]
    np.testing.assert_allclose(errors[0], errors[1], atol=1e-9)
    ran = run("evaluate", stored / "n", stored / "b.csv")  # the model remembers
    assert "rows not scored: they have no label" in ran.err


def test_only_labelled_rows_are_scored_and_judged(stored: Path) -> None:
    succeed("fit", stored / "a.csv", *ROLES, "--out", stored / "m")
    frame, new = table().drop(columns="truth"), table(1)
    new["sold"] = new["truth"].where(new["sold"].isna())
    new.drop(columns="truth").to_csv(stored / "new.csv", index=False)
    new.drop(columns="truth").dropna().to_csv(stored / "labelled.csv", index=False)
    both = [
        succeed("evaluate", stored / "m", stored / name) for name in ("new.csv", "labelled.csv")
    ]
    n_free = int(new["sold"].isna().sum())
    assert both[0].err == f"kinspan: {n_free} of 480 rows not scored: they have no label\n"
    assert both[0].out == both[1].out
    judged: Any = succeed("audit", stored / "m", stored / "a.csv", "--json").json
    assert judged["labels"] == int(frame["sold"].notna().sum())
    assert all(frame["sold"].iloc[of["row"] - 1] == of["given_label"] for of in judged["issues"])
    assert judged["notes"] == [
        f"{int(frame['sold'].isna().sum())} of 480 rows not judged: they have no label"
    ]


def test_a_file_without_any_label_cannot_be_scored_or_fitted(stored: Path) -> None:
    succeed("fit", stored / "a.csv", *ROLES, "--out", stored / "m")
    table().drop(columns="truth").assign(sold=None).to_csv(stored / "b.csv", index=False)
    assert "no row has a label" in refusal("evaluate", stored / "m", stored / "b.csv")
    assert "class" in refusal("fit", stored / "b.csv", *ROLES, "--out", stored / "n")


def test_labels_may_begin_in_any_row(stored: Path) -> None:
    frame = table().drop(columns="truth").sort_values("sold", na_position="first")
    frame.to_csv(stored / "b.csv", index=False)
    both = [
        succeed("fit", stored / name, *ROLES, "--out", stored / "m", "--json").json["tasks"]
        for name in ("a.csv", "b.csv")
    ]
    for first, second in zip(*both, strict=True):
        assert first["labels"] == second["labels"]
        assert first["forecast_error"] == pytest.approx(second["forecast_error"])


def test_sites_say_how_many_rows_without_labels_leave(stored: Path) -> None:
    n_free = int(table()["sold"].isna().sum())
    moments = ("moments", stored / "a.csv", *ROLES, "--out", stored / "a.moments")
    ran = succeed(*moments)
    assert f"Also the same of {n_free} rows without labels, by task\n" in ran.out
    assert "no rows\n" in ran.out
    found = succeed(*moments, "--json").json
    assert (found["rows_without_labels"], found["rows_that_leave"]) == (n_free, 0)
    with_rows = succeed(*moments, "--reservoir", "5", "--json").json
    kept = rows_in(stored / "a.moments")
    assert with_rows["rows_that_leave"] == kept > 40  # rows without labels among them
    fitted = succeed("fit", "--moments", stored / "a.moments", "--out", stored / "m", "--json").json
    assert fitted["rows_without_labels"] == n_free


def rows_in(path: Path) -> int:
    """Rows in a file of moments, with and without labels."""
    whole = read_statistics(str(path)).value
    parts = [whole, whole.unlabelled]
    return sum(len(part.sample.rows) for part in parts if part is not None and part.sample)


def test_rare_categories_and_rows_of_other_sites(stored: Path) -> None:
    """Rows without labels lose withheld categories too, and their rows where others keep none."""
    frame = table().drop(columns="truth").assign(plan="usual")
    frame.loc[:1, "plan"] = "rare"
    frame.to_csv(stored / "b.csv", index=False)
    options = ("--categorical", "encode", "--reservoir", "5", "--out", stored / "b.moments")
    succeed("moments", stored / "b.csv", *ROLES, *options)
    whole = read_statistics(str(stored / "b.moments")).value
    assert whole.unlabelled is not None
    assert whole.unlabelled.moments.n_features == whole.moments.n_features == 7
    succeed("moments", stored / "a.csv", *ROLES, "--out", stored / "a.moments")
    succeed("merge", stored / "a.moments", stored / "b.moments", "--out", stored / "all.moments")
    assert rows_in(stored / "all.moments") == 0
    succeed("fit", "--moments", stored / "all.moments", "--out", stored / "m")
