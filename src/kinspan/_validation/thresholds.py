"""The parameter `threshold` → a goal, or nothing."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from kinspan._rows.types import Floats
from kinspan._validation.numbers import is_number
from kinspan._validation.scores import check_cost_matrix, read_level

_WITHOUT_LEVEL = ("error", "cost", "f1")
_SHARES = ("precision", "budget")
_WAYS_IN_TEXT = "use error, cost, f1, precision=0.8, budget=5% or 'cost=0 1; 5 0'"
_WAYS = "use None, 'error', 'cost', 'f1', {'precision': 0.8}, {'budget': 0.05} or {'cost': matrix}"


class AskedThreshold(NamedTuple):
    """What a threshold is for."""

    name: str  # "error", "cost", "f1", "precision" or "budget"
    level: Any = None  # a share, or a matrix of costs
    together: bool = False  # one for all tasks


def check_threshold(given: Any) -> AskedThreshold | None:
    """A goal, as text or {goal: level}; {..., "tasks": "all"} is one threshold for all tasks."""
    if given is None:
        return None
    named = {given: None} if isinstance(given, str) else given
    if not isinstance(named, dict):
        raise ValueError(f"threshold={given!r}; {_WAYS}")
    named = dict(named)
    tasks = named.pop("tasks", "each")
    if tasks not in ("each", "all"):
        raise ValueError(f"threshold={given!r}: tasks is {tasks!r}; use 'each' or 'all'")
    if len(named) != 1:
        raise ValueError(f"threshold={given!r} needs one goal; {_WAYS}")
    ((name, level),) = named.items()
    return AskedThreshold(name, _level(given, name, level), tasks == "all")


def read_threshold(text: str | None) -> dict[str, Any] | None:
    """The same from text, such as f1, precision=0.8, 'cost=0 1; 5 0' or 'budget=5%, tasks=all'."""
    if text is None:
        return None
    found: dict[str, Any] = {}
    for part in text.split(","):
        name, equal, level = part.strip().partition("=")
        found[name] = read_level(level) if equal else None
    try:
        check_threshold(found)
    except ValueError as error:
        said = str(error).replace(f"threshold={found!r}", f"--threshold {text!r}")
        said = said.replace("give an array of numbers", "give a matrix such as 0 1; 5 0")
        raise ValueError(said.replace(_WAYS, _WAYS_IN_TEXT)) from error
    return found


def _level(given: Any, name: Any, level: Any) -> Any:
    if name == "cost" and level is not None:
        return check_cost_matrix(f"threshold={given!r}", level, 2)
    if name in _WITHOUT_LEVEL and level is None:
        return None
    if name in _SHARES and is_number(level) and not isinstance(level, bool) and 0 < level < 1:
        return float(level)
    raise ValueError(f"threshold={given!r}; {_WAYS}")


def check_can_have_threshold(n_classes: int, has_rows: bool) -> None:
    """Thresholds are for two classes, and come from left-out rows."""
    if n_classes != 2:
        raise ValueError(
            f"threshold is for two classes, and y has {n_classes}; use threshold=None, and "
            "class_weight for costs"
        )
    if not has_rows:
        raise ValueError(
            "threshold comes from left-out rows, and none are kept; use row_sample=100, or "
            "threshold=None"
        )


def warn_of_frequent_class(asked: AskedThreshold | None, pos_label: Any, moments: Any) -> None:
    """A budget, a precision and F1 are of one class, usually the rarer one."""
    if asked is None or asked.name in ("error", "cost") or pos_label is not None:
        return
    counts, classes = moments.counts.sum(axis=0), moments.classes.tolist()
    if len(classes) == 2 and counts[1] > counts[0]:
        warnings.warn(
            f"threshold {asked.name!r} is about {classes[1]!r}, the second class in sorted order "
            f"and the more frequent one; pass pos_label={classes[0]!r} if the other is meant, or "
            f"pos_label={classes[1]!r}",
            stacklevel=2,
        )


def warn_of_no_threshold(asked: AskedThreshold | None, moments: Any) -> None:
    """A row can be left out where there is another one of its class."""
    if asked is None:
        return
    alone = np.flatnonzero((moments.counts < 2.0).all(axis=0))
    if len(alone):
        warnings.warn(
            f"threshold {asked.name!r} is not known yet: no task has two rows of class "
            f"{moments.classes.tolist()[alone[0]]!r}, one of which could be left out. Until then "
            "answers are those of threshold=None",
            stacklevel=2,
        )


def goal_costs(asked: AskedThreshold, costs: Floats, n_tasks: int) -> Floats:
    """(tasks, 2, 2): of an error, of errors in each class, or as given."""
    if asked.level is not None:
        return np.broadcast_to(asked.level, (n_tasks, 2, 2))
    of_errors = np.ones((n_tasks, 2)) if asked.name == "error" else costs
    of_errors = np.broadcast_to(of_errors, (n_tasks, 2))
    found = np.zeros((n_tasks, 2, 2))
    found[:, 0, 1], found[:, 1, 0] = of_errors.T
    return found
