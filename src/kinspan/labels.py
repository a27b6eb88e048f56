"""Step 4: relatedness → the weight of every task for every target.

Row t of a weight matrix says how much the contrasts of each task count in the direction of target
t. The label of a sample is the weight of its cell divided by the number of samples in it.
"""

from __future__ import annotations

import numpy as np

from kinspan._cell_sums import Floats


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


def naive_weights(counts: Floats) -> Floats:
    """Labels ±1 (one-hot labels for many classes) for all tasks, whatever the target.

    With classes of n₁ and n₂ rows the centred labels ±1 give a contrast the weight n₁n₂/(n₁ + n₂).
    """
    present = counts > 0
    inverse = np.where(present, 1.0 / np.where(present, counts, 1.0), 0.0).sum(axis=1)
    several = present.sum(axis=1) > 1
    weights = np.where(several, present.sum(axis=1) / np.where(several, inverse, 1.0), 0.0)
    return np.tile(weights / max(weights.max(initial=0.0), 1e-300), (len(counts), 1))


def single_weights(n_tasks: int) -> Floats:
    """Every task alone."""
    return np.eye(n_tasks)


def agreed_weights(counts: Floats, cell_noise: Floats) -> Floats:
    """Weights of tasks in what they agree on: their precisions, adding up to one."""
    noise = cell_noise.sum(axis=1)
    largest = noise.max() if noise.any() else 1.0
    several = (counts > 0).sum(axis=1) > 1
    precision = np.where(several, largest / np.maximum(noise, 1e-12 * largest), 0.0)
    return np.asarray(precision / max(precision.sum(), 1.0))


def task_weights(rule: str, gram: Floats, noise: Floats, counts: Floats) -> Floats:
    """(targets, tasks) weights by one of the rules "plugin", "naive", "single".

    A target without any estimated signal keeps its own direction: that is single-task SPCA.
    """
    alone = single_weights(len(noise))
    if rule == "single":
        return alone
    weights = naive_weights(counts) if rule == "naive" else optimal_weights(gram, noise)
    silent = np.abs(weights).max(axis=1) <= 1e-12
    return np.where(silent[:, None], alone, weights)
