"""`kinspan evaluate`: a model and labelled rows → actual errors next to the forecasts."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kinspan._rows import identifiers
from kinspan._rows.types import Floats
from kinspan._validation.parameters import check_priors
from kinspan.answers._table import percent
from kinspan.cli import options, stored, tasks
from kinspan.cli.output import Output, name_of
from kinspan.cli.places import sources
from kinspan.tables.encoding import encode
from kinspan.tables.errors import naming_file
from kinspan.tables.fills import ByTask, Fills
from kinspan.tables.ids import CodedIds
from kinspan.tables.reader import Reader
from kinspan.tables.reading import n_rows_of
from kinspan.tables.rows import Rows
from kinspan.tables.tally import Advance, Tally

EXAMPLES = """
Examples:

kinspan evaluate model.kinspan test.csv
kinspan evaluate model.kinspan 'test/*.parquet' --all --json
"""


_NINETY = 1.645  # standard deviations to either side hold 90 %


class Actual(NamedTuple):
    """Errors on rows of tasks, the tasks with most rows first."""

    tasks: list[Any]
    n_rows: Floats
    of_rows: Floats  # the share of wrong rows
    error: Floats  # the same, classes weighted as in the forecast
    deviation: Floats  # its standard deviation for this number of rows
    forecast: Floats  # NaN for tasks that were not fitted
    interval: Floats  # (tasks, 2)


def evaluate(
    model: options.ModelFile,
    data: options.Data = None,
    task: options.TaskColumn = None,
    label: options.LabelColumn = None,
    unseen: options.Unseen = None,
    delimiter: options.Delimiter = None,
    show_all: options.AllTasks = False,
    as_json: options.Json = False,
) -> None:
    """Compare the forecast of every task with its error on rows that were not fitted."""
    output = Output(as_json)
    read = stored.read_model(model)
    recipe = stored.table_recipe(read, model, task, label)
    if recipe.label is None:
        raise ValueError(f"{model} does not say which column holds the label; use --label")
    reader = Reader(recipe, ("task", "label"), "the model", options.checked_delimiter(delimiter))
    fills = Fills.of_model(read.value) if recipe.missing == "mean" else None
    fitted, tally = stored.for_arrays(read.value, unseen), Tally()
    with sources(data or ()) as files, output.progress("scoring", n_rows_of(files)) as advance:
        counted = _counted(fitted, files, reader, fills, tally, advance)
    for note in tally.notes():
        output.note(note)
    _show(_actual(fitted, counted), output, show_all)


def _counted(
    model: Any,
    files: list[Path],
    reader: Reader,
    fills: Fills | None,
    tally: Tally,
    advance: Advance,
) -> ByTask:
    """Numbers of rows, then of wrong rows, of every class of every task."""
    found: ByTask | None = None
    for path in files:
        for chunk in reader.chunks(path):
            with naming_file(path):
                rows = encode(chunk, reader, fills, tally).rows
                part = _of_rows(model, rows) if len(rows.X) else None
            if part is not None:
                found = part if found is None else found + part
            advance(chunk.columns.num_rows)
    if found is None:
        raise ValueError("no row has all values that are needed")
    return found


def _of_rows(model: Any, rows: Rows) -> ByTask:
    task = (
        CodedIds.constant(model.tasks_.tolist()[0], len(rows.X)) if rows.task is None else rows.task
    )
    label = rows.label
    if label is None:
        raise ValueError("there are no labels to compare with")
    places = identifiers.lookup(model.classes_, label.ids)
    strange = label.ids[(places < 0) & np.isin(np.arange(len(label.ids)), label.codes)].tolist()
    if strange:
        raise ValueError(
            f"label {strange[0]!r} is no class of the model; its classes are "
            f"{', '.join(map(repr, model.classes_.tolist()))}"
        )
    truth = np.eye(len(model.classes_))[places[label.codes]]
    found = model.predict(rows.X, task=None if rows.task is None else task.values())
    wrong = ~identifiers.same(np.asarray(found), label.values())
    return ByTask.of_rows(task, np.hstack([truth, truth * wrong[:, None]]))


def _actual(model: Any, counted: ByTask) -> Actual:
    n, wrong = np.hsplit(counted.sums, 2)
    place = identifiers.lookup(model.tasks_, counted.tasks)
    known = place >= 0
    priors = check_priors(model.priors, model.moments_.counts)
    share = np.where(known[:, None], priors[place], priors.mean(axis=0)) * (n > 0)
    share = share / share.sum(axis=1, keepdims=True)
    rate, doubt = wrong / np.maximum(n, 1.0), (wrong + 0.5) / (n + 1.0)
    order = np.argsort(-n.sum(axis=1), kind="stable")
    interval = np.where(known[:, None], model.forecast_interval_[place], np.nan)
    columns = (
        n.sum(axis=1),
        wrong.sum(axis=1) / n.sum(axis=1),
        (share * rate).sum(axis=1),
        np.sqrt((share**2 * doubt * (1.0 - doubt) / np.maximum(n, 1.0)).sum(axis=1)),
        np.where(known, model.forecast_error_[place], np.nan),
        interval,
    )
    return Actual(counted.tasks[order].tolist(), *(column[order] for column in columns))


def _inside(actual: Actual) -> Any:
    """Whether an error lies in its interval, up to the noise of this number of rows."""
    away = actual.error - actual.forecast
    ends = np.where(away < 0, actual.interval[:, 0], actual.interval[:, 1])
    return np.abs(away) <= np.hypot(ends - actual.forecast, _NINETY * actual.deviation)


def _show(actual: Actual, output: Output, show_all: bool) -> None:
    n_tasks = len(actual.tasks)
    shown = n_tasks if show_all else min(n_tasks, tasks.SHOWN)
    inside, fitted = _inside(actual), np.isfinite(actual.forecast)
    rows = [
        [
            name_of(actual.tasks[i]),
            f"{actual.n_rows[i]:,.0f}",
            percent(actual.of_rows[i]),
            f"{percent(actual.error[i])} ± {100 * actual.deviation[i]:.1f}",
            percent(actual.forecast[i]),
            tasks.interval(actual.interval[i]),
            ("yes" if inside[i] else "no") if fitted[i] else "",
        ]
        for i in range(shown)
    ]
    overall = float(actual.n_rows @ actual.of_rows / actual.n_rows.sum())
    means = [float(v[fitted].mean()) if fitted.any() else np.nan for v in actual[3:6:2]]
    count = f"{int(inside[fitted].sum())} of {int(fitted.sum())}"
    head = ["task", "rows", "wrong", "actual error", "forecast", "90 % interval", "inside"]
    last = ["all", f"{actual.n_rows.sum():,.0f}", percent(overall), *map(percent, means), "", count]
    output.table(tasks.heading(n_tasks, shown, "most rows"), head, rows, last)
    output.say(
        "Actual: the mean error of the classes, weighted as in the forecast, ± a standard "
        "deviation for so few rows, which inside allows for."
    )
    output.result(
        rows=int(actual.n_rows.sum()),
        wrong=overall,
        actual_error=means[0],
        forecast_error=means[1],
        inside=int(inside[fitted].sum()),
        tasks=[_result(actual, i, bool(inside[i])) for i in range(n_tasks)],
    )


def _result(actual: Actual, i: int, inside: bool) -> dict[str, Any]:
    is_fitted = bool(np.isfinite(actual.forecast[i]))
    return {
        "task": actual.tasks[i],
        "rows": int(actual.n_rows[i]),
        "wrong": actual.of_rows[i],
        "actual_error": actual.error[i],
        "standard_deviation": actual.deviation[i],
        "forecast_error": actual.forecast[i],
        "forecast_interval": actual.interval[i],
        "inside": inside if is_fitted else None,
    }
