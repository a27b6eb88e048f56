"""Two Gaussian scores and the priors of their classes → the threshold, and the error it makes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kinspan._rows.types import Floats
from kinspan.theory._checks import check_pair, check_threshold, check_two_priors
from kinspan.theory._errors import two_class_error

_EQUAL = (0.5, 0.5)
_UNIT = (1.0, 1.0)


def decision_threshold(
    score_means: ArrayLike, *, score_variances: ArrayLike = _UNIT, priors: ArrayLike = _EQUAL
) -> float:
    """The threshold between two classes that makes the fewest errors.

    Equal variances: (m₁ + m₂)/2 − σ² log(π₁/π₂)/(m₁ − m₂), the midpoint (Eq. 3 of the paper)
    moved towards the rarer class. Unequal variances: the point where the weighted densities cross.
    Infinite where always answering one class is best. Labels do not depend on the priors: a larger
    gap is better for all of them.

    Examples
    --------
    >>> from kinspan.theory import decision_threshold
    >>> decision_threshold([1, -1])
    0.0
    >>> round(decision_threshold([1, -1], priors=[0.9, 0.1]), 4)
    -1.0986
    """
    m = check_pair("score_means", score_means)
    v = check_pair("score_variances", score_variances, positive=True)
    return best_threshold(m, v, check_two_priors(priors))


def threshold_error_rate(
    score_means: ArrayLike,
    threshold: float,
    *,
    score_variances: ArrayLike = _UNIT,
    priors: ArrayLike = _EQUAL,
) -> float:
    """Error of answering class 1 above a threshold: π₁ Q((m₁ − ζ)/σ₁) + π₂ Q((ζ − m₂)/σ₂) (Eq. 4).

    Examples
    --------
    >>> from kinspan.theory import threshold_error_rate
    >>> round(threshold_error_rate([1, -1], 0.0), 6)
    0.158655
    >>> round(threshold_error_rate([1, -1], -1.0986, priors=[0.9, 0.1]), 6)
    0.070061
    """
    m = check_pair("score_means", score_means)
    v = check_pair("score_variances", score_variances, positive=True)
    return error_above(m, v, check_two_priors(priors), check_threshold(threshold))


def error_above(m: Floats, v: Floats, priors: Floats, threshold: float) -> float:
    """The error of answering class 1 above the threshold."""
    return float(two_class_error((m - threshold) / np.sqrt(v), priors))


def best_threshold(m: Floats, v: Floats, priors: Floats) -> float:
    """The best threshold of the rule that answers the class of the larger mean above it.

    With m₁ < m₂ that is class 2, and answering class 1 above it is wrong more often than not: the
    meaning of a negative gap.
    """
    order = np.array([0, 1]) if m[0] >= m[1] else np.array([1, 0])
    middle = m.mean()
    m, v, priors = m[order] - middle, v[order], priors[order]
    candidates = np.array([_crossing(m, v, priors), -np.inf, np.inf])
    errors = [error_above(m, v, priors, candidate) for candidate in candidates]
    return float(middle + candidates[int(np.argmin(errors))])


def best_error(m: Floats, v: Floats, priors: Floats) -> float:
    """The error at the best threshold; 1 minus it where m₁ < m₂."""
    return error_above(m, v, priors, best_threshold(m, v, priors))


def _crossing(m: Floats, v: Floats, priors: Floats) -> float:
    """Where log(π₁φ₁/π₂φ₂) = Ax² + Bx + C rises through zero; any point if it never does.

    By the form of the root that is stable for small A: with equal variances A = 0.
    """
    A = (1 / v[1] - 1 / v[0]) / 2
    B = m[0] / v[0] - m[1] / v[1]
    C = (
        np.log(priors[0] / priors[1])
        + (np.log(v[1] / v[0]) + m[1] ** 2 / v[1] - m[0] ** 2 / v[0]) / 2
    )
    root = np.sqrt(max(B * B - 4 * A * C, 0.0))
    if B + root > 0:
        return float(0.0 - 2 * C / (B + root))
    return float((root - B) / (2 * A)) if A != 0 else float(m.mean())
