"""Results on the device beside those of the CPU and of plain double precision."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from itertools import product
from typing import Any

import numpy as np
import torch

from benchmarks.gpu.worlds import World, world

BAR = 1e-5
_METHODS = ("decision_function", "predict_proba", "transform")
_KINDS = (torch.float32, torch.bfloat16, torch.float16, torch.float64)
Check = tuple[str, Callable[[], float | bool]]


def all_checks(is_complete: bool) -> Iterator[Check]:
    """Names and checks; a check gives an error of at most 1e-5, or whether all is well."""
    cells = ((1, 1), (20, 2), (1000, 2), (10_000, 2))
    for kind, p, (k, m) in product(_KINDS, (7, 64, 512, 1000), cells):
        if p in (7, 512) or kind == torch.float32:
            yield f"kernel {kind} p={p} cells={k * m}", partial(kernel, kind, p, k, m)
    yield (
        "kernel with p=1500 and p=2048",
        lambda: max(kernel(torch.float32, p, 20, 2) for p in (1500, 2048)),
    )
    yield "kernel with weights", lambda: kernel(torch.float32, 512, 20, 2, weighted=True)
    yield "kernel twice the same", repeated
    if not is_complete:
        return
    for kind, p, offset in product(_KINDS, (7, 64, 513), (0.0, 1e4)):
        if offset == 0 or kind in (torch.float32, torch.float64):
            yield (
                f"moments and sample {kind} p={p} offset={offset:g}",
                partial(beside_cpu, kind, p, offset),
            )
    yield "weights, some zero", lambda: beside_cpu(torch.float32, 64, 0.0, weighted=True)
    yield "a view of every second column block", of_a_view
    yield "outlier as the first row", outlier
    yield "NaN is named", nan_is_named
    for m, n_tasks in product((2, 5), (1, 20)):
        yield f"predictions, {m} classes, {n_tasks} tasks", partial(predictions, m, n_tasks)
    yield "array API alone", array_api
    yield "CuPy", of_cupy


def kernel(kind: Any, p: int, k: int, m: int, weighted: bool = False) -> float:
    """Largest error of sums and squares, relative to the largest sum of sizes."""
    from kinspan._device.triton_groups import grouped  # noqa: PLC0415
    from kinspan._device.triton_sums import cell_totals  # noqa: PLC0415

    data = world(50_000 + p, p, k, m, kind, offset=3.0, seed=p + k)
    random = torch.Generator("cuda").manual_seed(1)
    weights = None
    if weighted:
        weights = torch.randint(3, data.y.shape, device="cuda", generator=random).double()
    groups = grouped(data.task, data.y, k, m, weights)
    precision = torch.float64 if kind == torch.float64 else torch.float32
    reference = data.X[groups.some_rows].to(precision)
    found = cell_totals(data.X, groups, reference, weights)
    cells = data.task * m + data.y
    deviations = data.X.double() - reference.double()[cells]
    scale = torch.ones(len(cells), device="cuda") if weights is None else weights
    errors = []
    for power, total in ((1, found.totals[:, 0]), (2, found.totals[:, 1])):
        values = deviations**power * scale[:, None]
        exact = torch.zeros_like(total).index_add_(0, cells, values)
        sizes = torch.zeros_like(total).index_add_(0, cells, values.abs())
        errors.append(((total - exact).abs() / sizes.clamp(min=1e-30)).max().item())
    return float(max(errors))


def repeated() -> bool:
    """Bit by bit the same from run to run."""
    from kinspan._device.triton_groups import grouped  # noqa: PLC0415
    from kinspan._device.triton_sums import cell_totals  # noqa: PLC0415

    data = world(300_000, 512, seed=5)
    totals = []
    for _ in range(3):
        groups = grouped(data.task, data.y, 20, 2)
        reference = data.X[groups.some_rows]
        totals.append(cell_totals(data.X, groups, reference).totals)
    return all(torch.equal(totals[0], other) for other in totals[1:])


def on_cpu(data: World) -> tuple[Any, Any, Any]:
    """The same numbers for NumPy, in double precision."""
    X, y, task = (part.cpu().numpy() for part in (data.X.double(), data.y, data.task))
    return X, y, task


def beside_cpu(kind: Any, p: int, offset: float, weighted: bool = False) -> float:
    """Moments beside those of the CPU in double precision; sampled rows have to be the same."""
    data = world(40_000, p, 7, 3, kind, offset, seed=p)
    weights = None
    if weighted:
        weights = np.random.default_rng(0).integers(0, 3, 40_000).astype(np.float64)
        data.X[torch.from_numpy(weights == 0).cuda(), 3] = torch.nan
    return difference(data, on_cpu(data), weights)


def difference(data: Any, here: Any, weights: Any = None) -> float:
    """The largest relative error of means, in standard deviations, and of squares."""
    from kinspan import Statistics  # noqa: PLC0415

    there, host = (
        Statistics.from_samples(*rows, sample_weight=weights, row_sample=50)
        for rows in (data, here)
    )
    a, b = there.moments, host.moments
    for name in ("tasks", "classes", "counts"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    for name in ("keys", "cells", "rows", "weights"):
        np.testing.assert_array_equal(getattr(there.sample, name), getattr(host.sample, name))
    spread = np.sqrt(b.squares / b.counts[..., None])
    errors = (
        np.abs(a.means - b.means) / np.maximum(spread, 1e-30),
        np.abs(a.squares / b.squares - 1),
    )
    return float(max(part.max() for part in errors))


def of_a_view() -> float:
    """Rows with a stride, and columns with one."""
    data = world(20_000, 128, 5, 2, seed=9)
    views = data.X[:, 32:96], data.X[::2, ::2]
    errors = []
    for X in views:
        part = World(X, data.y[: len(X)], data.task[: len(X)])
        errors.append(difference(part, on_cpu(part)))
    return max(errors)


def outlier() -> float:
    """A reference that is far from the mean needs a second pass."""
    data = world(30_000, 64, 2, 2, seed=3)
    data.X[:4] = 1e6
    return difference(data, on_cpu(data))


def nan_is_named() -> bool:
    """The message of the CPU."""
    from kinspan import ClassMoments  # noqa: PLC0415

    data = world(5_000, 64, seed=4)
    data.X[[17, 900], 33] = torch.inf
    try:
        ClassMoments.from_samples(*data)
    except ValueError as error:
        return "infinity in column 33, in 2 of 5000 rows" in str(error)
    return False


def predictions(n_classes: int, n_tasks: int) -> float:
    """Scores on the device beside those of the CPU, relative to their size; labels nearly all."""
    from kinspan import MultiTaskSPCA  # noqa: PLC0415

    data = world(30_000, 96, n_tasks, n_classes, offset=50.0, seed=n_classes)
    X, _, task = on_cpu(data)
    model = MultiTaskSPCA().fit(data.X, data.y, task=data.task)
    errors = []
    for name in _METHODS:
        there = getattr(model, name)(data.X, task=data.task)
        here = getattr(model, name)(X, task=task)
        assert there.device == data.X.device, name
        errors.append(np.abs(there.cpu().numpy() - here).max() / np.abs(here).max())
    labels: Any = model.predict(data.X, task=data.task)
    assert labels.device == data.X.device
    assert (labels.cpu().numpy() == model.predict(X, task=task)).mean() > 1 - 1e-4
    return float(max(errors))


def array_api() -> float:
    """The pass by functions of the array API, as on devices without Triton."""
    from kinspan._arrays import DeviceColumn  # noqa: PLC0415
    from kinspan._device.array_pass import ArrayPass  # noqa: PLC0415
    from kinspan._device.cells import cells_of  # noqa: PLC0415
    from kinspan._device.triton_pass import TritonPass  # noqa: PLC0415

    data = world(50_000, 64, 1000, 2, seed=8)
    cells = cells_of(DeviceColumn(data.task), DeviceColumn(data.y), data.X)
    fast, plain = TritonPass(data.X, cells, None), ArrayPass(data.X, cells, None)
    reference = fast.some_rows()
    totals = fast.totals(reference), plain.totals(reference.double())
    return float(max(np.abs(a - b).max() / np.abs(b).max() for a, b in zip(*totals, strict=True)))


def of_cupy() -> float | bool:
    """Arrays of another library on the same device."""
    try:
        cupy = import_module("cupy")
    except ImportError:
        return True
    from kinspan import MultiTaskSPCA  # noqa: PLC0415

    data = world(20_000, 64, 7, 3, seed=6)
    error = difference([cupy.asarray(part) for part in data], on_cpu(data))
    X, y, task = map(cupy.asarray, data)
    labels = MultiTaskSPCA().fit(X, y, task=task).predict(X, task=task)
    assert isinstance(labels, cupy.ndarray)
    return error
