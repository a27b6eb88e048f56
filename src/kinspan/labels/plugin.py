"""The optimal labels of the paper, for the population or with the estimated relatedness."""

from __future__ import annotations

import numpy as np

from kinspan._rows.types import Floats
from kinspan.labels.spectrum import Spectrum, TaskWeights


def optimal_weights(gram: Floats, noise: Floats) -> Floats:
    """Γ (Γ + diag ν)⁻¹: the optimal labels of the paper, for every target at once.

    Row t is aᵀ with a = (Γ + diag ν)⁻¹ Γ e_t. Fed the population Gram matrix this is the optimum of
    the theory, fed an estimate it is the plug-in rule. The estimate is made positive in the metric
    of its noise, where the same eigendecomposition gives projection and inverse.
    """
    gram = (gram + gram.T) / 2
    deviation = np.sqrt(_positive_noise(gram, noise))
    values, vectors = np.linalg.eigh(gram / deviation[:, None] / deviation)
    values = np.maximum(values, 0.0)
    whitened = (vectors * (values / (1.0 + values))) @ vectors.T
    return np.asarray(deviation[:, None] * whitened / deviation)


def _positive_noise(gram: Floats, noise: Floats) -> Floats:
    """Tasks without noise, and tasks without any contrast, get a harmless positive value."""
    floored = np.maximum(noise, 1e-12 * np.abs(np.diagonal(gram)))
    return np.where(floored > 0, floored, 1.0)


def plugin_rule(spectrum: Spectrum) -> TaskWeights:
    """The optimum with the estimated Gram matrix; a target without estimated signal goes alone."""
    rows, noise = spectrum.rows, spectrum.noise
    gram = rows @ rows.T - np.diag(noise)
    weights = optimal_weights(gram, noise)
    silent = np.abs(weights).max(axis=1) <= 1e-12
    weights = np.where(silent[:, None], np.eye(len(weights)), weights)
    own = np.diagonal(weights).copy()
    signal = np.einsum("ts,ts->t", weights, gram)
    return TaskWeights(weights, np.eye(len(weights)), np.zeros(len(weights)), own, signal)
