"""Estimates of many tasks → estimates drawn to what the tasks have in common.

A target's direction is the posterior of its coordinates along a few directions of the others, and a
share of the rest of its own row. `with_rest` finds that share, for any such directions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._meta_analysis import variance_beyond_chance
from kinspan._rows.types import Floats, Mask
from kinspan.labels.spectrum import Spectrum, of_others


class Along(NamedTuple):
    """Targets along directions of the others, for every target its own."""

    square: Floats  # (…, targets): ‖x‖², of their coordinates x
    inner: Floats  # (…, targets): ⟨m + F (x − m), x⟩, with the posterior of the coordinates
    trace: Floats  # (…, targets): tr F, the coordinates that the target's own row decides on
    rank: Floats  # (…, targets): how many directions there are


class Rest(NamedTuple):
    """What follows from the rest of a target's row."""

    kept: Floats  # (…, targets): the share of the rest in the direction
    noise_share: Floats  # (…, targets): the share of the target's own noise in the direction
    signal: Floats  # (…, targets): ⟨direction, true contrast⟩, estimated without bias


def with_rest(spectrum: Spectrum, along: Along, has_direction: Mask) -> Rest:
    """Kept share, noise share and signal: eqs. (18), (20) and (21) of docs/theory.md."""
    variance, dimension = spectrum.deviation**2, spectrum.of_tasks(spectrum.dimension)
    freedom = spectrum.active * np.maximum(dimension - along.rank, 0.0)
    square = variance * (spectrum.coordinates**2).sum(axis=-1)
    rest = square - along.square
    energy = pooled_energies(rest, freedom, variance, spectrum.doubt)
    kept = kept_share(energy, freedom * variance, has_direction)
    return Rest(
        kept,
        (along.trace + kept * freedom) / dimension,
        along.inner - along.trace * variance + kept * energy,
    )


def pooled_energies(
    squares: Floats, freedom: Floats, variance: Floats, doubt: Floats | float
) -> Floats:
    """Squared lengths without their noise, drawn to those of all tasks: eq. (17) of docs/theory.md.

    e = ‖r‖² − freedom σ² has variance 2 freedom σ⁴ + 4 σ² e, and (freedom σ²)² times the squared
    relative error of σ². The variance between tasks is that of DerSimonian and Laird, as far as it
    is beyond chance: few rows that agree by luck would make their rule long, and left-out rows
    would count that luck as theirs. Tasks are the last axis.
    """
    raw, known = squares - freedom * variance, freedom > 0
    typical = np.maximum(_weighted_mean(raw, _inverse(variance**2, known)), 0.0)
    error = (2.0 * freedom + freedom**2 * doubt) * variance**2 + 4.0 * variance * typical
    n_known = known.sum(axis=-1)
    between = variance_beyond_chance(raw, _inverse(error, known), n_known)[..., None]
    centre = _weighted_mean(raw, _inverse(error + between, known))
    trust = between / np.where(known, error + between, 1.0)
    return np.asarray(np.where(known, np.maximum(centre + trust * (raw - centre), 0.0), 0.0))


def _weighted_mean(values: Floats, weights: Floats) -> Floats:
    """(…, 1): over tasks."""
    total = np.maximum(weights.sum(axis=-1, keepdims=True), 1e-300)
    return np.asarray((weights * values).sum(axis=-1, keepdims=True) / total)


def _inverse(values: Floats, known: Mask) -> Floats:
    return np.asarray(np.where(known, 1.0 / np.where(known, values, 1.0), 0.0))


def kept_share(energy: Floats, noise: Floats, has_direction: Mask) -> Floats:
    """e/(e + noise), eq. (18) of docs/theory.md.

    A target with no other direction keeps at least a thousandth, so that it always has a rule.
    """
    total = energy + noise
    kept = energy / np.where(total > 0, total, 1.0)
    return np.where(has_direction, kept, np.maximum(kept, 1e-3))


def precision_of_others(spectrum: Spectrum) -> tuple[Floats, Floats]:
    """(…, tasks): S = Σ 1/σ_s² over the others, and their effective number k_eff = S²/Σ 1/σ_s⁴."""
    precision = spectrum.precision**2
    total = np.maximum(of_others(precision), 1e-300)
    squares = np.maximum(of_others(precision**2), 1e-300)
    return total, np.maximum(total**2 / squares, 1.0)
