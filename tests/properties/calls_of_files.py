"""Calls that draw, read or write, and those of engines and of data sets."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import kinspan
from kinspan import datasets, displays
from kinspan.engines import files
from kinspan.export import to_onnx
from kinspan.report import write_report
from tests.properties.calls import Call
from tests.properties.calls_of_models import fitted, rows, world


@cache
def _folder() -> Path:
    """Where every file goes that these calls write; it goes with the process."""
    keeper = tempfile.TemporaryDirectory(prefix="properties-")
    _folder.keeper = keeper  # type: ignore[attr-defined]
    return Path(keeper.name)


def _table() -> str:
    X, y, task = world()
    path = _folder() / "rows.csv"
    pd.DataFrame(X, columns=list("abc")).assign(y=y, task=task).to_csv(path, index=False)
    return str(path)


def _drawn(call: Callable[..., Any]) -> Callable[..., Any]:
    """Close what was drawn."""

    def draw(**given: Any) -> None:
        import matplotlib.pyplot as plt  # noqa: PLC0415

        try:
            call(**given)
        finally:
            plt.close("all")

    return draw


_CURVES = (
    *("RocForecastDisplay", "PrecisionRecallForecastDisplay"),
    *("GainForecastDisplay", "CalibrationForecastDisplay"),
)


def _of_displays() -> dict[str, Call]:
    X, y, task = world()
    one: dict[str, Any] = {"estimator": fitted(), "ax": None}
    of_first = {"X": X[task == 0], "y": y[task == 0], "task": 0}
    good: dict[str, dict[str, Any]] = {
        "ForecastDisplay": {**one, **rows(), "most": 3},
        "LearningCurveForecastDisplay": {
            **{**one, "tasks": [0, 1], "most": 100, "score": "roc_auc"}
        },
        "RelatednessDisplay": one,
        "ScoreDistributionDisplay": {**one, **of_first},
        "SpectrumDisplay": one,
        "TransferDisplay": {**one, "task": 0, "most": 2},
        **{name: {**one, **of_first} for name in _CURVES},
    }
    return {
        f"{name}.from_estimator": Call(
            _drawn(getattr(displays, name).from_estimator),
            arguments,
            is_costly=True,
            also_named=("task", "label", "classes"),
        )
        for name, arguments in good.items()
    }


def _of_datasets() -> dict[str, Call]:
    means = datasets.related_means([1.0, 0.6], 4)
    drawn = datasets.gaussian_mixture(means, 5, random_state=0)
    nowhere = str(_folder())
    mixture = {"means": means, "counts": 5, "covariances": np.eye(4), "random_state": 0}
    readers: dict[str, dict[str, Any]] = {
        "load_amazon_reviews": {"features": "tfidf400"},
        "load_mnist": {"pairs": [(0, 1)]},
        "load_office31": {"pair": ("amazon", "dslr")},
        "load_office_caltech": {"features": "surf"},
        "load_office_home": {"pair": ("Art", "Clipart")},
    }
    return {
        "gaussian_mixture": Call(datasets.gaussian_mixture, mixture),
        "GaussianTasks.sample": Call(drawn.sample, {"counts": 5, "random_state": 0}),
        "related_means": Call(
            datasets.related_means,
            {"similarities": [1.0, 0.6], "n_features": 4, "directions": "own"},
        ),
        "many_class_means": Call(
            datasets.many_class_means,
            {"similarities": [1.0, 0.6], "n_features": 9, "n_classes": 3, "norm": 2.0},
        ),
        "load_digit_pairs": Call(
            datasets.load_digit_pairs, {"n_per_class": 3, "random_state": 0}, is_costly=True
        ),
        **{
            name: Call(getattr(datasets, name), {**good, "data": nowhere})
            for name, good in readers.items()
        },
    }


def _of_stores() -> dict[str, Call]:
    path = str(_folder() / "model.kinspan")
    kinspan.save(fitted(), path)
    page = str(_folder() / "page.html")
    return {
        "load": Call(kinspan.load, {"path": path}),
        "save": Call(kinspan.save, {"what": fitted(), "path": path}),
        "to_onnx": Call(to_onnx, {"model": fitted(), "opset": 17, "dtype": "float64"}),
        "write_report": Call(
            write_report,
            {
                **{"model": fitted(), "path": page, "title": "Rows", "leave_out": False},
                "scores": ["roc_auc"],
            },
            is_costly=True,
        ),
    }


def _of_engines() -> dict[str, Call]:
    table = {"paths": _table(), "task": "task", "features": ["a", "b", "c"], "as_text": ()}
    reading = {**table, "label": "y", "delimiter": ",", "batch_rows": 10}
    learning = {
        **reading,
        "sample_weight": None,
        "n_jobs": 1,
        "on_error": "raise",
        "progress": False,
    }
    answering = {**table, "method": "predict", "delimiter": ",", "batch_rows": 10}
    named: dict[str, Any] = {
        "also_named": ("rows", "name", "file", "files", "column", "columns"),
        "as_given": ("paths", "n_jobs"),  # tests/hostile_files has those; joblib speaks of jobs
    }
    return {
        "engines.files.statistics": Call(
            files.statistics, {**learning, "row_sample": 100, "random_state": 3}, **named
        ),
        "engines.files.fit": Call(
            files.fit, {"model": kinspan.MultiTaskSPCA(), **learning}, **named
        ),
        "engines.files.batches": Call(
            lambda **given: list(files.batches(**given)),
            {**reading, "sample_weight": None},
            **named,
        ),
        "engines.files.predict": Call(
            lambda **given: list(files.predict(**given)), {"model": fitted(), **answering}, **named
        ),
    }


def _of_batches() -> dict[str, Call]:
    X, y, task = world()
    batches = [(X[:20], y[:20], task[:20]), (X[20:], y[20:], task[20:])]
    read = files.from_batches(batches, progress=False)

    def of_batch(**given: Any) -> Any:
        return files.from_batches([tuple(given.values())], progress=False)

    return {
        "engines.files.from_batches": Call(
            files.from_batches,
            {"batches": batches, "row_sample": 100, "random_state": 3, "progress": False},
        ),
        "engines.files.from_batches: a batch": Call(
            of_batch, rows(), also_named=("batch", "batches")
        ),
        "engines.files.FilesRead.fit": Call(read.fit, {"model": kinspan.MultiTaskSPCA()}),
    }


def file_calls() -> dict[str, Call]:
    """Everything in this file, by its public name."""
    return {**_of_displays(), **_of_datasets(), **_of_stores(), **_of_engines(), **_of_batches()}
