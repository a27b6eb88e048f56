"""Cells with rows → weights of their means → mean scores: the form that all theorems share.

With G the inner products of the expected cell means and R = p/n their squared sampling errors,
G + R is the expectation of M̂ᵀM̂, and a direction M̂a has mean scores aᵀGe / sqrt(aᵀ(G + R)a).
A label is a weight divided by the number of rows of its cell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinspan._rows.types import Floats
from kinspan.labels import optimal_weights


class SampledCells(NamedTuple):
    """The cells that have rows. Empty cells have infinite noise: their weight is zero."""

    gram: Floats  # (sampled, sampled) G: inner products of their expected means
    noise: Floats  # (sampled,) R = p/n: squared sampling error of their means
    cross: Floats  # (sampled, cells) inner products with the means of the cells of test rows
    counts: Floats  # (sampled,) rows
    sampled: NDArray[np.bool_]  # (cells,) which cells have rows


def sampled_cells(gram: Floats, cross: Floats, counts: Floats, n_features: int) -> SampledCells:
    """Leave the empty cells out."""
    n = counts.ravel()
    some = n > 0
    return SampledCells(gram[np.ix_(some, some)], n_features / n[some], cross[some], n[some], some)


def weights_of(cells: SampledCells, labels: Floats) -> Floats:
    """(sampled, ...) weights a = n ỹ."""
    return np.asarray((labels[cells.sampled].T * cells.counts).T)


def labels_of(cells: SampledCells, weights: Floats) -> Floats:
    """(cells, ...) labels ỹ = a/n in the scale of the paper: times the number of all rows."""
    labels = np.zeros((len(cells.sampled), *weights.shape[1:]))
    labels[cells.sampled] = (weights.T * (cells.counts.sum() / cells.counts)).T
    return labels


def best_weights(cells: SampledCells, contrasts: Floats) -> Floats:
    """(sampled, ...) weights a* = (G + R)⁻¹ · cross · δ, by the formula of `labels`.

    That formula wants the contrast as a combination of sampled means. One of means without rows, or
    of other means than the sampled ones, is therefore regressed on them first.
    """
    combination = np.linalg.pinv(cells.gram, rcond=1e-12, hermitian=True) @ cells.cross @ contrasts
    return np.asarray(optimal_weights(cells.gram, cells.noise).T @ combination)


def mean_scores(cells: SampledCells, weights: Floats) -> Floats:
    """Mean scores of one direction, or of the components that a matrix of weights spans."""
    return (score_means if weights.ndim == 1 else component_means)(cells, weights)


def score_means(cells: SampledCells, weights: Floats) -> Floats:
    """(cells,) mean scores of a direction of length one (Corollary 1)."""
    square = weights @ cells.gram @ weights + weights**2 @ cells.noise
    return np.asarray(weights @ cells.cross / (np.sqrt(square) if square > 0 else 1.0))


def component_means(cells: SampledCells, weights: Floats) -> Floats:
    """(cells, columns) mean scores of the principal components of M̂A (Theorem 3).

    The components come from the eigenvectors of Aᵀ(G + R)A, as small as A has columns; it has the
    nonzero eigenvalues of the paper's matrix. Components beyond the rank of A are zero.
    """
    spread = weights.T @ cells.gram @ weights + (weights.T * cells.noise) @ weights
    values, vectors = np.linalg.eigh(spread)
    values, vectors = values[::-1], positive_signs(vectors[:, ::-1])
    kept = values > 1e-13 * max(values[0], 1e-300)
    length = np.where(kept, np.sqrt(np.where(kept, values, 1.0)), np.inf)
    return np.asarray(cells.cross.T @ weights @ vectors / length)


def block_diagonal(blocks: Floats) -> Floats:
    """(cells, cells), zero between tasks, from (tasks, classes, classes)."""
    k, m = blocks.shape[:2]
    matrix = np.zeros((k, m, k, m))
    matrix[np.arange(k), :, np.arange(k)] = blocks
    return matrix.reshape(k * m, k * m)


def positive_signs(vectors: Floats) -> Floats:
    """Columns with the sign that makes their largest entry positive: a sign is arbitrary."""
    largest = np.abs(vectors).argmax(axis=0)
    return vectors * np.where(vectors[largest, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)
