"""A column that is empty at first is what its later values are, in a file and among files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import kinspan
from tests.cli.running import refusal, succeed
from tests.cli.test_reading import ROLES, world
from tests.engines.stored_worlds import assert_same_model

OPTIONS = ("--categorical", "encode", "--missing", "mean")
VALUES: dict[str, list[str]] = {
    "text": ["rot", "blau", "rot"],
    "date": ["2021-05-01", "2020-12-31 12:00", "NA"],
    "number": ["1.5", "-2", "NA"],
    "truth": ["true", "false", "true"],
}


def empty_at_first(kind: str, n: int) -> pd.DataFrame:
    """All values are in the second half."""
    frame, half = world(n), n // 2
    frame["late"] = [*[""] * half, *(VALUES[kind] * half)[: n - half]]
    return frame


def learnt(folder: Path, *files: Path) -> Any:
    succeed("fit", *files, *ROLES, *OPTIONS, "--out", folder / "m")
    return kinspan.load(folder / "m")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("kind", VALUES)
def test_the_order_of_files_does_not_matter(kind: str, ending: str, tmp_path: Path) -> None:
    frame, files = empty_at_first(kind, 300), [tmp_path / f"{i}.{ending}" for i in range(2)]
    for part, path in zip((frame[:150], frame[150:]), files, strict=True):
        if ending == "csv":
            part.to_csv(path, index=False)
        else:
            there = part["late"].where(~part["late"].isin(["", "NA"]), None)
            part.assign(late=there).to_parquet(path)
    forth, back = learnt(tmp_path, *files), learnt(tmp_path, *files[::-1])
    assert forth.feature_names_in_.tolist() == back.feature_names_in_.tolist()
    assert_same_model(forth, back)
    of_text = kind == "text" or ending == "parquet"
    late = (
        sorted({f"late={value}" for value in VALUES[kind]} - {"late=NA"}) if of_text else ["late"]
    )
    assert forth.feature_names_in_.tolist() == ["größe", "menge", *late]


@pytest.mark.parametrize("kind", VALUES)
def test_values_far_down_decide(kind: str, tmp_path: Path) -> None:
    frame = empty_at_first(kind, 120_000)
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame[::-1].to_csv(tmp_path / "b.csv", index=False)
    found, expected = (learnt(tmp_path, tmp_path / name) for name in ("a.csv", "b.csv"))
    if kind == "truth":  # text, of which one feature says as much as two
        assert found.feature_names_in_.tolist()[2:] == ["late=false", "late=true"]
    else:
        assert_same_model(found, expected)
    table = frame[59_990:60_010].assign(ja=0)
    table.to_csv(tmp_path / "new.csv", index=False)
    succeed("predict", tmp_path / "m", tmp_path / "new.csv", "--out", tmp_path / "s.csv")
    shares = pd.read_csv(tmp_path / "s.csv")[["p_0", "p_1"]]
    np.testing.assert_allclose(expected.predict_proba(table), shares, rtol=1e-9)


def test_holes_are_refused_all_the_same(tmp_path: Path) -> None:
    empty_at_first("text", 300).to_csv(tmp_path / "a.csv", index=False)
    message = refusal("fit", tmp_path / "a.csv", *ROLES, "--categorical", "encode")
    assert "column 'late' is missing in row 1" in message
