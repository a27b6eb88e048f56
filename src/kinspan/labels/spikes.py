"""Spikes in noise: eigenvalues of a noisy matrix → the strengths behind them, and what noise hides.

A has n rows, P columns, unit noise in every entry, and a mean of low rank; γ = n/P is its ratio. In
the limit the eigenvalues of AᵀA/P form a bulk, and a singular value √(Pℓ) of the mean stands out as
a spike where ℓ > √γ (Proposition 1). The rows of A are contrasts of tasks for `spectral`, and the
rows of one task for `kinspan.theory`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Floats

_CHANCE = 2.02  # of Tracy and Widom's law: noise is larger in one of a hundred draws
_HALVINGS = 50


class Overlaps(NamedTuple):
    """Squared cosines between the singular vectors of A and those of its mean."""

    right: Floats  # c_v², of the vectors with P entries
    left: Floats  # c_u², of the vectors with n entries


def bulk(ratio: float) -> tuple[float, float]:
    """(1 ∓ √γ)²: the ends of the law of Marčenko and Pastur, eq. (10) of docs/theory.md."""
    return float((1.0 - np.sqrt(ratio)) ** 2), float(edge(ratio))


def edge(ratio: Floats | float) -> Floats:
    """(1 + √γ)²: what an eigenvalue has to exceed to be a spike, in the limit."""
    return np.asarray((1.0 + np.sqrt(ratio)) ** 2)


def least_spike(ratio: Floats | float, n_rows: Floats | float) -> Floats:
    """What an eigenvalue has to exceed with so many rows: noise does so in 1 % of all draws.

    Eq. (10a) of docs/theory.md, by Johnstone's centre and scale for the law of Tracy and Widom.
    """
    rows = np.sqrt(np.maximum(n_rows, 1.0))
    columns = rows / np.sqrt(np.maximum(ratio, 1e-300))
    scale = (rows + columns) * np.cbrt(1.0 / rows + 1.0 / columns)
    return np.asarray(edge(ratio) + _CHANCE * scale / columns**2)


@lru_cache(maxsize=256)
def uneven_ratio(ratio: float, unevenness: float) -> float:
    """The ratio at which white noise has the edge that uneven noise has: eq. (10c).

    Noise of two sizes t, in shares w, has the same first three moments. Its edge is the least value
    of γ/y + Σ w/(1 − t y).
    """
    if ratio <= 0 or unevenness <= 1:
        return ratio
    apart = min(np.sqrt(unevenness - 1.0), 1.0)
    sizes = np.array([1.0 - apart, max(1.0 + apart, unevenness)])
    share = 1.0 / sizes[1] if unevenness > 2 else 0.5
    shares = np.array([1.0 - share, share])
    low, high = 0.0, 1.0 / float(sizes[1])
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        rises = shares @ (sizes * (middle / (1.0 - sizes * middle)) ** 2) > ratio
        low, high = (low, middle) if rises else (middle, high)
    least = ratio / low + shares @ (1.0 / (1.0 - sizes * low))
    return float((np.sqrt(least) - 1.0) ** 2)


def marchenko_pastur(eigenvalues: Floats, ratio: float) -> Floats:
    """Density of the eigenvalues of noise, sqrt((b − λ)(λ − a)) / (2πλ) on the bulk (a, b).

    Its mass is min(1, γ): the other eigenvalues of AᵀA/P are zero.
    """
    low, high = bulk(ratio)
    inside = (eigenvalues > low) & (eigenvalues < high)
    safe = np.where(inside, eigenvalues, (low + high) / 2.0)
    density = np.sqrt((high - safe) * (safe - low)) / (2.0 * np.pi * safe)
    return np.where(inside, density, 0.0)


def spike_eigenvalues(strengths: Floats, ratio: float) -> Floats:
    """λ = (1 + ℓ)(1 + γ/ℓ) for strengths ℓ > √γ, eq. (11) of docs/theory.md."""
    return np.asarray((1.0 + strengths) * (1.0 + ratio / strengths))


def spike_strengths(eigenvalues: Floats, ratio: Floats | float) -> Floats:
    """The larger root ℓ of λ = (1 + ℓ)(1 + γ/ℓ), a quadratic equation; √γ at the edge."""
    both = eigenvalues - 1.0 - ratio  # ℓ + γ/ℓ
    return np.asarray((both + np.sqrt(np.maximum(both**2 - 4.0 * ratio, 0.0))) / 2.0)


def overlaps(strengths: Floats, ratio: Floats | float) -> Overlaps:
    """Squared cosines of spikes of given strengths, eq. (12) of docs/theory.md; zero up to √γ."""
    above = np.maximum(strengths**2 - ratio, 0.0)
    return Overlaps(
        above / (strengths * (strengths + 1.0)), above / (strengths * (strengths + ratio))
    )
