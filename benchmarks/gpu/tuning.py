"""The best layout of the kernels: tables of measured layouts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any

import torch

from benchmarks.gpu.timing import Table, device_milliseconds
from benchmarks.gpu.worlds import World, random_multipliers

_SUMS = [
    *product((2048, 4096), (256, 1024), (1, 2), (1, 2, 3)),
    *product((4096, 8192), (512, 1024, 2048), (4,), (1,)),
]
_SCORES = [(2048, 1024, 1, 1), (4096, 1024, 1, 1), (1024, 1024, 1, 1), (2048, 256, 1, 1),
           (4096, 1024, 2, 1), (8192, 1024, 4, 1), (2048, 1024, 1, 2)]  # fmt: skip


def sums(data: World, table: Table) -> None:
    """Every layout, with the hash of rows and without."""
    from kinspan._device.tiles import Layout  # noqa: PLC0415
    from kinspan._device.triton_groups import grouped  # noqa: PLC0415
    from kinspan._device.triton_sums import cell_totals, some_rows  # noqa: PLC0415

    multipliers = random_multipliers(data.X.shape[1])
    for sizes in _SUMS:
        layout = Layout(*sizes)
        groups = grouped(data.task, data.y, 20, 2, layout.chunk_rows)
        reference = some_rows(data.X, groups, torch.float32)
        for name, factors in (("hash, ", multipliers), ("", None)):
            work = partial(cell_totals, data.X, groups, reference, None, factors, layout)
            _add(table, f"kernel, {name}{sizes}", data.X, work)


def scores(data: World, table: Table) -> None:
    """Every layout, with the grouping of rows; one score and five."""
    from kinspan._device.tiles import Layout  # noqa: PLC0415
    from kinspan._device.triton_scores import row_scores  # noqa: PLC0415

    width = data.X.shape[1]
    for n_scores, all_sizes in ((1, _SCORES), (5, _SCORES[:3])):
        coef = torch.randn(21, n_scores, width, device="cuda", dtype=torch.float64)
        for sizes in all_sizes:
            work = partial(row_scores, data.X, data.task, coef, coef[..., 0], Layout(*sizes))
            _add(table, f"{n_scores} scores, {sizes}", data.X, work)


def spans(data: World, table: Table) -> None:
    """Groups within spans of nearby rows, or over all of X."""
    from kinspan._device.triton_groups import grouped  # noqa: PLC0415
    from kinspan._device.triton_sums import cell_totals, some_rows  # noqa: PLC0415

    for span_rows in (2048, 8192, 32768, 10**9):
        groups = grouped(data.task, data.y, 20, 2, 1024, span_rows=span_rows)
        reference = some_rows(data.X, groups, torch.float32)
        work = partial(cell_totals, data.X, groups, reference)
        _add(table, f"kernel, {span_rows} rows of a cell in a span", data.X, work)


def _add(table: Table, name: str, X: Any, work: Callable[[], Any]) -> None:
    """Measure one line; a layout that does not fit must not end the run."""
    try:
        table.add(name, X, device_milliseconds(work, repeat=5))
    except Exception as error:
        print(f"{name}: {type(error).__name__}: {str(error)[:200]}")
