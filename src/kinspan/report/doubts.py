"""What is doubtful about the data: classes with few labels or none, features that never vary."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kinspan import _validation
from kinspan._rows.types import Codes, Floats, Mask
from kinspan.class_moments import ClassMoments
from kinspan.report._plain import named

FEW_LABELS = 5
_MOST_NAMED = 12
_STILL = 1e-24  # of the squared size: what rounding leaves of no variance

Speak = Callable[[int], str]


def doubts(model: Any, order: Codes) -> list[dict[str, Any]]:
    """Kinds of doubt that are there: what each means, and the tasks or features it is about."""
    found = [*_of_tasks(model, order), *_of_forecasts(model, order), *_of_features(model)]
    return [doubt for doubt in found if doubt["tasks"] or doubt["features"] or doubt["general"]]


def doubts_of_tasks(found: list[dict[str, Any]], n_tasks: int) -> list[list[str]]:
    """The kinds of doubt about every task."""
    kinds: list[list[str]] = [[] for _ in range(n_tasks)]
    for doubt in found:
        for task, _ in doubt["tasks"]:
            kinds[task].append(doubt["kind"])
    return kinds


def _doubt(
    kind: str,
    meaning: str,
    tasks: list[tuple[int, str]] | None = None,
    features: list[str] | None = None,
    general: bool = False,
) -> dict[str, Any]:
    return {
        "kind": kind,
        "meaning": meaning,
        "tasks": [list(pair) for pair in tasks or []],
        "features": features or [],
        "general": general,
    }


def _where(order: Codes, mask: Mask, speak: Speak) -> list[tuple[int, str]]:
    return [(place, speak(int(t))) for place, t in enumerate(order) if mask[t]]


def _of_tasks(model: Any, order: Codes) -> list[dict[str, Any]]:
    moments, names = model.moments_.effective(), named(model.classes_)
    counts, n_classes = moments.counts, moments.present.sum(axis=1)
    tiny = moments.present & (counts < FEW_LABELS)
    usual = n_classes > 1
    lacking = usual & (n_classes < counts.shape[1])
    repeated = (counts > 1) & (moments.squares <= _STILL * _squared_size(moments)).all(axis=2)

    def sizes(cells: Mask) -> Speak:
        return lambda t: _listed(
            [f"{names[j]}: {counts[t, j]:.4g}" for j in np.flatnonzero(cells[t])]
        )

    def classes(cells: Mask) -> Speak:
        return lambda t: _listed([names[j] for j in np.flatnonzero(cells[t])])

    return [
        _doubt("no labels", _NO_LABELS, _where(order, n_classes == 0, lambda t: "none at all")),
        _doubt("one class", _ONE_CLASS, _where(order, n_classes == 1, sizes(moments.present))),
        _doubt("tiny class", _TINY, _where(order, usual & tiny.any(axis=1), sizes(tiny))),
        _doubt(
            "missing class",
            _MISSING[model.unseen_classes],
            _where(order, lacking, classes(~moments.present)),
        ),
        _doubt("same rows", _SAME, _where(order, repeated.any(axis=1), classes(repeated))),
    ]


def _of_forecasts(model: Any, order: Codes) -> list[dict[str, Any]]:
    unknown = ~np.isfinite(model.forecast_error_)
    tasks = _where(order, unknown, lambda t: "not known")
    return [
        _doubt("no forecast", _UNKNOWN, tasks),
        _doubt("formula", _FORMULA, general=model.sample_ is None),
    ]


def _of_features(model: Any) -> list[dict[str, Any]]:
    moments, names = model.moments_, _feature_names(model)
    still = _is_still(moments)
    between = _differs_between_classes(moments)
    varies_somewhere = bool((moments.counts > 1).any())
    revealing = still & between if varies_somewhere else np.zeros_like(still)
    return [
        _doubt("revealing feature", _REVEALING, features=_chosen(names, revealing)),
        _doubt("constant feature", _CONSTANT, features=_chosen(names, still & ~between)),
    ]


def _squared_size(moments: ClassMoments) -> Floats:
    """(tasks, classes, features): n times the squared mean."""
    return np.asarray(moments.counts[..., None] * moments.means**2)


def _is_still(moments: ClassMoments) -> Mask:
    """(features,): no variance within any class of any task."""
    within, size = moments.squares.sum(axis=(0, 1)), _squared_size(moments).sum(axis=(0, 1))
    return np.asarray(within <= _STILL * size)


def _differs_between_classes(moments: ClassMoments) -> Mask:
    """(features,): whether the classes of some task have different means."""
    there = moments.present[..., None]
    low = np.where(there, moments.means, np.inf).min(axis=1)
    high = np.where(there, moments.means, -np.inf).max(axis=1)
    size = np.abs(moments.means).max(axis=(0, 1))
    return np.asarray((high - low > np.sqrt(_STILL) * size).any(axis=0))


def _feature_names(model: Any) -> list[str]:
    names, column = _validation.names_of(model), model.task_column
    n_features = model.moments_.n_features
    if names is None:
        return [f"feature {i}" for i in range(n_features)]
    column = names[column] if isinstance(column, int) else column
    return [name for name in names if name != column]


def _chosen(names: list[str], mask: Mask) -> list[str]:
    """Some names, and how many more there are."""
    places = np.flatnonzero(mask)
    more = len(places) - _MOST_NAMED
    return [str(names[i]) for i in places[:_MOST_NAMED]] + [f"and {more:,} more"] * (more > 0)


def _listed(parts: list[str]) -> str:
    more = len(parts) - _MOST_NAMED
    return ", ".join(parts[:_MOST_NAMED] + [f"and {more:,} more"] * (more > 0))


_NO_LABELS = (
    "These tasks have no labels. They use the rule that the others agree on, and their forecast is "
    "that of known tasks which pretend to be new."
)
_ONE_CLASS = (
    "These tasks have labels of a single class. Where other tasks know it, they use the rule that "
    "the others agree on, moved to where their rows lie."
)
_TINY = (
    f"Some class has fewer than {FEW_LABELS} labels. Forecasts are then rough, mostly too "
    "cautious; with a single label they are a formula that is far too sure of itself."
)
_MISSING = {
    "never": "Other tasks have these classes. A task without labels of a class never answers it.",
    "share": "Other tasks have these classes. Their rule is borrowed where a task has no labels.",
}
_SAME = "All rows of a class are the same. If they are copies, they count as more than they say."
_UNKNOWN = "Nothing can be said about the error of these tasks: they need labels of two classes."
_FORMULA = (
    "The model kept no rows (row_sample=0), so that all forecasts are a formula. With correlated "
    "features they are too optimistic."
)
_REVEALING = (
    "These features never vary within a class, but differ between classes: they give the answer "
    "away. Make sure that they are known before the label is."
)
_CONSTANT = "These features never vary within a task, so that they carry nothing."
