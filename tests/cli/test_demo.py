"""The demo: a table per task and one picture."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinspan import __main__
from kinspan.cli import demonstration


def test_demo_prints_every_task_and_draws(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demonstration, "DRAWS", 1)
    __main__.main(["demo", "--out", str(tmp_path / "demo.png")])
    shown = capsys.readouterr().out
    assert "3 vs 8" in shown
    assert "similarity +0.90" in shown
    assert shown.count("\n") > 45 + len(demonstration.SIMILARITIES)
    assert (tmp_path / "demo.png").stat().st_size > 10_000


def test_without_matplotlib_the_demo_prints_and_says_what_the_picture_needs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demonstration, "DRAWS", 1)
    monkeypatch.setattr(demonstration, "find_spec", lambda _: None)
    demonstration.run(tmp_path / "demo.png")
    assert capsys.readouterr().out.endswith("run pip install 'kinspan[plot]'\n")
    assert not (tmp_path / "demo.png").exists()


@pytest.mark.long
def test_digit_errors_of_the_table_are_those_of_the_prototypes() -> None:
    """Without covariance in the metric a prototype had 5.8 % alone, 33 % naive, 4.0 % spectral."""
    table = demonstration.digit_table()
    assert len(table.tasks) == 45
    assert 0.01 < table.actual.mean() < table.alone.mean() < 0.05
    assert 0.25 < table.naive.mean() < 0.4
    assert (table.labels == 10).all()


def test_unknown_verbs_say_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        __main__.main(["nonsense"])
    assert "demo" in capsys.readouterr().err
