"""The others without a task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kinspan._rows.types import Floats, Ids
from kinspan.answers._table import Table, percent, points, quoted

_SHOWN = 30


@dataclass(frozen=True, eq=False)
class TaskLeftOut:
    """The forecasts of all other tasks, had a task never been there."""

    task: Any
    tasks: Ids  # (others,) ids, in order
    forecast_error: Floats  # (others,): without it
    forecast_interval: Floats  # (others, 2)
    change: Floats  # (others,): by how much the forecast rises without it

    def __repr__(self) -> str:
        return self._table().text()

    def _repr_html_(self) -> str:
        return self._table().html()

    def _table(self) -> Table:
        order = (-abs(self.change)).argsort(kind="stable")[:_SHOWN]
        rows = [
            [str(self.tasks[i]), percent(self.forecast_error[i]), points(self.change[i])]
            for i in order
        ]
        title = f"Without task {quoted(self.task)}, those first that change most"
        return Table(title, ["task", "forecast error", "change in points"], rows)
