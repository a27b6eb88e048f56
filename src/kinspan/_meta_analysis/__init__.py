"""Estimates of several tasks, each with its own error → how much the tasks really differ."""

from __future__ import annotations

import numpy as np

from kinspan._rows.types import Floats

_BEYOND_CHANCE = 4.0  # standard errors


def variance_between(values: Floats, weights: Floats, n: int) -> float:
    """DerSimonian and Laird: the variance of n estimates beyond their errors, 1/weights."""
    return float(_variance(values, weights, n - 1.0))


def variance_beyond_chance(values: Floats, weights: Floats, n: Floats | int) -> Floats:
    """The same with what chance alone could bring subtracted: four standard errors of its sum.

    Of (…, n) estimates: many sets of them at once.
    """
    several = np.maximum(np.asarray(n) - 1.0, 0.0)
    return _variance(values, weights, n - 1.0 + _BEYOND_CHANCE * np.sqrt(2.0 * several))


def beyond_chance(value: float, error: float) -> float:
    """An estimate drawn to zero, which it is within four standard errors."""
    by_chance = (_BEYOND_CHANCE * error) ** 2
    return value * (1.0 - by_chance / value**2) if value**2 > by_chance else 0.0


def _variance(values: Floats, weights: Floats, expected: Floats | float) -> Floats:
    total = np.maximum(weights.sum(axis=-1), 1e-300)
    centre = (weights * values).sum(axis=-1) / total
    excess = (weights * (values - centre[..., None]) ** 2).sum(axis=-1) - expected
    spread = np.maximum(total - (weights**2).sum(axis=-1) / total, 1e-300)
    return np.asarray(np.maximum(excess / spread, 0.0))
