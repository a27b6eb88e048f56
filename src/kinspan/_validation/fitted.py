"""Checks of fitted models."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sklearn.utils.validation import check_is_fitted

from kinspan._rows import identifiers
from kinspan._rows.types import Ids
from kinspan._validation.messages import some
from kinspan._validation.parameters import check_costs, check_n_components, check_priors
from kinspan._validation.stored_rules import check_rules

_MOST_BYTES = 16e9  # of an array of tasks × tasks


@contextmanager
def unchanged_on_error(estimator: Any) -> Iterator[None]:
    """Put the attributes of an estimator back if an error interrupts its fit."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).update(before)
        for name in vars(estimator).keys() - before.keys():
            del vars(estimator)[name]
        raise


def check_fitted_model(model: Any, kind: type, way_out: str) -> None:
    """A fitted model of a kind."""
    if not isinstance(model, kind):
        raise TypeError(
            f"model is of type {type(model).__name__}; pass a fitted {kind.__name__} ({way_out})"
        )
    check_is_fitted(model)


def check_pairs_of_tasks(n_tasks: int, n_classes: int, name: str, other: str) -> None:
    """An array of tasks × tasks that no usual machine has room for is refused before it is made."""
    size = 8.0 * (n_tasks * n_classes) ** 2
    if size > _MOST_BYTES:
        raise MemoryError(
            f"{name} of {n_tasks:,} tasks would take {size / 1e9:,.0f} GB; {other} does without it"
        )


def check_mergeable(model: Any, other: Any) -> None:
    """Another fitted model of the same features."""
    if not isinstance(other, type(model)):
        raise TypeError(
            f"other is of type {type(other).__name__}; "
            f"merge a fitted {type(model).__name__} or Statistics"
        )
    check_is_fitted(other)


def names_of(model: Any) -> list[str] | None:
    """Names of the features of a model that was fitted on a data frame."""
    names = getattr(model, "feature_names_in_", None)
    return None if names is None else names.tolist()


def features_of(model: Any) -> tuple[str, ...] | None:
    """The same without the task column."""
    names, column = names_of(model), model.task_column
    if names is None:
        return None
    if column is not None and not isinstance(column, str):
        del names[column]
    return tuple(name for name in names if name != column)


def check_one_nameless_task(tasks: Ids) -> None:
    """Rows without a task can only follow rows without a task."""
    if tasks.tolist() != [0]:
        raise ValueError(
            f"task is None, but the model has the tasks {some(tasks.tolist())}; pass task=, one id "
            "per row or one for all rows"
        )


def check_loaded(model: Any) -> None:
    """Parts of a stored model must belong together."""
    moments, names = model.moments_, names_of(model)
    n_features = moments.n_features + (model.task_column is not None)
    if model.n_features_in_ != n_features or (names is not None and len(names) != n_features):
        raise ValueError("the number of features is not that of the moments")
    if names is not None and (len(set(names)) < len(names) or not all(map(_is_text, names))):
        raise ValueError("the names of features are not different texts")
    priors = check_priors(model.priors, moments.counts)
    check_costs(model.class_weight, moments.classes, priors)
    check_n_components(model.n_components, max(len(moments.classes) - 1, 1))
    if (
        model._learnt.declared is not None
        and (identifiers.lookup(moments.classes, model._learnt.declared) < 0).any()
    ):
        raise ValueError("announced classes are not among those of the model")
    for part in (model.unlabelled_, model.sample_):
        if part is not None and (identifiers.lookup(moments.tasks, part.tasks) < 0).any():
            raise ValueError("rows belong to tasks that are not those of the model")
    if model._learnt.found is not None:
        check_rules(model._learnt.found, moments)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
