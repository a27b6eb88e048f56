"""A fitted estimator with the task of the rows already filled in, for callers that know no task."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from sklearn.utils import get_tags

_METHODS_WITH_TASK = {
    "decision_function",
    "predict",
    "predict_log_proba",
    "predict_proba",
    "score",
}


class TaskBound:
    """The estimator as it is, but its methods of new rows get the task besides their arguments.

    A search such as GridSearchCV predicts without a task, so its best estimator stands for it.
    """

    def __init__(self, estimator: Any, task: Any) -> None:
        self.estimator = getattr(estimator, "best_estimator_", estimator)
        self.task = task

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "estimator":  # not before unpickling has set it
            raise AttributeError(name)
        attribute = getattr(self.estimator, name)
        return _with_task(attribute, self.task) if name in _METHODS_WITH_TASK else attribute

    def __sklearn_tags__(self) -> Any:
        return get_tags(self.estimator)


def _with_task(method: Callable[..., Any], task: Any) -> Callable[..., Any]:
    @wraps(method)
    def call(*arguments: Any, **keywords: Any) -> Any:
        return method(*arguments, task=task, **keywords)

    return call
