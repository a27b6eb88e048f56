"""A fitted model and a dask collection → lazy answers for every row."""

from __future__ import annotations

from copy import copy
from functools import partial
from typing import Any

import numpy as np
from dask.delayed import delayed
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from kinspan._rows import identifiers
from kinspan._validation.parameters import check_type
from kinspan._validation.rows import check_known_tasks
from kinspan.engines._dask_blocks import (
    by_block,
    feature_columns,
    is_frame,
    is_one_id,
    names_column,
    whole_rows,
)
from kinspan.spca import MultiTaskSPCA


def answers(model: MultiTaskSPCA, method: str, X: Any, task: Any) -> Any:
    """The lazy result of a method of the model for every row."""
    check_type("model", model, MultiTaskSPCA)
    check_is_fitted(model)
    X = whole_rows(X)
    light = copy(model)
    light._learnt = model._learnt.without_rows()
    _check_askable(light, X, task)
    none = _shaped(_no_answers(light, method), light, X._meta if is_frame(X) else X)
    work = partial(_asked, method)
    found = by_block(work, X, {"task": task}, meta=none, model=delayed(light))  # sent once
    return found if is_frame(X) or _no_answers(light, method).ndim == 2 else found[:, 0]


def _asked(method: str, X: Any, *, task: Any, model: MultiTaskSPCA) -> Any:
    """The answers for a partition."""
    is_empty = X.shape[0] == 0
    found = _no_answers(model, method) if is_empty else getattr(model, method)(X, task=task)
    return _shaped(found, model, X)


def _no_answers(model: MultiTaskSPCA, method: str) -> NDArray[Any]:
    """The result of a method for no rows."""
    if method == "predict":
        return np.asarray(model.classes_[:0])
    is_wide = method == "predict_proba" or model.coef_.shape[1] > 1
    return np.empty((0, len(model.classes_)) if is_wide else 0)


def _shaped(found: NDArray[Any], model: MultiTaskSPCA, X: Any) -> Any:
    """Answers as two-dimensional blocks, or as a frame or series with the index of X."""
    if not hasattr(X, "columns"):
        return found if found.ndim == 2 else found[:, None]
    import pandas as pd  # noqa: PLC0415  # installed, since X is a frame

    if found.ndim == 2:
        names = pd.Index(model.classes_, tupleize_cols=False)
        return pd.DataFrame(found, index=X.index, columns=names)
    # All partitions need the same dtype, whatever classes they contain.
    is_class = found.dtype == model.classes_.dtype
    dtype = pd.Series(model.classes_).dtype if is_class else found.dtype
    return pd.Series(found, index=X.index, dtype=dtype)


def _check_askable(model: MultiTaskSPCA, X: Any, task: Any) -> None:
    """The model knows these columns and tasks, as far as can be checked before reading rows."""
    named = feature_columns(X, task) if is_frame(X) else X
    validate_data(model, named, reset=False, skip_check_array=True)
    if (
        model.task_column is None
        and (task is None or is_one_id(task))
        and not names_column(X, task)
    ):
        ids = None if task is None else identifiers.as_array([task])
        check_known_tasks(ids, 1, model.tasks_, model.unseen)
