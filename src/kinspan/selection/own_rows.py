"""Every task by its own rows alone: its own covariance, with a ridge, in place of that of all.

With S the covariance within the classes of a task, from its sampled rows R, and a ridge λ, scores
are those of the discriminant in the metric λ + S. Its inverse is taken in the space of the rows or
of the axes, whichever is smaller. Rows are left out in closed form.
Tasks of similar sizes are computed at once, filled up with rows of weight zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from kinspan._rows.types import Codes, Floats, Mask
from kinspan.metric import ScaledMoments
from kinspan.risk import Residuals, ScaleChange
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
    scale: _OfScale | None  # None where the scale does not depend on single rows


class _OfScale(NamedTuple):
    """The same in the axes of the features."""

    change: Floats  # (tasks, rows, features): of the scale, if a row is left out
    rows: Floats  # (tasks, rows, features)
    contrasts: Floats  # (tasks, classes, features)


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
    coef: Floats  # (tasks, classes, directions): the inverse metric times the contrasts
    solved: _Solved  # what it subtracts, as weights of rows
    level: Floats  # (tasks,): of the identity in the metric


class _Solved(NamedTuple):
    """(tasks, rows and classes, rows), if there are more rows than axes as a product over these."""

    left: Floats
    right: Floats | None

    def in_kind(self, kind: Any) -> _Solved:
        """In another precision."""
        right = None if self.right is None else self.right.astype(kind)
        return _Solved(self.left.astype(kind), right)

    def times(self, rows: Floats) -> Floats:
        """(tasks, rows and classes, …), of (tasks, rows, …)."""
        return np.asarray(self.left @ (rows if self.right is None else self.right @ rows))


def own_rules(
    scaled: ScaledMoments,
    contrasts: Floats,
    centring: Floats,
    rows: Residuals,
    ridges: Sequence[float],
) -> list[OwnRules]:
    """All tasks, for ridges in units of the mean eigenvalue of their covariance."""
    shape, n = contrasts.shape, len(rows.tasks)
    coef, offset = np.zeros((len(ridges), *shape)), np.zeros((len(ridges), *shape[:2]))
    scores = np.full((len(ridges), n, 1 if shape[1] == 2 else shape[1]), np.nan)
    in_features = None
    if rows.scale is not None:
        single = contrasts.astype(rows.scale.change.dtype, copy=False)
        in_features = rows.scale.basis.in_features(rows.scale.basis.mixed(single), slice(None))
    for some in _of_similar_sizes(scaled, contrasts, centring, rows, in_features):
        squared, real = _squared(some), some.weights > 0
        for i, ridge in enumerate(ridges):
            found = _rules(some, squared, ridge)
            coef[i, some.tasks], offset[i, some.tasks] = found[:2]
            scores[i, some.places[real]] = found[2][real]
    each = zip(coef, offset, scores, strict=True)
    return [OwnRules(LinearRules(w, b), of_rows) for w, b, of_rows in each]


def _of_similar_sizes(
    scaled: ScaledMoments,
    contrasts: Floats,
    centring: Floats,
    rows: Residuals,
    in_features: Floats | None,
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
            rows.values.take(places, axis=0) * is_row[..., None],
            rows.weights[places] * is_row,
            rows.classes[places],
            contrasts[t],
            centring[t],
            scaled.class_shares[t],
            scaled.counts[t],
            _of_scale(rows.scale, places, is_row, None if in_features is None else in_features[t]),
        )


def _of_scale(
    scale: ScaleChange | None, places: Codes, is_row: Mask, contrasts: Floats | None
) -> _OfScale | None:
    if scale is None or contrasts is None:
        return None
    here = scale._replace(change=scale.change[places].reshape(-1, scale.change.shape[1]))
    rows = scale.residuals[places] * is_row[..., None]
    return _OfScale(here.relative(0.0).reshape(rows.shape), rows, contrasts)


def _rules(some: _Tasks, squared: Floats, ridge: float) -> tuple[Floats, Floats, Floats]:
    """Coefficients, offsets, and scores of rows that are left out."""
    total, removed = some.weights.sum(axis=1, keepdims=True), _removed(some)
    found = _in_metric(some, squared, ridge)
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
    scores = scores + _of_scores(noises @ undone.transpose(0, 2, 1))
    scores = np.where(removed.alone[..., None], np.nan, scores)
    known = found.level > 0  # equal rows show no covariance
    return (
        found.coef * known[:, None, None],
        offset * known[:, None],
        np.where(known[:, None, None], scores, 0.0),
    )


def _of_scores(of_classes: Floats) -> Floats:
    """(…, classes) → (…, scores): of two classes, the second minus the first."""
    two = of_classes.shape[-1] == 2
    return of_classes[..., 1:] - of_classes[..., :1] if two else of_classes


def _of_class(some: _Tasks, values: Floats) -> Floats:
    """(tasks, rows): the (tasks, classes) value of every row's class."""
    return np.asarray(np.take_along_axis(values, some.classes, axis=1))


def _removed(some: _Tasks) -> _Removed:
    one, count = np.minimum(some.weights, 1.0), _of_class(some, some.counts)
    alone = count - one <= 1e-9 * count
    fraction = np.where(alone, 0.0, one / np.where(alone, 1.0, count - one))
    return _Removed(one, fraction, fraction * count, alone)


def _squared(some: _Tasks) -> Floats:
    """(tasks, size, size): products of weighted rows, or of axes where there are fewer of these."""
    rows = _weighted(some)
    across = rows.transpose(0, 2, 1)
    return np.asarray(across @ rows if rows.shape[1] > rows.shape[2] else rows @ across)


def _weighted(some: _Tasks) -> Floats:
    return np.asarray(np.sqrt(some.weights)[..., None] * some.rows)


def _in_metric(some: _Tasks, squared: Floats, ridge: float) -> _InMetric:
    """By the inverse of λ + S in the smaller space."""
    n, axes = some.rows.shape[1:]
    total = some.weights.sum(axis=1)
    squares = np.einsum("tna,tna->tn", some.rows, some.rows)
    freedom = np.maximum(total - (some.counts > 0).sum(axis=1), 1.0)
    trace = (some.weights * squares).sum(axis=1) / total
    level = ridge * trace / np.minimum(freedom, float(some.contrasts.shape[2]))
    safe = np.where(level > 0, level, 1.0)
    solved = _solved(some, squared, safe * total)
    safe = safe[:, None, None]
    vectors = np.concatenate([some.rows, some.contrasts[..., :axes]], axis=1)
    inside = (vectors - solved.times(some.rows)) / safe
    contrasts, outside = some.contrasts, some.contrasts[..., axes:] / safe
    with_classes = inside @ contrasts[..., :axes].transpose(0, 2, 1)
    return _InMetric(
        np.einsum("tna,tna->tn", inside[:, :n], some.rows),
        with_classes[:, :n],
        with_classes[:, n:] + contrasts[..., axes:] @ outside.transpose(0, 2, 1),
        np.concatenate([inside[:, n:], outside], axis=2),
        solved,
        level,
    )


def _solved(some: _Tasks, squared: Floats, ridge: Floats) -> _Solved:
    """What the inverse of λ + S subtracts from rows and contrasts, before it divides by λ."""
    weighted, axes = _weighted(some), some.rows.shape[2]
    vectors = np.concatenate([some.rows, some.contrasts[..., :axes]], axis=1)
    inner = squared + ridge[:, None, None] * np.eye(squared.shape[1])
    root = np.sqrt(some.weights)[:, None]
    if weighted.shape[1] > axes:
        left = np.linalg.solve(inner, vectors.transpose(0, 2, 1)).transpose(0, 2, 1)
        return _Solved(left, weighted.transpose(0, 2, 1) * root)
    of_rows = weighted @ vectors.transpose(0, 2, 1)
    return _Solved(np.linalg.solve(inner, of_rows).transpose(0, 2, 1) * root, None)


def _left_out(some: _Tasks, found: _InMetric, removed: _Removed, share: Floats) -> Floats:
    """Scores without noise: the same as in `risk.leave_one_out`, in the metric of a task."""
    c, r_r = some.classes[..., None], found.r_r[..., None]
    larger = 1.0 + removed.fraction * _of_class(some, some.shares)
    x_r = np.take_along_axis(found.r_coef, c, axis=2)[..., 0] + larger * found.r_r
    centring = np.take_along_axis(some.centring.transpose(0, 2, 1), c, axis=1)
    moved = _of_scores(-removed.fraction[..., None] * centring)
    of_means = _of_scores(np.take_along_axis(found.coef_coef, c, axis=1))
    r_coef = _of_scores(found.r_coef)
    x_coef = of_means + larger[..., None] * r_coef + moved * x_r[..., None]
    r_moved = r_coef + moved * r_r
    downdate = share / np.maximum(1.0 - share * found.r_r, 1e-6)
    x_coef = x_coef + (downdate * x_r)[..., None] * r_moved
    along, multiple = larger + downdate * x_r, moved + downdate[..., None] * r_moved
    length = np.zeros(1)
    if some.counts.shape[1] > 2:  # of two classes, both rules are equally long
        length = np.einsum("tll->tl", found.coef_coef)[:, None] + moved * (r_coef + r_moved)
        length = length + downdate[..., None] * r_moved**2
    if some.scale is not None:
        on_x, longer = _of_other_scale(some, some.scale, found, along[..., None], multiple)
        x_coef, length = x_coef + on_x, length + longer
    return np.asarray(x_coef - 0.5 * length)


def _of_other_scale(
    some: _Tasks, scale: _OfScale, found: _InMetric, along: Floats, multiple: Floats
) -> tuple[Floats, Floats]:
    """What the scale of the features without the row adds to x · coef and to ‖coef‖²."""
    n, kind = some.rows.shape[1], scale.rows.dtype
    level, along, multiple = (
        part.astype(kind) for part in (found.level[:, None, None], along, multiple)
    )
    safe, subtracted = np.where(level > 0, level, kind.type(1.0)), found.solved.in_kind(kind)
    both = np.concatenate([scale.rows, scale.contrasts], axis=1)
    both = (both - subtracted.times(scale.rows)) / safe
    r, of_classes = both[:, :n], both[:, n:]
    coef = _of_scores(of_classes.transpose(0, 2, 1))
    change = level * scale.change
    changed_x = change * (
        np.take_along_axis(of_classes, some.classes[..., None], axis=1) + along * r
    )
    on_x = changed_x @ coef + multiple * np.einsum("tnp,tnp->tn", changed_x, r)[..., None]
    if some.counts.shape[1] == 2:
        return on_x, np.zeros(1)
    turned = change * r
    r_coef, square = turned @ coef, np.einsum("tnp,tnp->tn", turned, r)[..., None]
    return on_x, change @ coef**2 + multiple * (2.0 * r_coef + multiple * square)
