"""What more labels would buy every task."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinspan._rows.types import Codes, Floats
from kinspan.answers.labels_needed import labels_needed
from kinspan.report._plain import rounded
from kinspan.risk import Learning

_STEPS = np.geomspace(0.1, 200.0, 24)  # of what there is, or of five labels
_THIRD_LESS = 2.0 / 3.0
_NOTHING = 1e-6  # an error of which no part is worth a label


def curves(model: Any, order: Codes) -> list[dict[str, Any]]:
    """Of every task: labels more in each class, and the error to expect then."""
    learning, fewest = model._rules.learning, _fewest(model.moments_.effective().counts)
    return [_curve(learning, int(t), float(fewest[t])) for t in order]


def _curve(learning: Learning, task: int, fewest: float) -> dict[str, Any]:
    most = max(1000.0, 20.0 * fewest)
    more = np.unique(np.concatenate([[0.0], (max(fewest, 5.0) * _STEPS).round(), [most]]))
    more = more[more <= most]
    return {"more": rounded(more), "error": rounded(learning.error(task, more))}


def _fewest(counts: Floats) -> Floats:
    """(tasks,): labels in the smallest class that has any."""
    smallest = np.where(counts > 0, counts, np.inf).min(axis=1)
    return np.where(np.isfinite(smallest), smallest, 0.0)


def labels_for_a_third_less(model: Any, order: Codes) -> list[dict[str, Any]]:
    """Of every task: labels more in each class for two thirds of the error that its curve has now.

    The curve need not begin at the forecast: `present` says where. No number is None, and
    `limit` is then what many labels tend to.
    """
    return [_a_third_less(model._rules.learning, int(t)) for t in order]


def _a_third_less(learning: Learning, task: int) -> dict[str, Any]:
    present = float(learning.error(task, np.zeros(())))
    if not present > _NOTHING:
        return {"more": None, "present": rounded(present), "limit": rounded(present)}
    answer = labels_needed(learning, task, task, _THIRD_LESS * present, present)
    return {
        "more": answer.more_per_class,
        "present": rounded(present),
        "limit": rounded(answer.limit),
    }
