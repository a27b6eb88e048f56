"""Digits and Gaussian tasks → the tables and the picture of `kinspan demo`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kinspan import ClassMoments, MultiTaskSPCA, task_report
from kinspan._rows.types import Floats
from kinspan.datasets import gaussian_mixture, load_digit_pairs, related_means
from kinspan.displays import ForecastDisplay
from kinspan.displays._canvas import ALONE, OURS, POOLED, as_percent

SIMILARITIES = (1.0, 0.95, 0.9, 0.8, 0.6, 0.4, 0.2, 0.0, -0.4, -0.7, -0.9)
DRAWS = 10


class TaskTable(NamedTuple):
    """Errors of every task, averaged over draws of the training rows."""

    title: str  # which data
    tasks: list[str]  # names
    labels: Floats  # labels available
    forecast: Floats  # the error that the fit predicts, before any test
    actual: Floats  # the error on test rows
    alone: Floats  # the same, every task on its own
    naive: Floats  # the same, all tasks pooled as if they were one


def digit_table() -> TaskTable:
    """The 45 pairs of scikit-learn's digits, five labels per class, no image twice in a draw."""
    worlds = [load_digit_pairs(n_per_class=5, random_state=draw) for draw in range(DRAWS)]
    pairs = [((w.X, w.y, w.task), (w.X_test, w.y_test, w.task_test)) for w in worlds]
    return _table("45 pairs of digits, 5 labels per class", pairs)


def gaussian_table() -> TaskTable:
    """The paper's model: means ∓μ_t of norm 1 with given similarities, unit noise."""
    pairs = [_gaussian_rows(draw) for draw in range(DRAWS)]
    return _table("The paper's Gaussian model, p = 100, 50 labels per class", pairs)


def _gaussian_rows(draw: int) -> tuple[Any, Any]:
    """Rows to learn from, and rows to test on."""
    name = np.array([f"similarity {beta:+.2f}" for beta in SIMILARITIES])
    train = gaussian_mixture(related_means(SIMILARITIES, 100), 50, random_state=draw)
    test = train.sample(500, random_state=draw)
    return (train.X, train.y, name[train.task]), (test.X, test.y, name[test.task])


def _table(title: str, draws: list[tuple[Any, Any]]) -> TaskTable:
    columns = np.mean([_columns(train, test) for train, test in draws], axis=0)
    X, y, task = draws[0][0]
    moments = ClassMoments.from_samples(X, y, task)
    return TaskTable(title, [str(t) for t in moments.tasks], moments.counts.sum(axis=1), *columns)


def _columns(train: Any, test: Any) -> list[Floats]:
    """Forecast, actual, alone and naive errors of every task in one draw."""
    X, y, task = train
    ours, alone, naive = (
        MultiTaskSPCA(labels=rule).fit(X, y, task=task) for rule in ("auto", "single", "naive")
    )
    return [ours.forecast_error_, *(_errors(model, *test) for model in (ours, alone, naive))]


def _errors(model: MultiTaskSPCA, X: Any, y: Any, task: Any) -> Floats:
    return np.asarray(task_report(y, model.predict(X, task=task), task).error_rate)


def as_text(table: TaskTable) -> str:
    """One line per task, and the means."""
    width = max(len(name) for name in [*table.tasks, "mean"])
    columns = np.column_stack([table.forecast, table.actual, table.alone, table.naive])
    head = f"{'task':<{width}}  labels  forecast  actual   alone   naive"
    lines = [
        f"{name:<{width}}  {labels:6.0f}  " + _percentages(row)
        for name, labels, row in zip(table.tasks, table.labels, columns, strict=True)
    ]
    mean = f"{'mean':<{width}}  {table.labels.mean():6.0f}  " + _percentages(columns.mean(axis=0))
    return "\n".join([table.title, "", head, *lines, "-" * len(head), mean])


def _percentages(row: Floats) -> str:
    return f"{row[0]:8.1%}  {row[1]:6.1%}  {row[2]:6.1%}  {row[3]:6.1%}"


def draw(digits: TaskTable, path: Path) -> None:
    """The errors of every task alone and together, and the forecasts of one fit."""
    from matplotlib.figure import Figure  # noqa: PLC0415  # optional: only the picture needs it

    figure = Figure(figsize=(11, 4.6), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1.35, 1))
    _errors_of_tasks(left, digits)
    _forecasts(right)
    figure.savefig(path, dpi=130)


def _errors_of_tasks(axes: Any, table: TaskTable) -> None:
    """Alone and together; errors of pooling above the picture are marked at its edge."""
    place = np.argsort(np.argsort(table.alone, kind="stable"))
    top = 1.25 * table.alone.max()
    axes.vlines(place, table.alone, table.actual, color="0.75", linewidth=2, zorder=1)
    beyond = table.naive > top
    pooled = {"marker": "x", "color": POOLED, "s": 26}
    label = f"all pooled, {100 * table.naive.mean():.1f} % on average"
    axes.scatter(place[~beyond], table.naive[~beyond], label=label, zorder=2, **pooled)
    if beyond.any():
        edge = {**pooled, "marker": "^", "label": "all pooled, above the picture"}
        axes.scatter(place[beyond], np.full(beyond.sum(), top), **edge)
    for errors, colour, name in (
        (table.alone, ALONE, "every task alone"),
        (table.actual, OURS, "kinspan"),
    ):
        label = f"{name}, {100 * errors.mean():.1f} %"
        axes.scatter(place, errors, color=colour, s=28, label=label, zorder=2)
    axes.set_title(f"{table.title}, mean of {DRAWS} fits", fontsize=11)
    axes.set(
        xlabel="tasks, from the easiest to the hardest", xticks=[], ylabel="error on test rows"
    )
    axes.set_ylim(-0.03 * top, 1.05 * top)
    as_percent(axes.yaxis)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(
        frameon=False, fontsize=10, ncols=2, loc="upper center", bbox_to_anchor=(0.5, -0.08)
    )


def _forecasts(axes: Any) -> None:
    """The forecasts of a single fit, not averaged over draws."""
    (X, y, task), (X_test, y_test, task_test) = _gaussian_rows(0)
    model = MultiTaskSPCA().fit(X, y, task=task)
    ForecastDisplay.from_estimator(model, X_test, y_test, task=task_test, ax=axes)
    axes.set_title("One fit on simulated tasks, 50 labels per class", fontsize=11, loc="right")
    axes.set_ylabel("")
    axes.legend(
        frameon=False, fontsize=10, ncols=2, loc="upper center", bbox_to_anchor=(0.4, -0.14)
    )


def run(path: Path) -> None:
    """Print both tables, and write the picture if matplotlib is installed."""
    digits, gaussian = digit_table(), gaussian_table()
    for table in (digits, gaussian):
        print(as_text(table), end="\n\n")
    print(f"Means over {DRAWS} draws. forecast: by the fit, from its labels alone;")
    print("actual: error on test rows; alone: the same, every task on its own; naive: all pooled.")
    if find_spec("matplotlib") is None:
        print("\nNo picture: it needs matplotlib; run pip install 'kinspan[plot]'")
        return
    draw(digits, path)
    print(f"\nPicture: {path}")
