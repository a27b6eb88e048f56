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
from kinspan._rows.types import Codes, Floats, Mask
from kinspan.selection.decisions import FLEET_ROWS, PRIOR_ROWS
from kinspan.selection.nonnegative import (
    inverse_among,
    nonnegative,
    nonnegative_each,
    nonnegative_moved,
)

_STEPS, _STEPS_OF_TASKS, _TINY = 50, 3, 1e-6


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
        rows = np.arange(len(scores))
        if scores.shape[1] == 1:
            wrong = scores[:, 0] * (1.0 - 2.0 * self.classes)
            return np.asarray(np.log1p(np.exp(-np.abs(wrong))) + np.maximum(wrong, 0.0))
        below = self._below(scores)
        return np.asarray(np.log(np.exp(below).sum(axis=1)) - below[rows, self.classes])

    def excess(self, p: Floats) -> Floats:
        """(rows, classes): probabilities minus one for the class of a row."""
        if p.shape[1] == 1:
            return np.asarray(p - self.classes[:, None])
        excess = p.copy()
        excess[np.arange(len(p)), self.classes] -= 1.0
        return excess

    def probabilities(self, scores: Floats) -> Floats:
        """(rows, classes): of scores.

        With two classes one score is enough, the second minus the first, and one probability.
        """
        if scores.shape[1] == 1:
            return np.asarray(expit(scores))
        odds = np.exp(self._below(scores))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))

    def _below(self, scores: Floats) -> Floats:
        """(rows, classes): scores minus the largest of the row."""
        below = np.where(self.present, scores, -np.inf)
        return np.asarray(below - below.max(axis=1, keepdims=True))


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
    found = []
    start = np.repeat(pooled.weights[None], n_tasks, axis=0)
    for rows in FLEET_ROWS:  # the most first: every task starts from where it was
        found.append(_of_tasks(used, here, pooled, rows, start))
        start = found[-1][0]
    likely = softmax([-here.own @ left_out[1] for left_out in found])
    weights = np.tensordot(likely, [w for w, _, _ in found], axes=1)
    weights = _with_direction(weights, prior)
    combined = np.einsum("nj,jnm->nm", weights[evidence.tasks], scores)
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
        rows, loss = PRIOR_ROWS.constant, _Loss(scores, evidence, evidence.fleet)
        held = rows * _steadied(loss.at(prior)[1] / total)

        def objective(weights: Floats) -> float:
            away = weights - prior
            return loss.value(weights) + 0.5 * float(away @ held @ away)

        weights, value = prior, objective(prior)
        for _ in range(_STEPS):
            slope, curvature = loss.at(weights)
            slope, curvature = slope + held @ (weights - prior), curvature + held
            if not np.diagonal(curvature).max() > 1e-100:
                break  # all rows are told apart without a doubt
            step = nonnegative(curvature, curvature @ weights - slope) - weights
            length, size = 1.0, np.abs(step).max() / max(np.abs(weights).max(), 1e-300)
            after = objective(weights + step)
            while length > 1e-3 and size > 1e-5 and after > value:
                length *= 0.5
                after = objective(weights + length * step)
            weights, value = weights + length * step, after
            if size <= 1e-9:  # Newton's method: the next one would be rounding
                break
        slope, curvature = loss.at(weights)
        slope = slope + held @ (weights - prior)
        return cls(weights, slope / total, (curvature + held) / total)


class _Loss(NamedTuple):
    """The log loss of combined scores, summed over rows."""

    scores: Floats  # (rules, rows, classes)
    evidence: Evidence
    b: Floats  # (rows,): how much a row counts

    def value(self, weights: Floats) -> float:
        """With the same (rules,) weights for all rows."""
        return float(self.b @ self.evidence.losses(np.tensordot(weights, self.scores, axes=1)))

    def at(self, weights: Floats) -> tuple[Floats, Floats]:
        """Gradient and Hessian."""
        n_rules, n_rows, n_scores = self.scores.shape
        slope, curvature = np.zeros(n_rules), np.zeros((n_rules, n_rules))
        for rows in blocks(n_rows, n_rules * n_scores):
            scores, evidence = self.scores[:, rows], self.evidence.some(rows)
            p = evidence.probabilities(np.tensordot(weights, scores, axes=1))
            excess = evidence.excess(p) * self.b[rows, None]
            flat = _centred(scores, p, self.b[rows]).reshape(n_rules, -1)
            slope += scores.reshape(n_rules, -1) @ excess.ravel()
            curvature += flat @ flat.T
        return slope, curvature


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
    scores: Floats, evidence: Evidence, pooled: _Pooled, rows: float, weights: Floats
) -> tuple[Floats, Floats, Floats]:
    """Weights of all tasks; losses of rows that were left out once, and scores of unseen rows."""
    slope, curvature = rows * pooled.slope, rows * pooled.curvature
    for step in range(_STEPS_OF_TASKS + 1):
        own_slope, own_curvature, of_rows = _by_task(scores, evidence, weights)
        total = own_curvature + curvature
        push = own_slope + slope + (weights - pooled.weights) @ curvature
        target = np.einsum("tij,tj->ti", total, weights) - push
        if step < _STEPS_OF_TASKS:
            weights = nonnegative_each(total, target)
    t, gone = evidence.tasks, (of_rows * evidence.of_one).T
    back = np.einsum("nij,nj->ni", inverse_among(total, weights > 0)[t], gone)
    once = np.einsum("nj,jnm->nm", np.maximum(weights[t] + back, 0.0), scores)
    twice = 2.0 * gone - _of_usual_rows(own_slope, evidence)
    unseen = nonnegative_moved(total, target, weights > 0, twice, t)
    return weights, evidence.losses(once), np.einsum("nj,jnm->nm", unseen, scores)


def _of_usual_rows(slope: Floats, evidence: Evidence) -> Floats:
    """(rows, rules): the gradient of every row, were all rows of its task alike."""
    t, n = evidence.tasks, np.bincount(evidence.tasks, evidence.own, minlength=len(slope))
    usual = slope / np.maximum(n, 1e-9)[:, None]
    return np.asarray(usual[t] * (evidence.own * evidence.of_one)[:, None])


def _by_task(scores: Floats, evidence: Evidence, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Gradient and Hessian of the loss of every task, and the gradient of every row."""
    t, b = evidence.tasks, evidence.own
    p = evidence.probabilities(np.einsum("jn,jnm->nm", weights.T[:, t], scores))
    of_rows = np.einsum("jnm,nm->jn", scores, evidence.excess(p) * b[:, None])
    centred, starts = _centred(scores, p, b), np.flatnonzero(np.diff(t, prepend=-1))  # sorted
    slope, curvature = np.zeros(weights.shape), np.zeros((*weights.shape, weights.shape[1]))
    some = t[starts]
    for i, first in enumerate(centred):
        slope[some, i] = np.add.reduceat(of_rows[i], starts)
        for j in range(i + 1):
            products = np.einsum("nm,nm->n", first, centred[j])
            curvature[some, i, j] = curvature[some, j, i] = np.add.reduceat(products, starts)
    return slope, curvature, of_rows
