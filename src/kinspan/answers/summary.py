"""A fitted model as a table of its tasks."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinspan.answers._table import Table, percent, points

_SHOWN = 30
_COLUMNS = ["task", "labels a class", "forecast error", "90 % interval", "alone", "gain in points"]
_MORE = (
    "Ask on: explain_transfer(task), leave_out(task), labels_needed(task, error), "
    "learning_curve(task, more); add_task(name, X, y) and remove_task(name) change the tasks."
)
_FORMULA = "Without sampled rows forecasts are a formula, too optimistic for correlated features."


def summary(model: Any) -> Table:
    """The tasks with the largest forecast errors first."""
    order = np.argsort(-np.nan_to_num(model.forecast_error_, nan=2.0), kind="stable")[:_SHOWN]
    rows = [_row(model, t) for t in order]
    left = len(model.tasks_) - len(rows)
    title = f"{len(model.tasks_)} tasks, {len(model.classes_)} classes"
    title += f"; the {_SHOWN} with the largest forecast error" if left else ""
    note = _MORE if model.sample_ is not None else f"{_FORMULA} {_MORE}"
    return Table(title, _COLUMNS, rows, note)


def _row(model: Any, t: int) -> list[str]:
    counts = model.moments_.effective().counts[t]
    low, high = model.forecast_interval_[t]
    few, many = f"{counts.min():.4g}", f"{counts.max():.4g}"
    return [
        str(model.tasks_[t]),
        few if few == many else f"{few} to {many}",
        percent(model.forecast_error_[t]),
        f"{percent(low).removesuffix(' %')} to {percent(high)}",
        percent(model.single_task_error_[t]),
        points(model.transfer_gain_[t]),
    ]
