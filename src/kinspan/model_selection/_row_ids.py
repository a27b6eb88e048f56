"""The task or the label of every row, checked once: from an argument or from a column."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinspan._ids import as_array, encode, is_missing
from kinspan._validation.columns import column_of


class RowIds(NamedTuple):
    """One id a row."""

    distinct: NDArray[Any]  # the ids without repetition, in sorted order
    codes: NDArray[np.intp]  # the position in `distinct` of the id of every row

    @property
    def values(self) -> NDArray[Any]:
        """The id of every row."""
        return self.distinct[self.codes]


def row_ids(values: Any, name: str, n_rows: int) -> RowIds:
    """The ids of `n_rows` rows; a single id stands for all of them."""
    array = as_array(values)
    if array.ndim == 0:
        array = np.full(n_rows, array)
    if array.ndim != 1:
        raise ValueError(
            f"{name} has shape {array.shape}; pass one id per row, an array of shape ({n_rows},)"
        )
    if len(array) != n_rows:
        raise ValueError(f"{name} has {len(array)} values for {n_rows} rows; pass one per row")
    ids = _encoded(array, name)
    if any(is_missing(value) for value in ids.distinct.tolist()):
        raise ValueError(f"{name} has missing values; give these rows an id or leave them out")
    return ids


def task_ids(X: Any, task: Any, task_column: str | int | None, n_rows: int) -> RowIds | None:
    """The task of every row, from the argument or from the column; None where there is neither."""
    if task is not None and task_column is not None:
        raise ValueError(
            f"the task is given twice, as an argument and as task_column={task_column!r}; "
            "keep one of them"
        )
    if task_column is not None:
        return row_ids(column_of(X, task_column), f"task_column={task_column!r}", n_rows)
    return None if task is None else row_ids(task, "task", n_rows)


def _encoded(array: NDArray[Any], name: str) -> RowIds:
    try:
        return RowIds(*encode(array))
    except TypeError as error:
        raise TypeError(f"{name} holds ids that are not hashable: {error}") from None
