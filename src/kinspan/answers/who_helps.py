"""Who helps whom: a fitted model → shares of tasks in each other's rules, and gains by leaving out.

The *share* of task s in the rule of task t is the size of the part that s contributes, its weight
times the standard error of its contrast, over the sum of these sizes. It follows from the fitted
weights and is cheap. The *gain* of t from s is the rise of the forecast error of t when s is left
out: exact, at the price of one fit per task left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

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
_NOTE = "Gain: by how many points the forecast error would rise without that task."
_NOTE_LEFT_OUT = (
    "Change: of the rules alone, judged by the left-out rows of each task. Forecasts without the "
    "task also lack what its error told of theirs."
)


@dataclass(frozen=True, eq=False, repr=False)
class TransferExplanation(ShownAsTable):
    """How much a task gains from others, the most helpful first."""

    task: Any
    forecast_error: float  # of the task, with the help of all others
    single_task_error: float  # of the task alone
    tasks: list[Any]  # the other tasks that were left out in turn
    gain: Floats  # rise of the forecast error without each of them; negative: it would fall
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
    change: Floats  # (others,): rise of the forecast error, as far as rules are worse without it

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


def rise_of_errors(model: Any, without: Any) -> Floats:
    """(tasks of the other,): how much worse rules are in a model without some of the tasks.

    A task changes the forecasts of others by lending to their rules, and by what its own error says
    of theirs. Only the rules are compared, where there are left-out rows to compare them by.
    """
    places = identifiers.lookup(model.tasks_, without.tasks_)
    before, after = model._rules.left_out.of(places), without._rules.left_out
    known = (before.rows > 0) & (after.rows > 0)
    change = without.forecast_error_ - model.forecast_error_[places]
    return np.asarray(np.where(known, before.rise(after), change) if known.any() else change)


def gains(model: Any, others: Codes) -> Floats:
    """(tasks, others): rise of every forecast error without each of some tasks.

    NaN for the task that is left out, and where nothing can be fitted without it.
    """
    tasks = model.tasks_
    gain = np.full((len(tasks), len(others)), np.nan)
    for column, s in enumerate(others):
        try:
            rest = model.leave_out(tasks[s])
        except ValueError:  # fewer than two classes are left
            continue
        gain[identifiers.lookup(tasks, rest.tasks), column] = rest.change
    return gain


def most_help(model: Any) -> Codes:
    """(tasks,): position of the other task with the largest share, −1 for a task that goes alone.

    `explain_transfer` leaves out the same task first.
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
