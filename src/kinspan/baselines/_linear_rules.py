"""Linear scores for every class of every task: in units of the noise, then of the input."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinspan import scores
from kinspan._rows.types import Floats
from kinspan.scores import LinearRules

__all__ = ["LinearRules", "in_input_units", "never_absent"]

_NEVER = float(np.finfo(np.float64).min)  # below any score: rules of baselines are not calibrated


def never_absent(rules: LinearRules, present: NDArray[np.bool_]) -> LinearRules:
    """Rules that never answer a class of which a task has no samples; present[t, j]."""
    coef = np.where(present[..., None], rules.coef, 0.0)
    return LinearRules(coef, np.where(present, rules.offset, _NEVER))


def in_input_units(rules: LinearRules, centres: Floats, scale: Floats) -> LinearRules:
    """Rules for rows as they are; two classes make one score, positive for the second."""
    return LinearRules(*scores.in_input_units(rules, rules.coef, centres, scale))
