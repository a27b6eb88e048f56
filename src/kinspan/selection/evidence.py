"""Scores of left-out rows by several rules → the weights with which every task combines the rules.

Weights are not negative and minimise the log loss of the combined scores. Those of all tasks
together come first; a task then moves away from them as far as its own rows ask for, against what
all tasks say, which is worth a number of rows. How many, other left-out rows decide: weights of
several such numbers are averaged by how likely they make rows that took no part in them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, softmax

from kinspan._rows.blocks import blocks
from kinspan._rows.by_task import RowsByTask
from kinspan._rows.types import Codes, Floats, Mask
from kinspan.selection.decisions import FLEET_ROWS, PRIOR_ROWS
from kinspan.selection.nonnegative import (
    inverse_among,
    nonnegative,
    nonnegative_each,
    nonnegative_moved,
)

_STEPS, _STEPS_OF_TASKS, _TINY = 50, 3, 1e-6
_LENGTHS = 0.5 ** np.arange(11)  # of a step that makes the loss larger: shorter, but not zero


class Evidence(NamedTuple):
    """Left-out rows that all rules could score, and how much each of them counts."""

    tasks: Codes  # (rows,)
    classes: Codes  # (rows,)
    own: Floats  # (rows,): weight in its task; classes of a task count equally
    fleet: Floats  # (rows,): weight among all tasks, in which a giant counts as a large task
    present: Mask  # (rows, classes): classes that the task has
    of_one: Floats  # (rows,): share of the weight that leaves with one of equal rows

    def some(self, rows: slice | Mask) -> Evidence:
        """Some of the rows."""
        columns: list[Any] = [column[rows] for column in self]
        return Evidence(*columns)

    def losses(self, scores: Floats) -> Floats:
        """(rows,): log losses of (rows, classes) scores, or with two classes of one."""
        return self.likelihood(scores)[0]

    def likelihood(self, scores: Floats) -> tuple[Floats, Floats]:
        """(rows,) log losses, and (rows, classes) probabilities.

        With two classes one score is enough, the second minus the first, and one probability.
        """
        if scores.shape[1] == 1:
            odds = np.exp(-np.abs(scores))  # of the less likely class
            wrong = scores[:, 0] * (1.0 - 2.0 * self.classes)
            losses = np.log1p(odds[:, 0]) + np.maximum(wrong, 0.0)
            return losses, np.where(scores > 0, 1.0, odds) / (1.0 + odds)
        below = np.where(self.present, scores, -np.inf)
        below -= below.max(axis=1, keepdims=True)
        odds = np.exp(below)
        total = odds.sum(axis=1)
        losses = np.log(total) - below[np.arange(len(scores)), self.classes]
        return losses, odds / total[:, None]

    def probabilities(self, scores: Floats) -> Floats:
        """The second of these alone."""
        if scores.shape[1] == 1:
            return np.asarray(expit(scores))
        return self.likelihood(scores)[1]

    def excess(self, p: Floats) -> Floats:
        """(rows, classes): probabilities minus one for the class of a row."""
        if p.shape[1] == 1:
            return np.asarray(p - self.classes[:, None])
        excess = p.copy()
        excess[np.arange(len(p)), self.classes] -= 1.0
        return excess


class Combined(NamedTuple):
    """Weights of all tasks, and scores of rows by weights that have not seen them."""

    weights: Floats  # (tasks, rules)
    of_all: Floats  # (rules,): weights of all tasks together
    scores: Floats  # (rows, 1 or classes)


def evidence_of(
    tasks: Codes,
    classes: Codes,
    weights: Floats,
    usable: Mask,
    present: Mask,
    skipped: Mask | None = None,
) -> Evidence:
    """Rows that could be left out, of tasks that could leave out some of all their classes.

    Classes that were skipped, because rows and classes are many, are like the others.
    """
    shape = present.shape
    cells = tasks * shape[1] + classes
    n = np.bincount(cells, weights * usable, minlength=present.size).reshape(shape)
    asked = present if skipped is None else present & ~skipped
    whole = ((n > 0) | ~asked).all(axis=1) & (asked.sum(axis=1) > 1)
    counts = usable & whole[tasks]
    of_task = (n * whole[:, None]).sum(axis=1)
    share = of_task / np.maximum(asked.sum(axis=1), 1)
    own = np.where(counts, weights * share[tasks] / np.where(n > 0, n, 1.0).ravel()[cells], 0.0)
    largest = PRIOR_ROWS.constant
    return Evidence(
        *(tasks, classes, own, own * (largest / (of_task + largest))[tasks], present[tasks]),
        1.0 / np.maximum(weights, 1.0),
    )


def pooled_weights(scores: Floats, evidence: Evidence, prior: Floats) -> tuple[Floats, Floats]:
    """(rules,): the same weights for all tasks, from (rules, rows, classes) left-out scores.

    And (rows, classes): scores of rows by weights that have not seen them, eq. (37).
    """
    used, here = _usable(scores, evidence)
    pooled = _Pooled.of(used, here, prior)
    weights = _with_direction(pooled.weights, prior)
    combined = np.tensordot(weights, scores, axes=1)
    if len(prior) > 1 and pooled.weights.any() and len(here.tasks):
        combined[evidence.own > 0] = _left_out(used, here, pooled)
    return weights, combined


def combine(scores: Floats, evidence: Evidence, prior: Floats, n_tasks: int) -> Combined:
    """Weights for every task, from (rules, rows, classes) left-out scores."""
    used, here = _usable(scores, evidence)
    pooled = _Pooled.of(used, here, prior)
    pooled = pooled._replace(weights=_with_direction(pooled.weights, prior))
    if len(prior) == 1 or not len(here.tasks):
        weights = np.repeat(pooled.weights[None], n_tasks, axis=0)
        return Combined(weights, pooled.weights, np.tensordot(pooled.weights, scores, axes=1))
    found, by_task = [], RowsByTask(here.tasks)
    start = np.repeat(pooled.weights[None], n_tasks, axis=0)
    for rows in FLEET_ROWS:  # the most first: every task starts from where it was
        found.append(_of_tasks(used, here, by_task, pooled, rows, start))
        start = found[-1][0]
    likely = softmax([-here.own @ left_out[1] for left_out in found])
    weights = np.tensordot(likely, [w for w, _, _ in found], axes=1)
    weights = _with_direction(weights, prior)
    combined = np.einsum("nj,jnm->nm", weights.take(evidence.tasks, axis=0), scores)
    combined[evidence.own > 0] = np.tensordot(likely, [s for _, _, s in found], axes=1)
    return Combined(weights, pooled.weights, combined)


def _with_direction(weights: Floats, prior: Floats) -> Floats:
    """Where rows speak against all rules, a thousandth of the prior: an answer has a direction."""
    lost = weights.sum(axis=-1, keepdims=True) < 1e-3
    return np.where(lost, weights + 1e-3 * prior, weights)


def _usable(scores: Floats, evidence: Evidence) -> tuple[Floats, Evidence]:
    kept = evidence.own > 0
    if kept.all():
        return scores, evidence
    return scores[:, kept], evidence.some(kept)


class _Pooled(NamedTuple):
    """The optimum of all tasks, with the slope and curvature of its loss per row."""

    weights: Floats
    slope: Floats
    curvature: Floats

    @classmethod
    def of(cls, scores: Floats, evidence: Evidence, prior: Floats) -> _Pooled:
        """The combined loss of all tasks, and the prior as a number of rows around its point."""
        total = max(float(evidence.fleet.sum()), 1e-9)
        loss = _Loss(scores, evidence, evidence.fleet)
        here = loss.around(prior)
        held = PRIOR_ROWS.constant * _steadied(here.curvature / total)
        weights, here = prior, here.held(held, np.zeros(len(prior)))
        for _ in range(_STEPS):
            if not np.diagonal(here.curvature).max() > 1e-100:
                break  # all rows are told apart without a doubt
            target = here.curvature @ weights - here.slope
            step = nonnegative(here.curvature, target) - weights
            size = np.abs(step).max() / max(np.abs(weights).max(), 1e-300)
            for length in _LENGTHS:
                moved = weights + length * step
                after = loss.around(moved).held(held, moved - prior)
                if after.value <= here.value or size <= 1e-5:
                    break
            weights, here = moved, after
            if size <= 1e-6:  # Newton's method: the next one would be rounding
                break
        return cls(weights, here.slope / total, here.curvature / total)


class _Quadratic(NamedTuple):
    """A loss around some weights."""

    value: float
    slope: Floats  # (rules,)
    curvature: Floats  # (rules, rules)

    def held(self, by: Floats, away: Floats) -> _Quadratic:
        """With a prior of this (rules, rules) curvature, whose point is so far away."""
        pull = by @ away
        return _Quadratic(
            self.value + 0.5 * float(away @ pull), self.slope + pull, self.curvature + by
        )


class _Loss(NamedTuple):
    """The log loss of combined scores, summed over rows."""

    scores: Floats  # (rules, rows, classes)
    evidence: Evidence
    b: Floats  # (rows,): how much a row counts

    def around(self, weights: Floats) -> _Quadratic:
        """With the same (rules,) weights for all rows."""
        n_rules, n_rows, n_scores = self.scores.shape
        value, slope, curvature = 0.0, np.zeros(n_rules), np.zeros((n_rules, n_rules))
        for rows in blocks(n_rows, n_rules * n_scores):
            scores, evidence = self.scores[:, rows], self.evidence.some(rows)
            losses, p = evidence.likelihood(np.tensordot(weights, scores, axes=1))
            value += float(self.b[rows] @ losses)
            excess = evidence.excess(p) * self.b[rows, None]
            flat = _centred(scores, p, self.b[rows]).reshape(n_rules, -1)
            slope += scores.reshape(n_rules, -1) @ excess.ravel()
            curvature += flat @ flat.T
        return _Quadratic(value, slope, curvature)


def _centred(scores: Floats, p: Floats, b: Floats) -> Floats:
    """(rules, rows, classes): scores around their mean over p, times √(b p)."""
    if scores.shape[2] == 1:  # the deviations of both classes are one number
        return np.asarray(scores * np.sqrt(p * (1.0 - p) * b[:, None]))
    around = scores - np.einsum("jnm,nm->jn", scores, p)[..., None]
    around *= np.sqrt(p * b[:, None])
    return np.asarray(around)


def _steadied(curvature: Floats) -> Floats:
    """With a little on the diagonal, so that rules that are copies of each other share weights."""
    size = max(float(np.diagonal(curvature).mean()), 1e-300)
    return np.asarray(curvature + _TINY * size * np.eye(len(curvature)))


def _left_out(scores: Floats, evidence: Evidence, pooled: _Pooled) -> Floats:
    """(rows, classes): combined scores of rows by pooled weights that have not seen them."""
    b = evidence.fleet
    p = evidence.probabilities(np.tensordot(pooled.weights, scores, axes=1))
    excess = evidence.excess(p)
    of_rows = np.einsum("jnm,nm->jn", scores, excess * (b * evidence.of_one)[:, None])
    active = np.flatnonzero(pooled.weights > 0)  # a weight that is zero stays zero
    among = _steadied(pooled.curvature[active[:, None], active] * float(b.sum()))
    without = np.repeat(pooled.weights[:, None], len(b), axis=1)
    without[active] += np.linalg.solve(among, of_rows[active])
    return np.asarray(np.einsum("jn,jnm->nm", np.maximum(without, 0.0), scores))


def _of_tasks(
    scores: Floats,
    evidence: Evidence,
    by_task: RowsByTask,
    pooled: _Pooled,
    rows: float,
    weights: Floats,
) -> tuple[Floats, Floats, Floats]:
    """Weights of all tasks; losses of rows that were left out once, and scores of unseen rows."""
    slope, curvature = rows * pooled.slope, rows * pooled.curvature
    for step in range(_STEPS_OF_TASKS + 1):
        own_slope, own_curvature, of_rows = _by_task(scores, evidence, by_task, weights)
        total = own_curvature + curvature
        push = own_slope + slope + (weights - pooled.weights) @ curvature
        target = np.einsum("tij,tj->ti", total, weights) - push
        if step < _STEPS_OF_TASKS:
            weights = nonnegative_each(total, target, weights > 0)
    used, gone = weights > 0, (of_rows * evidence.of_one).T
    back = by_task.times(gone, inverse_among(total, used))
    once = np.einsum("nj,jnm->nm", np.maximum(by_task.of_rows(weights) + back, 0.0), scores)
    twice = 2.0 * gone - _of_usual_rows(own_slope, evidence, by_task)
    unseen = nonnegative_moved(total, target, used, twice, by_task)
    return weights, evidence.losses(once), np.einsum("nj,jnm->nm", unseen, scores)


def _of_usual_rows(slope: Floats, evidence: Evidence, by_task: RowsByTask) -> Floats:
    """(rows, rules): the gradient of every row, were all rows of its task alike."""
    n = np.bincount(evidence.tasks, evidence.own, minlength=len(slope))
    usual = by_task.of_rows(slope / np.maximum(n, 1e-9)[:, None])
    return np.asarray(usual * (evidence.own * evidence.of_one)[:, None])


def _by_task(
    scores: Floats, evidence: Evidence, by_task: RowsByTask, weights: Floats
) -> tuple[Floats, Floats, Floats]:
    """Gradient and Hessian of the loss of every task, and the gradient of every row."""
    b = evidence.own
    p = evidence.probabilities(np.einsum("nj,jnm->nm", by_task.of_rows(weights), scores))
    of_rows = np.einsum("jnm,nm->jn", scores, evidence.excess(p) * b[:, None])
    centred, some = _centred(scores, p, b), by_task.tasks
    slope, curvature = np.zeros(weights.shape), np.zeros((*weights.shape, weights.shape[1]))
    slope[some] = by_task.sums(of_rows).T
    for i, of_rule in enumerate(centred):
        products = np.einsum("jnm,nm->jn", centred[: i + 1], of_rule)
        curvature[some, i, : i + 1] = curvature[some, : i + 1, i] = by_task.sums(products).T
    return slope, curvature, of_rows
