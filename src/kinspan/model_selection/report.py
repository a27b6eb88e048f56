"""True and predicted labels → the error of every task, in one table."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinspan._rows.types import Floats
from kinspan._validation.messages import naming
from kinspan.answers._table import ShownAsTable, Table
from kinspan.model_selection._row_ids import RowIds, row_ids

if TYPE_CHECKING:
    import pandas as pd


def task_report(y_true: Any, y_pred: Any, task: Any) -> TaskReport:
    """Report the error of predictions, task by task.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    task : array-like of shape (n_samples,), or one task id
        Task of every row.

    Returns
    -------
    TaskReport

    Examples
    --------
    >>> from kinspan.model_selection import task_report
    >>> task = ["a", "a", "a", "a", "b", "b"]
    >>> task_report([0, 0, 0, 1, 0, 1], [0, 0, 0, 0, 0, 1], task)
    task     rows  error  balanced  std. error
    a           4  0.250     0.500       0.217
    b           2  0.000     0.000       0.000
    overall     6  0.167                 0.144
    mean           0.125     0.250       0.108
    """
    with naming("y_true"):
        n_rows = len(y_true)
    if n_rows == 0:
        raise ValueError("y_true has no rows; a report needs at least one")
    truth, guess = row_ids(y_true, "y_true", n_rows), row_ids(y_pred, "y_pred", n_rows)
    # As objects, so that labels of different types compare as unequal.
    wrong = truth.values.astype(object) != guess.values.astype(object)
    return _report(row_ids(task, "task", n_rows), truth, wrong)


def _report(task: RowIds, truth: RowIds, wrong: NDArray[np.bool_]) -> TaskReport:
    shape = len(task.distinct), len(truth.distinct)
    rows, errors = np.zeros(shape, dtype=np.intp), np.zeros(shape)
    np.add.at(rows, (task.codes, truth.codes), 1)
    np.add.at(errors, (task.codes, truth.codes), wrong)
    n_samples = rows.sum(axis=1)
    error_rate = errors.sum(axis=1) / n_samples
    class_error = errors / np.maximum(rows, 1)
    return TaskReport(
        tasks=task.distinct,
        n_samples=n_samples,
        error_rate=error_rate,
        balanced_error_rate=class_error.sum(axis=1) / np.count_nonzero(rows, axis=1),
        standard_error=np.sqrt(error_rate * (1 - error_rate) / n_samples),
    )


@dataclass(frozen=True, eq=False, repr=False)
class TaskReport(ShownAsTable):
    """Errors by task, made by `task_report`; printed or shown in a notebook it is a table."""

    tasks: NDArray[Any]  # task ids, in sorted order
    n_samples: NDArray[np.intp]  # rows of every task
    error_rate: Floats  # fraction of the rows of every task that are predicted wrongly
    balanced_error_rate: Floats  # mean of the error rates within the classes of every task
    standard_error: Floats  # binomial standard error of the error rate e: √(e (1 − e) / n)

    @property
    def overall(self) -> float:
        """Error rate over all rows."""
        return float(self.error_rate @ self.n_samples / self.n_samples.sum())

    @property
    def overall_standard_error(self) -> float:
        """Standard error of the error rate over all rows, given the tasks and their sizes."""
        share = self.n_samples / self.n_samples.sum()
        return float(np.linalg.norm(share * self.standard_error))

    @property
    def mean(self) -> float:
        """Mean over tasks of the error rate."""
        return float(self.error_rate.mean())

    @property
    def mean_standard_error(self) -> float:
        """Standard error of the mean over tasks, given the tasks."""
        return float(np.linalg.norm(self.standard_error) / len(self.tasks))

    def sorted_by_error(self) -> TaskReport:
        """Return the same report, worst task first."""
        order = np.argsort(-self.error_rate, kind="stable")
        return TaskReport(*(getattr(self, field.name)[order] for field in fields(self)))

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas data frame with one row per task."""
        try:
            import pandas as pd  # noqa: PLC0415  (optional)
        except ImportError as error:
            raise ImportError(
                "to_frame() needs pandas, which is not installed: pip install pandas"
            ) from error
        columns = {field.name: getattr(self, field.name) for field in fields(self)}
        # From a list of tuples pandas would make an index of several levels.
        tasks = pd.Index(columns.pop("tasks"), name="task", tupleize_cols=False)
        return pd.DataFrame(columns, index=tasks)

    def _table(self) -> Table:
        rates = (self.error_rate, self.balanced_error_rate, self.standard_error)
        rows = [
            [str(task), str(n), *map(_rate, values)]
            for task, n, *values in zip(self.tasks.tolist(), self.n_samples, *rates, strict=True)
        ]
        mean = map(_rate, (self.mean, self.balanced_error_rate.mean(), self.mean_standard_error))
        overall = [_rate(self.overall), "", _rate(self.overall_standard_error)]
        rows += [["overall", str(self.n_samples.sum()), *overall], ["mean", "", *mean]]
        return Table("", ["task", "rows", "error", "balanced", "std. error"], rows)


def _rate(value: float) -> str:
    return f"{value:.3f}"
