"""A category of few rows stays at its site, name and all; its rows are as those of a new one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

import kinspan
from kinspan import Statistics
from tests.cli.running import refusal, succeed

ROLES = ("--task", "shop", "--label", "sold", "--categorical", "encode")
JANE = "Jane Roe, HIV"


def table(n: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "shop": rng.choice(["a", "b"], n),
            "sold": rng.choice(["no", "yes"], n),
            "age": rng.normal(size=n),
            "plan": rng.choice(["free", "team"], n),
        }
    )
    frame.loc[:3, "plan"] = "four of us"
    frame.loc[4, "plan"] = JANE
    return frame


def left(frame: pd.DataFrame, folder: Path, *options: object) -> tuple[Statistics, str]:
    """The moments that leave, and the output about them."""
    frame.to_csv(folder / "rows.csv", index=False)
    out = folder / "out.moments"
    ran = succeed("moments", folder / "rows.csv", *ROLES, *options, "--out", out)
    assert JANE.encode() not in out.read_bytes()
    assert JANE not in ran.out + ran.err
    found = kinspan.load(out)
    assert isinstance(found, Statistics)
    return found, ran.err


def test_they_are_withheld_and_count_as_none(tmp_path: Path) -> None:
    frame = table()
    found, said = left(frame, tmp_path, "--reservoir", 1000)
    assert found.feature_names == ("age", "plan=free", "plan=team")
    assert "withheld: 2 rare values of 'plan', of fewer than 5 rows each" in said
    hot = {f"plan={name}": frame["plan"] == name for name in ("free", "team")}
    X = pd.DataFrame({"age": frame["age"], **hot}).astype(float)
    expected = Statistics.from_samples(X, frame["sold"], frame["shop"], row_sample=1000)
    for name in ("counts", "means", "squares"):
        ours, theirs = (getattr(part.moments, name) for part in (found, expected))
        np.testing.assert_allclose(ours, theirs, rtol=1e-9)
    assert found.sample is not None
    assert expected.sample is not None
    ours, theirs = (np.unique(sample.rows, axis=0) for sample in (found.sample, expected.sample))
    np.testing.assert_array_equal(ours, theirs)
    new = tmp_path / "rows.csv", tmp_path / "scored.csv"
    succeed("fit", "--moments", tmp_path / "out.moments", "--out", tmp_path / "m")
    ran = succeed("predict", tmp_path / "m", new[0], "--out", new[1])
    assert "unknown category of 'plan' in 5 rows: it counts as none" in ran.err


def test_rows_that_do_not_leave_do_not_count(tmp_path: Path) -> None:
    """Five rows of which four are dropped, or are of a cell that is withheld, are one."""
    frame = table()
    frame.loc[4:8, "plan"] = JANE
    dropped = frame.copy()
    dropped.loc[5:8, "age"] = np.nan
    left(dropped, tmp_path, "--missing", "drop")
    small = frame.copy()
    small.loc[5:8, ["shop", "sold"]] = "small", "no"
    assert "withheld: 1 cell" in left(small, tmp_path)[1]


def test_enough_rows_are_named(tmp_path: Path) -> None:
    frame = table().replace({"plan": {JANE: "four of us"}})
    found, said = left(frame, tmp_path)
    assert found.feature_names == ("age", "plan=four of us", "plan=free", "plan=team")
    assert said == ""


def test_a_column_of_rare_values_is_left_out(tmp_path: Path) -> None:
    frame = table().assign(name=[f"person {i % 100}" for i in range(200)])
    found, said = left(frame, tmp_path)
    assert found.feature_names == ("age", "plan=free", "plan=team")
    assert "100 rare values of 'name', of fewer than 5 rows each; the column is left out" in said
    only = frame[["shop", "sold", "name"]]
    only.to_csv(tmp_path / "rows.csv", index=False)
    message = refusal("moments", tmp_path / "rows.csv", *ROLES, "--out", tmp_path / "x")
    assert "no column is left as a feature" in message
