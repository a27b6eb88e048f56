"""Gaussian rows on the device, with classes and tasks that differ, made block by block."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch

_BLOCK_ROWS = 1 << 20


class World(NamedTuple):
    """Rows, labels and tasks on the device."""

    X: Any
    y: Any
    task: Any

    @property
    def n_bytes(self) -> int:
        """Of X."""
        return int(self.X.numel() * self.X.element_size())


def world(
    n_rows: int,
    n_features: int,
    n_tasks: int = 20,
    n_classes: int = 2,
    kind: Any = torch.float32,
    offset: float = 0.0,
    seed: int = 0,
) -> World:
    """New rows; the same seed gives the same rows."""
    random = torch.Generator("cuda").manual_seed(seed)
    y = torch.randint(n_classes, (n_rows,), device="cuda", generator=random)
    task = torch.randint(n_tasks, (n_rows,), device="cuda", generator=random)
    X = torch.empty((n_rows, n_features), dtype=kind, device="cuda")
    for start in range(0, n_rows, _BLOCK_ROWS):
        rows = slice(start, min(start + _BLOCK_ROWS, n_rows))
        shape = (rows.stop - rows.start, n_features)
        block = torch.randn(shape, device="cuda", generator=random) + offset
        block[:, 0] += 2.0 * y[rows]
        block[:, 1] += 0.1 * task[rows] * y[rows]
        X[rows] = block.to(kind)
    return World(X, y, task)


def random_multipliers(n_features: int) -> Any:
    """Constants of the hash of rows; any would do."""
    words = np.random.default_rng(0).integers(0, 2**30, n_features, dtype=np.uint32) * 4 + 2
    return torch.from_numpy(words.view(np.int32)).cuda()
