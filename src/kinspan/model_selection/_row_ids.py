"""Tasks or labels, from an argument or a column → one checked id per row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinspan._rows.identifiers import encode
from kinspan._validation.columns import column_of
from kinspan._validation.rows import check_tasks


class RowIds(NamedTuple):
    """One id per row."""

    distinct: NDArray[Any]  # the ids without repetition, in sorted order
    codes: NDArray[np.intp]  # the position in `distinct` of the id of every row

    @property
    def values(self) -> NDArray[Any]:
        """The id of every row."""
        return self.distinct[self.codes]


def row_ids(values: Any, name: str, n_rows: int) -> RowIds:
    """The ids of `n_rows` rows; a single id applies to all of them."""
    return RowIds(*encode(check_tasks(values, n_rows, name)))


def same_length(**arguments: Any) -> int:
    """The common number of rows of all arguments that are given."""
    lengths = {
        name: _n_rows(name, values) for name, values in arguments.items() if values is not None
    }
    if len(set(lengths.values())) != 1:
        shown = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise ValueError(f"{shown} rows: inconsistent numbers of samples; pass one value per row")
    return next(iter(lengths.values()))


def _n_rows(name: str, values: Any) -> int:
    shape = getattr(values, "shape", None)
    if isinstance(shape, tuple) and shape:
        return int(shape[0])
    if shape is not None or not isinstance(values, Sequence) or isinstance(values, (str, bytes)):
        raise TypeError(
            f"{name} is of type {type(values).__name__}; pass an array with one entry per row"
        )
    return len(values)


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
