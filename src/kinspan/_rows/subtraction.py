"""Moments without some of their rows, and which of them subtraction does not tell any more."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kinspan import _validation
from kinspan._rows.types import Floats, Mask

if TYPE_CHECKING:
    from kinspan.class_moments import ClassMoments

_RESOLUTION = 64.0 * float(np.finfo(np.float64).eps)  # of means, with the roundings on their way
_OF_SQUARES = 1e-13  # the same of second moments
_COARSE = 1.0 / 8.0  # of a standard deviation: errors that are not small against it


class Rest(NamedTuple):
    """What is left, also of cells without rows."""

    moments: ClassMoments
    error: Floats  # (tasks, classes, features): of means and deviations
    typical: Floats  # (features,): deviations of all that is left, or of what was removed

    def is_doubtful(self, typical: Floats | float = 0.0) -> Mask:
        """Where errors are not small against deviations, of which something else may tell too."""
        typical = np.maximum(self.typical, typical)
        return np.asarray((typical > 0) & (self.error > _COARSE * typical))


def subtracted(whole: ClassMoments, part: ClassMoments) -> Rest:
    """Moments of the rows that are not in the part."""
    n1, mean1, squares1 = whole.counts, whole.means, whole.squares
    n2, mean2, squares2 = part._aligned(whole.tasks, whole.classes)
    counts = np.where(n1 - n2 > 1e-9 * n1, n1 - n2, 0.0)
    left = (counts > 0)[..., None]
    share = np.divide(n2, counts, out=np.zeros_like(counts), where=counts > 0)[..., None]
    both = (counts * n2 / np.where(n1 > 0, n1, 1.0))[..., None]
    with np.errstate(over="ignore", invalid="ignore"):
        means = np.where(left, mean1 + (mean1 - mean2) * share, 0.0)
        between = (mean2 - means) * ((mean2 - means) * both)
        squares = np.where(left, squares1 - squares2 - between, 0.0)
        rounding = np.where(left & (share > 0), _rounding(mean1, mean2, squares1, n1, share), 0.0)
        doubt = both * rounding * (np.abs(mean2 - means) + rounding)
    _validation.check_no_overflow(counts, means, squares)
    parts = squares1 + squares2 + between
    _validation.check_were_there(squares, 1e-6 * parts + doubt)
    squares = np.where(squares > _OF_SQUARES * parts + doubt, squares, 0.0)  # rounding of nothing
    means = _of_constants(means, (squares == 0) & left & (share > 0), rounding, counts)
    rest = replace(whole, counts=counts, means=means, squares=squares)
    rest = replace(rest, squared_weights=_squared_weights(whole, part, counts))
    error = np.maximum(rounding / 16.0, _lost_deviation(parts, counts) * (share > 0))  # as is usual
    typical = np.maximum(_deviation(squares, counts), _deviation(squares2, n2))
    return Rest(rest, np.where(left, error, 0.0), typical)


def _rounding(mean1: Floats, mean2: Floats, squares: Floats, n: Floats, share: Floats) -> Floats:
    """How far means may be from those of the rows that are left."""
    deviation = np.sqrt(squares / np.where(n > 0, n, 1.0)[..., None])
    size = (np.abs(mean1) + deviation) * (1.0 + share) + np.abs(mean2) * share
    return np.asarray(_RESOLUTION * size)


def _of_constants(means: Floats, is_flat: Mask, rounding: Floats, counts: Floats) -> Floats:
    """Of a feature that does not vary: zero, or the same constant elsewhere, where it may be."""
    means = np.where(is_flat & (np.abs(means) <= rounding), 0.0, means)
    elsewhere = np.where(is_flat.any(axis=2), 0.0, counts).ravel()
    elsewhere = elsewhere if elsewhere.any() else counts.ravel()
    constant = means.reshape(-1, means.shape[2])[elsewhere.argmax()]
    return np.where(is_flat & (np.abs(means - constant) <= rounding), constant, means)


def _lost_deviation(parts: Floats, counts: Floats) -> Floats:
    """The standard deviation that rounding of second moments could hide."""
    return np.asarray(np.sqrt(_OF_SQUARES * parts / np.where(counts > 0, counts, 1.0)[..., None]))


def _deviation(squares: Floats, counts: Floats) -> Floats:
    """(features,): within cells."""
    freedom = max(float(np.maximum(counts - 1.0, 0.0).sum()), 1.0)
    return np.asarray(np.sqrt(squares.sum(axis=(0, 1)) / freedom))


def _squared_weights(whole: ClassMoments, part: ClassMoments, counts: Floats) -> Floats | None:
    """Σw² of what is left, where rows fade; what rounding left of nothing counts as one row."""
    fading = whole._faded_weights(part, whole.tasks, whole.classes)
    if fading is None:
        return None
    rest, single = fading[0] - fading[1], np.minimum(counts, counts**2)
    return np.where(rest > 1e-12 * fading[0], np.minimum(rest, single), single)
