"""Estimates of several tasks, each with its own error: how much do the tasks really differ?"""

from __future__ import annotations

from kinspan._rows.types import Floats


def variance_between(values: Floats, weights: Floats, n: int) -> float:
    """DerSimonian and Laird: what the scatter of n estimates has beyond their own errors."""
    total = max(weights.sum(), 1e-300)
    centre = (weights * values).sum() / total
    excess = (weights * (values - centre) ** 2).sum() - (n - 1.0)
    return float(max(excess / max(total - (weights**2).sum() / total, 1e-300), 0.0))
