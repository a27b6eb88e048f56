"""Which other task counts most in the rule of every task."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinspan._rows.types import Codes
from kinspan.metric import scaled_by
from kinspan.selection.rules import contrasts_of

_AT_ONCE = 256  # targets


def most_help(model: Any) -> Codes:
    """(tasks,): the position of the task that weighs most, −1 where a task goes alone.

    As in `explain_transfer`, which asks on by how much each of them helps.
    """
    moments, rules = model.moments_.effective(), model._rules
    n_tasks = len(moments.tasks)
    best = np.full(n_tasks, -1, dtype=np.intp)
    scaled = scaled_by(moments, rules.scale[:-1])
    contrasts = contrasts_of(scaled, rules.multi_class).task_rows()
    lengths = [np.sqrt(np.maximum(rows.noise, 0.0)) + 1e-300 for rows in contrasts]
    for number, weights in enumerate(rules.task_weights):
        targets = np.flatnonzero(rules.weights_of_task == number)
        for start in range(0, len(targets), _AT_ONCE):
            some = targets[start : start + _AT_ONCE]
            involved = sum(
                np.abs(of_set.left[some] @ of_set.right) * length
                for of_set, length in zip(weights, lengths, strict=True)
            )
            involved = np.asarray(involved)
            involved[np.arange(len(some)), some] = 0.0
            best[some] = np.where(involved.any(axis=1), involved.argmax(axis=1), -1)
    return best
