"""What estimators have learnt before."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from kinspan._validation.moments import check_same_names


@contextmanager
def unchanged_on_error(estimator: Any) -> Iterator[None]:
    """Put the attributes of an estimator back if an error interrupts its fit."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def check_fitted(estimator: Any) -> None:
    """Refuse to speak of what was never learnt."""
    check_is_fitted(estimator)


def check_mergeable(model: Any, other: Any) -> None:
    """Another fitted model of the same features."""
    if not isinstance(other, type(model)):
        raise TypeError(
            f"other is a {type(other).__name__}; "
            f"merge a fitted {type(model).__name__} or Statistics"
        )
    check_is_fitted(other)
    check_same_names(*(names_of(part) for part in (model, other)))


def names_of(model: Any) -> list[str] | None:
    """Names of the features that a model was fitted on, where it was on a data frame."""
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else names.tolist()


def check_loaded(model: Any) -> None:
    """Parts of a model read from outside must belong together."""
    moments, names = model.moments_, names_of(model)
    n_features = moments.n_features + (model.task_column is not None)
    if model.n_features_in_ != n_features or (names is not None and len(names) != n_features):
        raise ValueError("the number of features is not that of the moments")
    rules = model._found
    if rules is None:
        return
    n_tasks, n_classes = moments.counts.shape
    n_rows = 1 if n_classes == 2 else n_classes
    shapes = {
        "coef": (n_tasks + 1, n_rows, moments.n_features),
        "intercept": (n_tasks + 1, n_rows),
        "absent": (n_tasks + 1, n_classes),
        "forecast_error": (n_tasks,),
        "forecast_interval": (n_tasks, 2),
        "single_task_error": (n_tasks,),
        "metric": (n_tasks,),
        "weights_of_task": (n_tasks,),
    }
    for name, shape in shapes.items():
        if getattr(rules, name).shape != shape:
            raise ValueError(f"{name} of the rules has not the shape {shape}")
    if not (np.isfinite(rules.coef).all() and np.isfinite(rules.intercept).all()):
        raise ValueError("the rules are not finite")
