"""`kinspan report`: a page on disk, or one line that says why not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import kinspan
from kinspan import MultiTaskSPCA
from tests.cli.running import kinspan as program

pytest.importorskip("plotly", reason="plotly is not installed")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    y, task = rng.integers(0, 2, 200), rng.integers(0, 4, 200)
    clf = MultiTaskSPCA().fit(rng.normal(size=(200, 5)) + y[:, None], y, task=task)
    kinspan.save(clf, tmp_path / "m.kinspan")
    return tmp_path / "m.kinspan"


def test_the_page_is_written(model: Path) -> None:
    out = model.parent / "report.html"
    done = program("report", str(model), "--out", str(out), "--title", "Four shops")
    assert done.code == 0
    assert "4 tasks" in done.out
    page = out.read_text(encoding="utf-8")
    assert "<title>Four shops" in page


def test_what_cannot_be_written_is_said_in_a_line(model: Path) -> None:
    for out in ("-", str(model.parent), str(model.parent / "none" / "report.html")):
        done = program("report", str(model), "--out", out)
        assert done.code == 2
        assert done.err.startswith("kinspan: error: ")
        assert done.err.count("\n") == 1
