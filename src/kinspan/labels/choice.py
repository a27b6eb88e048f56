"""A rule by its name; without rows to leave out, the best of three, once for all tasks."""

from __future__ import annotations

import numpy as np

from kinspan._rows.types import Floats
from kinspan.labels.fixed import naive_rule, single_rule
from kinspan.labels.plugin import plugin_rule
from kinspan.labels.pool import pool_rule
from kinspan.labels.spectral import spectral_rule
from kinspan.labels.spectrum import Spectrum, TaskWeights


def task_weights(rule: str, spectrum: Spectrum, counts: Floats) -> TaskWeights:
    """Weights of all tasks for all targets; `"auto"` is the best of spectral, pool and single."""
    if rule == "single":
        return single_rule(spectrum)
    if rule == "naive":
        return naive_rule(spectrum, counts)
    if rule == "plugin":
        return plugin_rule(spectrum)
    if rule == "spectral":
        return spectral_rule(spectrum)
    return best_rule(spectrum)


def best_rule(spectrum: Spectrum) -> TaskWeights:
    """The rule with the largest mean forecast of signal over noise, ⟨w, truth⟩/‖w‖.

    Single comes first: where tasks share nothing the others have the same forecast, and single is
    exact.
    """
    candidates = [single_rule(spectrum)]
    if spectrum.active.sum() > 1:
        candidates.append(spectral_rule(spectrum))
    if spectrum.active.sum() > 2:
        candidates.append(pool_rule(spectrum))
    return max(candidates, key=lambda rule: mean_signal_to_noise(rule, spectrum))


def mean_signal_to_noise(weights: TaskWeights, spectrum: Spectrum) -> float:
    """Mean of ⟨w, truth⟩/‖w‖ in which noisy tasks count less: eq. (23) of docs/theory.md."""
    length = np.linalg.norm(weights.combine(spectrum.rows), axis=1)
    active = (length > 0) & (spectrum.active > 0)
    ratio = weights.signal / np.where(active, length, 1.0)
    if not active.any():
        return 0.0
    variance = spectrum.deviation[active] ** 2
    return float(np.average(ratio[active], weights=1.0 / (variance + np.median(variance))))
