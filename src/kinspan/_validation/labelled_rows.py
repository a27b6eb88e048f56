"""X, y, task and sample_weight as a user gives them → `CheckedRows`: the entry of all rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinspan._rows.holes import has_holes
from kinspan._rows.types import Floats
from kinspan._validation.finite import refuse_non_finite
from kinspan._validation.fitted import check_one_nameless_task
from kinspan._validation.parameters import MISSING, check_choice
from kinspan._validation.rows import check_features, check_labels, check_rows, check_tasks
from kinspan._validation.weights import check_weights


class CheckedRows(NamedTuple):
    """Labelled rows that need no further check; columns may live on a device."""

    features: Any  # (rows, features) numeric array, CSR or DeviceRows
    labels: Any  # (rows,) classes
    tasks: Any  # (rows,) ids
    weights: Any = None  # (rows,) frequencies; None is one of every row
    names: NDArray[Any] | None = None  # (features,) names, where X has them
    allows_holes: bool = True  # whether NaN is a missing value


def check_labelled_rows(
    X: Any,
    y: Any,
    task: Any,
    sample_weight: Any,
    *,
    estimator: Any = None,
    reset: bool = False,
    missing: str = "impute",
) -> CheckedRows:
    """Rows, with or without an estimator; problems are reported in the order of the arguments.

    With `reset` the estimator takes over the features of X. Otherwise rows came before: these need
    the same features, and a task unless the earlier ones had none either.
    """
    if estimator is None:
        check_choice("missing", missing, MISSING)
        features, names, _ = check_features(X)
    else:
        missing = getattr(estimator, "missing", "refuse")
        features, names, task = check_rows(estimator, X, task, reset=reset)
    n_samples = features.shape[0]
    labels = check_labels(y, n_samples)
    if estimator is not None and task is None and not reset:
        check_one_nameless_task(estimator.tasks_)
    tasks = check_tasks(task, n_samples)
    weights = check_weights(sample_weight, n_samples)
    return CheckedRows(features, labels, tasks, weights, names, missing == "impute")


def check_holes(rows: CheckedRows) -> None:
    """Rows whose moments are no numbers: because values are missing, and if that is allowed."""
    if not (rows.allows_holes and has_holes(rows.features)):
        refuse_non_finite(rows.features, rows.names)


def check_only_holes(rows: CheckedRows, *moments: Floats) -> None:
    """Moments of the values that are there: neither infinity nor squares that overflow."""
    if not all(np.isfinite(part).all() for part in moments):
        refuse_non_finite(rows.features, rows.names, allows_holes=True)
