"""Figures of the paper by other protocols: one draw each, for `protocols.py`."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments import (
    added_tasks,
    figure_2,
    figure_3_amazon,
    figure_3_mnist,
    figure_3_synthetic,
    figure_4,
    methods,
)
from experiments.methods import fit
from experiments.trials import Seed, Split, answered, split, take
from kinspan.baselines import CDLS
from kinspan.datasets import TaskDataset, gaussian_mixture, related_means
from kinspan.exceptions import UnitsWarning

Trial = Callable[[str, float, Seed, str | None], float]  # method, place, seed, folder of data


def cdls(C: float, *, z_scored: bool) -> Trial:
    """Figure 2: the error of CDLS on the unlabelled rows that it was given."""

    def trial(_: str, beta: float, seed: Seed, __: str | None) -> float:
        rng = np.random.default_rng(seed)
        means = related_means([1, beta], figure_2.P)
        train = gaussian_mixture(means, figure_2.COUNTS, random_state=rng)
        test = train.sample([[0, 0], [500, 500]], random_state=rng)
        X, own = train.X.copy(), train.task == figure_2.TARGET
        U = test.X
        if z_scored:
            together = np.vstack([X[own], U])
            X[own], U = _z(X[own], together), _z(U, together)
            X[~own] = _z(X[~own], X[~own])
        model = CDLS(figure_2.TARGET, landmark_share=1.0, C=C)
        model.fit(X, train.y, task=train.task, unlabelled=U)
        return 1.0 - float(model.score(U, test.y, task=figure_2.TARGET))

    return trial


def counts(further: int) -> Trial:
    """Figure 3, synthetic: 50 rows per class in the first task, `further` in those after it."""

    def trial(method: str, tasks: float, seed: Seed, _: str | None) -> float:
        rng, k = np.random.default_rng([*seed, int(tasks)]), int(tasks)
        means = related_means(rng.uniform(0, 1, k), figure_3_synthetic.P, directions="shared")
        rows = np.full((k, 2), further)
        rows[0], rows[-1] = 50, 5
        train = gaussian_mixture(means, rows, random_state=rng)
        return figure_3_synthetic.error(method, train, k - 1)

    return trial


def z_scored_reviews(*, tested_on_all: bool = False, replaced: bool = False) -> Trial:
    """Figure 3, Amazon: z-scores over all reviews of a product, those to be tested among them."""

    def trial(method: str, added: float, seed: Seed, data: str | None) -> float:
        whole, target = _reviews(data), figure_3_amazon.TARGET
        n_labelled = added_tasks.labelled(target, figure_3_amazon.ADDED[: int(added)])
        train, test = split(whole, target, n_labelled, seed)
        if replaced:
            train = _with_replacement(whole, n_labelled, seed)
        if tested_on_all:
            test = take(whole, np.flatnonzero(whole.task == target))
        with warnings.catch_warnings():  # words of few reviews that are drawn often vary too much
            warnings.simplefilter("ignore", UnitsWarning)
            return answered(method, methods.estimator(method, None), Split(train, test), target)

    return trial


def digits(noise: float, scale: str | None) -> Trial:
    """Figure 3, MNIST: noise of another size; z-scores with the test rows, or none."""

    def trial(method: str, added: float, seed: Seed, data: str | None) -> float:
        target = figure_3_mnist.TARGET
        n_labelled = added_tasks.labelled(target, figure_3_mnist.ADDED[: int(added)])
        parts = split(figure_3_mnist.components(data), target, n_labelled, seed)
        rng = np.random.default_rng([*seed, 1])
        parts = Split(*(replace(p, X=p.X + noise * rng.standard_normal(p.X.shape)) for p in parts))
        if scale is not None:
            parts = _z_scored(parts, target)
        return answered(method, methods.estimator(method, None), parts, target)

    return trial


def many_classes(length: float, *, versus_rest: bool) -> Trial:
    """Figure 4, synthetic: longer means; or the mean error of each class against the others."""

    def trial(method: str, _: float, seed: Seed, __: str | None) -> float:
        parts = figure_4.synthetic(seed, length)
        model = methods.estimator(method, "task", "third", methods.MANY_CLASSES)
        if not versus_rest:
            return answered(method, model, parts, "third")
        fit(method, model, parts.train, "third", parts.test.X)
        scores = model.decision_function(parts.test.X, task="third")
        return float(np.mean([_half_way(scores[:, c], parts.test.y == c) for c in range(10)]))

    return trial


def _half_way(scores: NDArray[Any], own: NDArray[Any]) -> float:
    """The error of two classes that count equally, with the best threshold of that form."""
    threshold = (scores[own].mean() + scores[~own].mean()) / 2
    return float(((scores[own] < threshold).mean() + (scores[~own] >= threshold).mean()) / 2)


def _z(rows: NDArray[Any], reference: NDArray[Any]) -> NDArray[Any]:
    """Rows in units of the spread of reference rows, from their mean."""
    spread = reference.std(axis=0)
    scored: NDArray[Any] = (rows - reference.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return scored


def _z_scored(parts: Split, target: str) -> Split:
    """Labelled rows by task, those of the target together with the test rows."""
    train, test = parts
    X, U, own = np.array(train.X), np.array(test.X), train.task == target
    together = np.vstack([X[own], U])
    for task in np.unique(train.task[~own]):
        rows = train.task == task
        X[rows] = _z(X[rows], X[rows])
    X[own] = _z(X[own], together)
    return Split(replace(train, X=X), replace(test, X=_z(U, together)))


@cache
def _reviews(data: str | None) -> TaskDataset:
    whole = figure_3_amazon.reviews(data)
    X = np.array(whole.X, np.float64)
    for task in np.unique(whole.task):
        rows = whole.task == task
        X[rows] = _z(X[rows], X[rows])
    return replace(whole, X=X)


def _with_replacement(
    whole: TaskDataset, n_labelled: Callable[[str, int], int], seed: Seed
) -> TaskDataset:
    rng = np.random.default_rng(seed)
    cells = [
        (str(task), np.flatnonzero((whole.task == task) & (whole.y == label)))
        for task in np.unique(whole.task)
        for label in np.unique(whole.y)
    ]
    drawn = [rng.choice(rows, n_labelled(task, len(rows))) for task, rows in cells]
    return take(whole, np.concatenate(drawn))
