"""Arguments of baselines → checked rows and parameters; the other files trust their input."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import get_tags

from kinspan._arrays.elsewhere import on_host
from kinspan._arrays.libraries import is_sparse
from kinspan._rows import identifiers
from kinspan._rows.types import Codes, Floats, Ids
from kinspan._validation.finite import refuse_non_finite
from kinspan._validation.labelled_rows import CheckedRows, check_labelled_rows
from kinspan._validation.messages import some
from kinspan._validation.numbers import is_number, real_numbers
from kinspan._validation.parameters import check_several_classes
from kinspan._validation.rows import (
    check_features,
    check_known_tasks,
    check_labels,
    check_rows,
    check_tasks,
)
from kinspan.class_moments import ClassMoments

_STRONGEST = 1e12  # strengths up to here leave matrices that can be solved
_LARGEST = 1e150  # numbers below it have finite squares


class CodedRows(NamedTuple):
    """Rows as the mathematics takes them; ids are sorted, codes are positions among them."""

    X: Any  # (rows, features) doubles, dense or CSR, finite
    class_codes: Codes  # (rows,)
    task_codes: Codes  # (rows,)
    classes: Ids
    tasks: Ids

    def checked(self) -> CheckedRows:
        """The same for class moments, with codes as ids."""
        return CheckedRows(self.X, self.class_codes, self.task_codes)


class TaskRows(NamedTuple):
    """Rows to be answered."""

    X: Any  # (rows, features), dense or CSR
    names: NDArray[Any] | None  # (features,) where X has them
    codes: Codes  # (rows,) position of each row's task among the fitted ones; −1 is none of them


def check_moments(estimator: Any, X: Any, y: Any, task: Any) -> ClassMoments:
    """The class moments of the rows of `fit`."""
    rows = check_labelled_rows(X, y, task, None, estimator=estimator, reset=True)
    moments = ClassMoments.from_checked(rows)
    check_several_classes(moments.classes)
    return moments


def check_coded_rows(estimator: Any, X: Any, y: Any, task: Any) -> CodedRows:
    """The rows of `fit`, for methods that need more of them than class moments."""
    rows = check_labelled_rows(X, y, task, None, estimator=estimator, reset=True)
    tasks, task_codes = identifiers.encode(rows.tasks)
    classes, class_codes = identifiers.encode(rows.labels)
    check_several_classes(classes)
    features = finite_doubles(on_host(rows.features), rows.names)
    return CodedRows(features, class_codes, task_codes, classes, tasks)


def check_task_rows(estimator: Any, X: Any, task: Any) -> TaskRows:
    """The rows of `predict`; only an estimator with `unseen="shared"` takes unseen tasks."""
    features, names, column = check_rows(estimator, X, task, reset=False)
    n_samples, known = features.shape[0], estimator.tasks_
    codes = on_host(check_known_tasks(column, n_samples, known, "shared"))
    if (codes < 0).any() and getattr(estimator, "unseen", "error") == "error":
        unknown = check_tasks(column, n_samples)[int(np.argmax(codes < 0))]
        way = type(estimator).__name__ if hasattr(estimator, "unseen") else "MultiTaskSPCA"
        raise ValueError(
            f"task contains {unknown!r}, which fit has not seen; fitted tasks are "
            f"{some(known.tolist())}: fit its rows too, or use {way}(unseen='shared')"
        )
    return TaskRows(on_host(features), names, codes)


def finite_doubles(features: Any, names: NDArray[Any] | None) -> Any:
    """The rows in double precision, without NaN or infinity."""
    doubles = features.astype(np.float64, copy=False)
    values = doubles.data if is_sparse(doubles) else doubles
    if not max(values.max(initial=0.0), -values.min(initial=0.0)) < _LARGEST:  # false for NaN too
        refuse_non_finite(features, names)
    return doubles


def check_strictly_positive(name: str, value: Any) -> float:
    """A parameter that is a positive number."""
    if not _is_number(value) or not 0 < float(value) < np.inf:
        raise ValueError(f"{name}={value!r}; use a positive number")
    return float(value)


def check_kept_share(name: str, value: Any) -> None:
    """A parameter that is a share of rows to keep."""
    if not _is_number(value) or not 0 < float(value) <= 1:
        raise ValueError(f"{name}={value!r}; use a share of rows above 0 and at most 1")


def check_switches(estimator: Any, *names: str) -> None:
    """Parameters that are true or false."""
    for name in names:
        value = getattr(estimator, name)
        if not isinstance(value, (bool, np.bool_)):
            raise ValueError(f"{name}={value!r}; use True or False")


def _is_number(value: Any) -> bool:
    return is_number(value) and not isinstance(value, bool)


def check_sparse_learner(estimator: Any) -> None:
    """A classifier that takes sparse rows."""
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        raise TypeError(f"estimator={estimator!r} is not an estimator; use one such as LinearSVC()")
    if not get_tags(estimator).input_tags.sparse:
        raise ValueError(
            f"estimator={estimator!r} does not take sparse rows; use one that does, such as "
            "LogisticRegression, LinearSVC, RidgeClassifier or SGDClassifier"
        )


def check_linear(estimator: Any) -> Any:
    """A fitted classifier with linear scores."""
    if not hasattr(estimator, "coef_"):
        raise ValueError(
            f"estimator={estimator!r} has no coef_ after fit; use a linear classifier, such as "
            "LogisticRegression, LinearSVC, RidgeClassifier or SGDClassifier"
        )
    return estimator


def check_label_column(y: Any, codes: Codes) -> NDArray[Any]:
    """Labels as scikit-learn takes them, so that `class_weight` may name them; else their codes."""
    labels = np.asarray(check_labels(y, len(codes)))
    plain = labels.dtype != object or all(isinstance(label, str) for label in labels)
    return labels if plain else codes


def dense(X: Any) -> Floats:
    """Rows as an array, for methods that centre them."""
    return np.asarray(X.toarray() if is_sparse(X) else X)


def check_shared_strength(value: Any) -> float | None:
    """λ, or None to choose it."""
    if value is None:
        return None
    if not _is_number(value) or not 0 <= float(value) <= _STRONGEST:
        raise ValueError(
            f"shared_strength={value!r}; use a number from 0 to {_STRONGEST:g}, or None to "
            "choose it"
        )
    return float(value)


def check_task_strengths(value: Any, n_tasks: int, shared: float | None) -> Floats | None:
    """(tasks,) γ, or None to choose them."""
    if value is None:
        return None
    strengths = real_numbers("task_strengths", value)
    if strengths.shape not in ((), (n_tasks,)):
        raise ValueError(
            f"task_strengths={value!r}; use one number, one for each of the {n_tasks} tasks, or "
            "None to choose it"
        )
    if not ((strengths >= 0) & (strengths <= _STRONGEST)).all():
        raise ValueError(f"task_strengths={value!r}; use numbers from 0 to {_STRONGEST:g}")
    if shared == 0 and strengths.min() == 0:
        raise ValueError(
            f"shared_strength=0 and task_strengths={value!r} leave a task without any strength; "
            "make one of the two positive"
        )
    return np.broadcast_to(strengths, n_tasks).astype(np.float64)


def check_target(target: Any, rows: CodedRows, method: str) -> int:
    """The position of the target among exactly two tasks; None: the one with fewer rows."""
    tasks = rows.tasks.tolist()
    if len(tasks) != 2:
        raise ValueError(
            f"task has {len(tasks)} different ids, {some(tasks)}, but {method} takes one source "
            "and one target; pass the rows of two tasks, or use MultiTaskSPCA for any number"
        )
    sizes = np.bincount(rows.task_codes)
    if target is None and sizes[0] != sizes[1]:
        return int(sizes.argmin())
    if target is None or not _is_one_of(target, tasks):
        raise ValueError(
            f"target={target!r}, and the tasks {some(tasks)} have {sizes[0]} and {sizes[1]} rows; "
            "use the id of the task to adapt to, or None for the one with fewer rows"
        )
    return int(tasks.index(target))


def _is_one_of(target: Any, tasks: list[Any]) -> bool:
    """Whether an id is among others; values that cannot be compared are not."""
    try:
        return target in tasks
    except (TypeError, ValueError):
        return False


def check_unlabelled(unlabelled: Any, n_features: int) -> Floats:
    """(rows, features) rows of the target without labels; None is no rows."""
    if unlabelled is None:
        return np.empty((0, n_features))
    features, names, _ = check_features(unlabelled)
    if features.shape[1] != n_features:
        raise ValueError(
            f"unlabelled has {features.shape[1]} features but X has {n_features}; pass rows of the "
            "target without the task column"
        )
    return dense(finite_doubles(on_host(features), names))
