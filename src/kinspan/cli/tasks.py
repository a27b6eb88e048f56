"""A fitted model → the task of a given name, and the cells of tables about tasks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kinspan._rows.types import Ids
from kinspan._validation.messages import near, some
from kinspan.cli.output import name_of

SHOWN = 30
_NOTHING = {  # what pandas reads as missing, and two signs
    *("#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN"),
    *("<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null", "?", "-"),
}


def task_named(model: Any, text: str) -> Any:
    """The id of the task with this name: 7 may be a number or text."""
    return _named(model.tasks_.tolist(), text, f"--task {text}: the model has no such task")


def class_named(classes: Ids, text: str) -> Any:
    """The class with this name, for --pos-label."""
    return _named(classes.tolist(), text, f"--pos-label {text}: there is no such class")


def _named(ids: list[Any], text: str, problem: str) -> Any:
    by_name = {name_of(one): one for one in ids}
    if text in by_name:
        return by_name[text]
    for one in ids:
        if isinstance(one, (int, float)) and _is_number(text) and float(text) == one:
            return one
    names = list(by_name)
    raise ValueError(problem + (near(text, names) or f"; there are {some(names)}"))


def written_alike(names: Sequence[Any]) -> tuple[str, str] | None:
    """Two names that differ in spaces or capitals only, as in tables that people have typed."""
    first: dict[str, str] = {}
    for name in names:
        if isinstance(name, str):
            other = first.setdefault("".join(name.split()).casefold(), name)
            if other != name:
                return other, name
    return None


def stands_for_nothing(names: Sequence[Any]) -> list[str]:
    """Names that most tables write where a value is missing: NA, n/a, ?."""
    return [n for n in names if isinstance(n, str) and n.strip() in _NOTHING]


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
