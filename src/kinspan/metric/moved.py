"""The same rows around other means: a metric that is diagonal but for a few directions.

With z the rows around the means of their cells, in the basis of their covariance C, and o what the
mean of their cell lies away from another mean, the covariance of the rows z + o is

    C + Σ_cells (n o oᵀ + o sᵀ + s oᵀ)/Σn,  with s = Σ z over the n rows of a cell.

It differs from the diagonal C along a few vectors o and s, so that the inverse root of a metric is
the identity plus a few directions, over a diagonal: nothing large is decomposed again, and rows
stay in the basis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kinspan._arrays.elsewhere import on_host
from kinspan._arrays.libraries import moved, namespace
from kinspan._rows.large import Large, beside, chosen
from kinspan._rows.types import Codes, Floats
from kinspan.metric.covariance import Covariance
from kinspan.metric.root import Root
from kinspan.metric.sampled_rows import SampledRows


def around_other_means(
    before: Covariance, offsets: Floats, cells: Codes, rows: SampledRows, shares: Sequence[float]
) -> Covariance:
    """Of rows around other means, in the same basis, for some shares in the metric.

    The mean of a cell lies (cells, directions) offsets away from the other mean; rows count as
    around that.
    """
    n_features = before.values.sum()  # eigenvalues are over their mean
    axes = before.residuals.shape[1]
    weights = rows.weights * (cells == np.arange(len(offsets))[:, None])  # (cells, rows)
    n, sums = weights.sum(axis=1, keepdims=True), np.zeros_like(offsets)
    sums[:, :axes] = on_host(beside(weights, before.residuals) @ before.residuals)
    divisor = np.sqrt(np.where(n > 0, n, 1.0) * before.n_rows)
    # n o oᵀ + o sᵀ + s oᵀ = ((n o + s)(n o + s)ᵀ − s sᵀ)/n
    away = np.concatenate([n * offsets + sums, sums]) / np.tile(divisor, (2, 1))
    signs = np.repeat([1.0, -1.0], len(offsets))
    trace = before.mean_value * n_features + float(signs @ (away**2).sum(axis=1))
    mean_value = trace / n_features
    values = before.values * before.mean_value / mean_value
    along = chosen(beside(offsets, before.residuals), cells)
    along[:, :axes] += before.residuals
    other = Covariance(before.basis, values, along, rows, before.n_rows, mean_value)
    units = {s: s / mean_value for s in shares if s > 0}
    bent = {s: _root(other.stretch(s), unit, away, signs, along) for s, unit in units.items()}
    other = replace(other, bent=bent)
    other.look_at(shares)
    return other


def _root(diagonal: Floats, unit: float, away: Floats, signs: Floats, rows: Large) -> Root:
    """Of diagonal + unit Σ sign · away awayᵀ, found where rows are."""
    root = np.sqrt(diagonal)
    among, weights = map(on_host, namespace(rows).linalg.qr(moved((away / root).T, rows)))
    values, vectors = np.linalg.eigh((unit * weights * signs) @ weights.T)
    return Root(root, among @ vectors, 1.0 / np.sqrt(1.0 + values) - 1.0)
