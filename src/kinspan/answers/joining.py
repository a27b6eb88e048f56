"""A fitted model and a task that joins or leaves → the statistics of the rows it then has.

The moments and sampled rows of the other tasks do not change.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from kinspan._memory.statistics import Statistics
from kinspan._rows import identifiers
from kinspan._validation.labelled_rows import (
    CheckedRows,
    apart,
    check_some_labels,
    telling_of_names,
)
from kinspan._validation.parameters import check_declared, check_random_state
from kinspan._validation.rows import (
    check_all_of_task,
    check_one_id,
    check_others_remain,
    check_rows,
)
from kinspan._validation.weights import check_weights
from kinspan._validation.without_labels import set_apart
from kinspan.class_moments import ClassMoments
from kinspan.row_sample import RowSample


class ModelRows(NamedTuple):
    """Statistics of all rows of a model, as `_fit_moments` takes them."""

    moments: ClassMoments
    sample: RowSample | None
    unlabelled: Statistics | None  # of rows without labels, as one class


def joined(model: Any, name: Any, X: Any, y: Any, sample_weight: Any) -> ModelRows:
    """With one more task, or with more rows of a task."""
    ids = check_one_id(name)
    moments, sample, unlabelled = model.moments_, model.sample_, model._learnt.statistics.unlabelled
    moments = moments.among(identifiers.union(moments.tasks, ids), moments.classes)
    if X is None:
        if y is not None:
            raise ValueError("y is given without X; pass the rows that the labels belong to")
        return ModelRows(moments, sample, unlabelled)
    with telling_of_names():
        features, names, column = check_rows(model, X, None, reset=False)
    n_samples = features.shape[0]
    tasks = np.repeat(ids, n_samples)
    if column is not None:
        check_all_of_task(column, n_samples, ids)
    weights = check_weights(sample_weight, n_samples)
    y = np.full(n_samples, None) if y is None else y
    y, lacking = set_apart(y, n_samples, model.unlabelled)
    labels = check_some_labels(y, n_samples, lacking)
    rows = CheckedRows(features, labels, tasks, weights, names, model.missing == "impute")
    rows = apart(rows, lacking)
    if model._learnt.declared is not None:
        check_declared(np.asarray(rows.labels), model._learnt.declared)
    size, key = 0 if sample is None else sample.size, check_random_state(model.random_state)
    known = Statistics(moments, sample, unlabelled=unlabelled)
    both = known + Statistics.from_checked(rows, size, key=key, is_part=True)
    return ModelRows(both.moments, both.sample, both.unlabelled)


def parted(model: Any, task: int) -> ModelRows:
    """Without a task."""
    check_others_remain(model.tasks_)
    moments, sample, unlabelled = model.moments_, model.sample_, model._learnt.statistics.unlabelled
    others = np.delete(np.arange(len(moments.tasks)), task)
    tasks, codes = identifiers.encode(identifiers.as_array(moments.tasks[others].tolist()))
    others = others[np.argsort(codes)]  # the order may change if ids of one type remain
    classes = moments.present[others].any(axis=0) | _names_all_classes(model)
    rest = replace(moments.chosen(others, classes), tasks=tasks)
    if sample is not None:
        sample = sample.aligned(rest.tasks, rest.classes, rest.n_features)
    if unlabelled is not None:
        remains = identifiers.lookup(rest.tasks, unlabelled.moments.tasks) >= 0
        unlabelled = unlabelled.of_tasks(remains)
    return ModelRows(rest, sample, unlabelled)


def _names_all_classes(model: Any) -> bool:
    """Whether classes were declared or have a parameter each: then one without rows must stay."""
    has_each = model.n_components is not None or not isinstance(model.priors, (str, type(None)))
    return has_each or model._learnt.declared is not None
