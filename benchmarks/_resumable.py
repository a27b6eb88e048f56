"""Files that a run fills line by line: a line that an interruption cut off is not a row."""

from __future__ import annotations

import os
from pathlib import Path


def whole_lines(path: Path) -> list[str]:
    """The complete lines; a half-written last line is removed from the file."""
    if not path.exists():
        return []
    text = path.read_bytes()  # an interruption may have split a character
    end = text.rfind(b"\n") + 1
    if end < len(text):
        os.truncate(path, end)  # in one step, so that another interruption loses no line
    return text[:end].decode().splitlines(keepends=True)
