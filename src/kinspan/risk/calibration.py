"""Scores of left-out rows → the factor that turns scores into log odds."""

from __future__ import annotations

import numpy as np

from kinspan._rows.types import Codes, Floats, Mask

_STEPS, _LEAST, _MOST = 40, -7.0, 4.0  # of the log of the factor, in units of the prior


def calibration(scores: Floats, classes: Codes, weights: Floats, present: Mask) -> float:
    """The factor that turns scores into log odds, by maximum likelihood.

    Scores do not include priors, and are NaN for rows that could not be left out. Before any
    evidence log odds between classes are about two: the log of the factor has a normal prior of
    variance one around that, so that neither the units of scores nor a few rows decide how much a
    rule is worth.
    """
    usable = ~np.isnan(scores[:, 0])
    if not usable.any():
        return 1.0
    scores, classes = np.where(present, scores, -np.inf)[usable], classes[usable]
    unit = _half_of_log_odds(scores, weights[usable])
    of_class = scores[np.arange(len(classes)), classes]
    margins = (scores - of_class[:, None]) / unit  # −∞ for classes that a task does not have
    return float(np.exp(_most_likely(margins, weights[usable]))) / unit


def _most_likely(margins: Floats, weights: Floats) -> float:
    """The l that minimises Σ weight · log Σ_j exp(eˡ margin_j) + ½ l², by Newton's method.

    Where a step leaves the interval that is known to contain the minimum, the interval is halved.
    """
    low, high, log_factor = _LEAST, _MOST, 0.0
    for _ in range(_STEPS):
        slope, curvature = _derivatives(np.exp(log_factor) * margins, weights)
        slope, curvature = slope + log_factor, curvature + 1.0
        low, high = (log_factor, high) if slope < 0 else (low, log_factor)
        step = slope / curvature if curvature > 0 else np.inf
        inside = low < log_factor - step < high
        after = log_factor - step if inside else 0.5 * (low + high)
        if abs(after - log_factor) < 1e-12:
            return after
        log_factor = after
    return log_factor


def _derivatives(margins: Floats, weights: Floats) -> tuple[float, float]:
    """Of the loss by the log of the factor that is in the margins: slope and curvature."""
    odds = np.exp(margins - margins.max(axis=1, keepdims=True))
    p = odds / odds.sum(axis=1, keepdims=True)
    known = np.where(p > 0, margins, 0.0)
    weighted = p * known
    mean = weighted.sum(axis=1)
    square = (weighted * known).sum(axis=1)
    return float(weights @ mean), float(weights @ (mean + square - mean**2))


def _half_of_log_odds(scores: Floats, weights: Floats) -> float:
    """Half of the root mean square of differences between the scores of two classes."""
    is_class = np.isfinite(scores)
    n = np.maximum(is_class.sum(axis=1), 2)
    known = np.where(is_class, scores, 0.0)
    around = np.where(is_class, known - (known.sum(axis=1) / n)[:, None], 0.0)
    largest = max(float(np.abs(around).max(initial=0.0)), 1e-300)
    squares = ((around / largest) ** 2).sum(axis=1) / (n - 1)
    half = largest * np.sqrt(0.5 * float(weights @ squares) / max(float(weights.sum()), 1e-300))
    return half if half > 1e-300 else 1.0
