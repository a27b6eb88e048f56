"""The best direction between two classes whose scores spread differently."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import minimize_scalar

from kinspan._rows.types import Floats
from kinspan.theory.threshold import best_error

_ANGLES = 64  # of the first, coarse search


class TwoSpreads(NamedTuple):
    """Scores of two classes for weights a: means aᵀc₁, aᵀc₂ and variances aᵀK₁a, aᵀK₂a."""

    means: Floats  # (sampled, 2) c
    first: Floats  # (sampled, sampled) K₁
    second: Floats  # (sampled, sampled) K₂


def weights_error(pair: TwoSpreads, weights: Floats, priors: Floats) -> float:
    """The error at the best threshold."""
    variances = np.array([weights @ spread @ weights for spread in (pair.first, pair.second)])
    return best_error(weights @ pair.means, np.where(variances > 0, variances, 1.0), priors)


def best_weights(pair: TwoSpreads, priors: Floats) -> Floats:
    """The best of (cos θ K₁ + sin θ K₂)⁻¹(c₁ − c₂) over the angles that keep the matrix positive.

    Stationarity of the error in the weights and the threshold has this form. The angle does not
    matter when the spreads are equal.
    """
    signal = pair.means[:, 0] - pair.means[:, 1]
    if np.allclose(pair.first, pair.second, rtol=1e-12, atol=0):
        return np.asarray(np.linalg.solve(pair.first, signal))
    ratios, vectors = eigh(pair.first, pair.second)

    def weights(angle: float) -> Floats:
        scaled = (vectors.T @ signal) / (np.cos(angle) * ratios + np.sin(angle))
        return np.asarray(vectors @ scaled)

    low, high = -float(np.arctan(ratios[0])), np.pi - float(np.arctan(ratios[-1]))
    return weights(_least(lambda angle: weights_error(pair, weights(angle), priors), low, high))


def _least(error: Callable[[float], float], low: float, high: float) -> float:
    """Where a function of one angle is least: a coarse search, then a fine one around its best."""
    step = (high - low) / (_ANGLES + 1)
    angles = low + step * np.arange(1, _ANGLES + 1)
    best = float(angles[int(np.argmin([error(angle) for angle in angles]))])
    fine = minimize_scalar(
        error, bounds=(best - step, best + step), method="bounded", options={"xatol": 1e-9}
    )
    return float(fine.x) if fine.fun < error(best) else best
