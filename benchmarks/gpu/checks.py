"""Checks: results on the device, compared with the CPU and with plain double precision."""

from __future__ import annotations

import gc
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
_PREDICTED = (
    (2, 1, torch.float32, 50.0),
    (2, 20, torch.float32, 1e4),
    (2, 20, torch.bfloat16, 0.0),
    (2, 20, torch.float16, 0.0),
    (2, 20, torch.float64, 1e4),
    (5, 20, torch.float32, 50.0),
    (20, 3, torch.float32, 0.0),  # more scores than the kernel is for
)
Check = tuple[str, Callable[[], float | bool]]


def all_checks(is_complete: bool) -> Iterator[Check]:
    """Names and checks; a check returns an error, at most 1e-5, or whether it passed."""
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
    for m, k, kind, offset in _PREDICTED:
        name = f"predictions, {m} classes, {k} tasks, {kind}, offset={offset:g}"
        yield name, partial(predictions, m, k, kind, offset)
    yield "labels and weights of other kinds", other_columns
    yield "array API alone", array_api
    yield "CuPy", of_cupy
    for kind, m in product((torch.float32, torch.float64), (2, 3)):
        yield f"fit with many sampled rows, {kind}, {m} classes", partial(fits, kind, m)
    yield "fit with many sampled rows, CuPy", fits_of_cupy
    yield "a fit leaves nothing on the device", nothing_left


def kernel(kind: Any, p: int, k: int, m: int, weighted: bool = False) -> float:
    """Largest error of means and squares, relative to the sizes of deviations from a row."""
    data = world(50_000 + p, p, k, m, kind, offset=3.0, seed=p + k)
    random = torch.Generator("cuda").manual_seed(1)
    weights = None
    if weighted:
        weights = torch.randint(3, data.y.shape, device="cuda", generator=random).double()
    found, reference = _of_kernels(data, k, m, weights)
    cells, scale = data.task * m + data.y, torch.ones(len(data.y), device="cuda").double()
    scale = scale if weights is None else weights
    n = torch.zeros(k * m, device="cuda").double().index_add_(0, cells, scale)
    assert torch.equal(found.weights, n)

    def total(values: Any) -> Any:
        return torch.zeros_like(found.means).index_add_(0, cells, values * scale[:, None])

    X = data.X.double()
    deviations = X - reference.double()[cells]
    means = total(X) / n.clamp(min=1)[:, None]
    squares = total((X - means[cells]) ** 2)
    sizes = total(deviations.abs()) / n.clamp(min=1)[:, None], total(deviations**2)
    pairs = zip((found.means, found.squares), (means, squares), sizes, strict=True)
    return float(max(((a - b).abs() / size.clamp(min=1e-9)).max().item() for a, b, size in pairs))


def _of_kernels(data: World, k: int, m: int, weights: Any = None) -> tuple[Any, Any]:
    """Moments as the kernels return them, and the reference rows."""
    from kinspan._device.tiles import SUMS, layout_of  # noqa: PLC0415
    from kinspan._device.triton_groups import grouped  # noqa: PLC0415
    from kinspan._device.triton_sums import Packed, cell_totals, some_rows  # noqa: PLC0415

    layout = layout_of(SUMS, data.X.element_size())
    groups = grouped(data.task, data.y, k, m, layout.chunk_rows, weights)
    precision = torch.float64 if data.X.dtype == torch.float64 else torch.float32
    reference = some_rows(data.X, groups, precision)
    packed = cell_totals(data.X, groups, reference, weights).packed
    return Packed.of(packed, k * m, data.X.shape[1]), reference


def repeated() -> bool:
    """Two runs give bit-identical results."""
    data = world(300_000, 512, seed=5)
    found = [_of_kernels(data, 20, 2)[0] for _ in range(3)]
    return all(torch.equal(found[0].squares, other.squares) for other in found[1:])


def on_cpu(data: World) -> tuple[Any, Any, Any]:
    """The same numbers as NumPy arrays in double precision."""
    X, y, task = (part.cpu().numpy() for part in (data.X.double(), data.y, data.task))
    return X, y, task


def beside_cpu(kind: Any, p: int, offset: float, weighted: bool = False) -> float:
    """Moments compared with the CPU in double precision; sampled rows must be the same."""
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
    """Rows and columns with a stride."""
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
    """Infinite values give the same message as on the CPU."""
    from kinspan import ClassMoments  # noqa: PLC0415

    data = world(5_000, 64, seed=4)
    data.X[[17, 900], 33] = torch.inf
    try:
        ClassMoments.from_samples(*data)
    except ValueError as error:
        return "infinity in column 33, in 2 of 5000 rows" in str(error)
    return False


def predictions(n_classes: int, n_tasks: int, kind: Any, offset: float) -> float:
    """Scores compared with the CPU, relative to their size; nearly all labels must agree."""
    from kinspan import MultiTaskSPCA  # noqa: PLC0415

    data = world(30_000, 96, n_tasks, n_classes, kind, offset, seed=n_classes)
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


def other_columns() -> float:
    """Labels that are booleans or floats, weights on the device, and one task for all rows."""
    from kinspan import MultiTaskSPCA  # noqa: PLC0415

    data = world(20_000, 64, 1, 2, seed=11)
    weights = torch.randint(1, 3, data.y.shape, device="cuda").double()
    X, y, _ = on_cpu(data)
    here = MultiTaskSPCA().fit(X, y, sample_weight=weights.cpu().numpy())
    errors = []
    for labels in (data.y.bool(), data.y.float()):
        found = MultiTaskSPCA().fit(data.X, labels, sample_weight=weights)
        assert found.predict(data.X).dtype == labels.dtype
        errors.append(np.abs(found.coef_ - here.coef_).max() / np.abs(here.coef_).max())
    return float(max(errors))


def array_api() -> float:
    """The pass over rows with functions of the array API, as on devices without Triton."""
    from kinspan._arrays.elsewhere import DeviceColumn  # noqa: PLC0415
    from kinspan._device.array_pass import ArrayPass  # noqa: PLC0415
    from kinspan._device.cells import cells_of  # noqa: PLC0415
    from kinspan._device.triton_pass import TritonPass  # noqa: PLC0415

    data = world(50_000, 64, 1000, 2, seed=8)
    cells = cells_of(DeviceColumn(data.task), DeviceColumn(data.y), data.X)
    fast, plain = TritonPass(data.X, cells, None), ArrayPass(data.X, cells, None)
    reference = fast.some_rows()
    (found, _), (exact, _) = fast.around(reference), plain.around(reference.double())
    return float(
        max(np.abs(a - b).max() / np.abs(b).max() for a, b in zip(found, exact, strict=True))
    )


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


def fits(kind: Any, m: int, move: Callable[[Any], Any] = lambda part: part) -> bool:
    """A fit whose large products are computed on the device, beside that of the CPU."""
    from kinspan import MultiTaskSPCA  # noqa: PLC0415

    data, bar = world(20_000, 96, 20, m, kind, seed=9), 1e-9 if kind == torch.float64 else 1e-6
    X, y, task = (part.cpu().numpy() for part in data)
    models = [MultiTaskSPCA().fit(rows, y, task=task) for rows in (X, X.astype(np.float64))]
    models.append(MultiTaskSPCA().fit(move(data.X), move(data.y), task=move(data.task)))
    for name in ("coef_", "intercept_", "forecast_error_", "forecast_interval_"):
        here, exact, there = (np.asarray(getattr(model, name)) for model in models)
        rounding = np.abs(here - exact).max()  # of the products of the CPU in single precision
        if np.abs(there - here).max() > bar * np.abs(here).max() + rounding:
            return False
    return True


def fits_of_cupy() -> bool:
    """The same with arrays of CuPy."""
    try:
        cupy = import_module("cupy")
    except ImportError:
        return True
    return fits(torch.float64, 2, cupy.asarray)


def nothing_left() -> bool:
    """A fitted model keeps no rows on the device."""
    from kinspan import MultiTaskSPCA  # noqa: PLC0415

    data, models, used = world(100_000, 96, 20, seed=10), [], []
    for _ in range(3):  # the first one leaves the workspace of the libraries
        models.append(MultiTaskSPCA().fit(data.X, data.y, task=data.task))
        gc.collect()
        used.append(torch.cuda.memory_allocated())
    return bool(used[-1] - used[-2] < data.X.element_size() * data.X.shape[1] * 100)
