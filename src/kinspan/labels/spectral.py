"""Directions shared with the *other* tasks: spectrum of the contrasts → weights of tasks.

For every target: the spikes of the other tasks' whitened contrasts above the edge of the noise, an
empirical-Bayes posterior of the target's coordinates along them, and a share of the rest of its own
contrast. The target's own noise takes no part in the directions, so that it cannot be mistaken for
relatedness. Section 6 of docs/theory.md derives the rule.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from kinspan._rows.blocks import blocks
from kinspan._rows.types import Codes, Floats
from kinspan.labels.downdate import largest_eigenpairs
from kinspan.labels.shrinkage import Along, precision_of_others, with_rest
from kinspan.labels.spectrum import Spectrum, TaskWeights
from kinspan.labels.spikes import edge, least_spike, overlaps, spike_strengths, uneven_ratio

_EXTRA = 10  # right vectors beyond the spikes: the downdate then changes mean errors by < 1e-4
_AT_ONCE = 1 << 20  # numbers in the right vectors of all targets
_LEAST_TARGETS = 1 << 13  # of a block of targets
_MOST = 40  # right vectors at most: any two tasks share only a few directions


class Others(NamedTuple):
    """The other tasks of every target, in a basis that they share with it.

    The basis of target t is the leading right vectors of all rows and the normalised rest of row t.
    """

    row: Floats  # (…, targets, basis): the target's own whitened row
    pooled: Floats  # (…, targets, basis): Σ_{s≠t} a_s/σ_s
    squares: Floats  # (…, targets, spikes): s², of the others' rows
    vectors: Floats  # (…, targets, basis, spikes): right vectors of the others' rows
    is_spike: Floats  # (…, targets, spikes): one above the edge, zero for padding
    ratio: Floats  # (…): γ, others over dimension, of white noise with the same edge


class Response(NamedTuple):
    """How the directions of targets follow their own contrasts, in the leading right vectors.

    A change δ of the contrast of target t changes its direction by kept_t δ + V_t G_t V_tᵀ δ, as
    long as the directions of the others and what is expected along them stay the same.
    """

    kept: Floats  # (…, targets)
    rows: Floats  # (…, vectors, tasks): the leading right vectors as weights of the contrasts
    vectors: Floats  # (…, targets, vectors, spikes): V_t, zero for padding
    gain: Floats  # (…, targets, spikes, spikes): G_t = F_t − kept_t


def spectral_rule(spectrum: Spectrum) -> TaskWeights:
    """Weights of all targets from one decomposition: eq. (19) of docs/theory.md."""
    n, parts = spectrum.precision.shape[-1], []
    for targets in blocks(n, _MOST**2, least=_LEAST_TARGETS):
        others = leave_each_out(spectrum, targets)
        parts.append(_lent(spectrum, others, _prior(spectrum, others, targets), targets))
    along = spectrum.precision.ndim - 1
    return _weights(
        spectrum,
        Lent(*(np.concatenate(of_part, axis=along) for of_part in zip(*parts, strict=True))),
    )[0]


def spectral_rule_and_response(spectrum: Spectrum) -> tuple[TaskWeights, Response]:
    """The weights, and how directions would change with the target's own rows."""
    everyone = slice(None)
    others = leave_each_out(spectrum, everyone)
    prior = _prior(spectrum, others, everyone)
    weights, kept = _weights(spectrum, _lent(spectrum, others, prior, everyone))
    return weights, _response(spectrum, others, prior, kept)


def spectral_rules(spectra: Sequence[Spectrum]) -> list[tuple[TaskWeights, Response]]:
    """Both for several spectra of the same tasks, neighbours of one size at once."""
    found: list[tuple[TaskWeights, Response]] = []
    if not spectra:  # no task has two classes
        return found
    for _, alike in itertools.groupby(zip(_sizes(spectra), spectra, strict=True), itemgetter(0)):
        together = [spectrum for _, spectrum in alike]
        at_once = max(1, _AT_ONCE // (_MOST * max(len(together[0].precision), 1)))
        for start in range(0, len(together), at_once):
            some = Spectrum.stacked(together[start : start + at_once])
            weights, response = spectral_rule_and_response(some)
            of_each = zip(zip(*weights, strict=True), zip(*response, strict=True), strict=True)
            found += [(TaskWeights(*w), Response(*r)) for w, r in of_each]
    return found


def _sizes(spectra: Sequence[Spectrum]) -> list[tuple[int, int]]:
    """The rank of each, and how many right vectors are looked at."""
    n_spikes, rank = _spikes(Spectrum.stacked([s._replace(vectors=s.vectors[:0]) for s in spectra]))
    tops = np.minimum(np.minimum(n_spikes + _EXTRA, rank), _MOST)
    return list(zip(rank.tolist(), tops.tolist(), strict=True))


class Lent(NamedTuple):
    """What some targets have along directions of the others."""

    square: Floats  # (…, targets): ‖x‖², of their coordinates
    inner: Floats  # (…, targets): of coordinates with their posterior
    trace: Floats  # (…, targets): of F
    rank: Floats  # (…, targets): number of directions
    posterior: Floats  # (…, targets, basis): Σ_j posterior_j v_j, as weights of rows
    own: Floats  # (…, targets, basis): Σ_j x_j v_j


def _lent(spectrum: Spectrum, others: Others, prior: Prior, targets: slice) -> Lent:
    deviation, active = spectrum.deviation[..., targets], spectrum.active[..., targets]
    x = deviation[..., None] * _along(others.row, others.vectors)
    x = x * others.is_spike
    posterior, trace = _posterior(prior, x, deviation**2, active)
    both = [_as_rows(spectrum, others, along) for along in (posterior, x)]
    inner, rank = (posterior * x).sum(axis=-1), others.is_spike.sum(axis=-1)
    return Lent((x**2).sum(axis=-1), inner, trace, rank, *both)


def _weights(spectrum: Spectrum, lent: Lent) -> tuple[TaskWeights, Floats]:
    """And (…, targets): the share of the rest of its own contrast that a target keeps."""
    along = Along(lent.square, lent.inner, lent.trace, lent.rank)
    rest = with_rest(spectrum, along, along.rank > 0)
    rows = lent.posterior - rest.kept[..., None] * lent.own
    top = rows.shape[-1] - 1
    weights = TaskWeights(
        rows[..., :top],
        _right(spectrum, top),
        rows[..., top] * spectrum.precision + rest.kept,
        rest.noise_share,
        rest.signal,
    )
    return weights, rest.kept


def _along(rows: Floats, vectors: Floats) -> Floats:
    """(…, targets, spikes): rows (…, targets, basis) along the vectors of every target."""
    return np.asarray((rows[..., None, :] @ vectors)[..., 0, :])


def _response(spectrum: Spectrum, others: Others, prior: Prior, kept: Floats) -> Response:
    """What the posterior of eq. (16) makes of a change of the target's own coordinates."""
    top = others.row.shape[-1] - 1
    noise = spectrum.deviation[..., None] ** 2
    weights = 1.0 / (prior.inflation * prior.second + noise)
    along = np.sqrt(prior.inflation) * prior.mean
    rest = 1.0 - (weights * along**2).sum(axis=-1)
    pulled, one = weights * along, np.eye(weights.shape[-1])
    inverse = weights[..., None] * one
    inverse = inverse + pulled[..., None] * pulled[..., None, :] / rest[..., None, None]
    unchanged = (1.0 - kept)[..., None, None] * one
    gain = spectrum.active[..., None, None] * (unchanged - noise[..., None] * inverse)
    vectors = others.vectors[..., :top, :] * others.is_spike[..., None, :]
    return Response(kept, _right(spectrum, top) / spectrum.values[..., :top, None], vectors, gain)


def leave_each_out(spectrum: Spectrum, targets: slice = slice(None)) -> Others:
    """Spikes of A₋ₜᵀA₋ₜ = AᵀA − a_t a_tᵀ for every of some t, eq. (13) of docs/theory.md."""
    n_others, ratio, least = _noise_of_others(spectrum)
    top = _top(spectrum)
    row, pooled, rest_square = _basis(spectrum, top, targets)
    squared = np.empty(row.shape)
    squared[..., :top] = spectrum.values[..., None, :top] ** 2
    squared[..., top] = rest_square
    shape = row.shape[:-1]
    least = np.broadcast_to(np.where(n_others[..., None] > 0, least, np.inf), shape).reshape(-1)
    squares, vectors = largest_eigenpairs(
        squared.reshape(-1, top + 1), row.reshape(-1, top + 1), least
    )
    is_spike = squares > least[:, None]
    most = int(is_spike.sum(axis=1).max(initial=0))
    return Others(
        row,
        pooled - row * spectrum.precision[..., targets, None],
        squares[:, :most].reshape(*shape, most),
        vectors[:, :, :most].reshape(*shape, top + 1, most),
        is_spike[:, :most].reshape(*shape, most).astype(np.float64),
        ratio,
    )


def _noise_of_others(spectrum: Spectrum) -> tuple[Floats, Floats, Floats]:
    """Number of other tasks, over the dimension, and (…, 1) squares that noise does not reach.

    The ratio is that of white noise with the same edge.
    """
    n_others = np.maximum(spectrum.active.sum(axis=-1) - 1.0, 0.0)
    ratio = _of_white_noise(n_others / spectrum.dimension, spectrum.unevenness)
    return n_others, ratio, (least_spike(ratio, n_others) * spectrum.dimension)[..., None]


_of_white_noise = np.vectorize(uneven_ratio, otypes=[np.float64])


def _top(spectrum: Spectrum) -> int:
    """How many right vectors are looked at."""
    n_spikes, rank = _spikes(spectrum)
    return min(int(n_spikes.max()) + _EXTRA, int(rank.min()), _MOST)


def _spikes(spectrum: Spectrum) -> tuple[Codes, Codes]:
    """(…): values that may be spikes, and all but zeros."""
    squares, least = spectrum.values**2, 0.9 * _noise_of_others(spectrum)[2]
    return (squares > least).sum(axis=-1), (squares > 0).sum(axis=-1)


def _right(spectrum: Spectrum, top: int) -> Floats:
    """(…, vectors, tasks): the leading left vectors, over the noise of tasks."""
    return np.asarray(
        np.swapaxes(spectrum.vectors[..., :top], -1, -2) * spectrum.precision[..., None, :]
    )


def _basis(spectrum: Spectrum, top: int, targets: slice) -> tuple[Floats, Floats, Floats]:
    """Row t, Σ_s a_s/σ_s and the square of A along the last vector, in the basis of target t."""
    values = spectrum.values
    coordinates = spectrum.vectors[..., targets, :] * values[..., None, :]
    weighted = values * (spectrum.precision[..., None, :] @ spectrum.vectors)[..., 0, :]
    rest = coordinates[..., top:]
    length = np.sqrt((rest**2).sum(axis=-1))
    has_rest = length > 1e-9 * np.maximum(values[..., :1], 1e-300)
    unit = rest * np.where(has_rest, 1.0 / np.where(has_rest, length, 1.0), 0.0)[..., None]
    row = np.empty((*length.shape, top + 1))
    row[..., :top], row[..., top] = coordinates[..., :top], np.where(has_rest, length, 0.0)
    pooled = np.empty(row.shape)
    pooled[..., :top] = weighted[..., None, :top]
    pooled[..., top] = (unit @ weighted[..., top:, None])[..., 0]
    return row, pooled, (unit**2 @ values[..., top:, None] ** 2)[..., 0]


class Prior(NamedTuple):
    """A target's coordinates before its own row is seen: covariance f · (diag(second) − m mᵀ)."""

    mean: Floats  # (…, targets, spikes): m
    second: Floats  # (…, targets, spikes): second moments, zero for padding
    inflation: Floats  # (…, targets, 1): f, for an estimate from few tasks


def _prior(spectrum: Spectrum, others: Others, targets: slice) -> Prior:
    """Eqs. (14) and (15) of docs/theory.md."""
    total, n_effective = (part[..., targets] for part in precision_of_others(spectrum))
    is_spike = others.is_spike > 0
    ratio, dimension = (np.asarray(v)[..., None, None] for v in (others.ratio, spectrum.dimension))
    eigenvalues = np.where(is_spike, others.squares / dimension, edge(ratio) + 1.0)
    ell = spike_strengths(eigenvalues, ratio)
    overlap = overlaps(ell, ratio)
    scale = dimension * (ell * others.is_spike) / total[..., None]
    agreement = _along(others.pooled, others.vectors)
    length = np.sqrt(np.where(is_spike, others.squares, 1.0) * total[..., None])
    mean = np.sqrt(scale * overlap.left * overlap.right) * agreement / length
    several = n_effective > 1.5  # the mean of one other task is not that of all: its square counts
    mean = mean * (others.is_spike * several[..., None])
    n = np.where(several, n_effective, 2.0)
    inflation = np.where(several, n / (n - 1.0) * (1.0 + 1.0 / n), 1.0)
    return Prior(mean, scale * overlap.right * others.is_spike, inflation[..., None])


def _posterior(prior: Prior, x: Floats, variance: Floats, active: Floats) -> tuple[Floats, Floats]:
    """Posterior mean m + F (x − m), and tr F, with F = B (B + σ²)⁻¹: eq. (16) of docs/theory.md.

    B + σ² is diagonal but for −f m mᵀ, and Σ m²/second ≤ 1: the formula of Sherman and Morrison
    inverts it. A target without data of its own keeps the prior mean.
    """
    noise = variance[..., None]
    weights = 1.0 / (prior.inflation * prior.second + noise)
    along = np.sqrt(prior.inflation) * prior.mean
    rest = 1.0 - (weights * along**2).sum(axis=-1, keepdims=True)
    deviation = x - prior.mean
    projected = (weights * along * deviation).sum(axis=-1, keepdims=True) / rest
    solved = weights * (deviation + along * projected)
    inverse_trace = weights + (weights * along) ** 2 / rest
    posterior = prior.mean + active[..., None] * (deviation - noise * solved)
    return posterior, active * (1.0 - noise * inverse_trace).sum(axis=-1)


def _as_rows(spectrum: Spectrum, others: Others, along: Floats) -> Floats:
    """Σ_j along_tj v_tj: (…, targets, basis) weights of right vectors and, last, of row t."""
    top = others.row.shape[-1] - 1
    found = (others.vectors @ along[..., None])[..., 0]
    length = others.row[..., -1]
    last = np.where(length > 0, found[..., -1] / np.where(length > 0, length, 1.0), 0.0)
    found[..., :top] -= last[..., None] * others.row[..., :top]
    found[..., :top] /= spectrum.values[..., None, :top]
    found[..., top] = last
    return np.asarray(found)
