"""Learning curves and an error → how many more labels reach it, or why that cannot be said."""

from __future__ import annotations

from html import escape
from math import ceil, isnan
from typing import Any, NamedTuple

import numpy as np

from kinspan.answers._table import percent, quoted
from kinspan.answers.seen_from import goal_said
from kinspan.risk import Learning
from kinspan.risk.labels_needed import fewest_labels, most_to_add

_DEVIATIONS = 1.6449  # of a 90 % interval
_SEEN = 0.05  # the smallest distance from guessing that labels are asked to show


class LabelsNeeded(NamedTuple):
    """How many more labels a task needs to reach an error."""

    task: Any
    error: float  # the error to reach
    more_per_class: int | None  # labels to add to each class; None where no number can be given
    expected_error: float  # with that many; with None, the limit
    limit: float  # what the error tends to as the labels of the task become many
    lowest_limit: float  # what that may be, as far as the forecast is known
    highest_limit: float
    present_error: float  # with the labels there are: the forecast
    # "reached", "reachable", "uncertain", "out of reach", "no signal", "other goal" or "unknown"
    verdict: str
    would_tell: int | None  # with "no signal": labels to add to each class that would show one

    def __repr__(self) -> str:
        if self.verdict == "unknown":
            return f"Task {quoted(self.task)}: the error of a task with a single class is unknown"
        now = f"Task {quoted(self.task)}: about {percent(self.present_error)} now"
        wanted, limit = percent(self.error), percent(self.limit)
        low, high = percent(self.lowest_limit), percent(self.highest_limit)
        return {
            "reached": f"{now}; {wanted} is already reached",
            "reachable": f"{now}; {wanted} with about {_labels(self.more_per_class)}",
            "uncertain": f"{now}; it cannot be said whether {wanted} can be reached: many labels "
            f"tend to {limit}, which may be {low} to {high}",
            "out of reach": f"{now}; {wanted} is out of reach, many labels tend to {limit}",
            "no signal": f"{now}, which may be no better than guessing: it cannot be said yet how "
            f"many labels {wanted} needs; about {_labels(self.would_tell)} would tell",
            "other goal": f"{now}, no better than always the usual class, because the threshold "
            f"is for another goal: it cannot be said how many labels {wanted} needs; ask for the "
            "score of that goal",
        }[self.verdict]

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>"


def _labels(more: int | None) -> str:
    return f"{more} more label{'s' * (more != 1)} per class"


def labels_needed(model: Any, position: int, task: Any, error: float) -> LabelsNeeded:
    """The smallest number of labels to add, from the learning curve of one task."""
    learning: Learning = model._rules.learning

    def error_with(more: int) -> float:
        return float(learning.error(position, np.array(float(more))))

    now, limit = error_with(0), learning.limit(position)
    low, high = (float(end) for end in learning.interval(position, np.array(np.inf)))
    most = most_to_add(learning.counts[position])
    more = None if isnan(now) else fewest_labels(error_with, error, most)
    verdict = _verdict(learning, position, error, more)
    if now > error and now >= learning.chance[position] and goal_said(model):
        verdict = "other goal"
    if verdict == "no signal":
        more = None
    expected = now if isnan(now) else limit if more is None else error_with(more)
    tells = _would_tell(learning, position) if verdict == "no signal" else None
    return LabelsNeeded(task, error, more, expected, limit, low, high, now, verdict, tells)


def _verdict(learning: Learning, position: int, error: float, more: int | None) -> str:
    now, high = learning.present[position], learning.ends[position, 1]
    if isnan(now) or learning.n_classes[position] < 2:
        return "unknown"
    if high >= learning.chance[position] > error:
        return "no signal"
    if more is not None:
        return "reachable" if more else "reached"
    lowest = learning.interval(position, np.array(np.inf))[0]
    return "uncertain" if lowest <= error else "out of reach"


def _would_tell(learning: Learning, position: int) -> int:
    """Labels to add after which an error like the present one would be told from guessing."""
    chance, counts = learning.chance[position], learning.counts[position]
    distance = max(float(chance - learning.present[position]), _SEEN)
    rows = chance * (1.0 - chance) * (_DEVIATIONS / distance) ** 2
    per_class = rows / learning.n_classes[position]
    fewest = float(counts[counts > 0].min()) if counts.any() else 0.0
    return max(ceil(float(per_class) - fewest), 1)
