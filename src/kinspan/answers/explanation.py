"""Which tasks help a task, and by how much."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kinspan._rows.types import Codes, Floats
from kinspan.answers._table import Table, percent, points, quoted
from kinspan.class_moments import ClassMoments
from kinspan.gram import SharedContrasts
from kinspan.labels import agreed_weights
from kinspan.metric import scaled_by
from kinspan.selection.fit import FittedRules
from kinspan.selection.rules import contrasts_of


@dataclass(frozen=True, eq=False)
class TransferExplanation:
    """What a task owes to others, those that help most first."""

    task: Any
    forecast_error: float  # of the task, with the help of all
    single_task_error: float  # of the task alone
    tasks: list[Any]  # the others that were asked about
    gain: Floats  # by how much the forecast would rise without each; negative: it would fall
    relatedness: Floats  # cosine of their contrasts; negative: its classes are reversed

    def __repr__(self) -> str:
        return self._table().text()

    def _repr_html_(self) -> str:
        return self._table().html()

    def _table(self) -> Table:
        rows = [
            [str(task), points(gain), f"{cosine:+.2f}"]
            for task, gain, cosine in zip(self.tasks, self.gain, self.relatedness, strict=True)
        ]
        title = (
            f"Task {quoted(self.task)}: forecast error {percent(self.forecast_error)}, alone "
            f"{percent(self.single_task_error)}"
        )
        return Table(title, ["task", "gain in points", "relatedness"], rows, _NOTE)


_NOTE = "Gain: by how many points the forecast error would rise without that task."


def most_involved(moments: ClassMoments, rules: FittedRules, task: int, n: int) -> Codes:
    """(at most n,): the other tasks that weigh most in the rule of a task."""
    scaled = scaled_by(moments, rules.scale[:-1])
    contrasts = contrasts_of(scaled, rules.multi_class)
    weights = rules.task_weights[rules.weights_of_task[task]]
    involved = np.zeros(len(moments.tasks))
    for of_set, rows in zip(weights, contrasts.task_rows(), strict=True):
        length = np.sqrt(np.maximum(rows.noise, 0.0)) + 1e-300
        row = of_set.left[task] @ of_set.right
        involved += np.abs(row) * length
    if not involved.any():  # a new task has what the others agree on
        involved = agreed_weights(scaled.counts, scaled.cell_noise)
    involved[task] = -1.0
    return np.argsort(-involved, kind="stable")[: min(n, len(involved) - 1)]


def relatedness_to(moments: ClassMoments, rules: FittedRules, task: int, others: Codes) -> Floats:
    """(others,): cosines of the contrasts of other tasks with those of a task, without noise."""
    scaled = scaled_by(moments, rules.scale[:-1])

    def cosine(other: int) -> float:
        both = [task, other]
        means, counts, noise = scaled.means[both], scaled.counts[both], scaled.cell_noise[both]
        return float(SharedContrasts(means, counts, noise).relatedness()[0, 1])

    return np.array([cosine(other) for other in others], dtype=np.float64)
