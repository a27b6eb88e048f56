"""Cells and one target task → its contrasts, its best labels, and its error for any weights."""

from __future__ import annotations

import numpy as np

from kinspan._rows.types import Floats
from kinspan.theory._cells import SampledCells, best_weights, labels_of, mean_scores
from kinspan.theory._errors import nearest_mean_error
from kinspan.theory.threshold import best_error


def contrasts(counts: Floats, target: int) -> Floats:
    """δ = e_t1 − e_t2 of shape (cells,); for more classes (cells, classes): e_tj − their mean.

    The directions of all pairs of classes are combinations of these columns, so that components
    made of them are best for every pair at once.
    """
    k, m = counts.shape
    centring = np.eye(m) - 1.0 / m
    own = 2 * centring[:, 0] if m == 2 else centring
    delta = np.zeros((k, *own.shape))
    delta[target] = own
    return delta.reshape(k * m, *own.shape[1:])


def target_weights(cells: SampledCells, counts: Floats, target: int) -> Floats:
    """(sampled,), or (sampled, classes) for more than two classes: the best weights."""
    return best_weights(cells, contrasts(counts, target))


def best_labels(cells: SampledCells, counts: Floats, target: int) -> Floats:
    """(tasks, classes), or (cells, classes) for more than two classes."""
    labels = labels_of(cells, target_weights(cells, counts, target))
    return labels.reshape(counts.shape) if counts.shape[1] == 2 else labels


def error_of_weights(
    cells: SampledCells, counts: Floats, weights: Floats, target: int, priors: Floats | None
) -> float | Floats:
    """Error on the target with some weights of the cell means; scores have unit variance.

    Two classes: a number, by the best threshold, above one half for a negative gap. With several
    components the score is the one along the difference of the means. More classes: the matrix of
    the errors of all pairs.
    """
    m = counts.shape[1]
    own = mean_scores(cells, weights)[target * m : (target + 1) * m]
    if m > 2:
        return nearest_mean_error(own.reshape(m, -1))
    if own.ndim > 1:
        half = float(np.linalg.norm(own[0] - own[1])) / 2
        own = np.array([half, -half])
    return best_error(own, np.ones(2), np.full(2, 0.5) if priors is None else priors)


def best_error_of(
    cells: SampledCells, counts: Floats, target: int, priors: Floats | None
) -> float | Floats:
    """Error on the target with the best weights."""
    return error_of_weights(cells, counts, target_weights(cells, counts, target), target, priors)
