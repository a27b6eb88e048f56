"""The README and the tour do what they say."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def blocks(language: str, page: str = "README.md") -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def test_the_code_runs_and_prints_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        for block in blocks("python"):
            exec(compile(block, "README.md", "exec"), names)
    assert shown.getvalue() == blocks("text")[0]


def test_the_tour_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks("python", "docs/tour.md"):
        exec(compile(block, "docs/tour.md", "exec"), names)
    assert names.keys() >= {"clf", "search", "stream", "both"}  # every part has been there


def test_the_readme_is_read_in_a_minute() -> None:
    """One example, one table of results, and links; the rest has pages of its own."""
    (example,) = blocks("python")
    assert len([line for line in example.splitlines() if line.strip()]) <= 12
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.split()) < 1200


def test_ci_runs_what_the_contributor_section_says() -> None:
    ran = [
        line
        for line in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
        if line.startswith("make")
    ]
    assert blocks("sh")[-1].split("\n")[:-1] == ran


def test_every_file_that_is_linked_is_there() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", text):
        assert (ROOT / target).exists(), target
