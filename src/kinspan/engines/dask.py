"""Rows on a dask cluster → statistics of every partition, added in a tree; and a fitted model.

Workers send class moments and sampled rows, whose size does not grow with the number of rows;
nothing else is gathered. Partitions may be empty, and a task may be in only one of them. Answers
are lazy: the model is sent to the rows.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import validate_data

from kinspan._memory.piles import added_up
from kinspan._memory.statistics import Statistics
from kinspan._memory.threads import learning
from kinspan._validation.labelled_rows import check_labelled_rows
from kinspan._validation.messages import some
from kinspan._validation.parameters import (
    MISSING,
    check_choice,
    check_parameters,
    check_positive,
    check_random_state,
    check_row_sample,
    check_type,
)
from kinspan.spca import MultiTaskSPCA

try:
    from dask.delayed import delayed
except ImportError as error:
    raise ImportError(
        "kinspan.engines.dask needs dask, which is not installed; pip install 'kinspan[dask]'"
    ) from error

from kinspan.engines._dask_answers import answers
from kinspan.engines._dask_blocks import (
    by_block,
    feature_columns,
    is_frame,
    is_one_id,
    names_column,
    whole_rows,
)


def fit(
    model: MultiTaskSPCA,
    X: Any,
    y: Any,
    *,
    task: Any = None,
    sample_weight: Any = None,
    split_every: int = 8,
) -> MultiTaskSPCA:
    """Fit a model on rows on a cluster, as `model.fit` would on all of them.

    Parameters
    ----------
    model : MultiTaskSPCA
        Fitted in place.
    X : dask array or dask data frame of shape (n_samples, n_features)
        Row chunks may be empty or of unknown size.
    y, task, sample_weight : name of a column of X, or one value per row
        Named columns are not features. Values are a dask array or series with the partitions of X
        or, if X is a dask array with known chunk sizes, any array. `task` may also be one id for
        all rows.
    split_every : int, default=8
        How many statistics one worker adds at once.

    Examples
    --------
    >>> import dask.array as da
    >>> from kinspan import MultiTaskSPCA
    >>> from kinspan.datasets import load_digit_pairs
    >>> from kinspan.engines import dask as cluster
    >>> digits = load_digit_pairs(n_per_class=5)
    >>> X = da.from_array(digits.X, chunks=(100, -1))
    >>> clf = cluster.fit(MultiTaskSPCA(), X, digits.y, task=digits.task)
    >>> cluster.predict(clf, X, task=digits.task)
    dask.array<getitem, shape=(450,), dtype=int64, chunksize=(100,), chunktype=numpy.ndarray>
    """
    check_type("model", model, MultiTaskSPCA)
    check_parameters(model)
    if model.forget:
        raise ValueError(
            f"forget={model.forget!r} needs rows in the order in which they came, and partitions "
            "are added up in any; use forget=0 here, or partial_fit"
        )
    found = _tree(clone(model), X, y, task, sample_weight, split_every).compute()
    with learning(model) as draft:
        draft.fit_moments(found)
        if is_frame(X):
            named = feature_columns(X, y, task, sample_weight)
            validate_data(draft, named, reset=True, skip_check_array=True)
    return model


def statistics(
    X: Any,
    y: Any,
    *,
    task: Any = None,
    sample_weight: Any = None,
    row_sample: int = 100,
    random_state: int | None = None,
    missing: str = "impute",
    split_every: int = 8,
) -> Any:
    """The statistics of rows on a cluster, to store them or to add them to others.

    Parameters
    ----------
    X, y, task, sample_weight, split_every
        As in `fit`.
    row_sample : int, default=100
        Rows kept of every class of every task; 0 keeps none.
    random_state : int, optional
        The key of the hash that chooses them, as for `MultiTaskSPCA`.
    missing : {"impute", "refuse"}, default="impute"
        Whether NaN in X is a missing value, or an error.

    Returns
    -------
    dask.delayed.Delayed
        Its `compute()` is a `kinspan.Statistics`.

    Examples
    --------
    >>> import dask.array as da
    >>> from kinspan.datasets import load_digit_pairs
    >>> from kinspan.engines import dask as cluster
    >>> digits = load_digit_pairs(n_per_class=5)
    >>> X = da.from_array(digits.X, chunks=(100, -1))
    >>> cluster.statistics(X, digits.y, task=digits.task, row_sample=0).compute()
    Statistics(45 tasks, 2 classes, 64 features, 450 rows, 0 of them kept)
    """
    check_random_state(random_state)
    check_choice("missing", missing, MISSING)
    size = check_row_sample(row_sample)
    model = MultiTaskSPCA(row_sample=size, random_state=random_state, missing=missing)
    return _tree(model, X, y, task, sample_weight, split_every)


def predict(model: MultiTaskSPCA, X: Any, *, task: Any = None) -> Any:
    """The class of every row, lazily: a dask array, or a series with the index of X.

    Parameters
    ----------
    model : MultiTaskSPCA
        A fitted model.
    X : dask array or dask data frame
    task : name of a column of X, one id per row, or one id for all rows
        As in `fit`.
    """
    return answers(model, "predict", X, task)


def predict_proba(model: MultiTaskSPCA, X: Any, *, task: Any = None) -> Any:
    """Probabilities, lazily: a dask array, or a data frame with a column for every class.

    Arguments are those of `predict`.
    """
    return answers(model, "predict_proba", X, task)


def decision_function(model: MultiTaskSPCA, X: Any, *, task: Any = None) -> Any:
    """Scores, lazily: one per row for two classes, otherwise one per row and class.

    Arguments are those of `predict`.
    """
    return answers(model, "decision_function", X, task)


def _tree(
    model: MultiTaskSPCA, X: Any, y: Any, task: Any, sample_weight: Any, split_every: int
) -> Any:
    """A tree with one leaf per partition, added in their order."""
    X = whole_rows(X)
    y = list(y) if isinstance(y, tuple) and not names_column(X, y) else y
    given = {"y": y, "task": task, "sample_weight": sample_weight}
    _check_arguments(X, given, split_every)
    no_table = ("statistics", object) if is_frame(X) else np.empty((0, 1), dtype=object)
    blocks = by_block(partial(_of_rows, model), X, given, meta=no_table).to_delayed()
    parts = list(blocks) if is_frame(X) else blocks.ravel().tolist()
    while len(parts) > split_every:
        parts = [
            delayed(_added)(parts[start : start + split_every])
            for start in range(0, len(parts), split_every)
        ]
    return delayed(_total)(parts)


def _of_rows(
    model: MultiTaskSPCA, X: Any, *, y: Any, task: Any, sample_weight: Any
) -> Statistics | None:
    """Statistics of a partition, checked as in `model.fit`; None if all weights are zero."""
    if X.shape[0] == 0 or (sample_weight is not None and not np.any(sample_weight)):
        return None
    rows = check_labelled_rows(X, y, task, sample_weight, estimator=clone(model), reset=True)
    key = check_random_state(model.random_state)
    return Statistics.from_checked(rows, model.row_sample, key=key, is_part=True)


def _added(parts: list[Statistics | None]) -> Statistics | None:
    return added_up(part for part in parts if part is not None)


def _total(parts: list[Statistics | None]) -> Statistics:
    total = _added(parts)
    if total is None:
        raise ValueError("no partition of X has a row, or none of positive sample_weight")
    return total


def _check_arguments(X: Any, given: dict[str, Any], split_every: Any) -> None:
    """Names are columns of X, except for the id of a task, and a tree has branches."""
    if check_positive("split_every", split_every) == 1:
        raise ValueError("split_every=1 would never end; use at least 2")
    for name, value in given.items():
        is_text = isinstance(value, str)
        may_be_one = (name == "task" and not (is_frame(X) and is_text)) or (
            name == "sample_weight" and not is_text
        )
        if is_one_id(value) and not may_be_one and not names_column(X, value):
            there = f"which has {some(list(X.columns))}" if is_frame(X) else "which is an array"
            raise ValueError(f"{name}={value!r} is not a column of X, {there}")
