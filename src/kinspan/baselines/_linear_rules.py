"""Linear scores for every class of every task: in units of the noise, then of the input."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinspan._cell_sums import Floats

NEVER = float(np.finfo(np.float64).min)  # the score of a class that a task cannot answer


class LinearRules(NamedTuple):
    """Score j of a row x of task t: (x/scale − centre_t)ᵀ coef_tj + offset_tj."""

    coef: Floats  # (tasks, classes, features)
    offset: Floats  # (tasks, classes)


def never_absent(rules: LinearRules, present: NDArray[np.bool_]) -> LinearRules:
    """Rules that never answer a class of which a task has no samples; present[t, j]."""
    coef = np.where(present[..., None], rules.coef, 0.0)
    return LinearRules(coef, np.where(present, rules.offset, NEVER))


def in_input_units(rules: LinearRules, centres: Floats, scale: Floats) -> LinearRules:
    """Rules for rows as they are; two classes make one score, positive for the second."""
    coef = rules.coef / scale[:, None, :]
    offset = rules.offset - np.einsum("tjp,tp->tj", rules.coef, centres)
    if coef.shape[1] == 2:
        return LinearRules(coef[:, 1:] - coef[:, :1], offset[:, 1:] - offset[:, :1])
    return LinearRules(coef, offset)
