"""X, labels and tasks as a user gives them → arrays that the mathematics takes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from kinspan._arrays.elsewhere import (
    are_classes,
    column_of_rows,
    is_elsewhere,
    known_codes,
    on_host,
    rows_of,
    stays_there,
)
from kinspan._arrays.libraries import namespace
from kinspan._rows import identifiers
from kinspan._rows.types import Codes, Ids
from kinspan._validation.columns import (
    by_name,
    column_of,
    refuse_column_as_task,
    without_column,
)
from kinspan._validation.devices import check_device_rows, refuse_task_column
from kinspan._validation.in_order import in_order
from kinspan._validation.masks import unmasked_ids, unmasked_numbers
from kinspan._validation.messages import naming, near, of_length, some
from kinspan._validation.text_columns import naming_columns, numeric

_FEATURES: dict[str, Any] = {  # the sums show NaN later, without a pass of its own
    "accept_sparse": "csr",
    "dtype": "numeric",
    "ensure_all_finite": False,
}


class Rows(NamedTuple):
    """X as the mathematics takes it."""

    features: Any  # numeric array or CSR, of shape (rows, features)
    names: NDArray[Any] | None  # (features,) names, where X has them
    task: Any  # the task of every row, as it was given


def check_features(X: Any) -> Rows:
    """X as a numeric array or CSR, without an estimator to remember its features."""
    X = unmasked_numbers(rows_of(X))
    if is_elsewhere(X):
        return Rows(check_device_rows(X), None, None)
    with naming_columns(X):
        features = numeric(check_array(X, input_name="X", **_FEATURES))
    return Rows(features, _column_names(X), None)


def check_rows(estimator: Any, X: Any, task: Any, *, reset: bool) -> Rows:
    """X of an estimator: feature names and number as in fit, the task column taken out."""
    column, X = estimator.task_column, unmasked_numbers(rows_of(X))
    if not reset:
        _check_same_task_column(estimator)
    if is_elsewhere(X):
        refuse_task_column(column)
        validate_data(estimator, check_device_rows(X).array, reset=reset, skip_check_array=True)
        return Rows(X, None, task)
    if not reset:
        X = by_name(estimator, X)
    if column is None:
        if reset:
            refuse_column_as_task(X, task)
        if not reset and _is_plain(estimator, X):
            return Rows(X, None, task)
        with naming_columns(X):
            features = numeric(validate_data(estimator, X, reset=reset, **_FEATURES))
        return Rows(features, _column_names(X), task)
    if task is not None:
        raise ValueError(f"task= and task_column={column!r} are both given; use one of them")
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    task = column_of(X, column)
    others = check_features(without_column(X, column))
    if others.names is not None:
        return others._replace(task=task)
    places = np.delete(np.arange(others.features.shape[1] + 1), column)  # as the user counts them
    return others._replace(task=task, names=places.astype(object))


def _check_same_task_column(estimator: Any) -> None:
    """X has a task column if, and only if, the fitted rows had one."""
    column, had_one = estimator.task_column, estimator.n_features_in_ > estimator._n_features
    if had_one and column is None:
        raise ValueError(
            "task_column=None, but X had a task column when the model was fitted; set its name or "
            "position with set_params(task_column=…)"
        )
    if column is not None and not had_one:
        raise ValueError(
            f"task_column={column!r}, but X had no task column when the model was fitted; pass "
            "task=, after set_params(task_column=None)"
        )


def _is_plain(estimator: Any, X: Any) -> bool:
    """Whether scikit-learn's checks would change nothing; they take longer than scoring a row."""
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype.kind in "fiu"
        and X.shape[0] > 0
        and X.shape[1] == estimator.n_features_in_
        and not hasattr(estimator, "feature_names_in_")
    )


def _column_names(X: Any) -> NDArray[Any] | None:
    names = getattr(X, "columns", None)
    return None if names is None else np.asarray(list(names), dtype=object)


def check_labels(y: Any, n_samples: int | None, name: str = "y") -> Ids:
    """Class labels as an array, one for every row."""
    with naming(name):
        if y is None:
            raise ValueError(
                "a classifier requires y to be passed, but the target y is None; pass one label "
                "per row"
            )
        y = unmasked_ids(column_of_rows(in_order(y, name)))
        if n_samples is not None and are_classes(y):
            return of_length(y, n_samples, name)
        if not isinstance(y, (list, tuple)):
            y = np.asarray(y)
        array = identifiers.as_array(y)
        if array.dtype == object and array.ndim == 1 and not all(map(_is_text, array)):
            _refuse_unhashable(array, name)
            _refuse_missing(array, name)
        else:
            array = array if array.ndim == 1 else np.asarray(column_or_1d(y, warn=True))
            _refuse_missing(array, name)
            if array.dtype.kind not in "biuU" and not all(map(_is_text, array)):
                with np.errstate(invalid="ignore"):  # of values that are not integers
                    check_classification_targets(array)
        return array if n_samples is None else of_length(array, n_samples, name)


def check_tasks(task: Any, n_samples: int, name: str = "task") -> Ids:
    """Task ids as an array, one for every row; None is one task, called 0."""
    if task is None:
        return identifiers.repeated(np.zeros(1, dtype=np.int64), n_samples)
    with naming(name):
        task = unmasked_ids(column_of_rows(in_order(task, name)))
        if stays_there(task):
            return of_length(task, n_samples, name)
        is_single = is_single_id(task, n_samples)
        array = identifiers.as_array([task] if is_single else task)
        if array.ndim != 1:
            raise ValueError(
                f"{name} has shape {array.shape}; pass one id for every row, or a single id"
            )
        _refuse_unhashable(array, name)
        _refuse_missing(array, name)
        repeated = identifiers.repeated
        return repeated(array, n_samples) if is_single else of_length(array, n_samples, name)


def check_known_labels(labels: Ids, known: Ids) -> Codes:
    """Position of every label among the classes of a model."""
    codes = identifiers.lookup(known, labels)
    if (codes < 0).any():
        unknown = list(dict.fromkeys(labels[codes < 0].tolist()))
        raise ValueError(
            f"y contains {some(unknown)}, which is no class of the model; its classes are "
            f"{some(known.tolist())}"
        )
    return codes


def check_known_tasks(task: Any, n_samples: int, known: Ids, unseen: str) -> Any:
    """Position of the task of every row among the fitted ones; −1 is the shared rule."""
    if task is None:
        if len(known) == 1:
            return identifiers.repeated(np.zeros(1, dtype=np.intp), n_samples)
        raise ValueError(
            f"task=None, but {len(known)} tasks were fitted and each has its own rule; pass task=, "
            "one id for every row or one id for all of them"
        )
    if isinstance(task, tuple) and _is_one_of(task, known):
        task = identifiers.repeated(identifiers.as_array([task]), n_samples)
    ids = check_tasks(task, n_samples)
    if identifiers.is_repeated(ids):
        codes = identifiers.repeated(identifiers.lookup(known, ids[:1]), n_samples)
    elif (
        stays_there(ids)
        and known.dtype.kind in "iub"
        and np.uint64 not in (known.dtype, ids.dtype)  # signed integers do not hold them
    ):
        codes = known_codes(known, ids)
    else:
        codes = identifiers.lookup(known, np.asarray(ids))
    if unseen == "error" and bool(namespace(codes).any(codes < 0)):
        unknown = list(dict.fromkeys(ids[on_host(codes) < 0].tolist()))
        names = known.tolist()
        raise ValueError(
            f"task contains {some(unknown)}, which fit has not seen; fitted tasks are "
            f"{some(names)}{near(unknown[0], names) or '.'} With unseen='shared' they get the "
            "shared rule; to cross-validate, split with TaskStratifiedKFold"
        )
    return codes


def check_one_task(task: Any, known: Ids) -> int:
    """Position of one task among the fitted ones."""
    ids = check_one_id(task)
    code = int(identifiers.lookup(known, ids)[0])
    if code < 0:
        names = known.tolist()
        asked = f"task={task!r} is not fitted; fitted tasks are {some(names)}"
        raise ValueError(asked + near(ids.tolist()[0], names))
    return code


def check_one_id(task: Any) -> Ids:
    """One id, in an array of its own."""
    with naming("task"):  # errors of conversion too
        return check_tasks(identifiers.as_array([task]), 1)


def check_others_remain(known: Ids) -> None:
    """A model needs at least one task."""
    if len(known) == 1:
        raise ValueError(
            f"task {known.tolist()[0]!r} is the only one; without it there is nothing to fit"
        )


def check_all_of_task(task: Any, n_samples: int, name: Ids) -> None:
    """Rows of which the task column names no task but the given one."""
    ids = check_tasks(task, n_samples)
    others = ids[identifiers.lookup(name, ids) < 0]
    if len(others):
        raise ValueError(
            f"the task column of X has {some(list(dict.fromkeys(others.tolist())))} in "
            f"{len(others)} rows; all rows must be of task {name.tolist()[0]!r}"
        )


def is_single_id(task: Any, n_samples: int) -> bool:
    """Whether task is one id for all rows rather than one for every row.

    Text and anything else that is not a collection is one id; so is a tuple, unless it has as many
    entries as there are rows.
    """
    if isinstance(task, (str, bytes, frozenset)) or getattr(task, "ndim", None) == 0:
        return True
    if isinstance(task, tuple):
        return len(task) != n_samples
    return not hasattr(task, "__len__") and not hasattr(task, "__array__")


def _is_one_of(value: tuple[Any, ...], known: Ids) -> bool:
    try:
        return value in set(known.tolist())
    except TypeError:  # a collection of ids that are not hashable
        return False


def _refuse_unhashable(array: NDArray[Any], name: str) -> None:
    for value in array if array.dtype == object else ():
        try:
            hash(value)
        except TypeError:
            raise TypeError(
                f"{name} contains {value!r}, which is not hashable; use ids such as text or numbers"
            ) from None


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _refuse_missing(array: NDArray[Any], name: str) -> None:
    if array.dtype.kind == "f":
        missing = ~np.isfinite(array)
    elif array.dtype.kind in "mM":
        missing = np.isnat(array)
    elif array.dtype == object:
        missing = np.fromiter(map(identifiers.is_missing, array), dtype=bool, count=len(array))
    else:
        return
    if missing.any():
        raise ValueError(
            f"{name} contains NaN, None or infinity in {int(missing.sum())} of {len(array)} rows; "
            "drop those rows"
        )
