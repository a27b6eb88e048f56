"""Where the time of a call goes: wall-clock time of steps, and launches in PyTorch's profiler."""
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import Any

import torch

from benchmarks.gpu.worlds import World

_STEPS = (
    ("kinspan._validation.labelled_rows", "check_features"),
    ("kinspan._validation.labelled_rows", "check_rows"),
    ("kinspan._validation.labelled_rows", "check_labels"),
    ("kinspan._validation.labelled_rows", "check_tasks"),
    ("kinspan.answers.rows", "check_known_tasks"),
    ("kinspan.answers.rows", "check_finite"),
    ("kinspan._device.moments", "cells_of"),
    ("kinspan._device.triton_pass", "grouped"),
    ("kinspan._device.triton_pass", "some_rows"),
    ("kinspan._device.triton_pass", "cell_totals"),
    ("kinspan.answers.rows", "codes_on_device_of"),
    ("kinspan.answers.rows", "paired_scores"),
    ("kinspan._device.triton_scores", "grouped"),
    ("kinspan.answers.rows", "per_row"),
    ("kinspan.row_sample", "device_sample"),
    ("kinspan._memory.learnt", "fit_whole"),
)
_REPEAT = 5


def of_calls(data: World) -> None:
    """The steps of fit and predict; a step waits for the device before it and after it."""
    from kinspan import ClassMoments, MultiTaskSPCA, Statistics  # noqa: PLC0415

    model = MultiTaskSPCA(metric=0, row_sample=0).fit(data.X, data.y, task=data.task)
    calls: dict[str, Callable[[], Any]] = {
        "ClassMoments.from_samples": partial(ClassMoments.from_samples, *data),
        "Statistics.from_samples": partial(Statistics.from_samples, *data),
        "MultiTaskSPCA(metric=0, row_sample=0).fit": partial(
            model.fit, data.X, data.y, task=data.task
        ),
        "MultiTaskSPCA.predict": partial(model.predict, data.X, task=data.task),
    }
    for name, call in calls.items():
        print(f"{name}: {', '.join(_waiting(call))}", flush=True)
        print(_launches(name, call), flush=True)


def _waiting(call: Callable[[], Any]) -> list[str]:
    """Median milliseconds of every step."""
    times: dict[str, list[float]] = {}
    with _timers(times):
        for _ in range(_REPEAT + 1):
            _timed(times, "all", call)
    medians = {
        name: statistics.median(values[len(values) // 3 :]) for name, values in times.items()
    }
    return [f"{name} {1e3 * value:.3f} ms" for name, value in medians.items()]


def _timed(
    times: dict[str, list[float]], name: str, work: Callable[..., Any], *a: Any, **k: Any
) -> Any:
    torch.cuda.synchronize()
    start = time.perf_counter()
    found = work(*a, **k)
    torch.cuda.synchronize()
    times.setdefault(name, []).append(time.perf_counter() - start)
    return found


@contextmanager
def _timers(times: dict[str, list[float]]) -> Iterator[None]:
    """Every step replaced by a version of itself that is timed."""
    before = []
    for module_name, name in _STEPS:
        module = import_module(module_name)
        before.append((module, name, getattr(module, name)))
        label = f"{name} (scores)" if module_name.endswith("triton_scores") else name
        setattr(module, name, partial(_timed, times, label, getattr(module, name)))
    try:
        yield
    finally:
        for module, name, step in before:
            setattr(module, name, step)


def _launches(name: str, call: Callable[[], Any]) -> str:
    """What the device did, in order of decreasing time."""
    activities = [torch.profiler.ProfilerActivity.CPU, torch.profiler.ProfilerActivity.CUDA]
    call()
    with torch.profiler.profile(activities=activities) as profile:
        call()
        torch.cuda.synchronize()
    averages = profile.key_averages()
    found = sorted(averages, key=lambda e: -getattr(e, "self_device_time_total", 0.0))
    on_device = [e for e in found if getattr(e, "self_device_time_total", 0.0) > 0]
    kernels = [e for e in on_device if "CUDA" in str(e.device_type)]
    shown = [
        f"    {e.self_device_time_total / 1e3:8.3f} ms {e.count:4d} × {e.key[:90]}"
        for e in (kernels or on_device)[:14]
    ]
    waits = sum(e.count for e in found if "Synchronize" in e.key)
    starts = sum(e.count for e in found if "LaunchKernel" in e.key)
    total = sum(e.self_device_time_total for e in kernels) / 1e3
    head = f"  device busy {total:.3f} ms, {starts} launches, {waits} waits"
    return "\n".join([head, *shown])
