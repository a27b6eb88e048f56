"""Calls of the engine for clusters, in this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dask
import dask.array as da

import kinspan
from kinspan.engines import dask as engine
from tests.properties.calls import Call
from tests.properties.calls_of_models import fitted, world


def _computed(call: Callable[..., Any]) -> Callable[..., Any]:
    """Lazy answers, computed without threads."""

    def compute(**given: Any) -> Any:
        with dask.config.set(scheduler="synchronous"):
            return dask.compute(call(**given))[0]  # type: ignore[attr-defined, no-untyped-call]

    return compute


def dask_calls() -> dict[str, Call]:
    """Everything in this file, by its public name."""
    X, y, task = (da.from_array(values, chunks=20) for values in world())  # type: ignore[no-untyped-call]
    rows = {"X": X, "y": y, "task": task, "sample_weight": None, "split_every": 8}
    asked = {"model": fitted(), "X": X, "task": task}
    given: dict[str, Any] = {"is_costly": True, "as_given": ("y", "task", "sample_weight")}
    return {
        "engines.dask.statistics": Call(
            _computed(engine.statistics), {**rows, "row_sample": 100, "random_state": 3}, **given
        ),
        "engines.dask.fit": Call(
            _computed(engine.fit), {"model": kinspan.MultiTaskSPCA(), **rows}, **given
        ),
        **{
            f"engines.dask.{name}": Call(_computed(getattr(engine, name)), asked, **given)
            for name in ("predict", "predict_proba", "decision_function")
        },
    }
