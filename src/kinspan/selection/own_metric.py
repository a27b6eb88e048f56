"""The metric λ + S of a task, with S the covariance of its own rows R, and its inverse.

The inverse is taken in the space of the rows or of the axes, whichever is smaller. With W the
weights of rows and n their sum, S is RᵀWR/n and, over the rows, with K = W^½ R Rᵀ W^½ + λn,

    R (λ + S)⁻¹ = n W^−½ K⁻¹ W^½ R  and  (λ + S)⁻¹ = (1 − Rᵀ W^½ K⁻¹ W^½ R)/λ.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._arrays.elsewhere import on_host
from kinspan._arrays.libraries import moved, namespace
from kinspan._rows.large import Large, beside, inverse_roots
from kinspan._rows.types import Codes, Floats


class OfScale(NamedTuple):
    """Rows of some tasks in the axes of the features."""

    change: Floats  # (tasks, rows, features): of the scale, if a row is left out
    rows: Floats  # (tasks, rows, features)
    contrasts: Floats  # (tasks, classes, features)
    axes: Floats  # (axes, features); none where no task has more rows


class SomeTasks(NamedTuple):
    """Rows of some tasks, minus the means of their cells, and their class means."""

    tasks: Codes  # (tasks,)
    places: Codes  # (tasks, rows): which of all rows; any for rows of weight zero
    rows: Large  # (tasks, rows, axes)
    weights: Floats  # (tasks, rows)
    classes: Codes  # (tasks, rows)
    contrasts: Large  # (tasks, classes, directions): class means around the centre
    centring: Floats  # (tasks, classes l, classes j): d contrast_l / d mean_j
    shares: Floats  # (tasks, classes): of class means in the centre
    counts: Floats  # (tasks, classes)
    scale: OfScale | None  # None where the scale does not depend on single rows

    @property
    def roots(self) -> Large:
        """(tasks, rows, 1): of weights, beside the rows."""
        return beside(np.sqrt(self.weights)[..., None], self.rows)

    @property
    def has_fewer_axes(self) -> bool:
        """Than rows."""
        _, n, axes = self.rows.shape
        return bool(n > axes)


class Products(NamedTuple):
    """What the metrics of all ridges have in common."""

    squared: Large  # (tasks, size, size): of weighted rows, or of axes where these are fewer
    contrasts: Large  # (tasks, rows, classes): of weighted rows with contrasts
    trace: Floats  # (tasks,): of the covariance

    @classmethod
    def of(cls, some: SomeTasks) -> Products:
        """Of some tasks."""
        rows, axes = some.roots * some.rows, some.rows.shape[2]
        squared = rows.mT @ rows if some.has_fewer_axes else rows @ rows.mT
        trace = on_host(namespace(rows).linalg.trace(squared)) / some.weights.sum(axis=1)
        return cls(squared, rows @ some.contrasts[..., :axes].mT, trace)


class InMetric(NamedTuple):
    """Inner products in the metric of a task, and what rows and contrasts are after its inverse.

    Both are in the span of the rows or of the axes, whichever are fewer.
    """

    r_r: Floats  # (tasks, rows)
    r_coef: Floats  # (tasks, rows, classes): with the contrasts
    coef_coef: Floats  # (tasks, classes, classes)
    coef: Floats  # (tasks, classes, directions): the inverse metric times the contrasts
    root: Large  # (tasks, size, size): W, of the inverse WᵀW
    contrasts: Large  # (tasks, classes, size): after the inverse, minus before it over the level
    level: Floats  # (tasks,): of the identity in the metric


def of_class(some: SomeTasks, values: Floats) -> Floats:
    """(tasks, rows, …): what the class of every row has, of (tasks, classes, …) values."""
    n_tasks, n_classes = values.shape[:2]
    cells = some.classes + n_classes * np.arange(n_tasks)[:, None]
    flat = values.reshape(n_tasks * n_classes, *values.shape[2:])
    return np.asarray(flat.take(cells, axis=0))


def in_metric(some: SomeTasks, products: Products, ridge: float) -> InMetric:
    """With a ridge in units of the mean eigenvalue of the covariance."""
    total = some.weights.sum(axis=1)
    freedom = np.maximum(total - (some.counts > 0).sum(axis=1), 1.0)
    level = ridge * products.trace / np.minimum(freedom, float(some.contrasts.shape[2]))
    safe = np.where(level > 0, level, 1.0)
    root = inverse_roots(products.squared, safe * total)
    root *= beside(np.sqrt(total)[:, None, None], root)
    by = _by_axes if some.has_fewer_axes else _by_rows
    found = by(some, products, root, safe[:, None, None])
    r_r, r_coef, coef_coef, coef = map(on_host, found[:4])
    return InMetric(r_r, r_coef, coef_coef, coef, found.root, found.contrasts, level)


def _by_axes(some: SomeTasks, _: Products, root: Large, level: Floats) -> InMetric:
    """The inverse over the axes is that of the metric."""
    xp, axes, safe = namespace(root), some.rows.shape[2], moved(level, root)
    rows, turned = some.rows @ root.mT, some.contrasts[..., :axes] @ root.mT
    contrasts = turned @ root - some.contrasts[..., :axes] / safe
    coef = some.contrasts / safe
    coef[..., :axes] += contrasts
    r_r, r_coef = xp.vecdot(rows, rows), rows @ turned.mT
    coef_coef = coef @ some.contrasts.mT
    return InMetric(r_r, r_coef, coef_coef, coef, root, contrasts, level)


def _by_rows(some: SomeTasks, products: Products, root: Large, level: Floats) -> InMetric:
    """From n K⁻¹."""
    xp, size, axes = namespace(root), some.roots, some.rows.shape[2]
    total, safe = (moved(part, root) for part in (some.weights.sum(axis=1)[:, None], level))
    over = _over(some, root)
    solved = root.mT @ (root @ products.contrasts)
    contrasts = -(size * solved).mT / (safe * total[..., None])
    coef = some.contrasts / safe
    coef[..., :axes] += contrasts @ some.rows
    left = 1.0 - safe[..., 0] * xp.sum(root * root, axis=-2)
    left = total * xp.where(left > 0.0, left, xp.zeros_like(left))
    r_r, coef_coef = left * over[..., 0] ** 2, coef @ some.contrasts.mT
    return InMetric(r_r, over * solved, coef_coef, coef, root, contrasts, level)


def _over(some: SomeTasks, root: Large) -> Large:
    """(tasks, rows, 1): one over the roots of weights; rows of weight zero are zero."""
    size = np.sqrt(some.weights)[..., None]
    return beside(1.0 / np.where(size > 0, size, 1.0), root)


def in_features(some: SomeTasks, scale: OfScale, found: InMetric) -> tuple[Floats, Floats]:
    """Rows and contrasts after the inverse metric, in the axes of the features.

    In the precision of the changes of the scale.
    """
    kind = scale.rows.dtype
    level = np.where(found.level > 0, found.level, 1.0)[:, None, None].astype(kind)
    contrasts = found.contrasts.astype(kind, copy=False)
    back = found.root.transpose(0, 2, 1)
    if some.has_fewer_axes:
        rows, span = (some.rows @ back) @ found.root, scale.axes
    else:
        size = some.roots
        over = _over(some, found.root)
        rows, span = over * (back @ found.root) * size.transpose(0, 2, 1), scale.rows
    return rows.astype(kind, copy=False) @ span, scale.contrasts / level + contrasts @ span
