"""Labels as a user gives them and predictions → the share that is right."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinspan._arrays.elsewhere import on_host
from kinspan._rows import identifiers
from kinspan._validation.rows import check_labels
from kinspan._validation.weights import check_weights


def accuracy(y: Any, predicted: Any, sample_weight: Any) -> float:
    """The share of rows, by their weights, whose label is the predicted one."""
    found = on_host(predicted)
    right = identifiers.same(on_host(check_labels(y, len(found))), found)
    weights = on_host(check_weights(sample_weight, len(found)))
    return float(np.average(right, weights=weights))
