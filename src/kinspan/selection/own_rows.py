"""Every task by its own rows alone: its own covariance, with a ridge, in place of that of all.

With S the covariance within the classes of a task, from its sampled rows, and a ridge λ, scores are
those of the discriminant in the metric λ + S (`own_metric`). Rows are left out in closed form.
Tasks of similar sizes are computed at once, filled up with rows of weight zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from kinspan._arrays.libraries import namespace
from kinspan._rows.large import Large, beside, chosen
from kinspan._rows.types import Codes, Floats, Mask
from kinspan.metric import ScaledMoments
from kinspan.risk import Residuals, ScaleChange
from kinspan.scores import LinearRules
from kinspan.selection.own_metric import (
    InMetric,
    OfScale,
    Products,
    SomeTasks,
    in_features,
    in_metric,
    of_class,
)

_AT_ONCE = 1 << 20  # numbers in the rows and products of tasks that are computed at once
_AT_ONCE_THERE = 1 << 26  # on a device


class OwnRules(NamedTuple):
    """Rules of every task by its own rows, and scores of its rows, each left out."""

    rules: LinearRules  # around the centres of the tasks, in the basis
    scores: Floats  # (rows, classes), of two classes (rows, 1); NaN where a row is a whole class


class _InScale(NamedTuple):
    """Rows of all tasks in the axes of the features."""

    scale: ScaleChange
    contrasts: Floats  # (tasks, classes, features)
    axes: Floats  # (axes, features); none where no task has more rows

    def of(self, tasks: Codes, places: Codes, is_row: Mask) -> OfScale:
        """Some tasks and their rows."""
        change, residuals = self.scale.change, self.scale.residuals
        here = self.scale._replace(change=change[places].reshape(-1, change.shape[1]))
        rows = residuals[places] * is_row[..., None]
        of_rows = here.relative(0.0).reshape(rows.shape)
        return OfScale(of_rows, rows, self.contrasts[tasks], self.axes)


class _Removed(NamedTuple):
    """What leaving out one of equal rows changes."""

    one: Floats  # (tasks, rows): what is left out
    fraction: Floats  # (tasks, rows): the cell mean moves by minus this times the row
    scatter: Floats  # (tasks, rows): what the scatter of the cell loses, over the row's square
    alone: Mask  # (tasks, rows): whether the row is its whole cell


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
    for some in _of_similar_sizes(scaled, contrasts, centring, rows):
        products, real = Products.of(some), some.weights > 0
        for i, ridge in enumerate(ridges):
            found = _rules(some, products, ridge)
            coef[i, some.tasks], offset[i, some.tasks] = found[:2]
            scores[i, some.places[real]] = found[2][real]
    each = zip(coef, offset, scores, strict=True)
    return [OwnRules(LinearRules(w, b), of_rows) for w, b, of_rows in each]


def _of_similar_sizes(
    scaled: ScaledMoments, contrasts: Floats, centring: Floats, rows: Residuals
) -> Iterator[SomeTasks]:
    """Tasks by their numbers of rows, the largest of a group at most twice the smallest."""
    starts = np.flatnonzero(np.diff(rows.tasks, prepend=-1))
    sizes = np.diff(np.append(starts, len(rows.tasks)))
    order = np.argsort(sizes, kind="stable")
    axes = rows.values.shape[1]
    in_scale = None
    if rows.scale is not None:
        of_axes = np.empty((0, 0))
        if sizes.max() > axes:
            of_axes = _turned_back(rows.scale, np.eye(axes))
        in_scale = _InScale(rows.scale, _turned_back(rows.scale, contrasts), of_axes)
    width = max(rows.values.shape[1], 1 if rows.scale is None else rows.scale.change.shape[1])
    most = _AT_ONCE if isinstance(rows.values, np.ndarray) else _AT_ONCE_THERE
    while len(order):
        least = sizes[order[0]]
        n = int(np.searchsorted(sizes[order], 2 * least, side="right"))
        of_task = 2 * least * max(width, 2 * least + contrasts.shape[1])
        n = max(1, min(n, most // of_task))
        group, order = order[:n], order[n:]
        step = np.arange(sizes[group].max())
        is_row = step < sizes[group][:, None]
        places = starts[group][:, None] + np.where(is_row, step, 0)
        t = rows.tasks[starts[group]]
        yield SomeTasks(
            t,
            places,
            _rows_of(rows.values, places, is_row),
            rows.weights[places] * is_row,
            rows.classes[places],
            beside(contrasts[t], rows.values),
            centring[t],
            scaled.class_shares[t],
            scaled.counts[t],
            in_scale and in_scale.of(t, places, is_row),
        )


def _rows_of(values: Large, places: Codes, is_row: Mask) -> Large:
    """(tasks, rows, axes): rows at some places, and zeros."""
    found = chosen(values, places.reshape(-1))
    if not is_row.all():
        found *= beside(is_row.reshape(-1, 1), values)
    return namespace(values).reshape(found, (*places.shape, -1))


def _turned_back(scale: ScaleChange, vectors: Floats) -> Floats:
    """(…, features): of vectors in the basis, in the precision of the changes."""
    single = vectors.astype(scale.change.dtype, copy=False)
    return scale.basis.in_features(scale.basis.mixed(single), slice(None))


def _rules(some: SomeTasks, products: Products, ridge: float) -> tuple[Floats, Floats, Floats]:
    """Coefficients, offsets, and scores of rows that are left out."""
    total, removed = some.weights.sum(axis=1, keepdims=True), _removed(some)
    found = in_metric(some, products, ridge)
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
    left = np.maximum(of_class(some, some.counts) - removed.one, 1e-9)
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


def _removed(some: SomeTasks) -> _Removed:
    one, count = np.minimum(some.weights, 1.0), of_class(some, some.counts)
    alone = count - one <= 1e-9 * count
    fraction = np.where(alone, 0.0, one / np.where(alone, 1.0, count - one))
    return _Removed(one, fraction, fraction * count, alone)


def _left_out(some: SomeTasks, found: InMetric, removed: _Removed, share: Floats) -> Floats:
    """Scores without noise: the same as in `risk.leave_one_out`, in the metric of a task."""
    c, r_r = some.classes[..., None], found.r_r[..., None]
    larger = 1.0 + removed.fraction * of_class(some, some.shares)
    x_r = np.take_along_axis(found.r_coef, c, axis=2)[..., 0] + larger * found.r_r
    centring = of_class(some, some.centring.transpose(0, 2, 1))
    moved = _of_scores(-removed.fraction[..., None] * centring)
    of_means = _of_scores(of_class(some, found.coef_coef))
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
    some: SomeTasks, scale: OfScale, found: InMetric, along: Floats, multiple: Floats
) -> tuple[Floats, Floats]:
    """What the scale of the features without the row adds to x · coef and to ‖coef‖²."""
    kind = scale.rows.dtype
    level, along, multiple = (
        part.astype(kind) for part in (found.level[:, None, None], along, multiple)
    )
    r, of_classes = in_features(some, scale, found)
    coef = _of_scores(of_classes.transpose(0, 2, 1))
    change = level * scale.change
    changed_x = change * (of_class(some, of_classes) + along * r)
    on_x = changed_x @ coef + multiple * np.einsum("tnp,tnp->tn", changed_x, r)[..., None]
    if some.counts.shape[1] == 2:
        return on_x, np.zeros(1)
    turned = change * r
    r_coef, square = turned @ coef, np.einsum("tnp,tnp->tn", turned, r)[..., None]
    return on_x, change @ coef**2 + multiple * (2.0 * r_coef + multiple * square)
