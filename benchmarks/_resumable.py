"""Files that a run fills line by line: what an interruption left behind is not taken for a row."""

from __future__ import annotations

from pathlib import Path


def whole_lines(path: Path) -> list[str]:
    """The lines that were written to their end; a half-written last one is removed."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        text = file.read()
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        path.write_text(whole, encoding="utf-8")
    return whole.splitlines(keepends=True)
