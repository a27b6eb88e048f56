"""Arguments of the caller → a checked request: where features, tasks, labels and weights are."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np

from kinspan._validation.parameters import check_positive
from kinspan.tables.dialect import Dialect

ROLES = ("task", "label", "sample_weight")


class Request(NamedTuple):
    """Where features, tasks, labels and weights are, and how rows are read."""

    task: Any  # a column, a .npy file next to a matrix, values, a function of the path, or None
    label: Any
    sample_weight: Any
    features: tuple[str, ...] | str | None  # columns, one column of vectors, or all numeric ones
    as_text: frozenset[str]  # columns whose ids are text, whatever they look like
    dialect: Dialect  # of text files
    batch_rows: int | None
    unlabelled: Any = None  # the label that stands for none, besides missing ones

    def columns(self) -> dict[str, str]:
        """The columns of a table that have a role."""
        named = {role: getattr(self, role) for role in ROLES}
        return {role: name for role, name in named.items() if isinstance(name, str)}

    def rows_at_once(self, n_features: int) -> int:
        """Rows per batch: about 16 MB of numbers, whatever the number of features."""
        if self.batch_rows is not None:
            return self.batch_rows
        return int(np.clip((1 << 21) // max(n_features, 1), 16, 1 << 18))


def check_request(
    task: Any,
    label: Any,
    sample_weight: Any,
    features: Any,
    as_text: Any,
    dialect: Dialect,
    batch_rows: Any,
    unlabelled: Any = None,
) -> Request:
    """A request whose arguments are valid and do not contradict each other."""
    if features is not None and not isinstance(features, str):
        features = _names("features", features)
    texts = frozenset(_names("as_text", [as_text] if isinstance(as_text, str) else as_text))
    if batch_rows is not None:
        batch_rows = check_positive("batch_rows", batch_rows)
    task, label, sample_weight = (
        os.fspath(given) if isinstance(given, os.PathLike) else given
        for given in (task, label, sample_weight)
    )
    places = task, label, sample_weight, features
    request = Request(*places, texts, dialect, batch_rows, unlabelled)
    _check_roles(request)
    return request


def check_values(request: Request, n_files: int) -> None:
    """Values belong to the rows of a single file."""
    for role in ROLES:
        value = getattr(request, role)
        if n_files > 1 and not is_constant(value) and not callable(value):
            raise ValueError(
                f"{role} is given as values, but there are {n_files} files; pass the name of a "
                f".npy file next to each, such as '{{stem}}_{role}.npy', or a function of the path"
            )


def is_constant(value: Any) -> bool:
    """Whether a value is one for all rows of a file."""
    return isinstance(value, (str, bytes, tuple)) or not hasattr(value, "__len__")


def _names(argument: str, names: Any) -> tuple[str, ...]:
    is_set = isinstance(names, (set, frozenset)) and argument == "features"  # has no order
    try:
        given = [None] if is_set else list(names)
    except TypeError:
        given = [None]
    if not all(isinstance(name, str) for name in given):
        raise ValueError(f"{argument}={names!r}; use a list of column names")
    if len(set(given)) < len(given):
        raise ValueError(f"{argument}={given!r} names a column twice")
    if argument == "features" and not given:
        raise ValueError("features=[] leaves nothing to learn from; name columns, or use None")
    return tuple(str(name) for name in given)


def _check_roles(request: Request) -> None:
    features = request.features if isinstance(request.features, tuple) else ()
    taken: dict[str, str] = {}
    for role, name in request.columns().items():
        if name in taken:
            raise ValueError(f"{taken[name]} and {role} are both column {name!r}; name two columns")
        if name in features:
            raise ValueError(f"column {name!r} is named as {role} and among the features")
        taken[name] = role
    unknown = sorted(request.as_text - set(taken))
    if unknown:
        raise ValueError(f"as_text names {unknown[0]!r}, which is neither the task nor the label")
    for role in ROLES:
        value = getattr(request, role)
        is_id = is_constant(value) and not callable(value) and not isinstance(value, str)
        if value is not None and is_id:
            raise ValueError(
                f"{role}={value!r}; use the name of a column, or lambda path: {value!r}"
            )
