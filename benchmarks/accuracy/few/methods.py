"""Every method of the comparison: rows with labels and new rows in, classes of the new rows out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression

from benchmarks.accuracy.few.draws import Draw, Rows
from kinspan import MultiTaskSPCA

LOGISTIC = LogisticRegression(max_iter=1000)
LDA = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
WIDEST_LDA = 1500  # features: with 5 000 one of its fits takes 40 seconds


class Answers(NamedTuple):
    """The classes of new rows, and the error in per cent that was forecast, if there is one."""

    classes: NDArray[Any]
    forecast: float | None = None


class Method(NamedTuple):
    """One method."""

    name: str
    answer: Callable[[Draw], Answers]
    is_ours: bool
    widest: float = np.inf  # features; it is left out where there are more


def ours(draw: Draw, **parameters: Any) -> Answers:
    train, test = draw
    model = MultiTaskSPCA(**parameters).fit(train.X, train.y, task=train.task)
    forecast = 100 * float(np.mean(model.forecast_error_))
    return Answers(model.predict(test.X, task=test.task), forecast)


def pooled(draw: Draw, estimator: Any, scale: str | None) -> Answers:
    """One rule, with one intercept, for the rows of all tasks."""
    train, test = scaled(draw, scale)
    return Answers(clone(estimator).fit(train.X, train.y).predict(test.X))


def per_task(draw: Draw, estimator: Any, scale: str | None) -> Answers:
    """Every task alone; a pooled scale is still that of all tasks."""
    train, test = scaled(draw, scale)
    classes = np.empty_like(test.y)
    for t in np.unique(test.task):
        here, there = train.task == t, test.task == t
        rule = clone(estimator).fit(train.X[here], train.y[here])
        classes[there] = rule.predict(test.X[there])
    return Answers(classes)


def scaled(draw: Draw, scale: str | None) -> Draw:
    """Features as they are, or over their deviation within the classes of tasks."""
    divisor = np.ones(1) if scale is None else deviation(draw.train)
    return Draw(*(rows._replace(X=rows.X / divisor) for rows in draw))


def deviation(train: Rows) -> NDArray[np.float64]:
    """(features,): pooled over all classes of all tasks; 1 where a feature does not vary there."""
    cells = np.unique(np.stack([train.task, train.y.astype(str)]), axis=1, return_inverse=True)[1]
    cell = np.eye(cells.max() + 1)[cells.ravel()]
    means = cell.T @ train.X / cell.sum(axis=0)[:, None]
    squares = ((train.X - means[cells.ravel()]) ** 2).sum(axis=0)
    variance = squares / max(len(train.X) - len(means), 1)
    return np.where(variance > 0, np.sqrt(variance), 1.0)


def _others() -> list[Method]:
    """Each of them with a pooled scale and without a scale."""
    found = []
    for scale in ("pooled", None):
        end = f", scale {scale}"
        for labels in ("naive", "single", "plugin"):
            answer = partial(ours, labels=labels, scale=scale)
            found.append(Method(f"{labels}{end}", answer, True))
        for name, estimator, widest in [
            ("logistic", LOGISTIC, np.inf),
            ("LDA", LDA, WIDEST_LDA),
        ]:
            for how, fit in [("pooled", pooled), ("per task", per_task)]:
                answer = partial(fit, estimator=estimator, scale=scale)
                found.append(Method(f"{name} {how}{end}", answer, False, widest))
    return found


DEFAULT = Method("kinspan", ours, True)
METHODS = {method.name: method for method in [DEFAULT, *_others()]}
GROUPS = {
    "ours": [method.name for method in METHODS.values() if method.is_ours],
    "baselines": [method.name for method in METHODS.values() if not method.is_ours],
}


def named(wanted: list[str]) -> list[Method]:
    """The methods of these names or groups, in the order of the table."""
    names = {name for each in wanted for name in GROUPS.get(each, [each])}
    return [method for method in METHODS.values() if method.name in names]
