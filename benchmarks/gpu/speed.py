"""Bandwidths of a copy, of the parts of the pass over rows, of fit and of predict."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch

from benchmarks.gpu.timing import Table, device_milliseconds, wall_milliseconds
from benchmarks.gpu.worlds import World, random_multipliers


def ceilings(data: World, table: Table) -> None:
    """The copy that everything is compared with, and a plain sum."""
    half = data.X[: len(data.X) // 2]
    other = torch.empty_like(half)
    n_bytes = 2.0 * half.numel() * half.element_size()
    table.add(
        "copy, read and written", half, device_milliseconds(lambda: other.copy_(half)), n_bytes
    )
    table.add("X.sum(0)", data.X, device_milliseconds(lambda: data.X.sum(0)))


def parts(data: World, table: Table) -> None:
    """The parts of the pass over rows."""
    from kinspan._arrays.libraries import extremes  # noqa: PLC0415
    from kinspan._device.tiles import SUMS, layout_of  # noqa: PLC0415
    from kinspan._device.triton_groups import grouped  # noqa: PLC0415
    from kinspan._device.triton_sums import cell_totals, some_rows  # noqa: PLC0415

    layout = layout_of(SUMS, data.X.element_size())
    group = partial(grouped, data.task, data.y, 20, 2, layout.chunk_rows)
    groups = group()
    keys = torch.randint(0, 5000, data.y.shape, device="cuda").to(torch.int16)
    ids = wall_milliseconds(lambda: extremes([data.y, data.task]))
    table.add("lowest and highest ids, by the clock", data.X, ids)
    table.add("sorting 16-bit keys", data.X, device_milliseconds(lambda: keys.sort(stable=True)))
    table.add("grouping rows", data.X, device_milliseconds(group))
    precision = torch.float64 if data.X.dtype == torch.float64 else torch.float32
    reference = some_rows(data.X, groups, precision)
    totals = partial(cell_totals, data.X, groups, reference)
    table.add("kernel", data.X, device_milliseconds(totals))
    hashed = partial(totals, None, random_multipliers(data.X.shape[1]))
    table.add("kernel with hashes", data.X, device_milliseconds(hashed))
    table.add("grouping and kernel", data.X, device_milliseconds(lambda: (group(), totals())))


def fits(data: World, table: Table, repeat: int = 25) -> None:
    """Wall-clock time of complete fits, from rows on the device to fitted rules."""
    from kinspan import ClassMoments, MultiTaskSPCA, Statistics  # noqa: PLC0415

    plain, default = MultiTaskSPCA(metric=0, row_sample=0), MultiTaskSPCA()
    add = partial(table.add, X=data.X)
    moments = partial(ClassMoments.from_samples, *data)
    add("ClassMoments.from_samples", milliseconds=wall_milliseconds(moments, repeat))
    both = partial(Statistics.from_samples, *data)
    add("Statistics.from_samples", milliseconds=wall_milliseconds(both, repeat))
    ready, kept = moments(), both()
    from_moments = wall_milliseconds(lambda: plain.fit_moments(ready), repeat)
    add("  (fit_moments of the first, on the CPU)", milliseconds=from_moments)
    default_moments = wall_milliseconds(
        lambda: default.fit_moments(kept.moments, kept.sample), repeat
    )
    add("  (fit_moments of both)", milliseconds=default_moments)
    for what, model in (("(metric=0, row_sample=0)", plain), ("()", default)):
        fit = partial(model.fit, data.X, data.y, task=data.task)
        add(f"MultiTaskSPCA{what}.fit", milliseconds=wall_milliseconds(fit, repeat))


def predictions(data: World, table: Table) -> None:
    """Scores of two classes: the kernel with its grouping, and methods in wall-clock time."""
    from kinspan import MultiTaskSPCA  # noqa: PLC0415
    from kinspan._device.triton_scores import row_scores  # noqa: PLC0415

    coef, intercept = torch.randn(21, 1, data.X.shape[1]).cuda().double(), torch.zeros(21, 1).cuda()
    kernel = partial(row_scores, data.X, data.task, coef, intercept.double())
    table.add("scores, grouping and kernel", data.X, device_milliseconds(kernel))
    model = MultiTaskSPCA(metric=0, row_sample=0).fit(data.X, data.y, task=data.task)
    for name in ("decision_function", "predict", "predict_proba"):
        work: Any = partial(getattr(model, name), data.X, task=data.task)
        table.add(f"MultiTaskSPCA.{name}", data.X, wall_milliseconds(work, 5))
