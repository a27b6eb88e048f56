"""Every task by its own rows alone: its own covariance, with a ridge, in place of that of all.

With S the covariance within the classes of a task, from its sampled rows R, and a ridge λ, scores
are those of the discriminant in the metric λ + S. Its inverse is taken in the space of the rows, so
that a task with few rows costs little, whatever the features. Rows are left out in closed form.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Codes, Floats
from kinspan.metric import ScaledMoments
from kinspan.risk import Residuals
from kinspan.scores import LinearRules


class OwnRules(NamedTuple):
    """Rules of every task by its own rows, and scores of its rows, each left out."""

    rules: LinearRules  # around the centres of the tasks, in the basis
    scores: Floats  # (rows, classes), NaN where a row cannot be left out
    inflation: Floats  # (rows,): squared length of the rules without the row, over that with it


class _Task(NamedTuple):
    """The rows of one task, minus the means of their cells, and its class means."""

    rows: Floats  # (rows, directions)
    weights: Floats  # (rows,)
    classes: Codes  # (rows,)
    contrasts: Floats  # (classes, directions): class means around the centre
    centring: Floats  # (classes l, classes j): d contrast_l / d mean_j
    shares: Floats  # (classes,): of class means in the centre
    counts: Floats  # (classes,)


def own_rules(
    scaled: ScaledMoments, contrasts: Floats, centring: Floats, rows: Residuals, ridge: float
) -> OwnRules:
    """All tasks with a ridge in units of the mean eigenvalue of their covariance."""
    coef, offset = np.zeros(contrasts.shape), np.zeros(contrasts.shape[:2])
    scores = np.full((len(rows.tasks), contrasts.shape[1]), np.nan)
    inflation = np.ones(len(rows.tasks))
    starts = np.flatnonzero(np.diff(rows.tasks, prepend=-1))
    for part in np.split(np.arange(len(rows.tasks)), starts)[1:]:
        t = rows.tasks[part[0]]
        task = _Task(
            rows.values[part],
            rows.weights[part],
            rows.classes[part],
            contrasts[t],
            centring[t],
            scaled.class_shares[t],
            scaled.counts[t],
        )
        coef[t], offset[t], scores[part], inflation[part] = _of_task(task, ridge)
    return OwnRules(LinearRules(coef, offset), scores, inflation)


def _of_task(task: _Task, ridge: float) -> tuple[Floats, Floats, Floats, Floats]:
    """Coefficients, offsets, scores of rows that are left out, and the inflation of rules."""
    n, axes = task.rows.shape
    total = float(task.weights.sum())
    vectors = np.concatenate([task.rows, task.contrasts[:, :axes]])
    products = vectors @ vectors.T
    trace = float(task.weights @ np.diagonal(products)[:n]) / total
    freedom = max(total - float((task.counts > 0).sum()), 1.0)
    level = ridge * trace / min(freedom, float(task.contrasts.shape[1]))
    if not level > 0:  # equal rows show no covariance
        nothing = np.zeros(len(task.contrasts))
        return np.zeros_like(task.contrasts), nothing, np.zeros((n, 1)), np.ones(n)
    inner = products[:n, :n] + np.diag(level * total / task.weights)
    solved = np.linalg.solve(inner, products[:n])  # (rows, rows and contrasts)
    inverse = (products - products[:n].T @ solved) / level  # products in the metric
    outside = task.contrasts[:, axes:]
    coef = np.concatenate([task.contrasts[:, :axes] - solved[:, n:].T @ task.rows, outside], axis=1)
    between = inverse[n:, n:] + outside @ outside.T / level
    noise = float(task.weights @ np.diagonal(inverse)[:n]) / total
    undone = task.centring * task.shares + 0.5 * task.centring**2
    safe = np.where(task.counts > 0, task.counts, 1.0)
    offset = (undone * (noise / safe)).sum(axis=1) - 0.5 * np.diagonal(between)
    return coef / level, offset, *_left_out(task, inverse, between, noise, undone)


def _left_out(
    task: _Task, inverse: Floats, between: Floats, noise: float, undone: Floats
) -> tuple[Floats, Floats]:
    """Scores and inflation: the same as in `risk.leave_one_out`, with a metric of one task."""
    n, c = len(task.rows), task.classes
    count, g = task.counts[c], np.minimum(task.weights, 1.0)
    alone = count - g <= 1e-9 * count
    fraction = g / np.where(alone, 1.0, count - g)
    square, r_coef = np.diagonal(inverse)[:n], inverse[:n, n:]
    larger = 1.0 + fraction * task.shares[c]
    x_r = r_coef[np.arange(n), c] + larger * square
    moved = -fraction[:, None] * task.centring[:, c].T
    x_coef = between[c] + larger[:, None] * r_coef + moved * x_r[:, None]
    length = np.diagonal(between) + 2.0 * moved * r_coef + moved**2 * square[:, None]
    r_moved = r_coef + moved * square[:, None]
    share = fraction * count / float(task.weights.sum())
    downdate = share / np.maximum(1.0 - share * square, 1e-6)
    x_coef = x_coef + (downdate * x_r)[:, None] * r_moved
    length = length + downdate[:, None] * r_moved**2
    safe = np.where(task.counts > 0, task.counts, 1.0)
    noises = np.tile(noise / safe, (n, 1))
    noises[np.arange(n), c] = noise / np.maximum(count - g, 1e-9)
    scores = x_coef - 0.5 * length + noises @ undone.T
    total = float(np.diagonal(between).sum())
    inflation = length.sum(axis=1) / total if total > 0 else np.ones(n)
    return np.where(alone[:, None], np.nan, scores), np.where(alone, 1.0, inflation)
