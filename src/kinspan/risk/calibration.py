"""Scores of left-out rows → the factor that turns scores into log odds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from kinspan._rows.types import Codes, Floats, Mask


class Calibration(NamedTuple):
    """The factor that turns scores into log odds."""

    factor: float  # multiplies the scores
    loss: float  # mean log loss of the resulting probabilities, with the penalty of the factor


def calibration(
    scores: Floats, classes: Codes, weights: Floats, present: Mask
) -> tuple[Calibration, Floats]:
    """The factor that turns scores into log odds, by maximum likelihood, and the loss of every row.

    Scores do not include priors. Before any evidence log odds between classes are about two: the
    log of the factor has a normal prior of variance one around that, so that neither the units of
    scores nor a few rows decide how much a rule is worth.
    """
    usable = ~np.isnan(scores[:, 0])
    scores, classes = np.where(present, scores, -np.inf)[usable], classes[usable]
    weights, places = weights[usable], np.arange(usable.sum())
    if not len(places):
        return Calibration(1.0, 0.0), np.full(len(usable), np.nan)

    unit = _half_of_log_odds(scores, weights)
    below = (scores - scores.max(axis=1, keepdims=True)) / unit

    def surprise(log_factor: float) -> Floats:
        tempered = np.exp(log_factor) * below
        return np.asarray(np.log(np.exp(tempered).sum(axis=1)) - tempered[places, classes])

    def loss(log_factor: float) -> float:
        return float(weights @ surprise(log_factor) + 0.5 * log_factor**2)

    def newton_step(log_factor: float) -> float:
        tempered = np.exp(log_factor) * below
        odds = np.exp(tempered)
        p = odds / odds.sum(axis=1, keepdims=True)
        present_only = np.where(p > 0, tempered, 0.0)
        mean = (p * present_only).sum(axis=1)
        spread = (p * present_only**2).sum(axis=1) - mean**2
        excess = mean - tempered[places, classes]
        slope = float(weights @ excess) + log_factor
        return slope / max(float(weights @ (excess + spread)) + 1.0, 1e-3)

    found = minimize_scalar(loss, bounds=(-7.0, 4.0), method="bounded", options={"xatol": 1e-2})
    best = float(found.x)
    for _ in range(4):  # to the last digits, so that rounding of scores is not magnified
        best = float(np.clip(best - np.clip(newton_step(best), -0.1, 0.1), -7.0, 4.0))
    losses = np.full(len(usable), np.nan)
    losses[usable] = surprise(best)
    return Calibration(float(np.exp(best)) / unit, loss(best) / max(weights.sum(), 1e-300)), losses


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
