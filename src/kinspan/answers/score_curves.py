"""A fitted model and a score → the score of a task as a function of its labels.

Scores of new rows are distributed as left-out rows say (`kinspan.risk.distributions`), and with
more labels their classes move apart as the learning curve of the error says. With no more labels
it is the forecast of the score.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kinspan._rows.types import Floats
from kinspan.answers.errors_by_classes import forecast_of_error, worth_of_an_error
from kinspan.answers.score_forecasts import lacking
from kinspan.answers.seen_from import (
    distributions_of,
    goal_of,
    positive,
    score_of,
    shares_of,
    thresholds_of,
)
from kinspan.metrics import Score
from kinspan.risk import Goal, Learning, ScoreDistributions
from kinspan.risk.drawn_scores import ScoreForecast, drawn, summarised
from kinspan.risk.thresholds import threshold_of_task


class ScoreCurve(NamedTuple):
    """A score of one task, and what more labels would make of it."""

    score: Score
    task: int
    distributions: ScoreDistributions
    learning: Learning
    goal: Goal | None  # what its threshold is for, if it is the task's own
    threshold: float  # the present one
    is_known: bool  # there are labels of both classes, and left-out rows
    unit: float  # of an error, if its curve is one of errors; otherwise zero

    @classmethod
    def of(cls, model: Any, score: Score, task: int) -> ScoreCurve:
        """From a fitted model."""
        goal = goal_of(model)
        own = None if goal is None or goal.together else goal
        counts = np.asarray(model.moments_.effective().counts)
        error, learning = forecast_of_error(model, score), model._rules.learning
        distributions = distributions_of(model)
        unit = 0.0 if error is None else worth_of_an_error(score)
        if error is not None:  # its curve begins there
            learning = learning._replace(present=error.error / unit, ends=error.interval / unit)
        return cls(
            *(score_of(model, score), task, distributions, learning, own),
            float(thresholds_of(model)[task]),
            distributions.is_known and not lacking(counts)[task],
            unit,
        )

    def at(self, more: Floats, mix: Floats) -> ScoreForecast:
        """(points,): with `more` labels, each of which is so many (classes,) of every class."""
        if not self.is_known:
            unknown = np.full(len(np.atleast_1d(more)), np.nan)
            return ScoreForecast(unknown, np.stack([unknown, unknown], axis=1))
        if self.unit > 0:
            return ScoreForecast(
                self.unit * self.learning.error(self.task, more, mix),
                self.unit * self.learning.interval(self.task, more, mix),
            )
        growth = np.atleast_1d(self.learning.growth(self.task, more, mix))
        return summarised(np.array([self._drawn(float(g)) for g in growth]))

    def _drawn(self, growth: float) -> Floats:
        """(2, draws): with the threshold that would then be chosen."""
        draws = self.distributions.draws(self.task, growth)
        threshold, goal = self.threshold, self.goal
        if goal is not None:
            costs = goal.level[self.task] if goal.name == "cost" else np.zeros((1, 1))
            counts = self.distributions.counts[self.task]
            threshold = threshold_of_task(draws, counts, goal, costs)
        return drawn(*self.score, draws, threshold)


def mix_of(model: Any, t: int, label: str) -> Floats:
    """(classes,): how many labels of every class come with one more of what is labelled."""
    n_classes, place = len(model.classes_), positive(model)
    if label == "rows":
        shares: Floats = shares_of(model)[t]
        return shares[::-1] if place == 0 else shares
    return np.eye(n_classes)[place] if label == "positives" else np.ones(n_classes)
