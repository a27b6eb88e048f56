"""X and a column, by name or by position → the values of that column, and the other columns."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
import scipy.sparse as sp

from kinspan._arrays.frames import frame_of
from kinspan._arrays.libraries import is_sparse


def column_of(X: Any, column: str | int) -> Any:
    """The values of one column of a data frame, array or sparse matrix."""
    if isinstance(column, bool):  # which NumPy takes for a mask
        raise ValueError(f"task_column={column!r}; use the name or the position of a column of X")
    frame = frame_of(X)
    if frame is not None:
        return frame.get_column(_name(frame.columns, column)).to_numpy()
    table = _table(X)
    place = _place(table.shape[1], column)
    return sp.csc_array(table)[:, [place]].toarray().ravel() if is_sparse(X) else table[:, place]


def without_column(X: Any, column: str | int) -> Any:
    """All other columns, in the same kind of container."""
    frame = frame_of(X)
    if frame is not None:
        return frame.drop(_name(frame.columns, column)).to_native()
    table = _table(X)
    others = np.delete(np.arange(table.shape[1]), _place(table.shape[1], column))
    return sp.csr_array(sp.csc_array(table)[:, others]) if is_sparse(X) else table[:, others]


def by_name(estimator: Any, X: Any) -> Any:
    """A frame with its columns in the order of the model, where they are found by name.

    They are where the task is a named column, and where some task has no value of a feature: sites
    that differ in their columns have no common order. Features of the second kind may be lacking,
    and are NaN. Any other frame is returned unchanged: scikit-learn names what is wrong with it.
    """
    known, column = getattr(estimator, "feature_names_in_", None), estimator.task_column
    if known is None or isinstance(column, (int, np.integer)):
        return X
    frame = frame_of(X)
    if frame is None:
        return X
    wanted = known.tolist()
    if frame.columns == wanted or set(frame.columns).difference(wanted):
        return X
    may_lack, lacking = _optional(estimator, known), set(wanted).difference(frame.columns)
    if (column is None and not may_lack) or not may_lack.issuperset(lacking):
        return X
    filled = frame.with_columns(nw.lit(float("nan")).alias(name) for name in lacking)
    return filled.select(wanted).to_native()


def refuse_column_as_task(X: Any, task: Any) -> None:
    """The name of a column is no task: all rows would be of one that is called like it."""
    if isinstance(task, str) and task in list(getattr(X, "columns", ())):
        raise ValueError(
            f"task={task!r} is one task for all rows, and there is a column {task!r} of X; to take "
            f"tasks from it, set task_column={task!r} and leave task= out"
        )


def _optional(estimator: Any, known: Any) -> set[str]:
    """Names of features of which some task has no value."""
    if getattr(estimator, "missing", None) != "impute":
        return set()
    features = [name for name in known.tolist() if name != estimator.task_column]
    return set(np.asarray(features, dtype=object)[estimator._learnt.is_optional])


def _table(X: Any) -> Any:
    """X with a shape; lists may hold both ids and numbers."""
    table = X if hasattr(X, "shape") else np.asarray(X, dtype=object)
    if len(table.shape) != 2:
        raise ValueError(f"X has shape {table.shape}; expected a 2D array with a task column")
    return table


def _name(names: list[str], column: str | int) -> str:
    if isinstance(column, (int, np.integer)):
        return names[_place(len(names), column)]
    if column not in names:
        raise ValueError(f"task_column={column!r} is not a column of X, which has {names}")
    return str(column)


def _place(n_columns: int, column: str | int) -> int:
    if not isinstance(column, (int, np.integer)):
        raise ValueError(
            f"task_column={column!r} is a name, but X has no column names; pass a data frame, "
            "or the position of the column"
        )
    if not -n_columns <= column < n_columns:
        raise ValueError(
            f"task_column={column} is outside X, which has {n_columns} columns; use a position "
            f"from {-n_columns} to {n_columns - 1}"
        )
    return int(column) % n_columns
