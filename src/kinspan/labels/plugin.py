"""Relatedness, of the population or estimated → the optimal labels of the paper."""

from __future__ import annotations

import numpy as np

from kinspan._rows.types import Floats
from kinspan.labels.spectrum import Spectrum, TaskWeights


def optimal_weights(gram: Floats, noise: Floats) -> Floats:
    """Γ (Γ + diag ν)⁻¹: the optimal labels of the paper for all targets, eq. (4) of docs/theory.md.

    Row t is aᵀ with a = (Γ + diag ν)⁻¹ Γ e_t. Fed the population Gram matrix this is the optimum of
    the theory, fed an estimate it is the plug-in rule. An estimate loses its negative eigenvalues
    in the metric of its noise, where the same eigendecomposition gives the inverse.
    """
    gram = (gram + gram.T) / 2
    deviation = np.sqrt(_positive_noise(gram, noise))
    values, vectors = np.linalg.eigh(gram / deviation[:, None] / deviation)
    values = np.maximum(values, 0.0)
    whitened = (vectors * (values / (1.0 + values))) @ vectors.T
    return np.asarray(deviation[:, None] * whitened / deviation)


def _positive_noise(gram: Floats, noise: Floats) -> Floats:
    """Noise above zero, also of tasks that have none, or no contrast at all."""
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
