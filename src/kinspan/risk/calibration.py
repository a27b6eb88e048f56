"""Scores of left-out rows → the factors that turn the scores of every candidate into log odds."""

from __future__ import annotations

import numpy as np

from kinspan._rows.blocks import blocks
from kinspan._rows.types import Codes, Floats, Mask

_STEPS, _LEAST, _MOST = 40, -7.0, 4.0  # of the log of the factor, in units of the prior
_ABSENT = -1e250  # the margin of a class that a task does not have
_BLOCK_NUMBERS = 1 << 17  # margins of candidates that are calibrated at once


def calibration(scores: Floats, classes: Codes, weights: Floats, present: Mask) -> Floats:
    """(candidates,): the factors that turn scores into log odds, by maximum likelihood.

    Scores are (candidates, rows, classes), or with two classes (candidates, rows, 1), the second
    minus the first. They do not include priors, and are NaN for rows that could not be left out.
    Before any evidence log odds between classes are about two: the log of the factor has a normal
    prior of variance one around that, so that neither the units of scores nor a few rows decide how
    much a rule is worth.
    """
    factors = np.ones(len(scores))
    size = max(1, _BLOCK_NUMBERS // max(scores[0].size, 1))
    for start in range(0, len(scores), size):
        some = slice(start, start + size)
        usable = ~np.isnan(scores[some, :, 0]).any(axis=0) & (weights > 0)
        if usable.any():
            margins = _margins(scores[some][:, usable], classes[usable], present[usable])
            factors[some] = _factors(margins, weights[usable])
    return factors


def _margins(scores: Floats, classes: Codes, present: Mask) -> Floats:
    """(candidates, classes, rows): scores minus that of the row's own class.

    With two classes (candidates, 1, rows), that of the other one. Rows are many: sums over classes
    are much faster across than along.
    """
    if scores.shape[2] == 1:
        margins = np.where(classes == 1, -1.0, 1.0) * scores[:, None, :, 0]
        return np.where(present.all(axis=1), margins, _ABSENT)
    across = np.ascontiguousarray(scores.transpose(0, 2, 1))
    margins = across - across[:, classes, np.arange(len(classes))][:, None]
    return margins if present.all() else np.where(present.T, margins, _ABSENT)


def _factors(margins: Floats, weights: Floats) -> Floats:
    unit = _half_of_log_odds(margins, weights)
    return np.asarray(np.exp(_most_likely(margins / unit[:, None, None], weights)) / unit)


def _most_likely(margins: Floats, weights: Floats) -> Floats:
    """The l that minimise Σ weight · log(1 + Σ_j exp(eˡ margin_j)) + ½ l², by Newton's method.

    Where a step leaves the interval that is known to contain the minimum, the interval is halved.
    """
    found = np.zeros(len(margins))
    low, high = np.full_like(found, _LEAST), np.full_like(found, _MOST)
    for _ in range(_STEPS):
        slope, curvature = found.copy(), np.ones(len(found))
        for rows in blocks(margins.shape[2], margins[..., 0].size):
            some = np.exp(found)[:, None, None] * margins[..., rows]
            of_some = _derivatives(some, weights[rows])
            slope, curvature = slope + of_some[0], curvature + of_some[1]
        low, high = np.where(slope < 0, found, low), np.where(slope < 0, high, found)
        convex = curvature > 0
        after = found - slope / np.where(convex, curvature, 1.0)
        inside = convex & (low <= after) & (after <= high)
        after = np.where(inside, after, 0.5 * (low + high))
        step, found = np.abs(after - found).max(), after
        if step < 1e-6:  # the next one would be rounding
            break
    return found


def _derivatives(margins: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Of the loss by the log of the factor that is in the margins: slope and curvature."""
    if margins.shape[1] == 1:  # of two classes
        of_rows = margins[:, 0]
        p = np.tanh(0.5 * of_rows)  # several times as fast as `expit`
        p += 1.0
        p *= 0.5
        mean = p * of_rows
        return mean @ weights, (mean * (1.0 + of_rows - mean)) @ weights
    odds = np.exp(margins - margins.max(axis=1, keepdims=True))
    total = odds.sum(axis=1)
    odds *= margins
    mean = odds.sum(axis=1) / total
    square = np.einsum("crn,crn->cn", odds, margins) / total
    return mean @ weights, (mean + square - mean**2) @ weights


def _half_of_log_odds(margins: Floats, weights: Floats) -> Floats:
    """(candidates,): half of the root mean square of differences between scores of two classes."""
    is_class = margins[0] > _ABSENT
    known = margins if is_class.all() else np.where(is_class, margins, 0.0)
    largest = np.maximum(np.abs(known).max(axis=(1, 2), initial=0.0), 1e-300)
    known = known / largest[:, None, None]
    # The variance of all scores of a row, of which the own one is zero.
    if known.shape[1] == 1:
        squares = 0.5 * known[:, 0] ** 2
    else:
        n = is_class.sum(axis=0)
        squares = np.einsum("crn,crn->cn", known, known) - known.sum(axis=1) ** 2 / n
        squares = np.maximum(squares, 0.0) / np.maximum(n - 1, 1)
    half = largest * np.sqrt(0.5 * (squares @ weights) / max(float(weights.sum()), 1e-300))
    return np.where(half > 1e-300, half, 1.0)
