"""Means and covariances of Gaussian scores → errors, for theory and forecast alike.

Given population inner products, these functions return the limits of the paper; given unbiased
estimates, they return a forecast.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from kinspan._rows.types import Floats

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(64)
_WEIGHTS = _WEIGHTS / _WEIGHTS.sum()


def alignment(
    directions: Floats,
    contrasts: Floats,
    own_weights: Floats,
    coefficients: Floats,
    cell_noise: Floats,
) -> Floats:
    """(tasks, classes, classes): unbiased inner products of true contrasts (j) and directions (l).

    The target's own samples enter both factors; the expected product of their noise is subtracted.
    """
    product = contrasts @ directions.transpose(0, 2, 1)
    shared_noise = (coefficients * cell_noise[:, None, :]) @ own_weights.transpose(0, 2, 1)
    return np.asarray(product - shared_noise)


def error_rate(score_means: Floats, score_covariance: Floats, priors: Floats) -> Floats:
    """Probability that the largest score is not that of the true class, for Gaussian scores.

    score_means[..., j, l] is the mean of score l over class j; priors are zero for classes that do
    not take part, and the error is NaN if fewer than two do. Two classes: Q(½ gap), exactly. More
    classes: the differences from the true score are assumed to have correlation one half, which is
    exact if all scores have the same variance and the same covariance (the paper treats pairs of
    classes only).
    """
    means = np.asarray(score_means)
    variance = np.diagonal(score_covariance, axis1=-2, axis2=-1)
    spread = variance[..., :, None] + variance[..., None, :] - 2 * score_covariance
    gap = np.diagonal(means, axis1=-2, axis2=-1)[..., :, None] - means
    taking_part = priors > 0
    rivals = taking_part[..., None, :] & ~np.eye(means.shape[-1], dtype=bool)
    standard = gap / np.sqrt(np.maximum(spread, 1e-300))
    standard = np.where(rivals, np.where(spread > 0, standard, 0.0), np.inf)
    right = _probability_of_being_largest(standard)
    total = np.where(taking_part, priors, 0.0).sum(axis=-1)
    error = 1.0 - (priors * right).sum(axis=-1) / np.where(total > 0, total, 1.0)
    return np.where(taking_part.sum(axis=-1) > 1, np.clip(error, 0.0, 1.0), np.nan)


def error_of_two(distance: Floats | float, share: float) -> Floats:
    """The least error of two classes, the rarer of which has this share of the rows."""
    half = np.asarray(distance, dtype=np.float64)
    moved = 0.5 * np.log((1.0 - share) / share) / np.maximum(half, 1e-300)
    return np.asarray((1.0 - share) * ndtr(-half - moved) + share * ndtr(moved - half))


def error_of_equal_classes(distance: Floats, n_classes: int) -> Floats:
    """The error if every other class is at the same standardised distance."""
    if n_classes == 2:
        return np.asarray(ndtr(-np.asarray(distance)))
    right = np.zeros(np.shape(distance))
    for node, weight in zip(_NODES, _WEIGHTS, strict=True):
        right += weight * ndtr(np.sqrt(2.0) * np.asarray(distance) + node) ** (n_classes - 1)
    return np.asarray(1.0 - right)


def _probability_of_being_largest(standard: Floats) -> Floats:
    """P(every standardised difference is positive); infinite entries stand for absent classes."""
    if standard.shape[-1] == 2:
        return np.asarray(ndtr(standard).prod(axis=-1))
    largest = np.zeros(standard.shape[:-1])
    for node, weight in zip(_NODES, _WEIGHTS, strict=True):
        largest += weight * ndtr(np.sqrt(2.0) * standard + node).prod(axis=-1)
    return largest
