"""Shared directions learnt from the *other* tasks, random-matrix-corrected.

For every target: the spikes of the other tasks' whitened contrasts above the edge of the noise; an
empirical-Bayes posterior of the target's coordinates along them; a kept share of its own rest. The
target's own noise takes no part in the directions, so that it cannot pass for relatedness.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinspan._meta_analysis import variance_between
from kinspan._rows.types import Floats
from kinspan.labels.weights import Spectrum, TaskWeights, of_others

_EXTRA = 10  # right vectors beyond the spikes that the removal of one row is computed in
_MOST = 40  # right vectors at most: many tasks can share only few directions with any one


class Others(NamedTuple):
    """The other tasks of every target, in a basis that they share with it.

    The basis of target t is the leading right vectors of all rows and the normalised rest of row t.
    """

    row: Floats  # (targets, basis): the target's own whitened row
    pooled: Floats  # (targets, basis): Σ_{s≠t} a_s/σ_s
    squares: Floats  # (targets, spikes): s², of the others' rows
    vectors: Floats  # (targets, basis, spikes): right vectors of the others' rows
    is_spike: Floats  # (targets, spikes): one above the edge, zero for padding
    ratio: Floats  # (targets,): γ, others over dimension


class Shares(NamedTuple):
    """Spikes ℓ of the population, and how much of them the empirical vectors keep."""

    spikes: Floats
    right: Floats  # c_v², squared cosine of the right vectors
    left: Floats  # c_u², of the left vectors


def spectral_rule(spectrum: Spectrum) -> TaskWeights:
    """Weights of all targets from one decomposition."""
    others = leave_each_out(spectrum)
    variance = spectrum.deviation**2
    x = spectrum.deviation[:, None] * np.einsum("tb,tbj->tj", others.row, others.vectors)
    x = x * others.is_spike
    posterior, trace = _posterior(_prior(spectrum, others), x, variance, spectrum.active)
    rank = others.is_spike.sum(axis=1)
    freedom = spectrum.active * np.maximum(spectrum.dimension - rank, 0.0)
    square = variance * (spectrum.coordinates**2).sum(axis=1)
    energy = pooled_energies(square - (x**2).sum(axis=1), freedom, variance)
    kept = kept_share(energy, freedom * variance, rank > 0)
    signal = (posterior * x).sum(axis=1) - trace * variance + kept * energy
    left, right, diagonal = _as_weights(spectrum, others, posterior - kept[:, None] * x)
    share = (trace + kept * freedom) / spectrum.dimension
    return TaskWeights(left, right, diagonal + kept, share, signal)


def leave_each_out(spectrum: Spectrum) -> Others:
    """Spikes of A₋ₜᵀA₋ₜ = AᵀA − a_t a_tᵀ for every t, from one decomposition of A."""
    k, ratio = spectrum.active.sum(), (spectrum.active.sum() - 1.0) / spectrum.dimension
    edge = (1.0 + np.sqrt(max(ratio, 0.0))) ** 2 * spectrum.dimension
    n_spikes, rank = (int((spectrum.values**2 > least).sum()) for least in (0.9 * edge, 0.0))
    top = min(n_spikes + _EXTRA, rank, _MOST)
    row, pooled, rest_square = _basis(spectrum, top)
    squared = np.concatenate(
        [np.broadcast_to(spectrum.values[:top] ** 2, (len(row), top)), rest_square[:, None]], axis=1
    )
    matrix = squared[:, :, None] * np.eye(top + 1) - row[:, :, None] * row[:, None, :]
    squares, vectors = np.linalg.eigh(matrix)
    squares, vectors = squares[:, ::-1], vectors[:, :, ::-1]
    is_spike = (squares > edge) & (k > 1)
    most = int(is_spike.sum(axis=1).max(initial=0))
    return Others(
        row,
        pooled - row * spectrum.precision[:, None],
        squares[:, :most],
        vectors[:, :, :most],
        is_spike[:, :most].astype(np.float64),
        np.full(len(row), ratio),
    )


def _basis(spectrum: Spectrum, top: int) -> tuple[Floats, Floats, Floats]:
    """Row t, Σ_s a_s/σ_s and the square of A along the last vector, in the basis of target t."""
    coordinates = spectrum.coordinates
    weighted = spectrum.values * (spectrum.vectors.T @ spectrum.precision)
    rest = coordinates[:, top:]
    length = np.sqrt((rest**2).sum(axis=1))
    has_rest = length > 1e-9 * max(float(spectrum.values[0]), 1e-300)
    unit = rest * np.where(has_rest, 1.0 / np.where(has_rest, length, 1.0), 0.0)[:, None]
    row = np.column_stack([coordinates[:, :top], np.where(has_rest, length, 0.0)])
    pooled = np.column_stack(
        [np.broadcast_to(weighted[:top], (len(row), top)), unit @ weighted[top:]]
    )
    return row, pooled, unit**2 @ spectrum.values[top:] ** 2


def shares(squares: Floats, ratio: Floats, is_spike: Floats) -> Shares:
    """Invert s²/P = (1 + ℓ)(1 + γ/ℓ): the limits of Proposition 1, for rows instead of columns."""
    lifted = np.where(is_spike > 0, squares - 1.0 - ratio, 2.0 * np.sqrt(ratio) + 1.0)
    ell = (lifted + np.sqrt(np.maximum(lifted**2 - 4.0 * ratio, 0.0))) / 2.0
    above = np.maximum(ell**2 - ratio, 0.0)
    return Shares(ell * is_spike, above / (ell * (ell + 1.0)), above / (ell * (ell + ratio)))


class Prior(NamedTuple):
    """A target's coordinates as the others see them: covariance f · (diag(second) − m mᵀ)."""

    mean: Floats  # (targets, spikes): m
    second: Floats  # (targets, spikes): second moments, zero for padding
    inflation: Floats  # (targets, 1): f, for having been estimated from few


def _prior(spectrum: Spectrum, others: Others) -> Prior:
    precision = spectrum.precision**2
    total = np.maximum(of_others(precision), 1e-300)
    n_effective = total**2 / np.maximum(of_others(precision**2), 1e-300)
    share = shares(others.squares / spectrum.dimension, others.ratio[:, None], others.is_spike)
    scale = spectrum.dimension * share.spikes / total[:, None]
    agreement = np.einsum("tb,tbj->tj", others.pooled, others.vectors)
    length = np.sqrt(np.where(others.is_spike > 0, others.squares, 1.0) * total[:, None])
    mean = np.sqrt(scale * share.left * share.right) * agreement / length
    several = n_effective > 1.5  # one other task has no mean to speak of: its square is all
    mean = mean * (others.is_spike * several[:, None])
    n = np.where(several, n_effective, 2.0)
    inflation = np.where(several, n / (n - 1.0) * (1.0 + 1.0 / n), 1.0)
    return Prior(mean, scale * share.right * others.is_spike, inflation[:, None])


def _posterior(prior: Prior, x: Floats, variance: Floats, active: Floats) -> tuple[Floats, Floats]:
    """Posterior mean m + F (x − m) of the coordinates, and tr F, with F = B (B + σ²)⁻¹.

    B + σ² is diagonal but for −m mᵀ, and Σ m²/second ≤ 1: its inverse is that of Sherman and
    Morrison. A target without data of its own keeps the prior mean.
    """
    noise = variance[:, None]
    weights = 1.0 / (prior.inflation * prior.second + noise)
    along = np.sqrt(prior.inflation) * prior.mean
    rest = 1.0 - (weights * along**2).sum(axis=1, keepdims=True)
    deviation = x - prior.mean
    projected = (weights * along * deviation).sum(axis=1, keepdims=True) / rest
    solved = weights * (deviation + along * projected)
    inverse_trace = weights + (weights * along) ** 2 / rest
    posterior = prior.mean + active[:, None] * (deviation - noise * solved)
    return posterior, active * (1.0 - noise * inverse_trace).sum(axis=1)


def pooled_energies(squares: Floats, freedom: Floats, variance: Floats) -> Floats:
    """Energies of what is left of the targets, without noise, shrunken towards their pool.

    e = ‖r‖² − freedom σ² has variance 2 freedom σ⁴ + 4 σ² e; the variance between tasks is that of
    DerSimonian and Laird.
    """
    raw, known = squares - freedom * variance, freedom > 0
    weights = _inverse(variance**2, known)
    typical = max((weights * raw).sum() / max(weights.sum(), 1e-300), 0.0)
    error = 2.0 * freedom * variance**2 + 4.0 * variance * typical
    between = variance_between(raw, _inverse(error, known), int(known.sum()))
    weights = _inverse(error + between, known)
    centre = (weights * raw).sum() / max(weights.sum(), 1e-300)
    trust = between / np.where(known, error + between, 1.0)
    return np.asarray(np.where(known, np.maximum(centre + trust * (raw - centre), 0.0), 0.0))


def _inverse(values: Floats, known: NDArray[np.bool_]) -> Floats:
    return np.asarray(np.where(known, 1.0 / np.where(known, values, 1.0), 0.0))


def kept_share(energy: Floats, noise: Floats, has_more: NDArray[np.bool_]) -> Floats:
    """The share of the rest that is signal; where there is nothing else, never quite nothing."""
    total = energy + noise
    kept = energy / np.where(total > 0, total, 1.0)
    return np.where(has_more, kept, np.maximum(kept, 1e-3))


def _as_weights(spectrum: Spectrum, others: Others, along: Floats) -> tuple[Floats, Floats, Floats]:
    """Σ_j along_tj v_tj as weights of rows: left @ right + diag(diagonal)."""
    top = others.row.shape[1] - 1
    vector = np.einsum("tbj,tj->tb", others.vectors, along)
    length = others.row[:, -1]
    last = np.where(length > 0, vector[:, -1] / np.where(length > 0, length, 1.0), 0.0)
    left = (vector[:, :top] - last[:, None] * others.row[:, :top]) / spectrum.values[:top]
    return left, spectrum.vectors[:, :top].T * spectrum.precision, last * spectrum.precision
