"""X, y, task and sample_weight as a user gives them → `CheckedRows`: the entry of all rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinspan._arrays.elsewhere import rows_at
from kinspan._rows import identifiers
from kinspan._rows.holes import has_holes
from kinspan._rows.types import Codes, Floats, Mask
from kinspan._validation.finite import refuse_non_finite
from kinspan._validation.fitted import check_one_nameless_task
from kinspan._validation.parameters import MISSING, check_choice
from kinspan._validation.rows import check_features, check_labels, check_rows, check_tasks
from kinspan._validation.weights import check_weights
from kinspan._validation.without_labels import NONE, REFUSED, set_apart


class CheckedRows(NamedTuple):
    """Labelled rows that need no further check; columns may live on a device."""

    features: Any  # (rows, features) numeric array, CSR or DeviceRows
    labels: Any  # (rows,) classes
    tasks: Any  # (rows,) ids
    weights: Any = None  # (rows,) frequencies; None is one of every row
    names: NDArray[Any] | None = None  # (features,) names, where X has them
    allows_holes: bool = True  # whether NaN is a missing value
    unlabelled: CheckedRows | None = None  # rows without labels, all of the class 0
    places: Codes | None = None  # (rows,): among the rows as they came; None is in their order


def check_labelled_rows(
    X: Any,
    y: Any,
    task: Any,
    sample_weight: Any,
    *,
    estimator: Any = None,
    reset: bool = False,
    missing: str = "impute",
    unlabelled: Any = REFUSED,
) -> CheckedRows:
    """Rows, with or without an estimator; problems are reported in the order of the arguments.

    With `reset` the estimator takes over the features of X. Otherwise rows came before: these need
    the same features, and a task unless the earlier ones had none either. Rows without labels are
    set apart, unless they are refused: those with a missing label, or with the one that stands for
    none.
    """
    if estimator is None:
        check_choice("missing", missing, MISSING)
        features, names, _ = check_features(X)
    else:
        missing = getattr(estimator, "missing", "refuse")
        unlabelled = getattr(estimator, "unlabelled", REFUSED)
        with telling_of_names():
            features, names, task = check_rows(estimator, X, task, reset=reset)
    n_samples = features.shape[0]
    y, lacking = set_apart(y, n_samples, unlabelled)
    labels = check_some_labels(y, n_samples, lacking)
    if estimator is not None and task is None and not reset:
        check_one_nameless_task(estimator.tasks_)
    tasks = check_tasks(task, n_samples)
    weights = check_weights(sample_weight, n_samples)
    rows = CheckedRows(features, labels, tasks, weights, names, missing == "impute")
    return apart(rows, lacking)


@contextmanager
def telling_of_names() -> Iterator[None]:
    """Add the way out where rows to learn from have other columns than those before them."""
    try:
        yield
    except ValueError as error:
        if "The feature names should match" not in str(error):
            raise
        way_out = "Features meet by name in merge(Statistics.from_samples(X, y, task))."
        raise ValueError(f"{str(error).rstrip()}\n{way_out}") from error


def check_some_labels(y: Any, n_samples: int, lacking: Mask | None) -> Any:
    """The labels of rows that have one."""
    n_labelled = n_samples if lacking is None else n_samples - int(np.count_nonzero(lacking))
    return check_labels(y, n_labelled) if n_labelled or lacking is None else NONE


def apart(rows: CheckedRows, lacking: Mask | None) -> CheckedRows:
    """Labelled rows, with the others next to them; labels are those of labelled rows already."""
    if lacking is None:
        return rows

    def chosen(positions: Codes) -> CheckedRows:
        columns = (rows_at(part, positions) for part in (rows.features, rows.tasks, rows.weights))
        features, tasks, weights = columns
        return rows._replace(features=features, tasks=tasks, weights=weights, places=positions)

    others = np.flatnonzero(lacking)
    none = identifiers.repeated(np.zeros(1, dtype=np.int64), len(others))
    return chosen(np.flatnonzero(~lacking))._replace(
        unlabelled=chosen(others)._replace(labels=none)
    )


def check_holes(rows: CheckedRows) -> None:
    """Rows whose moments are no numbers: because values are missing, and if that is allowed."""
    if not (rows.allows_holes and has_holes(rows.features)):
        refuse_non_finite(rows.features, rows.names)


def check_only_holes(rows: CheckedRows, *moments: Floats) -> None:
    """Moments of the values that are there: neither infinity nor squares that overflow."""
    if not all(np.isfinite(part).all() for part in moments):
        refuse_non_finite(rows.features, rows.names, allows_holes=True)
