"""Labelled rows that a model has answered → scores of every task, as a table and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from kinspan._rows import identifiers
from kinspan._rows.types import Codes, Floats, Ids
from kinspan.answers.seen_from import note_on_class, score_of, title_of
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


def task_scores(
    answered: Sequence[AnsweredRows], tasks: Sequence[Any], scores: list[Score], model: Any
) -> TaskScores:
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
    return found._replace(scores=scores)


def show_scores(
    of: TaskScores, errors: Sequence[Any], n_shown: int, output: Output, model: Any
) -> None:
    """Scores of the tasks that are shown, their means, and what knowing nothing gives."""
    rows = [
        [name_of(error.task), f"{error.rows:,}", *map(_number, values)]
        for error, values in zip(errors[:n_shown], of.values, strict=False)
    ]
    means, majority, chance = of.means
    total = f"{sum(error.rows for error in errors):,}"
    titles = [title_of(model, score) for score in of.scores]
    output.table("Scores", ["task", "rows", *titles], rows, ["mean", total, *map(_number, means)])
    output.say(f"Always the most frequent class of a task: {_listed(titles, majority)}.")
    output.say(f"Classes guessed, each as often as it occurs: {_listed(titles, chance)}.")
    for score in of.scores:
        note_of_class(note_on_class(model, score), output)


def metrics_of(of: TaskScores, values: Floats, majority: Floats, chance: Floats) -> dict[str, Any]:
    """Every score by its name, as JSON."""
    parts = zip(of.scores, values, majority, chance, strict=True)
    return {str(s): {"value": v, "majority": m, "chance": c} for s, v, m, c in parts}


def _listed(titles: Sequence[str], values: Floats) -> str:
    pairs = zip(titles, values, strict=True)
    return ", ".join(f"{title} {_number(value)}" for title, value in pairs)


def _number(value: float) -> str:
    return f"{value:.3f}" if np.isfinite(value) else "unknown"
