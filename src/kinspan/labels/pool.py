"""One direction for all: the mean contrast of the other tasks, weighted by precision.

Spectrum of the contrasts → weights of tasks. Where all tasks are nearly the same this beats the
spectral rule, which has to find the direction first.
"""

from __future__ import annotations

import numpy as np

from kinspan._rows.types import Floats
from kinspan.labels.shrinkage import Along, precision_of_others, with_rest
from kinspan.labels.spectrum import Spectrum, TaskWeights


def pool_rule(spectrum: Spectrum) -> TaskWeights:
    """Posterior of the coordinate along h = Σ_{s≠t} d_s/σ_s², eq. (22) of docs/theory.md."""
    variance, precision = spectrum.deviation**2, spectrum.precision**2
    total, n_others = precision_of_others(spectrum)
    length, x = _pooled_direction(spectrum)
    excess = np.maximum(length**2 / (spectrum.dimension * total) - 1.0, 0.0)
    mean = length / total * excess / (1.0 + excess)
    spread = _spread_of_others(spectrum, length, total, n_others)
    gain = spread / (spread + variance)
    posterior = mean + gain * (x - mean)
    along = Along(x**2, posterior * x, gain, np.ones(len(x)))
    rest = with_rest(spectrum, along, posterior != 0)
    weight = (posterior - rest.kept * x) / np.where(length > 0, length, 1.0)
    return TaskWeights(
        weight[:, None],
        precision[None],
        rest.kept - weight * precision,
        rest.noise_share,
        rest.signal,
    )


def _pooled_direction(spectrum: Spectrum) -> tuple[Floats, Floats]:
    """‖h_t‖, and the coordinate of d_t along it."""
    coordinates = spectrum.coordinates
    pooled = spectrum.precision @ coordinates - spectrum.precision[:, None] * coordinates
    length = np.sqrt((pooled**2).sum(axis=1))
    inner = spectrum.deviation * (pooled * coordinates).sum(axis=1)
    return length, inner / np.where(length > 0, length, 1.0)


def _spread_of_others(
    spectrum: Spectrum, length: Floats, total: Floats, n_others: Floats
) -> Floats:
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
    divisor = np.where(length > 0, length, 1.0)
    noise = (spectrum.active.sum() - 1.0) / total
    variance = (second / total - (mean / total) ** 2) / divisor**2 - noise
    # n/(n − 1) for a variance around an estimated mean, 1 + 1/n for the error of that mean.
    inflation = np.where(n_others > 1.5, n_others / np.maximum(n_others - 1.0, 0.5), 1.0)
    inflation = inflation * (1.0 + 1.0 / n_others)
    return np.asarray(np.maximum(variance, 0.0) * inflation)
