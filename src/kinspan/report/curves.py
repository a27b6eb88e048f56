"""A fitted model → what more labels would bring every task."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinspan._rows.types import Codes, Floats
from kinspan.answers.labels_needed import labels_needed
from kinspan.report._plain import rounded

_STEPS = np.geomspace(0.1, 200.0, 24)  # multiples of the smallest class, or of five labels
_A_THIRD_LESS = 2.0 / 3.0
_NEGLIGIBLE = 1e-6  # an error that no more labels need to lower


def curves(model: Any, order: Codes) -> list[dict[str, Any]]:
    """For every task: numbers of labels to add to each class, and the expected errors."""
    smallest = _smallest_classes(model)
    return [_curve(model, int(t), float(smallest[t])) for t in order]


def errors_with_twice_the_labels(model: Any) -> Floats:
    """(tasks,): with as many labels more in each class as the smallest has; NaN without labels."""
    learning, smallest = model._rules.learning, _smallest_classes(model)
    errors = [learning.error(t, np.array(more)) for t, more in enumerate(smallest)]
    return np.where(smallest > 0, np.array(errors, dtype=np.float64), np.nan)


def _smallest_classes(model: Any) -> Floats:
    """(tasks,): labels of the smallest class that has any; zero without labels."""
    counts = model.moments_.effective().counts
    smallest = np.where(counts > 0, counts, np.inf).min(axis=1)
    return np.where(np.isfinite(smallest), smallest, 0.0)


def _curve(model: Any, task: int, smallest: float) -> dict[str, Any]:
    most = max(1000.0, 20.0 * smallest)
    more = np.unique(np.concatenate([[0.0], (max(smallest, 5.0) * _STEPS).round(), [most]]))
    more = more[more <= most]
    return {"more": rounded(more), "error": rounded(model._rules.learning.error(task, more))}


def labels_for_a_third_less(model: Any, task: int) -> dict[str, Any]:
    """How many labels to add to each class to lower the error by a third.

    If no number can be given, `more` is None, and `verdict` says why; `limit` is the error that
    very many labels approach.
    """
    present = float(model.forecast_error_[task])
    more, limit, verdict = None, present, "unknown"
    if present > _NEGLIGIBLE:
        answer = labels_needed(model, task, task, _A_THIRD_LESS * present)
        more, limit, verdict = answer.more_per_class, answer.limit, answer.verdict
    return {"more": more, "limit": rounded(limit), "verdict": verdict}
