"""`kinspan evaluate` on the rows of the fit says that they are those."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from tests.cli.running import succeed
from tests.cli.test_questions import DIGITS, frame


def test_rows_that_were_fitted_are_no_test_rows(tmp_path: Path) -> None:
    half = np.arange(len(DIGITS.y)) % 2 == 0
    for name, rows in (("known", half), ("new", ~half)):
        table = frame(DIGITS.X[rows], DIGITS.y[rows], DIGITS.task[rows])
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    options = ("--task", "pair", "--label", "digit", "--out", tmp_path / "m")
    succeed("fit", tmp_path / "known.csv", *options)
    n = int(half.sum())
    said = f"the table has {n} of {n} rows that the model keeps: it was fitted on them"
    assert said in succeed("evaluate", tmp_path / "m", tmp_path / "known.csv").err
    assert (
        "that the model keeps" not in succeed("evaluate", tmp_path / "m", tmp_path / "new.csv").err
    )
    some = pd.read_csv(tmp_path / "known.csv").query("pair == '3 vs 8'")
    some.to_csv(tmp_path / "some.csv", index=False)
    assert "5 of 5 rows" in succeed("evaluate", tmp_path / "m", tmp_path / "some.csv").err
    succeed("fit", tmp_path / "known.csv", *options, "--random-state", 7)
    assert succeed("evaluate", tmp_path / "m", tmp_path / "known.csv").err == ""


def test_rows_of_few_different_values_may_be_new(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for name in ("known", "new"):
        X = rng.integers(0, 2, size=(400, 4))
        y = np.where(X[:, 0] + rng.normal(size=400) > 0.5, "b", "a")
        pair = rng.choice(["s", "t", "u"], 400)
        table = pd.DataFrame(X, columns=list("efgh")).assign(digit=y, pair=pair)
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    options = ("--task", "pair", "--label", "digit", "--out", tmp_path / "m")
    succeed("fit", tmp_path / "known.csv", *options)
    assert succeed("evaluate", tmp_path / "m", tmp_path / "new.csv").err == ""
