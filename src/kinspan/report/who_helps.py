"""Who helps whom: exactly, by leaving out, or by the shares of others in the rule of a task."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from kinspan._rows import identifiers
from kinspan._rows.types import Codes, Floats
from kinspan.labels import TaskWeights, agreed_weights
from kinspan.metric import scaled_by
from kinspan.report._plain import rounded
from kinspan.selection.rules import contrasts_of

_MOST = 12
_NOTHING = 5e-5  # of an error, or of a rule: shown as zero


def who_helps(model: Any, order: Codes, leave_out: bool) -> dict[str, Any]:
    """Of every task those that matter most to it: [task, points or share], the largest first."""
    exact = leave_out and len(order) > 1
    own, most = [], []
    for place, row in enumerate(gains(model, order) if exact else shares(model, order)):
        ordered = row[order]
        own.append(None if exact else rounded(ordered[place]))
        ordered[place] = 0.0
        most.append(_most(ordered, exact))
    return {"exact": exact, "own": own, "of": most}


def _most(row: Floats, by_sign: bool) -> list[list[Any]]:
    size = np.abs(np.nan_to_num(row))
    most = np.argsort(-size, kind="stable")[:_MOST]
    most = most[size[most] >= _NOTHING]
    most = most[np.argsort(-row[most], kind="stable")] if by_sign else most
    return [[int(s), rounded(row[s])] for s in most]


def gains(model: Any, targets: Codes) -> Floats:
    """(targets, tasks): by how much a forecast would rise without a task; NaN: none is left."""
    tasks = model.tasks_
    found = np.full((len(tasks), len(tasks)), np.nan)
    for s, task in enumerate(tasks):
        try:
            left = model.leave_out(task)
        except ValueError:  # without it nothing can be fitted
            continue
        found[identifiers.lookup(tasks, left.tasks), s] = left.change
    return np.asarray(found[targets])


def shares(model: Any, targets: Codes) -> Iterator[Floats]:
    """(tasks,) for every target: how much of its rule comes from each; negative where reversed.

    A share is the weight of the contrast of a task times the sampling error of that contrast, as
    `explain_transfer` orders tasks. Sizes add up to one.
    """
    rules, moments = model._rules, model.moments_.effective()
    scaled = scaled_by(moments, rules.scale[:-1])
    contrasts = contrasts_of(scaled, rules.multi_class)
    errors = [np.sqrt(np.maximum(rows.noise, 0.0)) for rows in contrasts.task_rows()]
    n_tasks = len(moments.tasks)
    sets = contrasts.per_target([np.full(n_tasks, float(i)) for i in range(len(errors))])
    agreed = agreed_weights(scaled.counts, scaled.cell_noise)
    for t in targets:
        weights = rules.task_weights[rules.weights_of_task[t]]
        own_sets = np.unique(sets[t]).astype(int)
        row = _together([_row(weights[i], t) * errors[i] for i in own_sets])
        if scaled.present[t].sum() < 2:  # a new task has what the others agree on
            row = agreed
        yield row / max(float(np.abs(row).sum()), 1e-300)


def _row(weights: TaskWeights, target: int) -> Floats:
    """(tasks,): the weights of tasks for one target."""
    row = np.asarray(weights.left[target] @ weights.right)
    row[target] += weights.diagonal[target]
    return row


def _together(rows: list[Floats]) -> Floats:
    """The sizes of several rows added up, with the sign of their sum."""
    return np.asarray(np.copysign(np.abs(rows).sum(axis=0), np.sum(rows, axis=0)))
