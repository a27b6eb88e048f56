"""A fitted model → a table of its tasks, the order of their need, the names of its features."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinspan._rows.types import Codes
from kinspan._validation.fitted import features_of
from kinspan.answers._table import Table, count, interval, percent, points
from kinspan.answers.seen_from import shares_of

_SHOWN = 30
_COLUMNS = ["task", "labels per class", "forecast error", "90 % interval", "alone"]
_QUESTIONS = (
    "Questions: explain_transfer(task), leave_out(task), labels_needed(task, error), "
    "learning_curve(task, more); add_task(name, X, y) and remove_task(name) change the tasks."
)
_FORMULA = "Without sampled rows forecasts are a formula, too optimistic for correlated features."


def by_need(model: Any) -> Codes:
    """Positions of the tasks: unknown forecast errors first, then the largest."""
    return np.argsort(-np.nan_to_num(model.forecast_error_, nan=2.0), kind="stable")


def lacking_said(model: Any, order: Codes, share: str = "unseen_classes='share'") -> str:
    """That some of these tasks never answer a class that others have, and how they would."""
    present = model.moments_.present
    known = present[order].sum(axis=1)
    n = int(((known > 1) & (known < present.any(axis=0).sum())).sum())
    if n == 0 or model.unseen_classes == "share":
        return ""
    return (
        f"Tasks without labels of some class: {n:,} of {len(order):,}. They never answer it "
        f"({share}: they may), and no forecast knows of its rows."
    )


def one_answer(model: Any) -> float:
    """The mean error, counted as in forecasts, if every task always answers its usual class."""
    if model._learnt.parameters["priors"] is not None:
        return float(np.mean(1.0 - shares_of(model).max(axis=1)))
    present = model.moments_.present.sum(axis=1)
    return float(np.mean(1.0 - 1.0 / np.where(present > 1, present, len(model.classes_))))


def feature_names(model: Any) -> list[str] | None:
    """Names of the features, without the task column; None if there were no names."""
    names = features_of(model)
    return None if names is None else list(names)


def summary(model: Any) -> Table:
    """The tasks with the largest forecast errors first."""
    order = by_need(model)
    title = f"{len(order)} tasks, {len(model.classes_)} classes"
    title += f"; the {_SHOWN} with the largest forecast error" * (len(order) > _SHOWN)
    note = _QUESTIONS if model.sample_ is not None else f"{_FORMULA} {_QUESTIONS}"
    rows = [_row(model, t) for t in order[:_SHOWN]]
    return Table(title, [*_COLUMNS, "gain in points"], rows, note)


def errors_of(model: Any, t: int) -> list[str]:
    """Forecast, its interval, the error alone, and the gain, as text."""
    return [
        percent(model.forecast_error_[t]),
        interval(model.forecast_interval_[t]),
        percent(model.single_task_error_[t]),
        points(model.transfer_gain_[t]),
    ]


def _row(model: Any, t: int) -> list[str]:
    counts = model.moments_.effective().counts[t]
    few, many = count(counts.min()), count(counts.max())
    labels = few if few == many else f"{few} to {many}"
    return [str(model.tasks_[t]), labels, *errors_of(model, t)]
