"""Left-out scores by several rules → the weights with which every task combines the rules.

A task moves away from the weights of all tasks together as far as its own rows ask for, against
what all tasks say, which is worth a number of rows. How many, other left-out rows decide: weights
of several such numbers are averaged by how likely they make rows that took no part in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from kinspan._rows.by_task import RowsByTask
from kinspan._rows.once import computed_once
from kinspan._rows.types import Floats
from kinspan.selection.decisions import FLEET_ROWS
from kinspan.selection.evidence import Evidence
from kinspan.selection.leaving_rows import Gone
from kinspan.selection.nonnegative import inverse_among, nonnegative_each, nonnegative_moved
from kinspan.selection.resized import resized
from kinspan.selection.weights_of_all import (
    Pooled,
    PooledRule,
    centred,
    usable,
    weighted,
    with_direction,
)

_STEPS = 3
_ROUNDING = 1e-15  # a share of an average that does not change it


@dataclass(frozen=True, eq=False)
class Combined:
    """Weights of all tasks, and scores of rows by weights that have not seen them."""

    weights: Floats  # (tasks, rules)
    of_all: Floats  # (rules,): weights of all tasks together
    rules: Sequence[PooledRule]
    seen: _Seen | None = None  # None where the weights have seen no row

    @property
    def scores(self) -> Floats:
        """(rows, 1 or classes): by rules that know nothing of the row."""
        return self._left_out[0]

    @property
    def sized(self) -> Floats:
        """(rows, 1 or classes): with two classes, as if all were by the task's rule."""
        return self._left_out[1]

    @computed_once
    def _left_out(self) -> tuple[Floats, Floats]:
        unseen = np.array([rule.unseen for rule in self.rules])
        if self.seen is None:
            once = np.tensordot(self.of_all, unseen, axes=1)
            return once, once
        evidence, prior = self.seen.evidence, self.seen.prior
        scores = weighted(self.weights.take(evidence.tasks, axis=0), unseen)
        without, kept = self.seen.without(), evidence.own > 0
        used, here = usable(unseen, evidence)
        scores[kept] = weighted(without, used)
        sized = scores.copy()
        if scores.shape[1] == 1:
            of_tasks = self.weights.take(here.tasks, axis=0)
            sized[kept] = resized(used, with_direction(without, prior), of_tasks, here)
        return scores, sized


class _Seen(NamedTuple):
    """What weights have seen."""

    evidence: Evidence
    prior: Floats
    of_all: Gone
    n_rows: float  # of all tasks
    of_tasks: list[tuple[float, _OfTasks]]  # and how likely they are

    def without(self) -> Floats:
        """(rows, rules): weights that have not seen the row."""
        by_task = RowsByTask(self.of_all.evidence.tasks)
        of_all = self.of_all.everything() / self.n_rows
        return np.asarray(sum(p * one.without(of_all, by_task) for p, one in self.of_tasks))


def combine(
    rules: Sequence[PooledRule], evidence: Evidence, prior: Floats, n_tasks: int
) -> Combined:
    """Weights for every task, from left-out scores.

    Scores by rules that know nothing of the row are combined by such weights.
    """
    used, here = usable(np.array([rule.scores for rule in rules]), evidence)
    pooled = Pooled.of(used, here, prior)
    pooled = pooled._replace(weights=with_direction(pooled.weights, prior))
    start = np.repeat(pooled.weights[None], n_tasks, axis=0)
    if len(prior) == 1 or not len(here.tasks):
        return Combined(start, pooled.weights, rules)
    found, by_task = [], RowsByTask(here.tasks)
    around = _by_task(used, here, by_task, start)
    for rows in FLEET_ROWS:  # the most first: every task starts from where it was
        of_tasks, around = _of_tasks(used, here, by_task, pooled, rows, around)
        found.append(of_tasks)
    likely = softmax([-here.own @ of_tasks.losses for of_tasks in found])
    weights = np.tensordot(likely, [of_tasks.weights for of_tasks in found], axes=1)
    counted = [(p, one) for p, one in zip(likely, found, strict=True) if p > _ROUNDING]
    seen = _Seen(evidence, prior, pooled.gone(used, here), pooled.n_rows, counted)
    return Combined(with_direction(weights, prior), pooled.weights, rules, seen)


class _OfTasks(NamedTuple):
    """Weights of all tasks, and what follows when their rows are left out."""

    rows: float  # of a task that what all tasks say is worth
    weights: Floats  # (tasks, rules)
    losses: Floats  # (rows,): of rows that were left out once
    curvature: Floats  # (tasks, rules, rules)
    target: Floats  # (tasks, rules)
    gone: Gone

    def without(self, of_all: Floats, by_task: RowsByTask) -> Floats:
        """(rows, rules): weights that have not seen the row, nor have those of all tasks.

        From what leaves, per row, what all tasks say.
        """
        moves = self.gone.everything() + self.rows * of_all
        return nonnegative_moved(self.curvature, self.target, self.weights > 0, moves, by_task)


class _Around(NamedTuple):
    """The losses of all tasks around their weights."""

    weights: Floats  # (tasks, rules)
    slope: Floats  # (tasks, rules)
    curvature: Floats  # (tasks, rules, rules)
    p: Floats  # (rows, 1 or classes): probabilities

    def with_all(self, pooled: Pooled, rows: float) -> tuple[Floats, Floats]:
        """Curvatures and targets where what all tasks say is worth so many rows."""
        total = self.curvature + rows * pooled.curvature
        away = (self.weights - pooled.weights) @ (rows * pooled.curvature)
        push = self.slope + rows * pooled.slope + away
        return total, np.einsum("tij,tj->ti", total, self.weights) - push


def _of_tasks(
    scores: Floats,
    evidence: Evidence,
    by_task: RowsByTask,
    pooled: Pooled,
    rows: float,
    around: _Around,
) -> tuple[_OfTasks, _Around]:
    """What all tasks say is worth so many rows; weights are near some others."""
    for _ in range(_STEPS):
        total, target = around.with_all(pooled, rows)
        weights = nonnegative_each(total, target, around.weights > 0)
        around = _by_task(scores, evidence, by_task, weights)
    weights, (total, target) = around.weights, around.with_all(pooled, rows)
    gone = Gone.of(scores, evidence, around.p, evidence.own)
    back = by_task.times(gone.loss(), inverse_among(total, weights > 0))
    once = weighted(np.maximum(by_task.of_rows(weights) + back, 0.0), scores)
    return _OfTasks(rows, weights, evidence.losses(once), total, target, gone), around


def _by_task(scores: Floats, evidence: Evidence, by_task: RowsByTask, weights: Floats) -> _Around:
    """Gradient and Hessian of the loss of every task, and probabilities of rows."""
    b = evidence.own
    p = evidence.probabilities(weighted(by_task.of_rows(weights), scores))
    of_rows = np.einsum("jnm,nm->jn", scores, evidence.excess(p) * b[:, None])
    around, some = centred(scores, p, b), by_task.tasks
    slope, curvature = np.zeros(weights.shape), np.zeros((*weights.shape, weights.shape[1]))
    slope[some] = by_task.sums(of_rows).T
    for i, of_rule in enumerate(around):
        products = np.einsum("jnm,nm->jn", around[: i + 1], of_rule)
        curvature[some, i, : i + 1] = curvature[some, : i + 1, i] = by_task.sums(products).T
    return _Around(weights, slope, curvature, p)
