"""How the work of the kernel is best cut: a table of layouts."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import numpy as np
import torch

from benchmarks.gpu.timing import Table, device_milliseconds
from benchmarks.gpu.worlds import World

_LAYOUTS = [
    *product((1024, 2048, 4096), (128, 256, 512), (1,), (1,)),
    *product((4096, 8192), (512, 1024), (4,), (1,)),
    *product((2048,), (256,), (2,), (1,)),
    *product((2048,), (256,), (1,), (2, 3)),
    *product((8192,), (1024,), (4,), (3,)),
]


def random_multipliers(n_features: int) -> Any:
    """Of the hash, which are as good as any."""
    words = np.random.default_rng(0).integers(0, 2**30, n_features, dtype=np.uint32) * 4 + 2
    return torch.from_numpy(words.view(np.int32)).cuda()


def layouts(data: World, table: Table) -> None:
    """Every layout, with the hash of rows; the fastest also without."""
    from kinspan._device.triton_groups import grouped  # noqa: PLC0415
    from kinspan._device.triton_sums import Layout, cell_totals  # noqa: PLC0415

    groups = grouped(data.task, data.y, 20, 2)
    reference = data.X[groups.some_rows].float()
    multipliers = random_multipliers(data.X.shape[1])
    found = {}
    for sizes in _LAYOUTS:
        layout = Layout(*sizes)
        work = partial(cell_totals, data.X, groups, reference, None, multipliers, layout)
        try:
            found[layout] = device_milliseconds(work, repeat=5)
            table.add(f"kernel, hash, {tuple(layout)}", data.X, found[layout])
        except Exception as error:  # a layout that does not fit must not end the run
            print(f"{layout}: {type(error).__name__}: {str(error)[:200]}")
    best = sorted(found, key=lambda layout: found[layout])[:3]
    for layout in best:
        work = partial(cell_totals, data.X, groups, reference, layout=layout)
        table.add(f"kernel, {tuple(layout)}", data.X, device_milliseconds(work))


def spans(data: World, table: Table) -> None:
    """Groups within spans of nearby rows, or over all of X."""
    from kinspan._device.triton_groups import grouped  # noqa: PLC0415
    from kinspan._device.triton_sums import cell_totals  # noqa: PLC0415

    for group_rows in (256, 1024, 2048, 8192, 10**9):
        groups = grouped(data.task, data.y, 20, 2, group_rows=group_rows)
        reference = data.X[groups.some_rows].float()
        work = partial(cell_totals, data.X, groups, reference)
        table.add(
            f"kernel, {group_rows} rows of a cell in a span", data.X, device_milliseconds(work)
        )
