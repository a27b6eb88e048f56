"""A hostile world → errors of kinspan and of every task alone, on its population."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from benchmarks.worlds.base import N_TEST, Hostile, Population
from kinspan import MultiTaskSPCA

Floats = NDArray[np.float64]


class Outcome(NamedTuple):
    """Errors of the honest tasks of a world."""

    ours: Floats
    alone: Floats  # scale and covariance are those of all tasks, as with labels="single"
    by_itself: Floats  # fitted to the rows of the task and nothing else
    forecast: Floats  # forecast by kinspan
    attacked: NDArray[np.bool_]  # those that the harm is meant for


def outcome(world: Hostile, **parameters: Any) -> Outcome:
    """The errors of the honest tasks."""
    rows, honest = (world.X, world.y, world.task), np.flatnonzero(world.honest)
    models = [
        MultiTaskSPCA(labels=labels, **parameters).fit(rows[0], rows[1], task=rows[2])
        for labels in ("auto", "single")
    ]
    by_itself = []
    for t in honest:
        here = world.task == t
        model = MultiTaskSPCA(**parameters).fit(world.X[here], world.y[here])
        by_itself.append(_error(model.coef_[0], model.intercept_[0], world.population, t))
    ours, alone = (errors(model, world.population, honest) for model in models)
    return Outcome(
        ours,
        alone,
        np.array(by_itself),
        models[0].forecast_error_[honest],
        world.attacked[honest],
    )


def errors(model: MultiTaskSPCA, population: Population, tasks: Any) -> Floats:
    """Errors of some tasks on new rows, classes weighted equally."""
    found = [_error(model.coef_[t], model.intercept_[t], population, t) for t in tasks]
    return np.array(found)


def _error(coef: Floats, intercept: Floats, population: Population, task: Any) -> float:
    """Exact for two classes and Gaussian rows, from 20 000 rows otherwise."""
    centre = population.means[task] @ coef.T + intercept
    spread = population.roots[task % len(population.roots)] @ coef.T
    if len(coef) == 1 and population.noise is None:
        margin = centre[:, 0] * [-1, 1] / max(float(np.linalg.norm(spread)), 1e-300)
        return float(ndtr(-margin).mean())
    noise = population.noise
    if noise is None:
        noise = np.random.default_rng(0).normal(size=(N_TEST, len(spread)))
    scores = noise @ spread
    wrong = []
    for c, of_class in enumerate(centre):
        shifted = scores + of_class
        answers = shifted[:, 0] > 0 if len(coef) == 1 else shifted.argmax(axis=1)
        wrong.append(float((answers != c).mean()))
    return float(np.mean(wrong))
