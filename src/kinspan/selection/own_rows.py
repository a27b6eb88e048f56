"""Every task by its own rows alone: its own covariance, with a ridge, in place of that of all.

With S the covariance within the classes of a task, from its sampled rows R, and a ridge λ, scores
are those of the discriminant in the metric λ + S. Its inverse is taken in the space of the rows, so
that a task with few rows costs little, whatever the features. Rows are left out in closed form.
Tasks of similar sizes are computed at once, filled up with rows of weight zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Codes, Floats, Mask
from kinspan.metric import ScaledMoments
from kinspan.risk import Residuals
from kinspan.scores import LinearRules

_AT_ONCE = 1 << 20  # numbers in the rows and products of tasks that are computed at once


class OwnRules(NamedTuple):
    """Rules of every task by its own rows, and scores of its rows, each left out."""

    rules: LinearRules  # around the centres of the tasks, in the basis
    scores: Floats  # (rows, classes), of two classes (rows, 1); NaN where a row is a whole class


class _Tasks(NamedTuple):
    """Rows of some tasks, minus the means of their cells, and their class means."""

    tasks: Codes  # (tasks,)
    places: Codes  # (tasks, rows): which of all rows; any for rows of weight zero
    rows: Floats  # (tasks, rows, axes)
    weights: Floats  # (tasks, rows)
    classes: Codes  # (tasks, rows)
    contrasts: Floats  # (tasks, classes, directions): class means around the centre
    centring: Floats  # (tasks, classes l, classes j): d contrast_l / d mean_j
    shares: Floats  # (tasks, classes): of class means in the centre
    counts: Floats  # (tasks, classes)
    change: Floats | None  # (tasks, rows, features): of the scale, if a row is left out
    turned_back: Callable[[Floats], Floats] | None  # (…, directions) → (…, features)


class _Removed(NamedTuple):
    """What leaving out one of equal rows changes."""

    one: Floats  # (tasks, rows): what is left out
    fraction: Floats  # (tasks, rows): the cell mean moves by minus this times the row
    scatter: Floats  # (tasks, rows): what the scatter of the cell loses, over the row's square
    alone: Mask  # (tasks, rows): whether the row is its whole cell


class _InMetric(NamedTuple):
    """Inner products in the metric of a task."""

    r_r: Floats  # (tasks, rows)
    r_coef: Floats  # (tasks, rows, classes): with the contrasts
    coef_coef: Floats  # (tasks, classes, classes)
    inverse_rows: Floats  # (tasks, rows, axes): the inverse metric times the rows
    coef: Floats  # (tasks, classes, directions): the inverse metric times the contrasts
    level: Floats  # (tasks,): of the identity in the metric


def own_rules(
    scaled: ScaledMoments, contrasts: Floats, centring: Floats, rows: Residuals, ridge: float
) -> OwnRules:
    """All tasks with a ridge in units of the mean eigenvalue of their covariance."""
    coef, offset = np.zeros(contrasts.shape), np.zeros(contrasts.shape[:2])
    scores = np.full((len(rows.tasks), contrasts.shape[1]), np.nan)
    for some in _of_similar_sizes(scaled, contrasts, centring, rows):
        found = _rules(some, ridge)
        coef[some.tasks], offset[some.tasks] = found[:2]
        real = some.weights > 0
        scores[some.places[real]] = found[2][real]
    if scores.shape[1] == 2:
        scores = scores[:, 1:] - scores[:, :1]
    return OwnRules(LinearRules(coef, offset), scores)


def _of_similar_sizes(
    scaled: ScaledMoments, contrasts: Floats, centring: Floats, rows: Residuals
) -> Iterator[_Tasks]:
    """Tasks by their numbers of rows, the largest of a group at most twice the smallest."""
    starts = np.flatnonzero(np.diff(rows.tasks, prepend=-1))
    sizes = np.diff(np.append(starts, len(rows.tasks)))
    order = np.argsort(sizes, kind="stable")
    width = max(rows.values.shape[1], 1 if rows.scale is None else rows.scale.change.shape[1])
    while len(order):
        least = sizes[order[0]]
        n = int(np.searchsorted(sizes[order], 2 * least, side="right"))
        of_task = 2 * least * max(width, 2 * least + contrasts.shape[1])
        n = max(1, min(n, _AT_ONCE // of_task))
        group, order = order[:n], order[n:]
        step = np.arange(sizes[group].max())
        is_row = step < sizes[group][:, None]
        places = starts[group][:, None] + np.where(is_row, step, 0)
        t = rows.tasks[starts[group]]
        yield _Tasks(
            t,
            places,
            rows.values[places] * is_row[..., None],
            rows.weights[places] * is_row,
            rows.classes[places],
            contrasts[t],
            centring[t],
            scaled.class_shares[t],
            scaled.counts[t],
            None if rows.scale is None else rows.scale.relative(0.0)[places],
            None if rows.scale is None else rows.scale.turned_back,
        )


def _rules(some: _Tasks, ridge: float) -> tuple[Floats, Floats, Floats]:
    """Coefficients, offsets, and scores of rows that are left out."""
    total, removed = some.weights.sum(axis=1, keepdims=True), _removed(some)
    found = _in_metric(some, ridge)
    share = removed.scatter / total
    fresh = removed.scatter * found.r_r / np.maximum(1.0 - share * found.r_r, 1e-6)
    copies = some.weights / np.where(removed.one > 0, removed.one, 1.0)
    noise = (copies * fresh).sum(axis=1, keepdims=True) / total
    safe = np.where(some.counts > 0, some.counts, 1.0)
    undone = some.centring * some.shares[:, None, :] + 0.5 * some.centring**2
    half = 0.5 * np.einsum("tll->tl", found.coef_coef)
    offset = np.einsum("tlj,tj->tl", undone, noise / safe) - half
    without = np.maximum(noise * total - fresh, 0.0) / np.maximum(total - removed.one, 1e-300)
    scores = _left_out(some, found, removed, share)
    noises = without[..., None] / safe[:, None, :]
    left = np.maximum(_of_class(some, some.counts) - removed.one, 1e-9)
    np.put_along_axis(noises, some.classes[..., None], (without / left)[..., None], axis=2)
    scores = np.where(removed.alone[..., None], np.nan, scores + noises @ undone.transpose(0, 2, 1))
    known = found.level > 0  # equal rows show no covariance
    return (
        found.coef * known[:, None, None],
        offset * known[:, None],
        np.where(known[:, None, None], scores, 0.0),
    )


def _of_class(some: _Tasks, values: Floats) -> Floats:
    """(tasks, rows): the (tasks, classes) value of every row's class."""
    return np.asarray(np.take_along_axis(values, some.classes, axis=1))


def _removed(some: _Tasks) -> _Removed:
    one, count = np.minimum(some.weights, 1.0), _of_class(some, some.counts)
    alone = count - one <= 1e-9 * count
    fraction = np.where(alone, 0.0, one / np.where(alone, 1.0, count - one))
    return _Removed(one, fraction, fraction * count, alone)


def _in_metric(some: _Tasks, ridge: float) -> _InMetric:
    """By the inverse of λ + S in the space of the rows."""
    n, axes = some.rows.shape[1:]
    total = some.weights.sum(axis=1)
    vectors = np.concatenate([some.rows, some.contrasts[..., :axes]], axis=1)
    products = vectors @ vectors.transpose(0, 2, 1)
    squares = np.einsum("tnn->tn", products[:, :n, :n])
    freedom = np.maximum(total - (some.counts > 0).sum(axis=1), 1.0)
    trace = (some.weights * squares).sum(axis=1) / total
    level = ridge * trace / np.minimum(freedom, float(some.contrasts.shape[2]))
    safe = np.where(level > 0, level, 1.0)
    root = np.sqrt(some.weights)[..., None]
    inner = root * products[:, :n, :n] * root.transpose(0, 2, 1)
    inner = inner + (safe * total)[:, None, None] * np.eye(n)
    weighted = root * products[:, :n]
    solved = np.linalg.solve(inner, weighted)  # (tasks, rows, rows and contrasts)
    inverse = (products - weighted.transpose(0, 2, 1) @ solved) / safe[:, None, None]
    inside = (vectors - solved.transpose(0, 2, 1) @ (root * some.rows)) / safe[:, None, None]
    outside = some.contrasts[..., axes:] / safe[:, None, None]
    return _InMetric(
        np.einsum("tnn->tn", inverse[:, :n, :n]),
        inverse[:, :n, n:],
        inverse[:, n:, n:] + some.contrasts[..., axes:] @ outside.transpose(0, 2, 1),
        inside[:, :n],
        np.concatenate([inside[:, n:], outside], axis=2),
        level,
    )


def _left_out(some: _Tasks, found: _InMetric, removed: _Removed, share: Floats) -> Floats:
    """Scores without noise: the same as in `risk.leave_one_out`, in the metric of a task."""
    c, r_r = some.classes[..., None], found.r_r[..., None]
    larger = 1.0 + removed.fraction * _of_class(some, some.shares)
    x_r = np.take_along_axis(found.r_coef, c, axis=2)[..., 0] + larger * found.r_r
    centring = np.take_along_axis(some.centring.transpose(0, 2, 1), c, axis=1)
    moved = -removed.fraction[..., None] * centring
    of_means = np.take_along_axis(found.coef_coef, c, axis=1)
    x_coef = of_means + larger[..., None] * found.r_coef + moved * x_r[..., None]
    r_moved = found.r_coef + moved * r_r
    length = np.einsum("tll->tl", found.coef_coef)[:, None] + moved * (found.r_coef + r_moved)
    downdate = share / np.maximum(1.0 - share * found.r_r, 1e-6)
    x_coef = x_coef + (downdate * x_r)[..., None] * r_moved
    length = length + downdate[..., None] * r_moved**2
    if some.change is not None:
        along = larger + downdate * x_r
        more = _of_scale(some, found, along[..., None], moved + downdate[..., None] * r_moved)
        x_coef, length = x_coef + more[0], length + more[1]
    return np.asarray(x_coef - 0.5 * length)


def _of_scale(
    some: _Tasks, found: _InMetric, along: Floats, multiple: Floats
) -> tuple[Floats, Floats]:
    """What the scale of the features without the row adds to x · coef and to ‖coef‖²."""
    assert some.change is not None
    assert some.turned_back is not None
    change = found.level[:, None, None] * some.change
    r, coef = some.turned_back(found.inverse_rows), some.turned_back(found.coef)
    across = coef.transpose(0, 2, 1)
    turned = change * r
    r_coef, square = turned @ across, np.einsum("tnp,tnp->tn", turned, r)[..., None]
    mean_r = np.take_along_axis(r_coef, some.classes[..., None], axis=2)
    of_mean = (change * np.take_along_axis(coef, some.classes[..., None], axis=1)) @ across
    on_x = of_mean + along * r_coef + multiple * (mean_r + along * square)
    return on_x, change @ across**2 + 2.0 * multiple * r_coef + multiple**2 * square
