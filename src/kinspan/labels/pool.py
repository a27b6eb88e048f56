"""One direction for all: the mean contrast of the other tasks, weighted by precision.

Where all tasks are nearly the same this beats the spectral rule, which must first find the
direction.
"""

from __future__ import annotations

import numpy as np

from kinspan._rows.types import Floats
from kinspan.labels.spectral import kept_share, pooled_energies
from kinspan.labels.weights import Spectrum, TaskWeights, of_others


def pool_rule(spectrum: Spectrum) -> TaskWeights:
    """Posterior of the coordinate along h = Σ_{s≠t} d_s/σ_s², and a kept share of the rest."""
    variance, precision = spectrum.deviation**2, spectrum.precision**2
    total = np.maximum(of_others(precision), 1e-300)
    length, x = _pooled_direction(spectrum)
    excess = np.maximum(length**2 / (spectrum.dimension * total) - 1.0, 0.0)
    mean = length / total * excess / (1.0 + excess)
    spread = _spread_of_others(spectrum, length, total)
    gain = spread / (spread + variance)
    posterior = mean + gain * (x - mean)
    freedom = spectrum.active * np.maximum(spectrum.dimension - 1.0, 0.0)
    square = variance * (spectrum.coordinates**2).sum(axis=1)
    energy = pooled_energies(square - x**2, freedom, variance)
    kept = kept_share(energy, freedom * variance, posterior != 0)
    along = (posterior - kept * x) / np.where(length > 0, length, 1.0)
    signal = posterior * x - gain * variance + kept * energy
    return TaskWeights(
        along[:, None],
        precision[None],
        kept - along * precision,
        (gain + kept * freedom) / spectrum.dimension,
        signal,
    )


def _pooled_direction(spectrum: Spectrum) -> tuple[Floats, Floats]:
    """‖h_t‖, and the coordinate of d_t along it."""
    coordinates = spectrum.coordinates
    pooled = spectrum.precision @ coordinates - spectrum.precision[:, None] * coordinates
    length = np.sqrt((pooled**2).sum(axis=1))
    inner = spectrum.deviation * (pooled * coordinates).sum(axis=1)
    return length, inner / np.where(length > 0, length, 1.0)


def _spread_of_others(spectrum: Spectrum, length: Floats, total: Floats) -> Floats:
    """Variance of the true coordinates of the others along h_t, without their noise.

    With K the inner products of rows and π = 1/σ², the coordinate of d_s along h_t is
    ((Kπ)_s − π_t K_ts)/‖h_t‖, of which P/‖h_t‖ is the noise that d_s shares with h_t. The sums over
    s are taken without forming K: Σ_s π_s K_ts² = σ_t² Σ_i s_i⁴ u_ti².
    """
    precision = spectrum.precision**2
    coordinates = spectrum.coordinates
    along_all = spectrum.deviation * (coordinates @ (spectrum.precision @ coordinates))
    own = along_all - precision * spectrum.deviation**2 * (coordinates**2).sum(axis=1)
    shifted = (along_all - spectrum.dimension) * spectrum.active
    products = spectrum.deviation * (coordinates @ (coordinates.T @ (spectrum.precision * shifted)))
    squares = spectrum.deviation**2 * (coordinates**2 @ spectrum.values**2)
    everyone = (precision * shifted**2).sum()
    second = everyone - 2.0 * precision * products + precision**2 * squares
    mean = (precision * shifted).sum() - precision * along_all
    own_shifted = (own - spectrum.dimension) * spectrum.active
    second, mean = second - precision * own_shifted**2, mean - precision * own_shifted
    n_others = spectrum.active.sum() - 1.0
    divisor = np.where(length > 0, length, 1.0)
    variance = (second / total - (mean / total) ** 2) / divisor**2 - n_others / total
    n = np.maximum(total**2 / np.maximum(of_others(precision**2), 1e-300), 1.0)
    inflation = np.where(n > 1.5, n / np.maximum(n - 1.0, 0.5), 1.0) * (1.0 + 1.0 / n)
    return np.asarray(np.maximum(variance, 0.0) * inflation)
