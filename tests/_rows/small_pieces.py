"""The compiled pass cut so small that few rows have many pieces, and cells of different sizes."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

from kinspan._rows import machine_code

N_CELLS = 12
EMPTY, ONE_ROW = 7, 4


def cut_small(way: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module, which adds up whole spans or one cell after the other."""
    module = import_module("kinspan._rows.compiled_sums")
    sizes = {"_BLOCK_BYTES": 2000, "_SPAN_BYTES": 9000, "_COPY_BYTES": 3000}
    for name, size in {**sizes, "_SORTED_COPY_BYTES": 3000}.items():
        monkeypatch.setattr(module, name, size)
    monkeypatch.setattr(module, "_CACHED_BYTES", 1 << 20 if way == "span" else 0)
    monkeypatch.setattr(machine_code, "MANY_NUMBERS", 0)
    return module


def cells_of_different_sizes(rng: np.random.Generator, n: int) -> Any:
    """(n,): one cell is empty and one has a single row."""
    sizes = np.where(np.arange(N_CELLS) % 3 == 0, 5.0, 1.0)
    sizes[[EMPTY, ONE_ROW]] = 0.0
    cells = rng.choice(N_CELLS, n, p=sizes / sizes.sum())
    cells[n // 3] = ONE_ROW
    return cells
