"""Small tables with something wrong in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinspan.engines import files

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.parquet")

GOOD: dict[str, Any] = {
    "a": np.arange(20.0),
    "b": np.arange(20.0) % 7,
    "t": ["u", "v"] * 10,
    "y": [0, 0, 1, 1] * 5,
}
NAMED: dict[str, Any] = {"task": "t", "label": "y"}


def parquet(path: Path, **changed: Any) -> None:
    columns = {name: value for name, value in {**GOOD, **changed}.items() if value is not None}
    pa.parquet.write_table(pa.table(columns), path)


def good_and(folder: Path, name: str = "b.parquet", **changed: Any) -> None:
    parquet(folder / "a.parquet")
    parquet(folder / name, **changed)


def skipping(paths: Any, **options: Any) -> files.FilesRead:
    with pytest.warns(files.SkippedFilesWarning, match="skipped"):
        return files.statistics(paths, on_error="skip", **options)


def tasks(read: files.FilesRead) -> list[Any]:
    found: list[Any] = read.statistics.moments.tasks.tolist()
    return found
