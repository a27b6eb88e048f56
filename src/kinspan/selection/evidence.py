"""Scores of left-out rows by several rules → the weights with which every task combines the rules.

Weights are not negative and minimise the log loss of the combined scores. Those of all tasks
together come first; a task then moves away from them as far as its own rows ask for, against what
all tasks say, which is worth a number of rows. How many, other left-out rows decide: weights of
several such numbers are averaged by how likely they make rows that took no part in them.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import nnls
from scipy.special import softmax

from kinspan._rows.types import Codes, Floats, Mask
from kinspan.selection.decisions import FLEET_ROWS, LARGEST_TASK, PRIOR_ROWS

_STEPS, _STEPS_OF_TASKS, _TINY = 50, 3, 1e-6


class Evidence(NamedTuple):
    """Left-out rows that all rules could score, and how much each of them counts."""

    tasks: Codes  # (rows,)
    classes: Codes  # (rows,)
    own: Floats  # (rows,): weight in its task; classes of a task count equally
    fleet: Floats  # (rows,): weight among all tasks, in which a giant counts as a large task
    present: Mask  # (rows, classes): classes that the task has
    of_one: Floats  # (rows,): share of the weight that leaves with one of equal rows

    def losses(self, scores: Floats) -> Floats:
        """(rows,): log losses of (rows, classes) scores."""
        return self.probabilities(scores)[1]

    def excess(self, p: Floats) -> Floats:
        """(rows, classes): probabilities minus one for the class of a row."""
        if p.shape[1] == 1:
            return np.asarray(p - self.classes[:, None])
        excess = p.copy()
        excess[np.arange(len(p)), self.classes] -= 1.0
        return excess

    def probabilities(self, scores: Floats) -> tuple[Floats, Floats]:
        """(rows, classes) probabilities of scores, and the log losses of rows.

        With two classes one score is enough, the second minus the first, and one probability.
        """
        if scores.shape[1] == 1:
            odds = np.exp(-np.abs(scores))
            losses = np.log1p(odds) + np.maximum(scores, 0.0) - self.classes[:, None] * scores
            return np.where(scores > 0, 1.0, odds) / (1.0 + odds), losses[:, 0]
        below = np.where(self.present, scores, -np.inf)
        below = below - below.max(axis=1, keepdims=True)
        odds = np.exp(below)
        total = odds.sum(axis=1, keepdims=True)
        of_class = below[np.arange(len(scores)), self.classes]
        return odds / total, np.log(total[:, 0]) - of_class


class Combined(NamedTuple):
    """Weights of all tasks, and scores of rows by weights that have not seen them."""

    weights: Floats  # (tasks, rules)
    of_all: Floats  # (rules,): weights of all tasks together
    scores: Floats  # (rows, 1 or classes)


def evidence_of(
    tasks: Codes, classes: Codes, weights: Floats, usable: Mask, present: Mask
) -> Evidence:
    """Rows that could be left out, of tasks that could leave out some of all their classes."""
    shape = present.shape
    cells = tasks * shape[1] + classes
    n = np.bincount(cells, weights * usable, minlength=present.size).reshape(shape)
    whole = ((n > 0) | ~present).all(axis=1) & (present.sum(axis=1) > 1)
    counts = usable & whole[tasks]
    of_task = (n * whole[:, None]).sum(axis=1)
    share = of_task / np.maximum(present.sum(axis=1), 1)
    own = np.where(counts, weights * share[tasks] / np.where(n > 0, n, 1.0).ravel()[cells], 0.0)
    largest = LARGEST_TASK.constant
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
    columns: list[Any] = [column[kept] for column in evidence]
    return scores[:, kept], Evidence(*columns)


class _Pooled(NamedTuple):
    """The optimum of all tasks, with the slope and curvature of its loss per row."""

    weights: Floats
    slope: Floats
    curvature: Floats

    @classmethod
    def of(cls, scores: Floats, evidence: Evidence, prior: Floats) -> _Pooled:
        """The combined loss of all tasks, and the prior as a number of rows around its point."""
        b, total = evidence.fleet, max(float(evidence.fleet.sum()), 1e-9)
        held = _steadied(_curvature(scores, evidence, prior, b) / total)
        rows = PRIOR_ROWS.constant

        def objective(weights: Floats) -> tuple[Floats, float]:
            slope, value = _slope(scores, evidence, weights, b)
            pull = rows * held @ (weights - prior)
            return slope + pull, value + 0.5 * float((weights - prior) @ pull)

        weights, (slope, value) = prior, objective(prior)
        for _ in range(_STEPS):
            curvature = _curvature(scores, evidence, weights, b) + rows * held
            if not np.diagonal(curvature).max() > 1e-100:
                break  # all rows are told apart without a doubt
            step = _nonnegative(curvature, curvature @ weights - slope) - weights
            length, size = 1.0, np.abs(step).max() / max(np.abs(weights).max(), 1e-300)
            while length > 1e-3 and size > 1e-5 and objective(weights + length * step)[1] > value:
                length *= 0.5
            weights = weights + length * step
            slope, value = objective(weights)
            if size <= 1e-9:  # Newton's method: the next one would be rounding
                break
        curvature = _curvature(scores, evidence, weights, b) + rows * held
        return cls(weights, slope / total, curvature / total)


def _slope(scores: Floats, evidence: Evidence, weights: Floats, b: Floats) -> tuple[Floats, float]:
    """Gradient of the summed loss, and the loss."""
    p, losses = evidence.probabilities(np.tensordot(weights, scores, axes=1))
    excess, flat = evidence.excess(p), scores.reshape(len(scores), -1)
    return flat @ (excess * b[:, None]).ravel(), float(b @ losses)


def _curvature(scores: Floats, evidence: Evidence, weights: Floats, b: Floats) -> Floats:
    """(rules, rules): Hessian of the summed loss."""
    p = evidence.probabilities(np.tensordot(weights, scores, axes=1))[0]
    flat = _centred(scores, p, b).reshape(len(scores), -1)
    return np.asarray(flat @ flat.T)


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


def _nonnegative(curvature: Floats, target: Floats) -> Floats:
    """The w ≥ 0 that minimises ½ wᵀ curvature w − targetᵀ w."""
    diagonal = np.diagonal(curvature)
    size = np.sqrt(np.maximum(diagonal, max(1e-12 * float(diagonal.max()), 1e-100)))
    scaled = curvature / size[:, None] / size + 1e-12 * np.eye(len(size))
    root = np.linalg.cholesky(scaled)
    return np.asarray(nnls(root.T, np.linalg.solve(root, target / size))[0] / size)


def _left_out(scores: Floats, evidence: Evidence, pooled: _Pooled) -> Floats:
    """(rows, classes): combined scores of rows by pooled weights that have not seen them."""
    b = evidence.fleet
    p = evidence.probabilities(np.tensordot(pooled.weights, scores, axes=1))[0]
    excess = evidence.excess(p)
    of_rows = np.einsum("jnm,nm,n->nj", scores, excess, b * evidence.of_one)
    active = np.flatnonzero(pooled.weights > 0)  # a weight that is zero stays zero
    among = _steadied(pooled.curvature[active[:, None], active] * float(b.sum()))
    without = np.tile(pooled.weights, (len(b), 1))
    without[:, active] += np.linalg.solve(among, of_rows[:, active].T).T
    return np.asarray(np.einsum("nj,jnm->nm", np.maximum(without, 0.0), scores))


def _of_tasks(
    scores: Floats, evidence: Evidence, pooled: _Pooled, rows: float, weights: Floats
) -> tuple[Floats, Floats, Floats]:
    """Weights of all tasks; losses and scores of rows with weights that have not seen them."""
    slope, curvature = rows * pooled.slope, rows * pooled.curvature
    for _ in range(_STEPS_OF_TASKS):
        own_slope, own_curvature, _ = _by_task(scores, evidence, weights)
        away = weights - pooled.weights
        total = own_curvature + curvature
        push = own_slope + slope + away @ curvature
        weights = _nonnegative_each(total, np.einsum("tij,tj->ti", total, weights) - push)
    _, own_curvature, of_rows = _by_task(scores, evidence, weights)
    used = (weights > 0).astype(np.float64)  # a weight that is zero stays zero
    among = (own_curvature + curvature) * used[:, :, None] * used[:, None, :]
    idle = (1.0 - used) + 1e-12 * np.einsum("tjj->tj", among).max(axis=1, keepdims=True) + 1e-100
    among = among + idle[:, :, None] * np.eye(used.shape[1])
    back = np.einsum(
        "nij,nj->ni", np.linalg.inv(among)[evidence.tasks], of_rows * used[evidence.tasks]
    )
    back *= used[evidence.tasks] * evidence.of_one[:, None]
    without = np.maximum(weights[evidence.tasks] + back, 0.0)
    combined = np.einsum("nj,jnm->nm", without, scores)
    return weights, evidence.losses(combined), combined


def _by_task(scores: Floats, evidence: Evidence, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Gradient and Hessian of the loss of every task, and the gradient of every row."""
    t, b = evidence.tasks, evidence.own
    p = evidence.probabilities(np.einsum("nj,jnm->nm", weights[t], scores))[0]
    excess = evidence.excess(p)
    of_rows = np.einsum("jnm,nm,n->nj", scores, excess, b)
    centred = _centred(scores, p, b).transpose(1, 0, 2)
    starts = np.flatnonzero(np.diff(t, prepend=-1))  # rows are sorted by task
    slope, curvature = np.zeros(weights.shape), np.zeros((*weights.shape, weights.shape[1]))
    slope[t[starts]] = np.add.reduceat(of_rows, starts)
    curvature[t[starts]] = np.add.reduceat(centred @ centred.transpose(0, 2, 1), starts)
    return slope, curvature, of_rows


def _nonnegative_each(curvature: Floats, target: Floats) -> Floats:
    """(problems, rules): the w ≥ 0 that minimises ½ wᵀ curvature w − targetᵀ w, for each of many.

    If no weight of the solution is negative, it is the one. Else it is the best of all subsets of
    the rules, of which there are few, on which the solution is not negative.
    """
    diagonal = np.einsum("tjj->tj", curvature)
    least = np.maximum(1e-12 * diagonal.max(axis=1, keepdims=True), 1e-100)
    size = np.sqrt(np.maximum(diagonal, least))
    scaled = curvature / size[:, :, None] / size[:, None, :] + 1e-12 * np.eye(target.shape[1])
    aim = target / size
    found = np.linalg.solve(scaled, aim[..., None])[..., 0]
    rest = np.flatnonzero((found < 0).any(axis=1))
    if len(rest):
        found[rest] = _best_of_subsets(scaled[rest], aim[rest])
    return np.asarray(found / size)


def _best_of_subsets(curvature: Floats, target: Floats) -> Floats:
    n, size = target.shape
    best, value = np.zeros((n, size)), np.zeros(n)
    for k in range(1, size):
        for subset in combinations(range(size), k):
            some = np.array(subset)
            found = np.linalg.solve(curvature[:, some[:, None], some], target[:, some, None])
            found = found[..., 0]
            gained = 0.5 * np.einsum("tj,tj->t", found, target[:, some])
            better = np.flatnonzero((found >= 0).all(axis=1) & (gained > value))
            value[better], best[better] = gained[better], 0.0
            best[better[:, None], some] = found[better]
    return best
