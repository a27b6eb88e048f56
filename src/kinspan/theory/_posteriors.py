"""Rows without labels, told by a score → what their posterior probabilities add up to."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from kinspan._rows.types import Floats

_NODES = np.linspace(-10, 10, 401)  # evenly spaced: the sum converges exponentially fast
_DENSITY = np.exp(-(_NODES**2) / 2) / np.exp(-(_NODES**2) / 2).sum()


def posterior_products(squared_gap: float, rows: Floats) -> Floats:
    """(2, 2) Σ E[ûûᵀ] over (2,) rows of two classes that a score keeps a gap apart.

    E[û₁²] = E[û₁; class 1], as posterior and truth are exchangeable: entries are also what rows of
    one class give to the other.
    """
    total = rows.sum()
    if rows.min() <= 0:  # one class only, or none: the class is known
        return np.diag(rows)
    log_odds = np.log(rows[0] / rows[1]) + squared_gap / 2 + np.sqrt(squared_gap) * _NODES
    first = rows[0] * (expit(log_odds) @ _DENSITY)
    mixed = rows[0] - first
    return np.array([[first, mixed], [mixed, total - 2 * rows[0] + first]])
