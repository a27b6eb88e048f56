"""Estimates of several tasks, each with its own error → how much the tasks really differ."""

from __future__ import annotations

from kinspan._rows.types import Floats


def variance_between(values: Floats, weights: Floats, n: int) -> float:
    """DerSimonian and Laird: the variance of n estimates beyond their errors, 1/weights."""
    total = max(weights.sum(), 1e-300)
    centre = (weights * values).sum() / total
    excess = (weights * (values - centre) ** 2).sum() - (n - 1.0)
    return float(max(excess / max(total - (weights**2).sum() / total, 1e-300), 0.0))
