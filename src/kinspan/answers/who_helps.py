"""Who helps whom: a fitted model → shares of tasks in each other's rules, and gains by leaving out.

The *share* of task s in the rule of task t is the size of the part that s contributes, its weight
times the standard error of its contrast, over the sum of these sizes. It follows from the fitted
weights and is cheap. The *gain* of t from s is how much less the others save t when s is left out,
at the price of one fit per task left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from kinspan._progress.bars import steps
from kinspan._rows import identifiers
from kinspan._rows.types import Codes, Floats, Ids
from kinspan.answers._table import ShownAsTable, Table, percent, points, quoted
from kinspan.answers.weights import relatedness_to, scaled_moments
from kinspan.labels import agreed_weights
from kinspan.selection.outcome import FittedRules
from kinspan.selection.solutions import contrasts_of

_BLOCK = 256  # targets whose shares are computed at once, so that no tasks × tasks array is made
_TINY = 1e-300  # keeps the order of the weights where there is no noise at all
_SHOWN = 30
_NOTE = "Gain: by how many points less the others would save without that task."
_NOTE_LEFT_OUT = (
    "Change: by how many points less the others would save each task. Forecasts without the task "
    "also lack what its rows told of errors and of the scale of features."
)


@dataclass(frozen=True, eq=False, repr=False)
class TransferExplanation(ShownAsTable):
    """How much a task gains from others, the most helpful first."""

    task: Any
    forecast_error: float  # of the task, with the help of all others
    single_task_error: float  # of the task alone
    tasks: list[Any]  # the other tasks that were left out in turn
    gain: Floats  # how much less the others save without each of them; negative: more
    relatedness: Floats  # cosine of the class contrasts; negative: the classes are reversed

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


@dataclass(frozen=True, eq=False, repr=False)
class TaskLeftOut(ShownAsTable):
    """The forecasts of all other tasks, had a task never been there."""

    task: Any
    tasks: Ids  # (others,) ids, in order
    forecast_error: Floats  # (others,): without the task
    forecast_interval: Floats  # (others, 2)
    change: Floats  # (others,): how much less the tasks save each of them without it

    def _table(self) -> Table:
        order = (-abs(self.change)).argsort(kind="stable")[:_SHOWN]
        rows = [
            [str(self.tasks[i]), percent(self.forecast_error[i]), points(self.change[i])]
            for i in order
        ]
        title = f"Without task {quoted(self.task)}, the largest changes first"
        columns = ["task", "forecast error", "change in points"]
        return Table(title, columns, rows, _NOTE_LEFT_OUT)


def explanation(model: Any, task: Any, t: int, most: int) -> TransferExplanation:
    """The gains of the task at position t from the others with the largest shares in its rule."""
    others = _largest_shares(model, t)[:most]
    gain = gains(model, others)[t]
    related = relatedness_to(model, t, others)
    order = np.argsort(-gain, kind="stable")
    return TransferExplanation(
        task,
        float(model.forecast_error_[t]),
        float(model.single_task_error_[t]),
        list(model.tasks_[others[order]]),
        gain[order],
        related[order],
    )


def lost_without(model: Any, without: Any, t: int) -> Floats:
    """(tasks of the other,): how much less others save in a model without the task at position t.

    Other tasks change a forecast by lending to the rule, and by what their own errors and scatter
    say of this task. Only what they lend is compared.
    """
    places = identifiers.lookup(model.tasks_, without.tasks_)
    rows = zip(shares(model, places), places.tolist(), strict=True)
    of_task = np.array([_share_of_help(row, place, t) for row, place in rows])
    saved, rest = model._rules.expected.saved.of(places), without._rules.expected.saved
    return np.asarray(saved.lost(rest, of_task))


def _share_of_help(row: Floats, target: int, t: int) -> float:
    """The share of a task in what others contribute to a rule; all alike if nobody does."""
    sizes = _sizes_of_others(row, target)
    return float(sizes[t] / sizes.sum()) if sizes.any() else 1.0 / (len(row) - 1)


def gains(model: Any, others: Codes) -> Floats:
    """(tasks, others): how much less the others save every task without each of some tasks.

    NaN for the task that is left out, and where nothing can be fitted without it.
    """
    tasks = model.tasks_
    gain = np.full((len(tasks), len(others)), np.nan)
    for column, s in steps(list(enumerate(others)), "leaving tasks out"):
        try:
            rest = model.leave_out(tasks[s])
        except ValueError:  # fewer than two classes are left
            continue
        gain[identifiers.lookup(tasks, rest.tasks), column] = rest.change
    return gain


def most_from(model: Any) -> Codes:
    """(tasks,): position of the other task with the largest share, −1 for a task that goes alone.

    `explain_transfer` leaves out the same task first, and may find that another one saves more.
    """
    helpers = np.full(len(model.tasks_), -1, dtype=np.intp)
    for t, row in enumerate(shares(model, np.arange(len(helpers)))):
        sizes = _sizes_of_others(row, t)
        if sizes.any():
            helpers[t] = sizes.argmax()
    return helpers


def shares(model: Any, targets: Codes) -> Iterator[Floats]:
    """(tasks,) for every target: the share of each task in its rule; negative: classes reversed.

    Absolute values add up to one.
    """
    rules, scaled = model._rules, scaled_moments(model)
    contrasts = contrasts_of(scaled, rules.multi_class)
    errors = [np.sqrt(np.maximum(rows.noise, 0.0)) + _TINY for rows in contrasts.task_rows()]
    sets = contrasts.per_target([np.full(len(scaled.counts), i) for i in range(len(errors))])
    agreed = agreed_weights(scaled.counts, scaled.cell_noise)
    is_new = scaled.present.sum(axis=1) < 2  # such a task has the rule that the others agree on
    for start in range(0, len(targets), _BLOCK):
        block = targets[start : start + _BLOCK]
        parts = np.where(is_new[block, None], agreed, _parts(rules, errors, sets, block))
        yield from parts / np.maximum(np.abs(parts).sum(axis=1, keepdims=True), _TINY)


def _parts(rules: FittedRules, errors: list[Floats], sets: Floats, targets: Codes) -> Floats:
    """(targets, tasks): weight × standard error of the contrast of each task.

    Of several sets of contrasts, one per class, sizes are added; the sign is that of the sum.
    """
    size, total = np.zeros((2, len(targets), len(rules.weights_of_task)))
    for metric, weights_of_sets in enumerate(rules.task_weights):
        in_metric = rules.weights_of_task[targets] == metric
        for i, (weights, error) in enumerate(zip(weights_of_sets, errors, strict=True)):
            rows = np.flatnonzero(in_metric & (sets[targets] == i).any(axis=1))
            own = targets[rows]
            part = weights.left[own] @ weights.right
            part[np.arange(len(own)), own] += weights.diagonal[own]
            part *= error
            size[rows] += np.abs(part)
            total[rows] += part
    return np.copysign(size, total)


def _largest_shares(model: Any, t: int) -> Codes:
    """The other tasks, the largest share in the rule of t first."""
    sizes = _sizes_of_others(next(shares(model, np.array([t]))), t)
    if not sizes.any():  # it goes alone: the order of what the others agree on
        scaled = scaled_moments(model)
        sizes = agreed_weights(scaled.counts, scaled.cell_noise)
    sizes[t] = -1.0
    return np.argsort(-sizes, kind="stable")[:-1]


def _sizes_of_others(row: Floats, t: int) -> Floats:
    sizes = np.abs(row)
    sizes[t] = 0.0
    return sizes
