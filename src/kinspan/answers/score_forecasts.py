"""A fitted model → the forecast of a score that people decide by, as a short table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from kinspan._arrays.frames import pandas
from kinspan._rows.types import Codes, Floats, Mask
from kinspan._validation.parameters import check_priors
from kinspan._validation.scores import check_forecast_score
from kinspan.answers._table import ShownAsTable, Table, count
from kinspan.answers.errors_by_classes import forecast_of_error
from kinspan.answers.seen_from import (
    distributions_of,
    note_on_score,
    score_of,
    shares_of,
    thresholds_of,
    title_of,
)
from kinspan.metrics import Score, ScoredRows
from kinspan.risk import ScoreForecast, forecast_of_several, forecast_score

if TYPE_CHECKING:
    import pandas as pd

_SHOWN = 30
_NAMED = 4  # classes; of more the fewest and the most labels are shown
BLIND = "Majority: always answering the most frequent class of the task. Chance: guessing."
_NUMBERS = ("value", "low", "high", "majority", "chance")


@dataclass(frozen=True, eq=False, repr=False)
class ScoreForecasts(ShownAsTable):
    """A score to expect of some tasks on new rows, the worst first."""

    score: str  # its name, with its level
    tasks: list[Any]
    value: Floats  # (tasks,); NaN where nothing is known
    low: Floats  # (tasks,): the lower end of the 90 % interval
    high: Floats  # (tasks,)
    majority: Floats  # (tasks,): if the most frequent class of the task is always answered
    chance: Floats  # (tasks,): if classes are guessed, each as often as it occurs
    labels: Floats  # (tasks, classes): how many the task has
    title: str  # of the score, with the class if it is about one of two
    note: str = ""  # what to know of that class
    classes: tuple[Any, ...] = ()  # in the order of `labels`

    @property
    def numbers(self) -> tuple[Floats, ...]:
        """Value, both ends, majority and chance, each (tasks,)."""
        return self.value, self.low, self.high, self.majority, self.chance

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas data frame with one line per task."""
        columns = {**dict(zip(_NUMBERS, self.numbers, strict=True)), "labels": self.labels.sum(1)}
        index = pandas().Index(self.tasks, name="task")
        return cast("pd.DataFrame", pandas().DataFrame(columns, index=index))

    def _table(self) -> Table:
        known = zip(self.tasks, *self.numbers, self.labels, strict=True)
        rows = [
            [str(task), number(value), ends(low, high), *map(number, blind), counted(labels)]
            for task, value, low, high, *blind, labels in known
        ]
        more = len(rows) - _SHOWN
        notes = [f"and {more:,} more" * (more > 0), BLIND, self.note]
        named = f"labels {' / '.join(map(str, self.classes))}"
        labels = named if len(self.classes) <= _NAMED else "labels per class"
        head = ["task", self.title, "90 % interval", "majority", "chance", labels.rstrip()]
        return Table("", head, rows[:_SHOWN], "\n".join(filter(None, notes)))


def score_forecasts(
    model: Any, score: Any, order: Codes | None = None, argument: str = "score"
) -> ScoreForecasts:
    """Those of the tasks at some positions, or of all, the worst first."""
    wanted = check_forecast_score(argument, score, len(model.classes_), model.sample_ is not None)
    counts = np.asarray(model.moments_.effective().counts)
    found = _found(model, wanted, counts)
    is_new = lacking(counts)
    value = np.where(is_new, np.nan, found.value)
    low, high = np.where(is_new[:, None], np.nan, found.interval).T
    if order is None:
        order = worst_first(value, wanted.kind.greater_is_better)
    majority, chance = without_a_look(score_of(model, wanted), shares_of(model)[order])
    return ScoreForecasts(
        str(wanted),
        list(model.tasks_[order]),
        value[order],
        low[order],
        high[order],
        majority,
        chance,
        counts[order],
        title_of(model, wanted),
        note_on_score(model, wanted),
        tuple(model.classes_.tolist()),
    )


def _found(model: Any, score: Score, counts: Floats) -> ScoreForecast:
    """From how scores of two classes are distributed, or from left-out rows of several."""
    error = forecast_of_error(model, score)
    if error is not None:
        return ScoreForecast(*error)
    if len(model.classes_) == 2:
        seen = score_of(model, score)
        return forecast_score(distributions_of(model), *seen, thresholds_of(model))
    priors = model._learnt.parameters["priors"]
    shares = None if priors is None or isinstance(priors, str) else check_priors(priors, counts)
    return forecast_of_several(model._learnt.left_out_rows, counts, shares, *score)


def worst_first(values: Floats, greater_is_better: bool) -> Codes:
    """Positions of the tasks, unknown values first."""
    signed = values if greater_is_better else -values
    return np.argsort(np.nan_to_num(signed, nan=-np.inf), kind="stable")


def lacking(counts: Floats) -> Mask:
    """(tasks,): without labels of both classes."""
    return np.asarray((counts > 0).sum(axis=1) < 2)


def without_a_look(score: Score, shares: Floats) -> Floats:
    """(2, tasks): if the most frequent class is always answered, and if classes are guessed.

    Computed once for tasks whose shares are the same in four digits.
    """
    classes = np.arange(shares.shape[1])
    different, place = np.unique(shares.round(4), axis=0, return_inverse=True)
    rows = (ScoredRows(classes, classes, np.eye(len(classes)), share) for share in different)
    return np.array([(score.of_majority(of), score.of_chance(of)) for of in rows]).T[:, place]


def number(value: float) -> str:
    """A score as text."""
    return f"{value:.3f}" if np.isfinite(value) else "unknown"


def ends(low: float, high: float) -> str:
    """An interval as text."""
    return f"{number(low)} to {number(high)}"


def counted(labels: Floats) -> str:
    """A few numbers of labels, or the range of many, as text."""
    if len(labels) > _NAMED:
        return f"{count(labels.min())} to {count(labels.max())}"
    return " / ".join(map(count, labels))
