"""Moments and rules straight from their equations, in decimal arithmetic of sixty digits.

Decimal numbers have no offset, spread or size that they could not hold: what they say is exact.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from typing import Any, NamedTuple

import numpy as np

_DIGITS = 60


def exact(values: Any) -> Any:
    """Numbers as decimals, without rounding."""
    array = np.asarray(values, dtype=np.float64)
    flat = [Decimal(value) for value in array.reshape(-1).tolist()]
    return np.array(flat, dtype=object).reshape(array.shape)


def rounded(values: Any) -> Any:
    """Decimals as the nearest doubles."""
    array = np.asarray(values, dtype=object)
    return np.array([float(value) for value in array.reshape(-1)]).reshape(array.shape)


class Cells(NamedTuple):
    """Exact moments of every cell, (tasks, classes) of counts and (.., features) of decimals."""

    counts: Any
    means: Any
    squares: Any


def moments(X: Any, y: Any, task: Any, weights: Any = None) -> Cells:
    """Counts, means and Σ (x − mean)² of every cell."""
    with localcontext() as context:
        context.prec = _DIGITS
        rows, tasks, classes = exact(X), np.unique(task), np.unique(y)
        w = exact(np.ones(len(rows)) if weights is None else weights)
        shape = (len(tasks), len(classes))
        counts = np.full(shape, Decimal(0), dtype=object)
        means = np.full((*shape, rows.shape[1]), Decimal(0), dtype=object)
        squares = means.copy()
        for a, t in enumerate(tasks):
            for b, c in enumerate(classes):
                mine = (np.asarray(task) == t) & (np.asarray(y) == c) & (w > 0)
                if mine.any():
                    counts[a, b] = w[mine].sum()
                    means[a, b] = (w[mine, None] * rows[mine]).sum(axis=0) / counts[a, b]
                    apart = rows[mine] - means[a, b]
                    squares[a, b] = (w[mine, None] * apart * apart).sum(axis=0)
    return Cells(counts, means, squares)


def pooled_scale(cells: Cells) -> Any:
    """(features,): standard deviations within cells, steadied as if 25/freedom more had been."""
    n = cells.counts
    freedom = (n - 1).sum()
    within = cells.squares.sum(axis=(0, 1)) / freedom
    centre = (n[..., None] * cells.means).sum(axis=1) / n.sum(axis=1)[:, None]
    apart = cells.means - centre[:, None]
    between = (n[..., None] * apart * apart).sum(axis=(0, 1))
    total = (cells.squares.sum(axis=(0, 1)) + between) / n.sum()
    share = (within / total).sum() / len(within)
    more = Decimal(25) / freedom
    variance = (freedom * within + more * share * total) / (freedom + more)
    return np.array([value.sqrt() for value in variance], dtype=object)


class Parts(NamedTuple):
    """What rules of two classes are made of."""

    contrasts: Any  # (tasks, classes, features)
    centres: Any  # (tasks, features)
    cell_noise: Any  # (tasks, classes)
    noise: Any  # (tasks,): of the stacked contrasts
    level: Any  # (tasks,)


def parts(cells: Cells, scale: Any) -> Parts:
    """Contrasts between two classes, and their sampling noise."""
    means, squares = cells.means / scale, cells.squares / scale / scale
    centres = (means[:, 0] + means[:, 1]) / 2
    trace, freedom = squares.sum(axis=2), cells.counts - 1
    cell_noise = trace / freedom / cells.counts
    level = trace.sum(axis=1) / freedom.sum(axis=1) / means.shape[2]
    noise = cell_noise.sum(axis=1) / 2  # each contrast is half the difference of two means
    return Parts(means - centres[:, None], centres, cell_noise, noise, level)


def gram(of: Parts) -> Any:
    """(tasks, tasks): inner products of contrasts without the bias of the noise."""
    rows = of.contrasts.reshape(len(of.contrasts), -1)
    return rows @ rows.T - np.diag(of.noise)


class Answer(NamedTuple):
    """Log odds of rows, directions of the rules and errors to expect, as doubles."""

    scores: Any  # (rows,)
    coef: Any  # (tasks, features)
    error: Any  # (tasks,)


def rule(X: Any, y: Any, task: Any, labels: str, scale: str | None) -> Answer:
    """`"single"` or `"naive"` rules of two classes, without sampled rows and covariance."""
    with localcontext() as context:
        context.prec = _DIGITS
        cells = moments(X, y, task)
        p = cells.means.shape[2]
        by = pooled_scale(cells) if scale == "pooled" else np.full(p, Decimal(1), dtype=object)
        of = parts(cells, by)
        found = [_task_rule(t, weights, of) for t, weights in enumerate(_weights(cells, labels))]
        codes = np.unique(task, return_inverse=True)[1]
        rows = exact(X) / by - of.centres[codes]
        scores = [row @ found[t][0] + found[t][1] for row, t in zip(rows, codes, strict=True)]
        coef = [direction / by for direction, _, _ in found]
        return Answer(rounded(scores), rounded(coef), np.array([e for _, _, e in found]))


def _weights(cells: Cells, labels: str) -> Any:
    """(targets, tasks): how much the contrasts of each task count."""
    k = len(cells.counts)
    if labels == "single":
        return exact(np.eye(k))
    harmonic = cells.counts[:, 0] * cells.counts[:, 1] / cells.counts.sum(axis=1)
    return np.tile(harmonic / max(harmonic), (k, 1))


def _task_rule(t: int, weights: Any, of: Parts) -> tuple[Any, Any, float]:
    """Coefficients and intercept of the log odds of the second class, and the forecast error."""
    flat = of.contrasts.reshape(len(weights), -1)
    direction = weights @ flat
    own = Decimal(weights[t])
    noise = max(of.noise[t], Decimal("1e-12") * (flat[t] @ flat[t]))
    signal, power = flat[t] @ direction - own * noise, direction @ direction
    factor = max(signal / power, Decimal("0.001") * ((flat[t] @ flat[t]) / power).sqrt())
    level, w = of.level[t], direction.reshape(2, -1)
    coef = w * factor / level
    offset = -np.array([v @ v for v in w * factor], dtype=object) / level / 2
    multiple, half = factor / level * own, Decimal(1) / 2
    centring = np.array([[half, -half], [-half, half]], dtype=object)
    aligned = of.contrasts[t] @ w.T - own * (centring * of.cell_noise[t]) @ centring.T
    gaps = np.diagonal(aligned) - aligned[[0, 1], [1, 0]]
    gaps = gaps * factor / level + (offset - offset[::-1])
    spread = (((coef[1] - coef[0]) ** 2).sum() * level).sqrt()
    wrong = [math.erfc(float(gap / spread) / math.sqrt(2.0)) / 2 for gap in gaps]
    shared = multiple * (centring * of.cell_noise[t] * half).sum(axis=1)
    length = multiple * multiple * (centring * centring * of.cell_noise[t]).sum(axis=1)
    offset = offset + shared + level * length / 2
    return coef[1] - coef[0], offset[1] - offset[0], sum(wrong) / 2
