"""Thresholds: what they cost on new rows, next to the best ones that are known only afterwards."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import StratifiedKFold, TunedThresholdClassifierCV

from benchmarks.decisions.forecasts import answered, fitted
from benchmarks.decisions.worlds import Draw, NewRows, World
from benchmarks.forecast.populations import Floats
from kinspan.answers.seen_from import distributions_of
from kinspan.baselines import FeatureAugmentation
from kinspan.metrics import Score, ScoredRows
from kinspan.risk import Goal, thresholds

COSTS = {
    "error": np.array([[0.0, 1.0], [1.0, 0.0]]),
    "missing costs 5": np.array([[0.0, 1.0], [5.0, 0.0]]),
    "missing costs 20": np.array([[0.0, 1.0], [20.0, 0.0]]),
}


_TUNED = "missing costs 5"  # the goal that scikit-learn's threshold is tuned for


class Row(NamedTuple):
    """Mean costs of new rows over all tasks of all draws."""

    world: str
    goal: str
    ours: float  # a threshold from left-out rows
    at_zero: float  # probabilities as they are: where the answer is cheaper by their word
    best: float  # our scores with the threshold of each task that is best on its new rows
    one_for_all: float  # the same with one threshold for all tasks of a draw
    tuned: float  # logistic regression with copies of the features, threshold by cross-validation
    tuned_best: float  # its scores with the best threshold of each task
    excess: float  # ours over best, minus one


def rows(world: World, seeds: range) -> list[Row]:
    """One row per goal."""
    found: dict[str, list[list[float]]] = {goal: [] for goal in COSTS}
    for seed in seeds:
        draw = world.draw(seed)
        model, tuned = fitted(draw), _tuned(draw, COSTS[_TUNED])
        known = distributions_of(model)
        tasks = [
            _Task(answered(model, task, new), model.decision_function(new.X, task=task))
            for task, new in zip(model.tasks_, draw.new, strict=True)
        ]
        for goal, costs in COSTS.items():
            level = np.broadcast_to(costs, (len(model.tasks_), 2, 2))
            above = thresholds(known, Goal("cost", level, together=False))
            together = _best(_rows_of(tasks), np.concatenate([of.scores for of in tasks]), costs)
            for t, (of, new) in enumerate(zip(tasks, draw.new, strict=True)):
                theirs = of.theirs(tuned, t, new) if goal == _TUNED else None
                ours = _costs(of, above[t], costs)
                found[goal].append([*ours, together / len(tasks), *_costs_of_tuned(theirs, costs)])
    return [_row(world.name, goal, np.mean(values, axis=0)) for goal, values in found.items()]


class _Task(NamedTuple):
    """New rows of a task, and the scores by which they are answered."""

    rows: ScoredRows
    scores: Floats

    def at(self, threshold: float) -> ScoredRows:
        """Answered with a threshold."""
        return self.rows._replace(answers=(self.scores > threshold).astype(np.intp))

    def theirs(self, tuned: Any, t: int, new: NewRows) -> _Task:
        """The same rows, answered by another model."""
        X = with_task(np.full(len(new.y), float(t)), new.X)
        answers = np.asarray(tuned.predict(X), dtype=np.intp)
        return _Task(self.rows._replace(answers=answers), tuned.decision_function(X))


def _row(world: str, goal: str, means: Floats) -> Row:
    ours, at_zero, best, together, tuned, tuned_best = map(float, means)
    found = ours, at_zero, best, together, tuned, tuned_best
    return Row(world, goal, *found, ours / best - 1.0)


def _rows_of(tasks: list[_Task]) -> ScoredRows:
    """All of them."""
    return ScoredRows(*map(np.concatenate, zip(*(of.rows for of in tasks), strict=True)))


def _costs(of: _Task, threshold: float, costs: Floats) -> list[float]:
    cost = Score("cost", costs)
    zero = float(np.log(costs[0, 1] / costs[1, 0]))
    return [cost.of(of.at(threshold)), cost.of(of.at(zero)), _best(of.rows, of.scores, costs)]


def _costs_of_tuned(theirs: _Task | None, costs: Floats) -> list[float]:
    if theirs is None:
        return [np.nan, np.nan]
    return [Score("cost", costs).of(theirs.rows), _best(theirs.rows, theirs.scores, costs)]


def _best(rows: ScoredRows, scores: Floats, costs: Floats) -> float:
    """The least cost of any threshold."""
    order = np.argsort(-scores, kind="stable")
    w, y = rows.weights[order], rows.truth[order]
    gained = np.cumsum(w * np.where(y == 1, costs[1, 0], -costs[0, 1]))
    return float((rows.weights @ (rows.truth == 1)) * costs[1, 0] - max(gained.max(), 0.0))


def _tuned(draw: Draw, costs: Floats) -> Any:
    """Shared and task copies of the features, and scikit-learn's tuning of one threshold."""
    task = np.unique(draw.task, return_inverse=True)[1].astype(np.float64)
    X = with_task(task, draw.X)
    scorer = make_scorer(_negative_cost, costs=costs)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    model = TunedThresholdClassifierCV(augmented_regression(), scoring=scorer, cv=folds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # 200 iterations are all it is given
        return model.fit(X, draw.y)


def _negative_cost(y_true: Any, y_pred: Any, costs: Floats) -> float:
    return -float(costs[np.asarray(y_true), np.asarray(y_pred)].mean())


def augmented_regression() -> FeatureAugmentation:
    """Logistic regression on shared and task copies of the features."""
    learner = LogisticRegression(max_iter=200)
    return FeatureAugmentation(learner, task_column=0, unseen="shared")


def with_task(task: Floats, X: Any) -> Floats:
    """Rows with their task in front, and a one, so that tasks have intercepts of their own."""
    dense = X.toarray() if hasattr(X, "toarray") else X
    return np.column_stack([task, np.ones(len(task)), np.asarray(dense, dtype=np.float64)])
