"""Labelled rows that a model has answered → scores of every task, as a table and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from kinspan._rows import identifiers
from kinspan._rows.types import Codes, Floats, Ids
from kinspan.answers.score_forecasts import score_forecasts
from kinspan.answers.seen_from import note_on_score, score_of, title_of
from kinspan.cli.output import Output, name_of
from kinspan.cli.score_tables import note_of_class
from kinspan.metrics import Score, ScoredRows, TaskScores, scores_by_task
from kinspan.tables.ids import CodedIds


class AnsweredRows(NamedTuple):
    """Rows of a chunk."""

    task: CodedIds
    rows: ScoredRows

    @classmethod
    def of(
        cls, task: CodedIds, truth: Codes, answers: Ids, probabilities: Floats, classes: Ids
    ) -> AnsweredRows:
        """From positions of the true classes, and answers that are classes."""
        codes = identifiers.lookup(classes, answers)
        return cls(task, ScoredRows(truth, codes, probabilities, np.ones(len(truth))))


class Compared(NamedTuple):
    """Scores of tasks next to their forecasts."""

    scores: TaskScores
    forecast: Floats  # (tasks, scores): NaN where nothing was expected
    model: Any

    @classmethod
    def of(
        cls,
        answered: Sequence[AnsweredRows],
        tasks: Sequence[Any],
        scores: list[Score],
        model: Any,
    ) -> Compared:
        """Of all rows, for tasks in this order."""
        rows = ScoredRows(
            np.concatenate([part.rows.truth for part in answered]),
            np.concatenate([part.rows.answers for part in answered]),
            np.concatenate([part.rows.probabilities for part in answered]),
            np.concatenate([part.rows.weights for part in answered]),
        )
        ids = identifiers.as_array(list(tasks))
        codes = [identifiers.lookup(ids, part.task.ids)[part.task.codes] for part in answered]
        if model._learnt.is_mirrored:
            rows = rows.mirrored()
        seen = [score_of(model, score) for score in scores]
        found = scores_by_task(rows, np.concatenate(codes), len(ids), seen)
        return cls(found._replace(scores=scores), _forecasts(scores, tasks, model), model)

    def as_json(self, t: int) -> dict[str, Any]:
        """Those of a task by name."""
        of = self.scores
        columns = zip(of.values[t], of.majority[t], of.chance[t], self.forecast[t], strict=True)
        names = ("value", "majority", "chance", "forecast")
        return _by_name(of.scores, [dict(zip(names, four, strict=True)) for four in columns])

    def overall(self) -> dict[str, Any]:
        """Those of all rows as one task."""
        names = ("value", "majority", "chance")
        parts = [dict(zip(names, three, strict=True)) for three in self.scores.overall.T]
        return _by_name(self.scores.scores, parts)

    def show(self, errors: Sequence[Any], n_shown: int, output: Output) -> None:
        """Scores of the tasks that are shown, their means, and what knowing nothing gives."""
        of, forecast = self.scores, self.forecast
        rows = [
            [name_of(error.task), f"{error.rows:,}", *_side_by_side(*values)]
            for error, *values in zip(errors[:n_shown], of.values, forecast, strict=False)
        ]
        means, majority, chance = of.means
        total = f"{sum(error.rows for error in errors):,}"
        titles = [title_of(self.model, score) for score in of.scores]
        known = np.isfinite(of.values) & np.isfinite(forecast)
        n = known.sum(axis=0)
        expected = np.where(known, forecast, 0.0).sum(axis=0) / np.where(n > 0, n, np.nan)
        last = ["mean", total, *_side_by_side(means, expected)]
        head = [name for title in titles for name in (title, "forecast")]
        output.table("Scores", ["task", "rows", *head], rows, last)
        output.say(f"Always the most frequent class of a task: {_listed(titles, majority)}.")
        output.say(f"Classes guessed, each as often as it occurs: {_listed(titles, chance)}.")
        if any(isinstance(score.level, int) for score in of.scores):
            output.note("a budget in rows has no forecast, as one in per cent has, such as 5%")
        for score in of.scores:
            note_of_class(note_on_score(self.model, score), output)


def _forecasts(scores: list[Score], tasks: Sequence[Any], model: Any) -> Floats:
    """(tasks, scores): NaN for new tasks, and for what cannot be forecast."""
    found = np.full((len(tasks), len(scores)), np.nan)
    for j, score in enumerate(scores):
        if model.sample_ is None or isinstance(score.level, int):
            continue  # nothing was left out, or nobody knows of how many rows these are the first
        said = score_forecasts(model, score.asked())
        of_task = dict(zip(said.tasks, said.value, strict=True))
        found[:, j] = [of_task.get(task, np.nan) for task in tasks]
    return found


def _side_by_side(values: Floats, forecast: Floats) -> list[str]:
    """Every score and its forecast as text."""
    return [_number(number) for pair in zip(values, forecast, strict=True) for number in pair]


def _by_name(scores: list[Score], parts: list[dict[str, Any]]) -> dict[str, Any]:
    return {str(score): part for score, part in zip(scores, parts, strict=True)}


def _listed(titles: Sequence[str], values: Floats) -> str:
    pairs = zip(titles, values, strict=True)
    return ", ".join(f"{title} {_number(value)}" for title, value in pairs)


def _number(value: float) -> str:
    return f"{value:.3f}" if np.isfinite(value) else "unknown"
