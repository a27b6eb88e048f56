"""Rules and sampled rows → scores of the rows by rules that have not seen them, in closed form.

Row i of class c is removed from its cell mean, from the centre of its task, from the scale of the
features and the metric, from the noise level of its task and from the noise for which thresholds
are corrected; and from what the target's direction takes over of its own contrast. With r = x − x̄_c
in the metric, every change is an inner product with r: no rule is fitted again.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Codes, Floats

_BLOCK_NUMBERS = 1 << 17  # along directions of the others, at a time


class ScaleChange(NamedTuple):
    """What leaving out a row does to the scale of the features, in their own axes."""

    change: Floats  # (rows, features): Δ' of docs/theory.md
    turned: Floats  # (rows, features): the same times r in the inverse metric
    square: Floats  # (rows,): the same times r again, summed over features
    basis: Floats  # (features, directions)
    stretch: Floats  # (directions,): eigenvalues of the metric

    @classmethod
    def of(
        cls, change: Floats, residuals: Floats, basis: Floats, stretch: Floats, share: float
    ) -> ScaleChange:
        """Of 1 − s₋²/s², for the variance s² that features are divided by, (rows, features).

        With D the ratios of variances, the metric becomes (1 − ρ) D + ρ C: only the part that is
        the identity changes. The inverse is exact without covariance, and where features are
        uncorrelated.
        """
        change = (1.0 - share) * change
        change = change / np.maximum(1.0 - change, 1e-3)
        axes = residuals.shape[1]
        r = (residuals / stretch[:axes]) @ basis[:, :axes].T
        turned = change * r
        return cls(change, turned, np.einsum("np,np->n", turned, r), basis, stretch)


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
    scale: ScaleChange | None = None  # None where the scale does not depend on a single row


class SharedPart(NamedTuple):
    """How coefficients follow the own contrasts of a target along directions of the others."""

    basis: Floats  # (vectors, classes, directions): in the metric
    vectors: Floats  # (tasks, vectors, spikes)
    gain: Floats  # (tasks, spikes, spikes)


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
    trace: Floats | None = None  # (tasks,): features × noise level, which coef is divided by
    shared: SharedPart | None = None  # what coef follows beyond `own`


class _Products(NamedTuple):
    """Inner products in the metric, of a row with rules."""

    x_coef: Floats  # (rows, classes): the row around the centre of its task, with every rule
    r_coef: Floats  # (rows, classes): its residual, with every rule
    length: Floats  # (rows, classes): squared lengths of the rules
    x_r: Floats  # (rows,): the row with its residual
    square: Floats  # (rows,): the residual with itself


def leave_one_out_scores(rules: RuleParts, residuals: Residuals) -> Floats:
    """(rows, classes): scores by rules that have not seen the row; NaN for an only one."""
    t, c = residuals.tasks, residuals.classes
    n, g = rules.counts[t, c], np.minimum(residuals.weights, 1.0)  # of equal rows, leave out one
    alone = n - g <= 1e-9 * n
    fraction = g / np.where(alone, 1.0, n - g)  # the cell mean moves by −fraction · r
    before = _products(rules, residuals, fraction)
    moved = -fraction[:, None] * rules.own[t, :, c]  # coef_l moves by that times r
    after = _with_own_part(before, moved)
    if rules.shared is not None:
        after = _with_shared_part(after, rules, residuals, fraction, moved)
    share = residuals.metric_weight * fraction * n
    downdate = share / np.maximum(1.0 - share * before.square, 1e-6)  # Sherman and Morrison
    in_metric = after._replace(
        x_coef=after.x_coef + (downdate * after.x_r)[:, None] * after.r_coef,
        length=after.length + downdate[:, None] * after.r_coef**2,
    )
    if residuals.scale is not None:
        along = 1.0 + fraction * rules.class_shares[t, c] + downdate * after.x_r
        multiple = moved + downdate[:, None] * after.r_coef
        in_metric = _with_scale(in_metric, rules, residuals, residuals.scale, along, multiple)
    scores = in_metric.x_coef - rules.half_level[t, None] * in_metric.length
    scores = scores * _level_ratio(rules, residuals, fraction * n, before.square)[:, None]
    noise = _noise_without(rules, residuals, before.square)
    undone = (noise - rules.cell_noise[t, c])[:, None] * rules.undone[t, :, c]
    return np.where(alone[:, None], np.nan, scores + rules.offset[t] + undone)


def _products(rules: RuleParts, residuals: Residuals, fraction: Floats) -> _Products:
    """With the rules of all rows, around the centre without the row."""
    t, c, r = residuals.tasks, residuals.classes, residuals.values
    square = residuals.squares @ (1.0 / residuals.stretch)
    vectors = np.concatenate([rules.coef, rules.contrasts], axis=1)[..., : r.shape[1]]
    both = _inner(r, t, vectors / np.sqrt(residuals.stretch))
    r_coef, r_contrast = both[:, : rules.coef.shape[1]], both[:, rules.coef.shape[1] :]
    larger = 1.0 + fraction * rules.class_shares[t, c]  # the centre moves away from the row
    of_means = (rules.contrasts @ rules.coef.transpose(0, 2, 1))[t, c]
    length = np.einsum("tlp,tlp->tl", rules.coef, rules.coef)[t]
    x_r = r_contrast[np.arange(len(r)), c] + larger * square
    return _Products(of_means + larger[:, None] * r_coef, r_coef, length, x_r, square)


def _with_own_part(before: _Products, moved: Floats) -> _Products:
    """After every coefficient has moved by a multiple of the residual."""
    square = before.square[:, None]
    return before._replace(
        x_coef=before.x_coef + moved * before.x_r[:, None],
        r_coef=before.r_coef + moved * square,
        length=before.length + 2.0 * moved * before.r_coef + moved**2 * square,
    )


def _with_shared_part(
    after: _Products, rules: RuleParts, residuals: Residuals, fraction: Floats, moved: Floats
) -> _Products:
    """After the part along directions of the others has followed the target's own contrast."""
    assert rules.shared is not None
    basis = rules.shared.basis
    products = np.einsum("blp,alp->lba", basis, basis)
    coef_basis = np.einsum("tlp,blp->tbl", rules.coef, basis)
    found = [np.empty_like(moved) for _ in range(3)]
    block = max(1, _BLOCK_NUMBERS // (basis.shape[0] * basis.shape[1]))
    for start in range(0, len(moved), block):
        rows = slice(start, start + block)
        t, share = residuals.tasks[rows], fraction[rows]
        x_basis, r_basis, centring = _along_basis(rules, residuals, rows, share)
        change = -share[:, None] * _change(rules.shared, t, r_basis, centring)
        r_change = np.einsum("nb,nbl->nl", change, r_basis)
        crossed = np.einsum("nb,nbl->nl", change, coef_basis[t]) + moved[rows] * r_change
        squared = np.einsum("nlb,nb->nl", np.einsum("na,lba->nlb", change, products), change)
        found[0][rows] = np.einsum("nb,nbl->nl", change, x_basis)
        found[1][rows] = r_change
        found[2][rows] = 2.0 * crossed + squared
    x_change, r_change, longer = found
    return after._replace(
        x_coef=after.x_coef + x_change,
        r_coef=after.r_coef + r_change,
        length=after.length + longer,
    )


def _along_basis(
    rules: RuleParts, residuals: Residuals, rows: slice, fraction: Floats
) -> tuple[Floats, Floats, Floats]:
    """Rows and their residuals along (rows, vectors, classes); d contrast_l / d mean_c."""
    assert rules.shared is not None
    basis, t, c = rules.shared.basis, residuals.tasks[rows], residuals.classes[rows]
    n_vectors, n_classes, _ = basis.shape
    shape, axes = (-1, n_vectors, n_classes), residuals.values.shape[1]
    flat = (basis[..., :axes] / np.sqrt(residuals.stretch)).reshape(-1, axes)
    r_basis = (residuals.values[rows] @ flat.T).reshape(shape)
    of_means = (rules.contrasts[t, c] @ basis.reshape(n_vectors * n_classes, -1).T).reshape(shape)
    shares = rules.class_shares[t]
    larger = 1.0 + fraction * shares[np.arange(len(t)), c]
    centring = (np.eye(n_classes)[c] - shares) * (shares > 0)
    return of_means + larger[:, None, None] * r_basis, r_basis, centring


def _change(shared: SharedPart, tasks: Codes, r_basis: Floats, centring: Floats) -> Floats:
    """(rows, vectors): what a change of the own contrast by a residual does to coefficients."""
    along = np.einsum("nbl,nl->nb", r_basis, centring)
    vectors = shared.vectors[tasks]
    pulled = np.einsum("nbs,nb->ns", vectors, along)
    gained = np.einsum("nsu,nu->ns", shared.gain[tasks], pulled)
    return np.asarray(np.einsum("nbs,ns->nb", vectors, gained))


def _with_scale(
    products: _Products,
    rules: RuleParts,
    residuals: Residuals,
    scale: ScaleChange,
    along: Floats,
    multiple: Floats,
) -> _Products:
    """With the scale of the features without the row: what Δ' adds to every inner product."""
    t = residuals.tasks
    both = np.concatenate([rules.coef, rules.contrasts], axis=1) / np.sqrt(scale.stretch)
    coef, contrasts = np.split(both @ scale.basis.T, 2, axis=1)
    of_mean, mean_r = _with_mean(residuals, scale, coef, contrasts)
    r_coef, square = _inner(scale.turned, t, coef), scale.square[:, None]
    x_r = mean_r[:, None] + along[:, None] * square
    longer = _inner(scale.change, t, coef**2) + 2.0 * multiple * r_coef + multiple**2 * square
    return products._replace(
        x_coef=products.x_coef + of_mean + along[:, None] * r_coef + multiple * x_r,
        length=products.length + longer,
    )


def _with_mean(
    residuals: Residuals, scale: ScaleChange, coef: Floats, contrasts: Floats
) -> tuple[Floats, Floats]:
    """Of the mean of a row's own class: (rows, classes) with every rule, (rows,) with the row."""
    t, c = residuals.tasks, residuals.classes
    with_rules, with_row = np.empty((len(t), coef.shape[1])), np.empty(len(t))
    starts = np.flatnonzero(np.diff(t * coef.shape[1] + c, prepend=-1))
    for start, end in itertools.pairwise([*starts.tolist(), len(t)]):
        cell, contrast = slice(start, end), contrasts[t[start], c[start]]
        with_rules[cell] = scale.change[cell] @ (contrast * coef[t[start]]).T
        with_row[cell] = scale.turned[cell] @ contrast
    return with_rules, with_row


def _level_ratio(rules: RuleParts, residuals: Residuals, removed: Floats, square: Floats) -> Floats:
    """(rows,): the noise level of the task over what it is without the row."""
    if rules.trace is None:
        return np.ones(len(square))
    t, freedom = residuals.tasks, np.maximum(rules.counts - 1.0, 0.0).sum(axis=1)
    g = np.minimum(residuals.weights, 1.0)
    total, left = (rules.trace * freedom)[t], freedom[t] - g
    without = np.maximum(total - removed * square, 0.05 * total) / np.maximum(left, 1e-300)
    known = (left > 1e-9) & (without > 0)
    return np.where(known, rules.trace[t] / np.where(known, without, 1.0), 1.0)


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
    for start, end in itertools.pairwise([*starts.tolist(), len(rows)]):
        products[start:end] = rows[start:end] @ vectors[tasks[start]].T
    return products
