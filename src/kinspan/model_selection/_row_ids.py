"""The task or the label of every row, checked once: from an argument or from a column."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinspan._ids import encode
from kinspan._validation import check_tasks
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
    return RowIds(*encode(check_tasks(values, n_rows, name)))


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
