"""Calls of estimators, statistics and what is made of them."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import cache
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

from kinspan import ClassMoments, MultiTaskSPCA, Statistics, baselines
from kinspan.model_selection import (
    TaskScorer,
    TaskStratifiedKFold,
    make_task_scorer,
    task_report,
)
from tests.properties.calls import Call
from tests.worlds import World, random_world

_OF_METRICS = ("scoring", "y")  # a metric of others speaks of its labels in its own words
_STORED = ("stored", "data")
_OF_ROWS = ("X", "y", "task")


@cache
def world() -> World:
    """Three small tasks."""
    return random_world(0, n=48, p=3, n_tasks=3, n_classes=2)


@cache
def fitted() -> MultiTaskSPCA:
    """A model of them."""
    return MultiTaskSPCA().fit(world().X, world().y, task=world().task)


def rows() -> dict[str, Any]:
    """Arguments of `fit`."""
    return world()._asdict()


def _weighted() -> dict[str, Any]:
    return {**rows(), "sample_weight": np.ones(48)}


def _asked(method: str, **good: Any) -> Call:
    """A question to the fitted model."""
    return Call(_on_a_copy(fitted(), method), good)


def _on_a_copy(model: Any, method: str) -> Callable[..., Any]:
    """A method that may change the model, called on a new copy every time."""

    def call(**given: Any) -> Any:
        copied = deepcopy(model)
        return getattr(copied, method)(**given)

    return call


def _of_model() -> dict[str, Call]:
    X, y, task = world()
    part = Statistics.from_samples(X[:5], y[:5], task[:5])
    questions = {
        "add_task": {"name": "new", "X": X[:9], "y": y[:9], "sample_weight": np.ones(9)},
        "explain_transfer": {"task": 0, "most": 2},
        "forecast": {"task": 0, "score": "roc_auc"},
        "fit_moments": {"moments": fitted().moments_, "sample": fitted().sample_},
        "label_issues": {"task": 0},
        "label_quality": rows(),
        "labels_needed": {"task": 0, "wanted": 0.9, "score": "roc_auc"},
        "learning_curve": {
            **{"task": 0, "more": [0.0, 5.0, 20.0], "score": "roc_auc", "label": "rows"}
        },
        "leave_out": {"task": 0},
        "merge": {"other": fitted()},
        "partial_fit": {**_weighted(), "classes": np.array([0, 1])},
        "remove": {"removed": part},
        "remove_task": {"name": 0},
        "score": _weighted(),
        **{name: {"X": X, "task": task} for name in ("decision_function", "predict", "transform")},
        **{name: {"X": X, "task": task} for name in ("predict_proba", "predict_log_proba")},
        **dict.fromkeys(("fit", "fit_transform"), _weighted()),
    }
    calls = {f"MultiTaskSPCA.{name}": _asked(name, **good) for name, good in questions.items()}
    for name in ("add_task", "remove_task"):  # the name of a task
        calls[f"MultiTaskSPCA.{name}"] = calls[f"MultiTaskSPCA.{name}"]._replace(
            also_named=("task",)
        )
    calls["MultiTaskSPCA.predict_log_proba"] = calls["MultiTaskSPCA.predict_log_proba"]._replace(
        may_be_infinite=True  # the logarithm of a class that a task cannot answer
    )
    return calls


def _constructed(of: type, parameters: dict[str, Any], n_tasks: int = 3) -> Call:
    """Parameters are looked at by `fit`; what is fitted is then asked."""

    def fit(**given: Any) -> Any:
        X, y, task = world()
        model = of(**given).fit(X, y, task=task % n_tasks)
        return model, model.decision_function(X, task=task % n_tasks)

    # As many iterations as are asked for would never end.
    return Call(fit, parameters, also_named=_OF_ROWS, as_given=("n_iterations",))


def _baseline(name: str, parameters: dict[str, Any], n_tasks: int, **more: Any) -> dict[str, Call]:
    of, (X, y, task) = getattr(baselines, name), world()
    task = task % n_tasks
    model = of().fit(X, y, task=task)
    good = {"X": X, "y": y, "task": task}
    asked = {"X": X, "task": task}

    return {
        name: _constructed(of, parameters, n_tasks)._replace(is_costly=name == "CDLS"),
        f"{name}.fit": Call(
            _on_a_copy(model, "fit"),
            {**good, **more},
            may_be_infinite=name == "MultiTaskLSSVM",  # no forecast for a task of one class
            is_costly=name == "CDLS",
        ),
        f"{name}.predict": Call(_on_a_copy(model, "predict"), asked),
        f"{name}.decision_function": Call(_on_a_copy(model, "decision_function"), asked),
        f"{name}.score": Call(_on_a_copy(model, "score"), {**good, "sample_weight": np.ones(48)}),
    }


def _of_baselines() -> dict[str, Call]:
    column: dict[str, Any] = {"task_column": None}
    switches = {"normalise": True, "progress": False}
    adapted = {"target": 1, "n_iterations": 2, **switches, **column}
    shares = {"landmark_share": 0.5, "n_components": 100, "C": 1.0}
    costs = {"source_C": 0.05, "target_C": 1.0, "standardise": True}
    strengths = {"shared_strength": 1.0, "task_strengths": 1.0}
    augmented = {"estimator": LogisticRegression(), "unseen": "error"}
    lssvm = {"labels": "plugin", "scale": "pooled", **strengths}
    return {
        **_baseline("CDLS", {**adapted, **shares}, 2, unlabelled=world().X[:4]),
        **_baseline("MMDT", {**adapted, **costs}, 2),
        **_baseline("FeatureAugmentation", {**augmented, **column}, 3),
        **_baseline("MultiTaskLSSVM", {**lssvm, **column}, 3),
        **_baseline("NaiveSPCA", {"variant": "labels", "scale": "pooled", **column}, 3),
        **_baseline("PCAClassifier", {"n_components": None, **column}, 1),
        **_baseline("SPCAClassifier", {"n_components": None, **column}, 1),
        **_baseline("SingleTaskSPCA", {"scale": "pooled", **column}, 3),
    }


def _of_statistics() -> dict[str, Call]:
    X, y, task = world()
    statistics = Statistics.from_samples(X, y, task)
    moments = statistics.moments
    return {
        "ClassMoments.from_samples": Call(ClassMoments.from_samples, _weighted()),
        "ClassMoments.from_bytes": Call(
            ClassMoments.from_bytes, {"buffer": moments.to_bytes()}, also_named=_STORED
        ),
        "Statistics.from_samples": Call(
            Statistics.from_samples, {**_weighted(), "row_sample": 100, "random_state": 3}
        ),
        "Statistics.from_bytes": Call(
            Statistics.from_bytes, {"buffer": statistics.to_bytes()}, also_named=_STORED
        ),
        "Statistics.without_small": Call(statistics.without_small, {"min_count": 3}),
        "ClassMoments +": Call(
            lambda other: moments + other, {"other": moments}, also_named=("operand", "operands")
        ),
        "ClassMoments −": Call(
            lambda other: moments - other, {"other": moments}, also_named=("operand", "operands")
        ),
        "Statistics +": Call(
            lambda other: statistics + other,
            {"other": statistics},
            also_named=("operand", "operands"),
        ),
        "Statistics −": Call(
            lambda other: statistics - other,
            {"other": statistics},
            also_named=("operand", "operands"),
        ),
        "MultiTaskSPCA +": Call(
            lambda other: fitted() + other, {"other": fitted()}, also_named=("operand", "operands")
        ),
    }


def _of_selection() -> dict[str, Call]:
    X, y, task = world()
    folds = TaskStratifiedKFold(3)

    def split(**given: Any) -> list[Any]:
        return list(TaskStratifiedKFold(**given).split(X, y, groups=task))

    return {
        "TaskStratifiedKFold": Call(
            split,
            {
                **{"n_splits": 3, "shuffle": True, "random_state": 0},
                **{"task_column": None, "unlabelled": None},
            },
        ),
        "TaskStratifiedKFold.split": Call(
            lambda **given: list(folds.split(**given)),
            {"X": X, "y": y, "groups": task},
            also_named=("task",),
        ),
        "TaskStratifiedKFold.get_n_splits": Call(
            folds.get_n_splits, {"X": X, "y": y, "groups": task, "task": None}
        ),
    }


def _of_scores() -> dict[str, Call]:
    X, y, task = world()
    return {
        "make_task_scorer": Call(
            lambda **given: make_task_scorer(**given)(fitted(), X, y, task=task),
            {"scoring": "accuracy", "average": "task", "task_column": None},
            as_given=_OF_METRICS,
        ),
        "TaskScorer": Call(
            lambda **given: TaskScorer(**given)(fitted(), X, y, task=task),
            {"scoring": "accuracy", "average": None, "task_column": None},
            as_given=_OF_METRICS,
        ),
        "TaskScorer.__call__": Call(
            make_task_scorer("accuracy", average="task"),
            {"estimator": fitted(), **_weighted()},
            as_given=_OF_METRICS,
        ),
        "TaskScorer.set_score_request": Call(
            lambda **given: make_task_scorer("accuracy").set_score_request(**given),
            {"task": True, "sample_weight": None},
        ),
        "task_report": Call(
            task_report,
            {
                **{"y_true": y, "y_pred": y, "task": task, "y_proba": np.full(48, 0.5)},
                **{"scores": ["roc_auc"], "labels": np.array([0, 1])},
            },
        ),
    }


def model_calls() -> dict[str, Call]:
    """Everything in this file, by its public name."""
    return {
        "MultiTaskSPCA": _constructed(MultiTaskSPCA, MultiTaskSPCA().get_params()),
        **_of_model(),
        **_of_baselines(),
        **_of_statistics(),
        **_of_selection(),
        **_of_scores(),
    }
