"""True and predicted labels → the error of every task, in one table."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from kinspan._arrays.frames import pandas
from kinspan._rows import identifiers
from kinspan._rows.types import Floats, Ids
from kinspan._validation.messages import naming
from kinspan._validation.parameters import check_pos_label
from kinspan._validation.scores import check_probabilities, check_scores
from kinspan.answers._table import ShownAsTable, Table, percent
from kinspan.metrics import Score, ScoredRows, TaskScores, scores_by_task
from kinspan.model_selection._row_ids import RowIds, row_ids

if TYPE_CHECKING:
    import pandas as pd

_SHOWN = 30  # tasks of a table; `to_frame` has all


def task_report(
    y_true: Any,
    y_pred: Any,
    task: Any,
    *,
    y_proba: Any = None,
    scores: Any = (),
    labels: Any = None,
    pos_label: Any = None,
) -> TaskReport:
    """Report the error of predictions, task by task, and the scores that decisions depend on.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels.
    y_pred : array-like of shape (n_samples,)
        Predicted labels.
    task : array-like of shape (n_samples,), or one task id
        Task of every row.
    y_proba : array-like of shape (n_samples,) or (n_samples, n_classes), optional
        Probabilities of the second class, or of all classes in the order of `labels`. All scores
        but error, balanced_error, cost and f1 need them. A single column is that of `pos_label`.
    scores : list of names, or of {name: level}
        error, balanced_error, f1, log_loss, brier_score, calibration_error, roc_auc,
        average_precision, and with a level {"cost": matrix}, {"recall_at_precision": 0.8},
        {"recall_at_budget": 0.05}, {"precision_at_budget": 100}, {"lift_at_budget": 0.05}: a
        budget is a share of the rows of a task, or a number of them. The last lines of the table
        say what guessing gives, and what always answering the most frequent class of a task gives.
    labels : array-like of shape (n_classes,), optional
        The classes, in the order of `y_proba`; by default those that occur, sorted.
    pos_label : label, optional
        Of two classes, the one that f1, average_precision and what is said of a precision or a
        budget are about; by default the second.

    Returns
    -------
    TaskReport

    Examples
    --------
    >>> from kinspan.model_selection import task_report
    >>> task = ["a", "a", "a", "a", "b", "b"]
    >>> task_report([0, 0, 0, 1, 0, 1], [0, 0, 0, 0, 0, 1], task)
    task     rows   error  balanced  std. error
    a           4  25.0 %    50.0 %      21.7 %
    b           2   0.0 %     0.0 %       0.0 %
    overall     6  16.7 %                14.4 %
    mean           12.5 %    25.0 %      10.8 %

    >>> y_true, y_proba = [0, 0, 0, 1, 0, 1], [0.1, 0.2, 0.6, 0.4, 0.3, 0.8]
    >>> y_pred = [0, 0, 1, 0, 0, 1]
    >>> task_report(y_true, y_pred, task, y_proba=y_proba, scores=["roc_auc", "f1"])
    task      rows   error  balanced  std. error    AUC     F1
    a            4  50.0 %    66.7 %      25.0 %  0.667  0.000
    b            2   0.0 %     0.0 %       0.0 %  1.000  1.000
    overall      6  33.3 %                16.7 %  0.875  0.500
    mean            25.0 %    33.3 %      12.5 %  0.833  0.500
    majority        37.5 %    50.0 %              0.500  0.000
    chance          43.8 %    50.0 %              0.500  0.375
    """
    with naming("y_true"):
        n_rows = len(y_true)
    if n_rows == 0:
        raise ValueError("y_true has no rows; a report needs at least one")
    truth, guess = row_ids(y_true, "y_true", n_rows), row_ids(y_pred, "y_pred", n_rows)
    # As objects, so that labels of different types compare as unequal.
    wrong = truth.values.astype(object) != guess.values.astype(object)
    of_task = row_ids(task, "task", n_rows)
    report = _report(of_task, truth, wrong)
    if y_proba is None and not isinstance(scores, (str, dict)) and not scores:
        return report
    classes = identifiers.union(truth.distinct, guess.distinct)
    classes = classes if labels is None else identifiers.as_array(labels)
    wanted = [Score("error"), Score("balanced_error")]
    wanted += check_scores("scores", scores, len(classes))
    is_first = check_pos_label(pos_label, classes)
    p = check_probabilities(y_proba, n_rows, wanted, classes, is_first)
    rows, seen = _scored(truth, guess, p, classes), wanted
    if is_first:
        rows, seen = rows.mirrored(), [score.mirrored() for score in wanted]
    found = scores_by_task(rows, of_task.codes, len(report.tasks), seen)
    return replace(report, scores=found._replace(scores=wanted))


def _scored(truth: RowIds, guess: RowIds, probabilities: Floats, classes: Ids) -> ScoredRows:
    codes = []
    for name, ids in (("y_true", truth), ("y_pred", guess)):
        places = identifiers.lookup(classes, ids.distinct)
        if (places < 0).any():
            unknown = ids.distinct[places < 0].tolist()[0]
            raise ValueError(f"{name} has {unknown!r}, which labels={classes.tolist()} lacks")
        codes.append(places[ids.codes])
    return ScoredRows(codes[0], codes[1], probabilities, np.ones(len(probabilities)))


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
    scores: TaskScores | None = None  # error, balanced error and what was asked for

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
        scores = None if self.scores is None else self.scores.of(order)
        columns = {name: getattr(self, name)[order] for name in _columns()}
        return replace(self, **columns, scores=scores)

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas data frame with one row per task."""
        columns = {name: getattr(self, name) for name in _columns()}
        if self.scores is not None:
            asked = self.scores.scores[2:]
            columns |= dict(zip(map(str, asked), self.scores.values.T[2:], strict=True))
        # From a list of tuples pandas would make an index of several levels.
        library = pandas()
        tasks = library.Index(columns.pop("tasks"), name="task", tupleize_cols=False)
        return cast("pd.DataFrame", library.DataFrame(columns, index=tasks))

    def _table(self) -> Table:
        if len(self.tasks) > _SHOWN and (np.diff(self.error_rate) > 0).any():
            return self.sorted_by_error()._table()  # the worst are shown
        rates = (self.error_rate, self.balanced_error_rate, self.standard_error)
        rows = [
            [str(task), str(n), *map(percent, values)]
            for task, n, *values in zip(self.tasks.tolist(), self.n_samples, *rates, strict=True)
        ]
        mean = map(percent, (self.mean, self.balanced_error_rate.mean(), self.mean_standard_error))
        overall = [percent(self.overall), "", percent(self.overall_standard_error)]
        rows += [["overall", str(self.n_samples.sum()), *overall], ["mean", "", *mean]]
        columns = ["task", "rows", "error", "balanced", "std. error"]
        if self.scores is not None:
            titles, more = _more_columns(self.scores)
            columns += titles
            references = [[name, "", *map(percent, of[:2]), ""] for name, of in _references(self)]
            rows = [[*row, *cells] for row, cells in zip([*rows, *references], more, strict=True)]
        hidden = len(self.tasks) - _SHOWN
        if hidden > 0:
            others = [f"and {hidden:,} more"] + [""] * (len(columns) - 1)
            rows = [*rows[:_SHOWN], others, *rows[len(self.tasks) :]]
        return Table("", columns, rows)


def _columns() -> list[str]:
    """The fields with one number per task."""
    return [field.name for field in fields(TaskReport) if field.name != "scores"]


def _references(report: TaskReport) -> list[tuple[str, Floats]]:
    assert report.scores is not None
    return list(zip(("majority", "chance"), report.scores.means[1:], strict=True))


def _more_columns(of: TaskScores) -> tuple[list[str], list[list[str]]]:
    """Titles and cells of the scores that were asked for: tasks, overall, mean, references."""
    lines = np.concatenate([of.values, of.overall[:1], of.means])[:, 2:]
    return [score.title for score in of.scores[2:]], [[_rate(v) for v in line] for line in lines]


def _rate(value: float) -> str:
    return f"{value:.3f}" if np.isfinite(value) else "–"
