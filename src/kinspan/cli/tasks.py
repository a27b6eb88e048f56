"""A fitted model → the task of a given name, and the cells of tables about tasks."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

import numpy as np

from kinspan._validation.messages import some
from kinspan.answers._table import percent, points
from kinspan.cli.output import name_of

SHOWN = 30


def task_named(model: Any, text: str) -> Any:
    """The id of the task with this name: 7 may be a number or text."""
    ids = model.tasks_.tolist()
    by_name = {name_of(task): task for task in ids}
    if text in by_name:
        return by_name[text]
    for task in ids:
        if isinstance(task, (int, float)) and _is_number(text) and float(text) == task:
            return task
    near = get_close_matches(text, by_name, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else f"; there are {some(list(by_name))}"
    raise ValueError(f"--task {text}: the model has no such task{hint}")


def by_need(model: Any) -> list[int]:
    """Positions of the tasks, those with the largest forecast error first."""
    known = np.nan_to_num(model.forecast_error_, nan=2.0)
    return [int(t) for t in np.argsort(-known, kind="stable")]


def labels_of(model: Any, t: int) -> str:
    """The number of labels in each class of a task."""
    return counted(model.moments_.counts[t].tolist())


def counted(counts: list[float]) -> str:
    """A few numbers, or the range of many."""
    if len(counts) <= 4:
        return " / ".join(f"{n:,.6g}" for n in counts)
    return f"{min(counts):,.6g} to {max(counts):,.6g}"


def labels_title(model: Any) -> str:
    """The heading for a column of `labels_of`."""
    names = [name_of(label) for label in model.classes_.tolist()]
    return f"labels {' / '.join(names)}" if len(names) <= 4 else "labels per class"


def interval(ends: Any) -> str:
    """The ends of an interval of error rates."""
    low, high = (float(end) for end in ends)
    return f"{percent(low).removesuffix(' %')} to {percent(high)}"


def errors_of(model: Any, t: int) -> list[str]:
    """Forecast, its interval, the error of the task alone, and the gain."""
    return [
        percent(model.forecast_error_[t]),
        interval(model.forecast_interval_[t]),
        percent(model.single_task_error_[t]),
        points(model.transfer_gain_[t]),
    ]


def heading(n_tasks: int, shown: int, what: str) -> str:
    """The title of a table of tasks, which may show only some."""
    more = f"; the {shown} with the {what} (--all shows all)" if shown < n_tasks else ""
    return f"{n_tasks:,} task{'s' * (n_tasks != 1)}{more}"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
