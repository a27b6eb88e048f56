"""The error of every task, in one table."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kinspan._rows.types import Floats
from kinspan._validation.messages import naming
from kinspan.model_selection._row_ids import RowIds, row_ids

if TYPE_CHECKING:
    import pandas as pd

_HEADER = ("task", "rows", "error", "balanced", "std. error")


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
    >>> print(task_report([0, 0, 0, 1, 0, 1], [0, 0, 0, 0, 0, 1], task))
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


@dataclass(frozen=True, eq=False)
class TaskReport:
    """Errors by task; `task_report` makes it. Print it, or show it in a notebook, for the table."""

    tasks: NDArray[Any]  # task ids, in sorted order
    n_samples: NDArray[np.intp]  # number of rows of every task
    error_rate: Floats  # fraction of the rows of a task that are wrong
    balanced_error_rate: Floats  # mean over the classes a task has of the error within the class
    standard_error: Floats  # of the error rate, by the binomial law: √(e (1 − e) / n)

    @property
    def overall(self) -> float:
        """Error rate over all rows."""
        return float(self.error_rate @ self.n_samples / self.n_samples.sum())

    @property
    def overall_standard_error(self) -> float:
        """Standard error of the error rate over all rows, the tasks and their sizes given."""
        share = self.n_samples / self.n_samples.sum()
        return float(np.linalg.norm(share * self.standard_error))

    @property
    def mean(self) -> float:
        """Mean over tasks of the error rate."""
        return float(self.error_rate.mean())

    @property
    def mean_standard_error(self) -> float:
        """Standard error of the mean over tasks, the tasks given."""
        return float(np.linalg.norm(self.standard_error) / len(self.tasks))

    def sorted_by_error(self) -> TaskReport:
        """Return the same report, worst task first."""
        order = np.argsort(-self.error_rate, kind="stable")
        return TaskReport(
            self.tasks[order],
            self.n_samples[order],
            self.error_rate[order],
            self.balanced_error_rate[order],
            self.standard_error[order],
        )

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas data frame, one row a task."""
        try:
            import pandas as pd  # noqa: PLC0415  (optional)
        except ImportError as error:
            raise ImportError(
                "to_frame() needs pandas, which is not installed: pip install pandas"
            ) from error
        columns = {
            "n_samples": self.n_samples,
            "error_rate": self.error_rate,
            "balanced_error_rate": self.balanced_error_rate,
            "standard_error": self.standard_error,
        }
        # From a list of tuples pandas would make an index of several levels.
        return pd.DataFrame(columns, index=pd.Index(self.tasks, name="task", tupleize_cols=False))

    def __str__(self) -> str:
        lines = [_HEADER, *self._lines()]
        first, *widths = (max(map(len, column)) for column in zip(*lines, strict=True))
        return "\n".join(
            "  ".join([name.ljust(first), *map(str.rjust, cells, widths)]).rstrip()
            for name, *cells in lines
        )

    def _repr_html_(self) -> str:
        head = _html_row(_HEADER, "th")
        body = "\n".join(_html_row(line, "td") for line in self._lines())
        return f"<table>\n<thead>{head}</thead>\n<tbody>\n{body}\n</tbody>\n</table>"

    def _lines(self) -> Iterator[tuple[str, ...]]:
        rates = (self.error_rate, self.balanced_error_rate, self.standard_error)
        for task, n, *values in zip(self.tasks.tolist(), self.n_samples, *rates, strict=True):
            yield str(task), str(n), *map(_rate, values)
        overall = _rate(self.overall), "", _rate(self.overall_standard_error)
        yield "overall", str(self.n_samples.sum()), *overall
        balanced = self.balanced_error_rate.mean()
        yield "mean", "", _rate(self.mean), _rate(balanced), _rate(self.mean_standard_error)


def _rate(value: float) -> str:
    return f"{value:.3f}"


def _html_row(cells: tuple[str, ...], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"
