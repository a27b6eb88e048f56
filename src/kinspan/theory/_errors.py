"""Mean scores → errors, by the Gaussian error formula of `risk`."""

from __future__ import annotations

import numpy as np

from kinspan import risk
from kinspan._rows.types import Floats

_SCORE_AGAINST_ZERO = np.diag([1.0, 0.0])  # class 1 is answered where a unit-variance score is > 0


def two_class_error(standard_means: Floats, priors: Floats) -> Floats:
    """Error of answering class 1 above zero; (..., 2) mean scores in units of their deviation.

    Beyond 40 deviations, at infinite thresholds for instance, nothing changes in double precision.
    """
    standard_means = np.clip(standard_means, -40.0, 40.0)
    means = np.stack([standard_means, np.zeros_like(standard_means)], axis=-1)
    return risk.error_rate(means, _SCORE_AGAINST_ZERO, priors)


def gap_error(gaps: Floats) -> Floats:
    """Q(gap/2): scores of unit variance, threshold midway, class 1 above; any shape of gaps."""
    halves = np.asarray(gaps) / 2
    return two_class_error(np.stack([halves, -halves], axis=-1), np.full(2, 0.5))


def squared_distances(score_means: Floats) -> Floats:
    """(classes, classes) squared distances of (classes, components) mean scores."""
    return np.asarray(((score_means[:, None] - score_means[None]) ** 2).sum(axis=-1))


def nearest_mean_error(score_means: Floats) -> float | Floats:
    """Errors of the nearest-mean rule: a number for two classes, all pairs of classes for more.

    P(x → class j' | class j) = Q(½‖m_j − m_j'‖); zero on the diagonal. The paper prints Q with
    e^(−x²) in place of e^(−x²/2), and the rule with argmax in place of argmin.
    """
    errors = gap_error(np.sqrt(squared_distances(score_means)))
    np.fill_diagonal(errors, 0.0)
    return float(errors[0, 1]) if len(errors) == 2 else errors
