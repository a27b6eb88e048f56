"""`kinspan evaluate`: a model and labelled rows → actual errors next to the forecasts."""

from __future__ import annotations

from functools import reduce
from operator import add
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kinspan._rows import identifiers
from kinspan._rows.types import Floats
from kinspan._validation.parameters import check_priors
from kinspan._validation.scores import check_scores
from kinspan.answers._table import interval, percent
from kinspan.cli import options, tasks
from kinspan.cli.fitted_rows import FittedRows
from kinspan.cli.lists import listed
from kinspan.cli.output import Output, name_of
from kinspan.cli.places import sources
from kinspan.cli.scores_on_rows import AnsweredRows, Compared
from kinspan.cli.scoring import Scoring, unlabelled_note
from kinspan.tables.chunks import Chunk
from kinspan.tables.encoding import UsableRows
from kinspan.tables.fills import ByTask
from kinspan.tables.ids import CodedIds
from kinspan.tables.reading import n_rows_of
from kinspan.tables.rows import FileRows
from kinspan.tables.tally import Advance

EXAMPLES = """
Examples:

kinspan evaluate model.kinspan test.csv
kinspan evaluate model.kinspan 'test/*.parquet' --all --json
kinspan evaluate model.kinspan test.csv --metrics roc_auc,average_precision,lift_at_budget=5%
"""


_NINETY = 1.645  # standard deviations to either side hold 90 %


class TaskError(NamedTuple):
    """The forecast and the actual error of a task, named as in the JSON result."""

    task: Any
    rows: int
    wrong: float  # the share of wrong rows
    actual_error: float  # the same, classes weighted as in the forecast
    standard_deviation: float  # of the actual error, for this number of rows
    forecast_error: float  # NaN for tasks that were not fitted
    forecast_interval: Floats  # (2,)
    inside: bool | None  # whether the actual error agrees with the interval; None: not fitted


def evaluate(
    model: options.ModelFile,
    data: options.Data = None,
    task: options.TaskColumn = None,
    label: options.LabelColumn = None,
    unseen: options.Unseen = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    decimal: options.Decimal = None,
    thousands: options.Thousands = None,
    missing_values: options.MissingValues = None,
    metrics: options.Metrics = None,
    show_all: options.AllTasks = False,
    as_json: options.Json = False,
) -> None:
    """Compare the forecast of every task with its error on rows that were not fitted."""
    output = Output(as_json)
    dialect = options.checked_dialect(delimiter, encoding, decimal, thousands, missing_values)
    scoring = Scoring.of_file(model, {"task": task, "label": label}, unseen, dialect)
    scores = check_scores("--metrics", listed(metrics), len(scoring.model.classes_))
    answered: list[AnsweredRows] = []  # kept where scores are asked for that do not add
    with sources(data or ()) as files, output.progress("scoring", n_rows_of(files)) as advance:
        fitted = FittedRows(scoring.model)
        counted = _counted(scoring, files, advance, answered if scores else None, fitted)
    for note in (*scoring.notes(), *unlabelled_note(scoring.tally, "scored"), *fitted.notes()):
        output.note(note)
    errors = _task_errors(scoring.model, counted)
    ids = [of.task for of in errors]
    found = Compared.of(answered, ids, scores, scoring.model) if scores else None
    _show(errors, output, show_all, found)


def _counted(
    scoring: Scoring,
    files: list[Path],
    advance: Advance,
    answered: list[AnsweredRows] | None,
    fitted: FittedRows,
) -> ByTask:
    """Numbers of rows, then of wrong rows, of every class of every task."""

    def counted(_: Chunk, usable: UsableRows) -> ByTask | None:
        rows = usable.rows.with_labels()
        if not len(rows.X):
            return None
        fitted.look(rows)
        return _of_rows(scoring.model, rows, answered)

    parts = (part for part in scoring.each(files, counted, advance) if part is not None)
    first = next(parts, None)
    if first is None:
        raise ValueError("no row has a label and all other values that are needed")
    return reduce(add, parts, first)


def _of_rows(model: Any, rows: FileRows, answered: list[AnsweredRows] | None) -> ByTask:
    task = (
        CodedIds.constant(model.tasks_.tolist()[0], len(rows.X)) if rows.task is None else rows.task
    )
    label = rows.label
    if label is None:
        raise ValueError("there are no labels to compare with")
    places = identifiers.lookup(model.classes_, label.ids)
    unknown = label.ids[(places < 0) & np.isin(np.arange(len(label.ids)), label.codes)].tolist()
    if unknown:
        raise ValueError(
            f"label {unknown[0]!r} is not a class of the model; its classes are "
            f"{', '.join(map(repr, model.classes_.tolist()))}"
        )
    ids = None if rows.task is None else task.values()
    truth = np.eye(len(model.classes_))[places[label.codes]]
    found = model.predict(rows.X, task=ids)
    if answered is not None:
        p, answers = model.predict_proba(rows.X, task=ids), np.asarray(found)
        answered.append(AnsweredRows.of(task, places[label.codes], answers, p, model.classes_))
    wrong = ~identifiers.same(np.asarray(found), label.values())
    return ByTask.of_rows(task, np.hstack([truth, truth * wrong[:, None]]))


def _task_errors(model: Any, counted: ByTask) -> list[TaskError]:
    """Errors of all tasks, those with most rows first."""
    n, wrong = np.hsplit(counted.sums, 2)
    total = n.sum(axis=1)
    place = identifiers.lookup(model.tasks_, counted.tasks)
    known = place >= 0
    priors = check_priors(model.priors, model.moments_.counts)
    share = np.where(known[:, None], priors[place], priors.mean(axis=0)) * (n > 0)
    share = share / share.sum(axis=1, keepdims=True)
    rate, doubt = wrong / np.maximum(n, 1.0), (wrong + 0.5) / (n + 1.0)
    error = (share * rate).sum(axis=1)
    deviation = np.sqrt((share**2 * doubt * (1.0 - doubt) / np.maximum(n, 1.0)).sum(axis=1))
    forecast = np.where(known, model.forecast_error_[place], np.nan)
    ends = np.where(known[:, None], model.forecast_interval_[place], np.nan)
    away = error - forecast
    nearest = np.where(away < 0, ends[:, 0], ends[:, 1])
    # Variances add: that of the forecast, and that of an error on few rows.
    is_inside = np.abs(away) <= np.hypot(nearest - forecast, _NINETY * deviation)
    inside = [bool(i) if np.isfinite(f) else None for i, f in zip(is_inside, forecast, strict=True)]
    wrong_share = wrong.sum(axis=1) / total
    columns = (total.astype(int), wrong_share, error, deviation, forecast, ends, inside)
    errors = [TaskError(*row) for row in zip(counted.tasks.tolist(), *columns, strict=True)]
    return sorted(errors, key=lambda found: -found.rows)


def _show(errors: list[TaskError], output: Output, show_all: bool, scores: Compared | None) -> None:
    shown = errors if show_all else errors[: tasks.SHOWN]
    rows = [
        [
            name_of(of.task),
            f"{of.rows:,}",
            percent(of.wrong),
            f"{percent(of.actual_error)} ± {100 * of.standard_deviation:.1f}",
            percent(of.forecast_error),
            interval(of.forecast_interval),
            "" if of.inside is None else "yes" if of.inside else "no",
        ]
        for of in shown
    ]
    n_rows = int(sum(of.rows for of in errors))
    wrong = float(sum(of.rows * of.wrong for of in errors) / n_rows)
    fitted = [of for of in errors if of.inside is not None]
    actual, forecast = (
        float(np.mean(column)) if fitted else np.nan
        for column in ([of.actual_error for of in fitted], [of.forecast_error for of in fitted])
    )
    n_inside = sum(of.inside is True for of in fitted)
    head = ["task", "rows", "wrong", "actual error", "forecast", "90 % interval", "inside"]
    means = map(percent, (wrong, actual, forecast))
    last = ["all", f"{n_rows:,}", *means, "", f"{n_inside} of {len(fitted)}"]
    output.table(tasks.heading(len(errors), len(shown), "most rows"), head, rows, last)
    output.say(
        "Actual: the mean error of the classes, weighted as in the forecast, ± a standard "
        "deviation for this number of rows, which inside allows for."
    )
    if scores is not None:
        scores.show(errors, len(shown), output)
    output.result(
        rows=n_rows,
        wrong=wrong,
        actual_error=actual,
        forecast_error=forecast,
        inside=n_inside,
        tasks=[of._asdict() | _metrics(scores, i) for i, of in enumerate(errors)],
        **({} if scores is None else {"metrics": scores.overall()}),
    )


def _metrics(scores: Compared | None, t: int) -> dict[str, Any]:
    return {} if scores is None else {"metrics": scores.as_json(t)}
