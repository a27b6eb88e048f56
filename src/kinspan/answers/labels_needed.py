"""How many labels more reach an error."""

from __future__ import annotations

from html import escape
from math import isnan
from typing import Any, NamedTuple

import numpy as np

from kinspan.answers._table import percent, quoted
from kinspan.risk import Learning

_MANY = 2**40  # labels a class: beyond, the limit is reached


class LabelsNeeded(NamedTuple):
    """How many labels more of a task reach an error."""

    task: Any
    error: float  # the error that is asked for
    more_per_class: int | None  # labels to add to each class; None: no number is enough
    expected_error: float  # with that many; with None, the limit
    limit: float  # what the error tends to as the labels of the task become many
    present_error: float  # with the labels that there are, as the curve has it
    forecast_error: float  # the same from the rows of the task, which may be few

    def __repr__(self) -> str:
        start = (
            f"Task {quoted(self.task)}: about {percent(self.present_error)} now "
            f"(forecast {percent(self.forecast_error)}); "
        )
        if isnan(self.present_error):
            return f"Task {quoted(self.task)}: nothing is known of a task with a single class"
        if self.more_per_class is None:
            return start + (
                f"{percent(self.error)} is out of reach, many labels tend to {percent(self.limit)}"
            )
        if self.more_per_class == 0:
            return start + f"{percent(self.error)} is reached already"
        return start + (
            f"{percent(self.error)} with about {self.more_per_class} labels more in each class"
        )

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>"


def labels_needed(
    learning: Learning, position: int, task: Any, error: float, forecast: float
) -> LabelsNeeded:
    """Bisection: the error never rises with the number of labels."""

    def with_more(n: int) -> float:
        return float(learning.error(position, np.array(float(n))))

    now, limit = with_more(0), learning.limit(position)
    if isnan(now):
        return LabelsNeeded(task, error, None, now, limit, now, forecast)
    if now <= error:
        return LabelsNeeded(task, error, 0, now, limit, now, forecast)
    if with_more(_MANY) > error:
        return LabelsNeeded(task, error, None, limit, limit, now, forecast)
    too_few, enough = 0, 1
    while with_more(enough) > error:
        too_few, enough = enough, 2 * enough
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        too_few, enough = (middle, enough) if with_more(middle) > error else (too_few, middle)
    return LabelsNeeded(task, error, enough, with_more(enough), limit, now, forecast)
