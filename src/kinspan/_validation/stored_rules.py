"""Rules that were stored next to moments: they must be ones that a fit to these could find."""

from __future__ import annotations

from typing import Any

import numpy as np

from kinspan._rows.types import Floats, Mask, Moments


def check_rules(rules: Any, moments: Moments) -> None:
    """Rules of the tasks, classes and features of these moments, with possible values."""
    n_tasks, n_classes = moments.counts.shape
    n_rows = 1 if n_classes == 2 else n_classes
    shapes = {
        "coef": (n_tasks + 1, n_rows, moments.n_features),
        "intercept": (n_tasks + 1, n_rows),
        "absent": (n_tasks + 1, n_classes),
        "forecast_error": (n_tasks,),
        "forecast_interval": (n_tasks, 2),
        "metric": (n_tasks,),
        "weights_of_task": (n_tasks,),
        "scale": (n_tasks + 1, moments.n_features),
    }
    _check_shapes(rules, shapes)
    if rules.absent.dtype != bool or rules.absent.all(axis=1).any():
        raise ValueError("a task can answer no class")
    for array in (rules.coef, rules.intercept):
        _check_between("the rules", array, -np.inf)
    for rates in (rules.forecast_error, rules.forecast_interval):
        _check_rates("a forecast", rates[~np.isnan(rates)])
    _check_rates("the share of the covariance", rules.metric)
    _check_between("the scale", rules.scale, np.nextafter(0.0, 1.0))
    _check_weights(rules, n_tasks)
    _check_learning(rules, moments)
    _check_left_out(rules.expected.left_out, n_tasks)
    _check_saved(rules.expected.saved, ~np.isnan(rules.forecast_error))
    if rules.unlabelled is not None:
        _check_shapes(rules.unlabelled, dict.fromkeys(rules.unlabelled._fields, (n_tasks,)))
        _check_rates("the weight of unlabelled rows", rules.unlabelled.weight)
        for part in (rules.unlabelled.rows, rules.unlabelled.support, rules.unlabelled.left_out):
            _check_between("what unlabelled rows are worth", part, 0.0)
        _check_between("what unlabelled rows are worth", rules.unlabelled.better, -np.inf)
    if rules.threshold is not None:
        _check_shapes(rules, {"threshold": (n_tasks + 1,)})
        _check_between("the thresholds", rules.threshold, -np.inf)


def _check_weights(rules: Any, n_tasks: int) -> None:
    if rules.multi_class not in ("shared", "each", "one-vs-all"):
        raise ValueError(f"{rules.multi_class!r} is not a way to treat many classes")
    of_task = rules.weights_of_task
    if n_tasks and not (of_task.min() >= 0 and of_task.max() < len(rules.task_weights)):
        raise ValueError("a task has no weights")
    for part in (part for weights in rules.task_weights for part in weights):
        rank = part.left.shape[-1]
        shapes = [(n_tasks, rank), (rank, n_tasks), *[(n_tasks,)] * 3]
        if [array.shape for array in part] != shapes:
            raise ValueError("the weights of tasks do not have the shape of the tasks")
        for array in part:
            _check_between("the weights of tasks", array, -np.inf)


def _check_learning(rules: Any, moments: Moments) -> None:
    """Learning curves begin at the forecast, with the labels that there are."""
    learning, (n_tasks, n_classes) = rules.learning, moments.counts.shape
    cells, one = (n_tasks, n_classes), (n_tasks,)
    shapes = {"passed_on": one, "own": one, "spread": cells, "n_classes": one, "chance": one}
    _check_shapes(learning, shapes)
    begins = (learning.counts, learning.present, learning.ends)
    there = (moments.effective().counts, rules.forecast_error, rules.forecast_interval)
    if not all(map(_are_same, begins, there)):
        raise ValueError("the learning curves do not begin at the forecasts")
    for energy in (learning.passed_on, learning.own, learning.spread):
        _check_between("an energy of the learning curves", energy, 0.0)
    _check_between("the number of classes", learning.n_classes, 0.0, n_classes)
    _check_rates("the error of a guess", learning.chance)
    if not (learning.chance[learning.n_classes > 1] > 0).all():
        raise ValueError("whoever guesses between classes is never wrong")


def _check_left_out(left_out: Any, n_tasks: int) -> None:
    _check_shapes(left_out, dict.fromkeys(left_out._fields, (n_tasks,)))
    _check_between("the number of left-out rows", left_out.rows, 0.0)
    for rates in (left_out.counted, left_out.smoothed, left_out.chance, left_out.by_distance):
        _check_rates("the error of left-out rows", rates)
    _check_between("the unit of errors", left_out.unit, 0.0)


def _check_saved(saved: Any, known: Mask) -> None:
    _check_shapes(saved, dict.fromkeys(saved._fields, known.shape))
    _check_between("the number of left-out rows", saved.rows, 0.0)
    for difference in (saved.total[known], saved.told):
        _check_between("what other tasks save", difference, -1.0, 1.0)


def _check_shapes(of: Any, shapes: dict[str, tuple[int, ...]]) -> None:
    for name, shape in shapes.items():
        if getattr(of, name).shape != shape:
            raise ValueError(f"{name} of the rules does not have the shape {shape}")


def _check_rates(name: str, values: Floats) -> None:
    _check_between(name, values, 0.0, 1.0)


def _check_between(name: str, values: Floats, low: float, high: float = np.inf) -> None:
    if not (np.isfinite(values) & (values >= low) & (values <= high)).all():
        raise ValueError(f"{name} has a value that no fit finds")


def _are_same(stored: Floats, there: Floats) -> bool:
    return stored.shape == there.shape and np.allclose(stored, there, rtol=1e-9, equal_nan=True)
