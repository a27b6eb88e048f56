"""`kinspan fit` and `kinspan moments` go on where they were interrupted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import WORLD, refusal, succeed, written

passes = pytest.importorskip("kinspan.tables.passes")

ROLES = ("--task", "clinic", "--label", "ill", "--exclude", "note")


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Four files; in the first a value is missing."""
    folder = tmp_path / "rows"
    folder.mkdir()
    for i in range(4):
        written(WORLD.table(slice(125 * i, 125 * i + 125)), folder / f"{i}.csv")
    head, first, *others = (folder / "0.csv").read_text(encoding="utf-8").splitlines()
    gap = ",".join(["", *first.split(",")[1:]])
    (folder / "0.csv").write_text("\n".join([head, gap, *others]) + "\n", encoding="utf-8")
    return folder


def interrupt(*arguments: Any) -> None:
    """Something happens in the third file."""
    read = passes.encode_chunk

    def encode(chunk: Any, *arguments: Any) -> Any:
        if chunk.path.stem == "2":
            raise MemoryError
        return read(chunk, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passes, "encode_chunk", encode)
        refusal(*arguments)


@pytest.mark.parametrize(
    ("verb", "missing"), [("fit", "drop"), ("fit", "mean"), ("moments", "drop")]
)
def test_the_rest_is_read_and_nothing_twice(
    verb: str, missing: str, rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = (*ROLES, "--missing", missing)
    begun, out = tmp_path / "begun", tmp_path / "out"
    calm = succeed(verb, rows, *options, "--out", out)
    expected = out.read_bytes()
    out.unlink()
    kept = (verb, rows, *options, "--checkpoint", begun, "--out", out)
    interrupt(*kept)
    assert begun.exists()
    assert not out.exists()
    (rows / "3.csv").touch()  # it was not read yet
    read, seen = passes.encode_chunk, list[str]()

    def encode(chunk: Any, *arguments: Any) -> Any:
        seen.append(chunk.path.stem)
        return read(chunk, *arguments)

    monkeypatch.setattr(passes, "encode_chunk", encode)
    assert succeed(*kept) == calm  # with the notes on what was dropped or filled in
    assert out.read_bytes() == expected
    assert seen == ["2", "3"]
    assert not begun.exists()


def test_other_options_files_and_contents_are_refused_by_name(rows: Path, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    rest = ("--checkpoint", begun, "--out", tmp_path / "out")
    interrupt("fit", rows, *ROLES, "--missing", "drop", *rest)
    message = refusal("fit", rows, *ROLES, "--missing", "error", *rest)
    assert message.startswith(f"--checkpoint {begun}: it is of a call with --missing drop, not ")
    message = refusal("fit", rows, *ROLES, "--missing", "drop", "--row-sample", 7, *rest)
    assert "--row-sample 100, not 7" in message
    (rows / "0.csv").touch()
    message = refusal("fit", rows, *ROLES, "--missing", "drop", *rest)
    assert f"{rows / '0.csv'} has changed since it was read; name another" in message
    assert begun.exists()


def test_what_cannot_be_read_again_has_no_checkpoint(tmp_path: Path) -> None:
    rest = ("--checkpoint", tmp_path / "begun", "--out", tmp_path / "out")
    assert "--checkpoint needs files" in refusal("fit", "-", *ROLES, *rest, stdin=b"a\n")
    assert "nor columns with it" in refusal("fit", "--moments", "x", *rest)
