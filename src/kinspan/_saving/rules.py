"""Fitted rules as plain data, so that reading a model does not find them again."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinspan._storage.container import Record
from kinspan.labels import TaskWeights
from kinspan.risk import Learning, LeftOutErrors, Saved
from kinspan.selection.expected import Expected
from kinspan.selection.outcome import FittedRules, UnlabelledUse

# A file with other rules than these has them found again from its statistics.
VERSION = 11
_FORECAST = ("forecast_error", "forecast_interval")
_PLAIN = ("coef", "intercept", "absent", "scale", *_FORECAST, "metric", "weights_of_task")


def record_of(rules: FittedRules) -> Record:
    """Fitted rules as a record."""
    arrays = {name: getattr(rules, name) for name in _PLAIN}
    expected = rules.expected
    arrays |= {f"learning/{name}": part for name, part in rules.learning._asdict().items()}
    arrays |= {f"left_out/{name}": part for name, part in expected.left_out._asdict().items()}
    arrays |= {f"saved/{name}": part for name, part in expected.saved._asdict().items()}
    if rules.unlabelled is not None:
        arrays |= {f"unlabelled/{name}": a for name, a in rules.unlabelled._asdict().items()}
    for i, weights in enumerate(rules.task_weights):
        for j, part in enumerate(weights):
            arrays |= {f"weights/{i}/{j}/{name}": a for name, a in part._asdict().items()}
    if rules.threshold is not None:
        arrays["threshold"] = rules.threshold
    arrays = {name: np.asarray(array) for name, array in arrays.items()}
    lengths = [len(weights) for weights in rules.task_weights]
    about = {"version": VERSION, "multi_class": rules.multi_class, "weights": lengths}
    return Record(about, arrays)


def rules_of(record: Record) -> FittedRules | None:
    """The rules of a record; None where another version of kinspan found others."""
    if record.meta["version"] != VERSION:
        return None
    arrays = record.arrays
    weights = [
        [
            TaskWeights(*(arrays[f"weights/{i}/{j}/{name}"] for name in TaskWeights._fields))
            for j in range(length)
        ]
        for i, length in enumerate(record.meta["weights"])
    ]
    plain: dict[str, Any] = {name: arrays[name] for name in _PLAIN}
    of_task = plain["weights_of_task"].astype(np.intp, casting="same_kind")
    plain["weights_of_task"] = of_task
    learning = Learning(*(arrays[f"learning/{name}"] for name in Learning._fields))
    left_out = LeftOutErrors(*(arrays[f"left_out/{name}"] for name in LeftOutErrors._fields))
    saved = Saved(*(arrays[f"saved/{name}"] for name in Saved._fields))
    multi_class = str(record.meta["multi_class"])
    free = None
    if "unlabelled/weight" in arrays:
        free = UnlabelledUse(*(arrays[f"unlabelled/{name}"] for name in UnlabelledUse._fields))
    error, interval = (plain.pop(name) for name in _FORECAST)
    forecasts = Expected(error, interval, saved, left_out, None)
    return FittedRules(
        **plain,
        forecasts=forecasts,
        unlabelled=free,
        multi_class=multi_class,
        task_weights=weights,
        curves=learning,
        threshold=arrays.get("threshold"),
    )
