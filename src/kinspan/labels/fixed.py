"""Weights without any estimate of relatedness: naive, single, and of what tasks agree on."""

from __future__ import annotations

import numpy as np

from kinspan._rows.types import Floats
from kinspan.labels.spectrum import Spectrum, TaskWeights


def naive_weights(counts: Floats) -> Floats:
    """(tasks,): labels ±1, or one-hot labels for many classes; the same for every target.

    With classes of n₁ and n₂ rows the centred labels ±1 give a contrast the weight n₁n₂/(n₁ + n₂).
    """
    present = counts > 0
    inverse = np.where(present, 1.0 / np.where(present, counts, 1.0), 0.0).sum(axis=1)
    several = present.sum(axis=1) > 1
    weights = np.where(several, present.sum(axis=1) / np.where(several, inverse, 1.0), 0.0)
    return np.asarray(weights / max(weights.max(initial=0.0), 1e-300))


def agreed_weights(counts: Floats, cell_noise: Floats) -> Floats:
    """(tasks,): weights of tasks in what they agree on: their precisions, with sum one."""
    n_classes = (counts > 0).sum(axis=1)
    noise = cell_noise.sum(axis=1) / np.maximum(n_classes, 1)
    largest = noise.max() if noise.any() else 1.0
    precision = np.where(n_classes > 1, largest / np.maximum(noise, 1e-12 * largest), 0.0)
    return np.asarray(precision / max(precision.sum(), 1e-300))


def naive_rule(spectrum: Spectrum, counts: Floats) -> TaskWeights:
    """One pool of all tasks, for every target."""
    weights = naive_weights(counts)
    weights = weights / max(float(weights.sum()), 1e-300)  # the mean contrast
    ones, zeros = np.ones((len(weights), 1)), np.zeros(len(weights))
    rows = spectrum.rows
    signal = (rows @ (weights @ rows)[..., None])[..., 0] - weights * spectrum.noise
    return TaskWeights(ones, weights[None], zeros, weights, signal)


def single_rule(spectrum: Spectrum) -> TaskWeights:
    """Every task alone."""
    k = spectrum.precision.shape[-1]
    noise = spectrum.active * spectrum.of_tasks(spectrum.dimension)
    energy = (spectrum.coordinates**2).sum(axis=-1) - noise
    return TaskWeights(
        np.zeros((k, 0)), np.zeros((0, k)), np.ones(k), np.ones(k), energy * spectrum.deviation**2
    )
