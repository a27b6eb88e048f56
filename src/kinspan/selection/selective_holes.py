"""Counts of holes in every cell → how far missing values lie from those that are there.

Let the odds that a value x of a feature is missing be exp(a + βx). By Bayes the missing values of a
cell have the density of those that are there times exp(βx): if that is normal with mean m and
variance s², missing values have mean m + βs², and the odds of a hole in the cell are
exp(a + βm + β²s²/2). A class with a larger mean thus has more holes, or fewer, and the slope of
holes over means is β (docs/theory.md, eqs. 47a and 47b). In units of the deviation of a feature
within tasks, slopes are drawn to a common one, so that a few rows are enough.
"""

from __future__ import annotations

import numpy as np

from kinspan._meta_analysis import beyond_chance, variance_beyond_chance
from kinspan._rows.types import Floats
from kinspan.class_moments import ClassMoments


def shift_of_holes(moments: ClassMoments) -> Floats:
    """(features,): what missing values are above the mean of their task, in the units of X.

    At most as far as makes the variance between missing values and others that within.
    """
    known, shift = moments.effective(), np.zeros(moments.n_features)
    if known.observed is None:
        return shift
    deviation = deviation_within_tasks(known)
    score, information, noise = _of_slopes(known, np.where(deviation > 0, deviation, 1.0))
    used = (information > 0) & (deviation > 0) & np.isfinite(deviation)
    real = information[used].sum() - noise[used].sum()
    if not used.any() or real <= 0:  # means differ by their noise only
        return shift
    slopes = _given_chance(score[used], information[used]) * information[used].sum() / real
    there = known.observed.sum(axis=(0, 1))[used] / known.counts.sum()
    farthest = (there * (1.0 - there)) ** -0.5
    shift[used] = np.clip(slopes, -farthest, farthest) * deviation[used]
    return shift


def _of_slopes(moments: ClassMoments, unit: Floats) -> tuple[Floats, Floats, Floats]:
    """Score and information of the slope of every feature, and what of it is noise of the means.

    Holes are compared between the classes of a task: tasks may have habits of their own.
    """
    there = moments.numbers
    n = np.where(there > 0, moments.counts[..., None], 0.0)
    holes = np.maximum(n - there, 0.0)
    total = np.maximum(n.sum(axis=1, keepdims=True), 1e-300)
    share = holes.sum(axis=1, keepdims=True) / total
    centre = (n * moments.means).sum(axis=1, keepdims=True) / total
    z = np.where(n > 0, moments.means - centre, 0.0) / unit
    freedom = np.maximum(there - 1.0, 0.0).sum(axis=(0, 1))
    variance = (np.sqrt(moments.squares.sum(axis=(0, 1)) / np.maximum(freedom, 1.0)) / unit) ** 2
    of_mean = variance / np.where(there > 0, there, 1.0)
    weights = share * (1.0 - share) * n
    score = (z * (holes - n * share)).sum(axis=(0, 1))
    information = (weights * z**2).sum(axis=(0, 1))
    noise = (weights * (1.0 - n / total) * of_mean).sum(axis=(0, 1))
    return score, information, noise


def _given_chance(score: Floats, information: Floats) -> Floats:
    """Slopes of features: the common one, and what differs from it beyond chance."""
    total = information.sum()
    common = score.sum() / total
    between = variance_beyond_chance(score / information, information, len(score))
    own = between * (score - information * common) / (between * information + 1.0)
    return np.asarray(beyond_chance(common, total**-0.5) + own)


def deviation_within_tasks(moments: ClassMoments) -> Floats:
    """(features,): root mean square distance of values to the mean of their task."""
    there = moments.numbers
    n = there.sum(axis=1, keepdims=True)
    centre = (there * moments.means).sum(axis=1, keepdims=True) / np.where(n > 0, n, 1.0)
    with np.errstate(over="ignore"):
        squares = moments.squares + there * (moments.means - centre) ** 2
    total = np.broadcast_to(there, squares.shape).sum(axis=(0, 1))
    return np.asarray(np.sqrt(squares.sum(axis=(0, 1)) / np.where(total > 0, total, 1.0)))
