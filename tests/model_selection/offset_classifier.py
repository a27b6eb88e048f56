"""A tiny classifier that is right only when it is told the right task, and its data."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

_TASK = {"task": True}


class OffsetClassifier(ClassifierMixin, BaseEstimator):
    """Threshold on the first feature, a different one for every task."""

    __metadata_request__fit: ClassVar = _TASK
    __metadata_request__predict: ClassVar = _TASK
    __metadata_request__predict_proba: ClassVar = _TASK
    __metadata_request__decision_function: ClassVar = _TASK
    __metadata_request__score: ClassVar = _TASK

    def __init__(self, shift: float = 0.0, task_column: int | None = None) -> None:
        self.shift = shift
        self.task_column = task_column

    def fit(
        self, X: Any, y: Any, *, task: Any = None, sample_weight: Any = None
    ) -> OffsetClassifier:
        X, y, task = np.asarray(X), np.asarray(y), self._task(X, task)
        self.classes_ = np.unique(y)
        self.threshold_ = {t: X[task == t, 0].mean() + self.shift for t in np.unique(task).tolist()}
        self.fit_weight_ = sample_weight
        return self

    def decision_function(self, X: Any, *, task: Any = None) -> Any:
        thresholds = np.array([self.threshold_[t] for t in self._task(X, task).tolist()])
        return np.asarray(X)[:, 0].astype(float) - thresholds

    def predict_proba(self, X: Any, *, task: Any = None) -> Any:
        p = 1 / (1 + np.exp(-self.decision_function(X, task=task)))
        return np.column_stack([1 - p, p])

    def predict(self, X: Any, *, task: Any = None) -> Any:
        return self.classes_[(self.decision_function(X, task=task) > 0).astype(int)]

    def score(self, X: Any, y: Any, *, task: Any = None, sample_weight: Any = None) -> float:
        return float(np.average(self.predict(X, task=task) == y, weights=sample_weight))

    def _task(self, X: Any, task: Any) -> NDArray[Any]:
        ids = task if self.task_column is None else np.asarray(X)[:, self.task_column]
        return np.broadcast_to(np.asarray(ids), len(X))


class Tasks(NamedTuple):
    """Rows of several tasks, far apart from each other."""

    X: NDArray[np.float64]  # first the feature, then the number of the task
    y: NDArray[Any]
    task: NDArray[Any]


def three_tasks(n_rows: int = 120, seed: int = 0) -> Tasks:
    """Tasks of different sizes: a pooled score and a mean over tasks differ."""
    random = np.random.default_rng(seed)
    task = random.choice(3, size=n_rows, p=[0.6, 0.3, 0.1])
    y = random.integers(0, 2, size=n_rows)
    noise = random.normal(size=n_rows) * np.array([0.3, 1.0, 3.0])[task]
    X = np.column_stack([10.0 * task + 2 * y - 1 + noise, task])
    return Tasks(X, np.array(["no", "yes"])[y], np.array(["ant", "bee", "cat"])[task])
