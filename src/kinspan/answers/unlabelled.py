"""A fitted model → what rows without labels were worth to its tasks, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kinspan._rows.types import Floats
from kinspan.answers._table import ShownAsTable, Table
from kinspan.selection.outcome import UnlabelledUse

_SHOWN = 30
_NOTE = (
    "Alike: the probability that these rows are of the task and of its classes. "
    "Support: how much better groups around the classes explain the rows than one group, per row. "
    "Loss: the change of the log loss of left-out labels with these rows. Weight 0: not used."
)


@dataclass(frozen=True, eq=False, repr=False)
class UnlabelledExplanation(ShownAsTable):
    """What rows without labels were worth to every task, the largest weight first."""

    tasks: list[Any]
    weight: Floats  # (tasks,): of the rule that has learnt from them, 0 to 1
    rows: Floats  # (tasks,): different rows without labels that were looked at
    support: Floats  # (tasks,): how much they fall into groups, with that of the other tasks
    left_out: Floats  # (tasks,): labelled rows that were left out to compare both rules
    less_loss: Floats  # (tasks,): by how much their log loss is lower with the others, per row
    alike: Floats  # (tasks,): the probability that all rows are of the task and of its classes
    has_class_minus_one: bool = False  # which stands for no label in scikit-learn

    @property
    def sentence(self) -> str:
        """How many tasks use them."""
        if not self.tasks and self.has_class_minus_one:
            return "All rows have labels; −1 is one of the classes. If it means none: unlabelled=-1"
        used, there = int((self.weight > 0).sum()), int((self.rows > 0).sum())
        if not there:  # none has both kinds of rows, or the fit has no use for them
            return "No task uses rows without labels"
        return f"{used} of {there} tasks use their rows without labels"

    def _table(self) -> Table:
        rows = [
            [
                *(str(task), f"{n:.0f}", f"{alike:.2f}", f"{support:.3f}"),
                *(f"{left:.0f}", f"{-less:+.3f}", f"{w:.2f}"),
            ]
            for task, w, n, support, left, less, alike in zip(
                *(self.tasks, self.weight, self.rows, self.support, self.left_out, self.less_loss),
                self.alike,
                strict=True,
            )
        ]
        more = f"and {len(rows) - _SHOWN:,} more. " * (len(rows) > _SHOWN)
        head = ["task", "rows", "alike", "support", "left out", "loss", "weight"]
        return Table(self.sentence, head, rows[:_SHOWN], (more + _NOTE) * bool(rows))


def explanation_of_unlabelled(model: Any) -> UnlabelledExplanation:
    """Of the tasks that have rows without labels."""
    found = model._rules.unlabelled
    if found is None:
        found = UnlabelledUse(*np.zeros((6, len(model.tasks_))))
    order = np.argsort(-found.weight, kind="stable")
    order = order[found.rows[order] > 0]
    has_minus_one = -1 in model.classes_.tolist()
    columns = UnlabelledUse(*(part[order] for part in found))
    return UnlabelledExplanation(list(model.tasks_[order]), *columns, has_minus_one)
