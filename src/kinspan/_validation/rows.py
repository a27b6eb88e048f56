"""Rows: features, labels, tasks and weights."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from kinspan import _ids
from kinspan._arrays import is_sparse
from kinspan._validation.columns import column_of, without_column
from kinspan._validation.messages import some

_FEATURES: dict[str, Any] = {  # NaN is looked for later, in the sums, without a pass of its own
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
    return Rows(check_array(X, input_name="X", **_FEATURES), _column_names(X), None)


def check_rows(estimator: Any, X: Any, task: Any, *, reset: bool) -> Rows:
    """X of an estimator: feature names and number as in fit, the task column taken out."""
    column = estimator.task_column
    if column is None:
        return Rows(validate_data(estimator, X, reset=reset, **_FEATURES), _column_names(X), task)
    if task is not None:
        raise ValueError(f"task= and task_column={column!r} are both given; use one of them")
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    task = column_of(X, column)
    others = check_features(without_column(X, column))
    if others.names is not None:
        return others._replace(task=task)
    places = np.delete(np.arange(others.features.shape[1] + 1), column)  # as the user counts them
    return others._replace(task=task, names=places.astype(object))


def _column_names(X: Any) -> NDArray[Any] | None:
    names = getattr(X, "columns", None)
    return None if names is None else np.asarray(list(names), dtype=object)


def check_labels(y: ArrayLike, n_samples: int | None, name: str = "y") -> _ids.Ids:
    """Class labels as an array, one for every row."""
    if y is None:
        raise ValueError(
            "a classifier requires y to be passed, but the target y is None; pass one label a row"
        )
    if not isinstance(y, (list, tuple)):
        y = np.asarray(y)
    array = _ids.as_array(y)
    if array.dtype == object and array.ndim == 1 and not all(map(_is_text, array)):
        _refuse_missing(array, name)
    else:
        array = np.asarray(column_or_1d(y if array.ndim > 1 else array, warn=True))
        _refuse_missing(array, name)
        if array.dtype.kind not in "biuU":  # those are classes, whatever their values
            check_classification_targets(array)
    if n_samples is not None:
        _check_length(array, n_samples, name)
    return array


def check_tasks(task: Any, n_samples: int, name: str = "task") -> _ids.Ids:
    """Task ids as an array, one for every row; None is one task, called 0."""
    if task is None:
        return np.zeros(n_samples, dtype=np.int64)
    array = _ids.as_array([task] if is_single_id(task, n_samples) else task)
    if array.ndim != 1:
        raise ValueError(
            f"{name} has shape {array.shape}; pass one id for every row, or a single id"
        )
    _refuse_unhashable(array, name)
    _refuse_missing(array, name)
    if is_single_id(task, n_samples):
        return np.repeat(array, n_samples)
    _check_length(array, n_samples, name)
    return array


def check_known_tasks(task: Any, n_samples: int, known: _ids.Ids, unseen: str) -> NDArray[np.intp]:
    """Position of the task of every row among the fitted ones; −1 is the shared rule."""
    if task is None:
        if len(known) == 1:
            return np.zeros(n_samples, dtype=np.intp)
        raise ValueError(
            f"task=None, but {len(known)} tasks were fitted and each has its own rule; pass task=, "
            "one id for every row or one id for all of them"
        )
    if isinstance(task, tuple) and _is_one_of(task, known):
        task = _ids.as_array([task] * n_samples)
    ids = check_tasks(task, n_samples)
    codes = _ids.lookup(known, ids)
    if unseen == "error" and (codes < 0).any():
        unknown = list(dict.fromkeys(ids[codes < 0].tolist()))
        raise ValueError(
            f"task contains {some(unknown)}, which fit has not seen; fitted tasks are "
            f"{some(known.tolist())}. With unseen='shared' they get what the others agree on"
        )
    return codes


def check_one_task(task: Any, known: _ids.Ids) -> int:
    """Position of one task among the fitted ones."""
    ids = check_tasks(_ids.as_array([task]), 1)
    code = int(_ids.lookup(known, ids)[0])
    if code < 0:
        raise ValueError(f"task={task!r} is not fitted; fitted tasks are {some(known.tolist())}")
    return code


def check_others_remain(known: _ids.Ids) -> None:
    """A model needs a task."""
    if len(known) == 1:
        raise ValueError(
            f"task {known.tolist()[0]!r} is the only one; without it there is nothing to fit"
        )


def check_all_of_task(task: Any, n_samples: int, name: _ids.Ids) -> None:
    """Rows that all belong to the task that they are said to belong to."""
    ids = check_tasks(task, n_samples)
    others = ids[_ids.lookup(name, ids) < 0]
    if len(others):
        raise ValueError(
            f"the task column of X has {some(list(dict.fromkeys(others.tolist())))} in "
            f"{len(others)} rows; all rows must be of task {name.tolist()[0]!r}"
        )


def check_weights(sample_weight: ArrayLike | None, n_samples: int) -> NDArray[np.float64] | None:
    """Frequency weights as finite non-negative doubles, or None."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    weights = np.full(n_samples, weights) if weights.ndim == 0 else weights
    if weights.ndim != 1:
        raise ValueError(
            f"sample_weight has shape {weights.shape}; it must be 1D, one weight a row"
        )
    _check_length(weights, n_samples, "sample_weight")
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError("sample_weight contains negative, infinite or NaN values; use frequencies")
    if not weights.any():
        raise ValueError("sample_weight is zero for every row; at least one must be positive")
    return weights


def check_weights_of_cells(
    weights: NDArray[np.float64], cells: NDArray[np.intp], n_cells: int
) -> None:
    """Weights are numbers of rows: many rows cannot be one or two in all."""
    total = np.bincount(cells, weights, minlength=n_cells)
    rows = np.bincount(cells, weights > 0, minlength=n_cells)
    if ((total < 2) & (total < rows / 2)).any():
        cell = int(np.flatnonzero((total < 2) & (total < rows / 2))[0])
        raise ValueError(
            f"sample_weight adds up to {total[cell]:.3g} over {int(rows[cell])} rows of one class "
            "of a task; weights are frequencies: multiply them so that they count rows"
        )


def check_finite(
    scores: NDArray[np.float64], X: Any, names: NDArray[Any] | None
) -> NDArray[np.float64]:
    """Scores of rows; NaN and infinity in X show in them."""
    if not np.isfinite(scores).all():
        refuse_non_finite(X, names)
    return scores


def refuse_non_finite(X: Any, names: NDArray[Any] | None) -> None:
    """Say in which column, and in how many rows, NaN or infinity stands."""
    stored = sp.csc_array(X) if is_sparse(X) else None
    for column in range(X.shape[1]):
        if stored is None:
            values = X[:, column]
        else:
            values = stored.data[stored.indptr[column] : stored.indptr[column + 1]]
        n_bad = int(np.count_nonzero(~np.isfinite(values)))
        if n_bad:
            kind = "NaN" if np.isnan(values).any() else "infinity"
            name = column if names is None else repr(names[column])
            raise ValueError(
                f"X contains {kind} in column {name}, in {n_bad} of {X.shape[0]} rows (the first "
                "such column); impute the values, or drop those rows"
            )
    raise ValueError(
        "X contains values so large that their squares overflow; divide X by a constant"
    )


def is_single_id(task: Any, n_samples: int) -> bool:
    """Whether task is one id for all rows rather than one for every row.

    Text and anything that is no collection is one; a tuple is one unless it has an entry a row.
    """
    if isinstance(task, (str, bytes, frozenset)) or getattr(task, "ndim", None) == 0:
        return True
    if isinstance(task, tuple):
        return len(task) != n_samples
    return not hasattr(task, "__len__") and not hasattr(task, "__array__")


def _is_one_of(value: tuple[Any, ...], known: _ids.Ids) -> bool:
    try:
        return value in set(known.tolist())
    except TypeError:  # not hashable: a collection of ids that are not
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


def _check_length(array: NDArray[Any], n_samples: int, name: str) -> None:
    if len(array) != n_samples:
        raise ValueError(
            f"{name} has {len(array)} values for {n_samples} rows: found input variables with "
            "inconsistent numbers of samples; pass one a row"
        )


def _refuse_missing(array: NDArray[Any], name: str) -> None:
    if array.dtype.kind == "f":
        missing = ~np.isfinite(array)
    elif array.dtype.kind in "mM":
        missing = np.isnat(array)
    elif array.dtype == object:
        missing = np.fromiter(map(_ids.is_missing, array), dtype=bool, count=len(array))
    else:
        return
    if missing.any():
        raise ValueError(
            f"{name} contains NaN, None or infinity in {int(missing.sum())} of {len(array)} rows; "
            "drop those rows"
        )
