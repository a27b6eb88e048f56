"""The release check: what is not found keeps its row, and is a failure."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from tests.release import check


def row(version: str, smoke: str, ratio: str = "0.02") -> dict[str, str]:
    return {"python": version, "smoke": smoke, "import_ratio": ratio, "estimator_ratio": "1.1"}


def rows_after(monkeypatch: Any, folder: Path, found: dict[str, dict[str, str]]) -> tuple[Any, Any]:
    """The rows of the file, and the exit code."""
    result = folder / "release.csv"
    with result.open("w", newline="") as file:
        writer = csv.DictWriter(file, row("", ""))
        writer.writeheader()
        writer.writerows(row(version, "before") for version in (*check.PYTHONS[1:], "2.7"))
    monkeypatch.setattr(check, "RESULT", result)
    monkeypatch.setattr(check, "build", lambda _: [Path("a.tar.gz"), Path("a.whl")])
    monkeypatch.setattr(check, "check", lambda version, *_: found.get(version))
    with pytest.raises(SystemExit) as left:
        check.main()
    with result.open(newline="") as file:
        return list(csv.DictReader(file)), left.value.code


def test_what_is_not_found_keeps_its_row(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = {version: row(version, "passed") for version in check.PYTHONS[:2]}
    rows, code = rows_after(monkeypatch, tmp_path, found)
    assert [of["python"] for of in rows] == list(check.PYTHONS)
    assert [of["smoke"] for of in rows] == ["passed"] * 2 + ["before"] * (len(check.PYTHONS) - 2)
    assert code


def test_all_have_to_be_found_and_to_import_fast(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = {version: row(version, "passed") for version in check.PYTHONS}
    assert not rows_after(monkeypatch, tmp_path, found)[1]
    found[check.PYTHONS[0]] = row(check.PYTHONS[0], "passed", "1.3")
    assert rows_after(monkeypatch, tmp_path, found)[1]
