"""A fitted model → what is doubtful about its data: too few labels, features that never vary."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kinspan._rows.types import Codes, Floats, Mask
from kinspan._validation.units import other_units
from kinspan.answers.summary import feature_names
from kinspan.class_moments import ClassMoments
from kinspan.report._plain import named

FEW_LABELS = 5
_MOST_NAMED = 12
_ROUNDING = 1e-24  # relative to the squared size: what rounding leaves of a variance of zero


def doubts(model: Any, order: Codes) -> list[dict[str, Any]]:
    """The kinds of doubt that apply: what each means, and the tasks or features it is about."""
    formula = _doubt("formula", general=model.sample_ is None)
    found = [*_about_tasks(model, order), formula, *_about_features(model)]
    return [doubt for doubt in found if doubt["tasks"] or doubt["features"] or doubt["general"]]


def _doubt(kind: str, meaning: str = "", **about: Any) -> dict[str, Any]:
    nothing = {"tasks": [], "features": [], "general": False}
    return {"kind": kind, "meaning": meaning or _MEANINGS[kind], **nothing, **about}


def _about_tasks(model: Any, order: Codes) -> list[dict[str, Any]]:
    moments, names = model._whole.moments.effective(), named(model.classes_)
    counts, present = moments.counts, moments.present
    n_classes = present.sum(axis=1)
    tiny = present & (counts < FEW_LABELS)
    is_lacking = (n_classes > 1) & (n_classes < counts.shape[1])
    repeated = (counts > 1) & (moments.squares <= _ROUNDING * _squared_size(moments)).all(axis=2)

    def sizes(t: int, cells: Mask) -> str:
        return _listed([f"{names[j]}: {counts[t, j]:.4g}" for j in np.flatnonzero(cells[t])])

    def classes(t: int, cells: Mask) -> str:
        return _listed([names[j] for j in np.flatnonzero(cells[t])])

    def doubt(kind: str, mask: Mask, say: Callable[[int], str], meaning: str = "") -> Any:
        tasks = [[place, say(int(t))] for place, t in enumerate(order) if mask[t]]
        return _doubt(kind, meaning, tasks=tasks)

    missing = _MISSING_CLASS[model.unseen_classes]
    units = _other_units(model)
    return [
        doubt("no labels", n_classes == 0, lambda t: "none at all"),
        doubt("one class", n_classes == 1, lambda t: sizes(t, present)),
        doubt("tiny class", (n_classes > 1) & tiny.any(axis=1), lambda t: sizes(t, tiny)),
        doubt("missing class", is_lacking, lambda t: classes(t, ~present), missing),
        doubt("same rows", repeated.any(axis=1), lambda t: classes(t, repeated)),
        _wrong_labels(model, order),
        doubt("other units", np.isin(range(len(counts)), list(units)), lambda t: _listed(units[t])),
        doubt("no forecast", ~np.isfinite(model.forecast_error_), lambda t: "not known"),
    ]


def _wrong_labels(model: Any, order: Codes) -> dict[str, Any]:
    """Tasks with labels that are probably wrong, and these labels."""
    if model._learnt.audit is None or not model._learnt.audit.is_sure:
        return _doubt("wrong labels")
    issues, found = model.label_issues(), dict[Any, list[str]]()
    for i in np.flatnonzero(issues.is_label_issue).tolist():
        label, rather = (str(ids[i]) for ids in (issues.given_label, issues.predicted_label))
        text = f"{issues.name(i)} is labelled {label}, rather {rather}"
        found.setdefault(issues.task.tolist()[i], []).append(text)
    ids = model.tasks_.tolist()
    about = [[place, _listed(found[ids[t]])] for place, t in enumerate(order) if ids[t] in found]
    meaning = f"{issues.headline()} {issues.caution()} {_MEANINGS['wrong labels']}"
    return _doubt("wrong labels", meaning, tasks=about, general=True)


def _other_units(model: Any) -> dict[int, list[str]]:
    """The features of tasks, by their positions, that look as if they had other units."""
    names, found = _feature_names(model), dict[int, list[str]]()
    ids = model.tasks_.tolist()
    for one in other_units(model.moments_.effective(), model._learnt.statistics.sample):
        found.setdefault(ids.index(one.task), []).append(f"{names[one.feature]}: {one.size}")
    return found


def _about_features(model: Any) -> list[dict[str, Any]]:
    moments = model._whole.moments
    names = _feature_names(model)
    size = _squared_size(moments).sum(axis=(0, 1))
    is_still = moments.squares.sum(axis=(0, 1)) <= _ROUNDING * size  # within every class and task
    differs = _differs_between_classes(moments)
    is_revealing = is_still & differs & (moments.counts > 1).any()

    def doubt(kind: str, mask: Mask) -> dict[str, Any]:
        return _doubt(kind, features=_some([str(names[i]) for i in np.flatnonzero(mask)]))

    return [
        doubt("revealing feature", is_revealing),
        doubt("constant feature", is_still & ~differs),
    ]


def _feature_names(model: Any) -> list[str]:
    n_features = model.moments_.n_features
    return feature_names(model) or [f"feature {i}" for i in range(n_features)]


def _squared_size(moments: ClassMoments) -> Floats:
    """(tasks, classes, features): n times the squared mean."""
    return np.asarray(moments.counts[..., None] * moments.means**2)


def _differs_between_classes(moments: ClassMoments) -> Mask:
    """(features,): whether the classes of some task have different means."""
    present = moments.present[..., None]
    low = np.where(present, moments.means, np.inf).min(axis=1)
    high = np.where(present, moments.means, -np.inf).max(axis=1)
    size = np.abs(moments.means).max(axis=(0, 1))
    return np.asarray((high - low > np.sqrt(_ROUNDING) * size).any(axis=0))


def _some(names: list[str]) -> list[str]:
    """The first names, and how many more there are."""
    more = len(names) - _MOST_NAMED
    return names[:_MOST_NAMED] + [f"and {more:,} more"] * (more > 0)


def _listed(names: list[str]) -> str:
    return ", ".join(_some(names))


_MEANINGS = {
    "no labels": (
        "These tasks have no labels. They use the rule that the other tasks agree on, and their "
        "forecast is the error of known tasks that are treated as new."
    ),
    "one class": (
        "These tasks have labels of a single class. If other tasks have that class too, they use "
        "the rule that the others agree on, centred on their own rows."
    ),
    "tiny class": (
        f"Some class has fewer than {FEW_LABELS} labels. The forecast of such a task is mostly "
        "that of the other tasks."
    ),
    "same rows": (
        "All rows of a class are identical. If they are copies of one row, they carry less "
        "information than their number suggests."
    ),
    "wrong labels": (
        "Rules that have not seen these rows give them another class. Look at them first; rows are "
        "numbered from 0 as they were given to fit, or named by the key of the sampled row."
    ),
    "other units": (
        "These features are ten times or more as large or small as in other tasks, in spread and "
        "in size. They may have other units, such as grams instead of kilograms."
    ),
    "no forecast": "The error of these tasks is unknown: they need labels of two classes.",
    "formula": (
        "The model kept no rows (row_sample=0), so all forecasts come from a formula. With "
        "correlated features they are too optimistic."
    ),
    "revealing feature": (
        "These features never vary within a class but differ between classes: they give the answer "
        "away. Make sure that they are known before the label is."
    ),
    "constant feature": "These features never vary within a task, so they carry no information.",
}
_MISSING_CLASS = {
    "never": (
        "Other tasks have these classes. A task without labels of a class never predicts that "
        "class."
    ),
    "share": (
        "Other tasks have these classes. A task without labels of a class uses the rule of the "
        "others for it."
    ),
}
