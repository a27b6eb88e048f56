"""A fitted model → what more labels would bring every task."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinspan._rows.types import Codes
from kinspan.answers.labels_needed import labels_needed
from kinspan.report._plain import rounded

_STEPS = np.geomspace(0.1, 200.0, 24)  # multiples of the smallest class, or of five labels
_A_THIRD_LESS = 2.0 / 3.0
_NEGLIGIBLE = 1e-6  # an error that no more labels need to lower


def curves(model: Any, order: Codes) -> list[dict[str, Any]]:
    """For every task: numbers of labels to add to each class, and the expected errors."""
    counts = model.moments_.effective().counts
    smallest = np.where(counts > 0, counts, np.inf).min(axis=1)  # class that has any labels
    smallest = np.where(np.isfinite(smallest), smallest, 0.0)
    return [_curve(model, int(t), float(smallest[t])) for t in order]


def _curve(model: Any, task: int, smallest: float) -> dict[str, Any]:
    most = max(1000.0, 20.0 * smallest)
    more = np.unique(np.concatenate([[0.0], (max(smallest, 5.0) * _STEPS).round(), [most]]))
    more = more[more <= most]
    return {"more": rounded(more), "error": rounded(model._rules.learning.error(task, more))}


def labels_for_a_third_less(model: Any, task: int) -> dict[str, Any]:
    """How many labels to add to each class to lower the error of the learning curve by a third.

    The curve need not begin at the forecast: it begins at `present`. If no number is enough, `more`
    is None; `limit` is the error that very many labels approach.
    """
    learning = model._rules.learning
    present = float(learning.error(task, np.zeros(())))
    more, limit = None, present
    if present > _NEGLIGIBLE:
        answer = labels_needed(learning, task, task, _A_THIRD_LESS * present, present)
        more, limit = answer.more_per_class, answer.limit
    return {"more": more, "present": rounded(present), "limit": rounded(limit)}
