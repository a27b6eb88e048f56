"""Labels of models that Python fitted, which tables do not have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import kinspan
from tests.cli.running import refusal, succeed


@pytest.mark.parametrize(
    "labels", [[("a", 0), ("a", 1)], [1, "no"], [2**63, 2**63 + 1], [("a",), ("b",)]]
)
def test_classes_that_no_column_holds_are_text(labels: list[Any], tmp_path: Path) -> None:
    """Models of Python have labels of any kind."""
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 30)
    frame = pd.DataFrame(rng.normal(size=(60, 2)) + 4 * y[:, None], columns=["a", "b"])
    clf = kinspan.MultiTaskSPCA().fit(frame, [labels[j] for j in y])
    kinspan.save(clf, tmp_path / "m")
    frame.to_csv(tmp_path / "a.csv", index=False)
    for out in (tmp_path / "s.csv", tmp_path / "s.parquet"):
        succeed("predict", tmp_path / "m", tmp_path / "a.csv", "--out", out)
        scored = pd.read_csv(out) if out.suffix == ".csv" else pd.read_parquet(out)
        expected = [str(label) for label in clf.predict(frame)]
        assert scored["predicted"].astype(str).tolist() == expected
        assert list(scored)[-2:] == [f"p_{label}" for label in clf.classes_.tolist()]


def test_classes_of_one_name_are_refused(tmp_path: Path) -> None:
    """One of the columns of probabilities would be lost."""
    frame = pd.DataFrame({"a": np.arange(40.0), "b": np.tile([0.0, 1.0], 20)})
    labels: Any = [1, "1"] * 20
    clf = kinspan.MultiTaskSPCA().fit(frame, labels)
    kinspan.save(clf, tmp_path / "m")
    frame.to_csv(tmp_path / "a.csv", index=False)
    assert "classes 1 and '1' of the model would share a column, p_1" in refusal(
        "predict", tmp_path / "m", tmp_path / "a.csv"
    )


@pytest.mark.parametrize("start", ["=", "@", "\t=", "\n=", "＝", "＋", "－", "＠"])
def test_whatever_a_spreadsheet_may_run_is_marked(start: str, tmp_path: Path) -> None:
    """Line ends and wide signs begin formulas, too, in some of them."""
    labels = [f"{start}1+1", "no"]
    frame = pd.DataFrame({"a": np.arange(40.0) % 7, "b": np.tile([0.0, 1.0], 20)})
    clf = kinspan.MultiTaskSPCA().fit(frame, labels * 20)
    kinspan.save(clf, tmp_path / "m")
    frame.to_csv(tmp_path / "a.csv", index=False)
    succeed("predict", tmp_path / "m", tmp_path / "a.csv", "--out", tmp_path / "s.csv")
    scored = pd.read_csv(tmp_path / "s.csv", dtype=str)
    assert scored["predicted"].tolist() == [f"'{labels[0]}", "no"] * 20
