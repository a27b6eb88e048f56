"""Estimates of several tasks, each with its own error → how much the tasks really differ."""

from __future__ import annotations

import numpy as np

from kinspan._rows.types import Floats

_BEYOND_CHANCE = 4.0  # standard errors


def variance_between(values: Floats, weights: Floats, n: int) -> float:
    """DerSimonian and Laird: the variance of n estimates beyond their errors, 1/weights."""
    return _variance(values, weights, n - 1.0)


def variance_beyond_chance(values: Floats, weights: Floats, n: int) -> float:
    """The same with what chance alone could bring subtracted: four standard errors of its sum."""
    return _variance(values, weights, n - 1.0 + _BEYOND_CHANCE * np.sqrt(2.0 * max(n - 1.0, 0.0)))


def beyond_chance(value: float, error: float) -> float:
    """An estimate drawn to zero, which it is within four standard errors."""
    by_chance = (_BEYOND_CHANCE * error) ** 2
    return value * (1.0 - by_chance / value**2) if value**2 > by_chance else 0.0


def _variance(values: Floats, weights: Floats, expected: float) -> float:
    total = max(weights.sum(), 1e-300)
    centre = (weights * values).sum() / total
    excess = (weights * (values - centre) ** 2).sum() - expected
    return float(max(excess / max(total - (weights**2).sum() / total, 1e-300), 0.0))
