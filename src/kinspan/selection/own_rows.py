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
    change: Floats | None  # (rows, features): of the scale, if a row is left out
    basis: Floats | None  # (features, directions)

    @property
    def one(self) -> Floats:
        """(rows,): what is left out of equal rows."""
        return np.minimum(self.weights, 1.0)

    @property
    def fraction(self) -> Floats:
        """(rows,): the cell mean moves by minus this times the row; NaN for an only row."""
        left = self.counts[self.classes] - self.one
        several = left > 1e-9 * self.counts[self.classes]
        return np.where(several, self.one / np.where(several, left, 1.0), np.nan)

    @property
    def removed(self) -> Floats:
        """(rows,): what the scatter of the cell loses with a row, over its square."""
        return np.nan_to_num(self.fraction) * self.counts[self.classes]


class _InMetric(NamedTuple):
    """Inner products in the metric of a task, and what they change by without a row."""

    r_r: Floats  # (rows,)
    r_coef: Floats  # (rows, classes): with the contrasts
    coef_coef: Floats  # (classes, classes)
    inverse_rows: Floats  # (rows, directions): the inverse metric times the rows
    coef: Floats  # (classes, directions): the inverse metric times the contrasts
    level: float  # of the identity in the metric
    undone: Floats  # (classes, classes): what an offset adds per noise of a cell mean


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
            None if rows.scale is None else rows.scale.change[part],
            None if rows.scale is None else rows.scale.basis,
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
    inside = (vectors - solved.T @ task.rows) / level
    found = _InMetric(
        np.diagonal(inverse)[:n],
        inverse[:n, n:],
        inverse[n:, n:] + outside @ outside.T / level,
        inside[:n],
        np.concatenate([inside[n:], outside / level], axis=1),
        level,
        task.centring * task.shares + 0.5 * task.centring**2,
    )
    share = task.removed / total
    fresh = task.removed * found.r_r / np.maximum(1.0 - share * found.r_r, 1e-6)
    noise = float((task.weights / task.one) @ fresh) / total
    safe = np.where(task.counts > 0, task.counts, 1.0)
    offset = found.undone @ (noise / safe) - 0.5 * np.diagonal(found.coef_coef)
    without = np.maximum(noise * total - fresh, 0.0) / np.maximum(total - task.one, 1e-300)
    return found.coef, offset, *_left_out(task, found, without)


def _left_out(task: _Task, found: _InMetric, noise: Floats) -> tuple[Floats, Floats]:
    """Scores and inflation: the same as in `risk.leave_one_out`, with a metric of one task."""
    n, c, fraction = len(task.rows), task.classes, task.fraction
    alone, fraction = np.isnan(fraction), np.nan_to_num(fraction)
    larger = 1.0 + fraction * task.shares[c]
    x_r = found.r_coef[np.arange(n), c] + larger * found.r_r
    moved = -fraction[:, None] * task.centring[:, c].T
    x_coef = found.coef_coef[c] + larger[:, None] * found.r_coef + moved * x_r[:, None]
    r_moved = found.r_coef + moved * found.r_r[:, None]
    length = np.diagonal(found.coef_coef) + moved * (found.r_coef + r_moved)
    share = task.removed / float(task.weights.sum())
    downdate = share / np.maximum(1.0 - share * found.r_r, 1e-6)
    x_coef = x_coef + (downdate * x_r)[:, None] * r_moved
    length = length + downdate[:, None] * r_moved**2
    if task.change is not None:
        along = larger + downdate * x_r
        multiple = moved + downdate[:, None] * r_moved
        more = _of_scale(task, found, along, multiple)
        x_coef, length = x_coef + more[0], length + more[1]
    noises = noise[:, None] / np.where(task.counts > 0, task.counts, 1.0)
    noises[np.arange(n), c] = noise / np.maximum(task.counts[c] - task.one, 1e-9)
    scores = x_coef - 0.5 * length + noises @ found.undone.T
    total = float(np.diagonal(found.coef_coef).sum())
    inflation = length.sum(axis=1) / total if total > 0 else np.ones(n)
    return np.where(alone[:, None], np.nan, scores), np.where(alone, 1.0, inflation)


def _of_scale(
    task: _Task, found: _InMetric, along: Floats, multiple: Floats
) -> tuple[Floats, Floats]:
    """What the scale of the features without the row adds to x · coef and to ‖coef‖²."""
    assert task.change is not None
    assert task.basis is not None
    change = found.level * task.change / np.maximum(1.0 - task.change, 1e-3)
    r = found.inverse_rows @ task.basis[:, : task.rows.shape[1]].T
    coef = found.coef @ task.basis.T
    x = coef[task.classes] + along[:, None] * r
    weighted, own = change * x, change * r
    on_x = weighted @ coef.T + multiple * np.einsum("np,np->n", weighted, r)[:, None]
    of_own = np.einsum("np,np->n", own, r)[:, None]
    return on_x, change @ (coef**2).T + 2.0 * multiple * (own @ coef.T) + multiple**2 * of_own
