"""Files that a run fills line by line: what an interruption left behind is not taken for a row."""

from __future__ import annotations

import os
from pathlib import Path


def whole_lines(path: Path) -> list[str]:
    """The lines that were written to their end; a half-written last one is removed."""
    if not path.exists():
        return []
    text = path.read_bytes()  # an interruption may have cut a character
    end = text.rfind(b"\n") + 1
    if end < len(text):
        os.truncate(path, end)  # in one step: another interruption loses no line
    return text[:end].decode().splitlines(keepends=True)
