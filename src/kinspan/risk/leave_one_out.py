"""Rules and sampled rows → scores of the rows by rules that have not seen them, in closed form.

Row i of class c is removed from its cell mean, from the centre of its task, from the metric and
from the noise for which thresholds are corrected; the weights of tasks stay the same. With
r = x − x̄_c in the metric, every change is an inner product with r: no rule is fitted again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Codes, Floats


class Residuals(NamedTuple):
    """Sampled rows minus the mean of their cell, along the first directions of the basis of rules.

    There are many rows and few rules: the metric is applied to the rules, and rows stay unchanged.
    """

    values: Floats  # (rows, axes): r, before the metric; zero in all other directions
    squares: Floats  # (rows, axes): their squares
    stretch: Floats  # (axes,): eigenvalues of the metric, which divides by their roots
    tasks: Codes  # (rows,)
    classes: Codes  # (rows,)
    weights: Floats  # (rows,): how often the row occurred
    metric_weight: float  # the share of a row of weight one in the metric


class RuleParts(NamedTuple):
    """Linear rules, and how they depend on the cell means of their task."""

    coef: Floats  # (tasks, classes, features), in the metric
    offset: Floats  # (tasks, classes), without the part that depends on the length of coef
    half_level: Floats  # (tasks,): the score contains −half_level · ‖coef‖²
    own: (
        Floats  # (tasks, classes, classes): d coef_l / d mean_c of the task, a multiple of identity
    )
    undone: Floats  # (tasks, classes, classes): factor of the noise of mean_c in the offset of l
    cell_noise: Floats  # (tasks, classes): squared sampling error of the cell means
    contrasts: Floats  # (tasks, classes, features): class means around the centre, in the metric
    class_shares: Floats  # (tasks, classes): weight of the class means in the centre
    counts: Floats  # (tasks, classes)


class LeftOut(NamedTuple):
    """Scores of rows by rules that were computed without them."""

    scores: Floats  # (rows, classes); NaN for the only row of a cell
    inflation: Floats  # (rows,): ‖coef without the row‖² over ‖coef‖², the relative noise


def leave_one_out_scores(rules: RuleParts, residuals: Residuals) -> LeftOut:
    """Scores of all sampled rows, each by a rule that has not seen it."""
    t, c, r = residuals.tasks, residuals.classes, residuals.values
    n, g = rules.counts[t, c], np.minimum(residuals.weights, 1.0)  # of equal rows, leave out one
    alone = n - g <= 1e-9 * n
    fraction = g / np.where(alone, 1.0, n - g)  # the cell mean moves by −fraction · r
    square = residuals.squares @ (1.0 / residuals.stretch)
    vectors = np.concatenate([rules.coef, rules.contrasts], axis=1)[..., : r.shape[1]]
    both = _inner(r, t, vectors / np.sqrt(residuals.stretch))
    r_coef, r_contrast = both[:, : rules.coef.shape[1]], both[:, rules.coef.shape[1] :]
    r_contrast = r_contrast[np.arange(len(r)), c]
    x_coef = (rules.contrasts @ rules.coef.transpose(0, 2, 1))[t, c] + r_coef
    length = full_length = np.einsum("tlp,tlp->tl", rules.coef, rules.coef)[t]
    moved = fraction * rules.class_shares[t, c]  # the centre moves by −moved · r
    q = -fraction[:, None] * rules.own[t, :, c]  # coef_l moves by q_l · r
    x_r = r_contrast + (1.0 + moved) * square
    x_coef = x_coef + moved[:, None] * r_coef + q * x_r[:, None]
    r_coef_new = r_coef + q * square[:, None]
    length = length + 2.0 * q * r_coef + q**2 * square[:, None]
    share = residuals.metric_weight * fraction * n
    downdate = share / np.maximum(1.0 - share * square, 1e-6)  # Sherman and Morrison
    x_coef = x_coef + (downdate * x_r)[:, None] * r_coef_new
    length = length + downdate[:, None] * r_coef_new**2
    scores = x_coef - rules.half_level[t, None] * length + rules.offset[t]
    noise = _noise_without(rules, residuals, square)
    scores = scores + (noise - rules.cell_noise[t, c])[:, None] * rules.undone[t, :, c]
    total = full_length.sum(axis=1)
    inflation = length.sum(axis=1) / np.where(total > 0, total, 1.0)
    return LeftOut(
        np.where(alone[:, None], np.nan, scores),
        np.where(alone | (total <= 0), 1.0, np.maximum(inflation, 1.0)),
    )


def _noise_without(rules: RuleParts, residuals: Residuals, square: Floats) -> Floats:
    """(rows,): the squared sampling error of a cell mean, estimated from its other rows.

    A single remaining row shows no spread: the spread of the task is used.
    """
    n = rules.counts
    freedom = np.maximum(n - 1.0, 0.0)
    scatter = rules.cell_noise * n * freedom
    of_task = scatter.sum(axis=1) / np.maximum(freedom.sum(axis=1), 1e-300)
    t, c, g = residuals.tasks, residuals.classes, np.minimum(residuals.weights, 1.0)
    left = np.maximum(n[t, c] - g, 1e-9)
    others = np.maximum(scatter[t, c] - g * n[t, c] / left * square, 0.0)
    several = left > 1.0 + 1e-9
    spread = np.where(several, others / np.where(several, left - 1.0, 1.0), of_task[t])
    return np.asarray(spread / left)


def _inner(rows: Floats, tasks: Codes, vectors: Floats) -> Floats:
    """(rows, classes): every row times the vectors (tasks, classes, axes) of its task."""
    products = np.empty((len(rows), vectors.shape[1]))
    starts = np.flatnonzero(np.diff(tasks, prepend=-1))  # rows are sorted by task
    for part in np.split(np.arange(len(rows)), starts)[1:]:
        products[part] = rows[part] @ vectors[tasks[part[0]]].T
    return products
