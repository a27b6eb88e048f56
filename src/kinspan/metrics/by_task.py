"""Scores of every task and of all rows, next to what knowing nothing gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Codes, Floats
from kinspan.metrics.registry import Score
from kinspan.metrics.rows import ScoredRows


class TaskScores(NamedTuple):
    """Several scores of several tasks; NaN where a score is undefined, as AUC of one class."""

    scores: list[Score]
    values: Floats  # (tasks, scores)
    majority: Floats  # (tasks, scores): if the most frequent class of the task is always answered
    chance: Floats  # (tasks, scores): if classes are guessed, each as often as it occurs
    overall: Floats  # (3, scores): all rows as one task: values, majority, chance

    def of(self, order: Codes) -> TaskScores:
        """Those of some tasks."""
        parts = self.values[order], self.majority[order], self.chance[order]
        return TaskScores(self.scores, *parts, self.overall)

    @property
    def means(self) -> Floats:
        """(3, scores): means over the tasks where a score is defined; NaN where it never is."""
        parts = np.stack([self.values, self.majority, self.chance])
        known = np.isfinite(self.values)
        total = np.where(known, parts, 0.0).sum(axis=1)
        n = known.sum(axis=0)
        return np.where(n > 0, total / np.maximum(n, 1), np.nan)


def scores_by_task(
    rows: ScoredRows, tasks: Codes, n_tasks: int, scores: Sequence[Score]
) -> TaskScores:
    """Every score of the rows of every task, and of all rows."""
    found = np.full((3, n_tasks, len(scores)), np.nan)
    order = np.argsort(tasks, kind="stable")
    ends = np.cumsum(np.bincount(tasks, minlength=n_tasks))
    for t, positions in enumerate(np.split(order, ends[:-1])):
        if len(positions):
            found[:, t] = np.array(list(_three(rows.where(positions), scores))).T
    overall = np.array(list(_three(rows, scores))).reshape(len(scores), 3).T
    return TaskScores(list(scores), found[0], found[1], found[2], overall)


def _three(rows: ScoredRows, scores: Sequence[Score]) -> Iterator[list[float]]:
    for score in scores:
        ways: list[Callable[[ScoredRows], float]] = [score.of, score.of_majority, score.of_chance]
        yield [way(rows) for way in ways]
