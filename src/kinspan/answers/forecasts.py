"""A fitted model → the forecasts of its tasks as a short table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from kinspan._arrays.frames import pandas
from kinspan._rows.types import Codes, Floats
from kinspan.answers._table import ShownAsTable, Table, count, interval, percent
from kinspan.answers.seen_from import goal_said
from kinspan.answers.summary import lacking_said

if TYPE_CHECKING:
    import pandas as pd

_SHOWN = 30


@dataclass(frozen=True, eq=False, repr=False)
class Forecasts(ShownAsTable):
    """The error to expect of some tasks on new rows, the largest first."""

    tasks: list[Any]
    error: Floats  # (tasks,)
    low: Floats  # (tasks,): the lower end of the 90 % interval
    high: Floats  # (tasks,)
    labels: Floats  # (tasks,): how many the task has
    note: str = ""  # what to know of tasks that lack classes, and of answers

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas data frame with one line per task."""
        columns = {name: getattr(self, name) for name in ("error", "low", "high", "labels")}
        index = pandas().Index(self.tasks, name="task")
        return cast("pd.DataFrame", pandas().DataFrame(columns, index=index))

    def _table(self) -> Table:
        rows = [
            [str(task), percent(error), interval((low, high)), count(labels)]
            for task, error, low, high, labels in zip(
                self.tasks, self.error, self.low, self.high, self.labels, strict=True
            )
        ]
        more = len(rows) - _SHOWN
        known = self.error[np.isfinite(self.error)]
        mean = f"; mean error {percent(known.mean())}" if len(known) else ""
        notes = [f"and {more:,} more{mean}" * (more > 0), self.note]
        head = ["task", "error", "90 % interval", "labels"]
        return Table("", head, rows[:_SHOWN], "\n".join(filter(None, notes)))


def forecasts(model: Any, order: Codes) -> Forecasts:
    """Those of the tasks at some positions."""
    low, high = model.forecast_interval_[order].T
    labels = np.asarray(model.moments_.effective().counts.sum(axis=1))[order]
    said = "\n".join(filter(None, [lacking_said(model, order), goal_said(model)]))
    error = model.forecast_error_[order]
    return Forecasts(list(model.tasks_[order]), error, low, high, labels, said)
