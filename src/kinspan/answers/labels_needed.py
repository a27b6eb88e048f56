"""Learning curves and an error → how many more labels reach it."""

from __future__ import annotations

from html import escape
from math import isnan
from typing import Any, NamedTuple

import numpy as np

from kinspan.answers._table import percent, quoted
from kinspan.risk import Learning
from kinspan.risk.labels_needed import fewest_labels

_MANY = 2**40  # labels per class at which the limit is reached


class LabelsNeeded(NamedTuple):
    """How many more labels a task needs to reach an error."""

    task: Any
    error: float  # the error to reach
    more_per_class: int | None  # labels to add to each class; None: no number is enough
    expected_error: float  # with that many; with None, the limit
    limit: float  # what the error tends to as the labels of the task become many
    present_error: float  # with the labels there are, by the learning curve
    forecast_error: float  # the same by the rows of the task, which may be few

    def __repr__(self) -> str:
        if isnan(self.present_error):
            return f"Task {quoted(self.task)}: the error of a task with a single class is unknown"
        start = (
            f"Task {quoted(self.task)}: about {percent(self.present_error)} now "
            f"(forecast {percent(self.forecast_error)}); {percent(self.error)} "
        )
        if self.more_per_class is None:
            return f"{start}is out of reach, many labels tend to {percent(self.limit)}"
        if self.more_per_class == 0:
            return f"{start}is already reached"
        return f"{start}with about {self.more_per_class} more labels per class"

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>"


def labels_needed(
    learning: Learning, position: int, task: Any, error: float, forecast: float
) -> LabelsNeeded:
    """The smallest number of labels to add, from the learning curve of one task."""

    def error_with(more: int) -> float:
        return float(learning.error(position, np.array(float(more))))

    now, limit = error_with(0), learning.limit(position)
    more = None if isnan(now) else fewest_labels(error_with, error, _MANY)
    expected = now if isnan(now) else limit if more is None else error_with(more)
    return LabelsNeeded(task, error, more, expected, limit, now, forecast)
