"""A fitted model → the forecasts of its tasks as a short table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kinspan._rows.types import Codes, Floats
from kinspan.answers._table import ShownAsTable, Table, count, interval, percent

_SHOWN = 30


@dataclass(frozen=True, eq=False, repr=False)
class Forecasts(ShownAsTable):
    """The error to expect of some tasks on new rows, the largest first."""

    tasks: list[Any]
    error: Floats  # (tasks,)
    low: Floats  # (tasks,): the lower end of the 90 % interval
    high: Floats  # (tasks,)
    labels: Floats  # (tasks,): how many the task has

    def _table(self) -> Table:
        rows = [
            [str(task), percent(error), interval((low, high)), count(labels)]
            for task, error, low, high, labels in zip(
                self.tasks, self.error, self.low, self.high, self.labels, strict=True
            )
        ]
        more = len(rows) - _SHOWN
        note = f"and {more:,} more" * (more > 0)
        return Table("", ["task", "error", "90 % interval", "labels"], rows[:_SHOWN], note)


def forecasts(model: Any, order: Codes) -> Forecasts:
    """Those of the tasks at some positions."""
    low, high = model.forecast_interval_[order].T
    labels = np.asarray(model.moments_.effective().counts.sum(axis=1))[order]
    return Forecasts(list(model.tasks_[order]), model.forecast_error_[order], low, high, labels)
