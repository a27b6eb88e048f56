"""A scikit-learn score → the same with the task passed to the estimator, overall or task by task.

scikit-learn's own scorers call ``predict`` without the task. These scorers request it when metadata
routing is on, so they work in ``cross_val_score``, ``cross_validate``, ``GridSearchCV`` and
similar::

    with sklearn.config_context(enable_metadata_routing=True):
        cross_val_score(model, X, y, scoring=make_task_scorer("roc_auc"), params={"task": task})
        GridSearchCV(model, grid, scoring=make_task_scorer("roc_auc")).fit(X, y, task=task)

Called directly, ``scorer(model, X, y, task=task)``, they need no routing. Without a task they score
like scikit-learn, which is right for estimators that read the task from a column of X.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial, update_wrapper
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import check_scoring, get_scorer
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRequest

from kinspan._rows.identifiers import as_array
from kinspan._validation.parameters import check_choice
from kinspan._validation.weights import check_weights
from kinspan.model_selection._row_ids import RowIds, same_length, task_ids

Scorer = Callable[..., Any]
Request = bool | str | None
_METHODS_WITH_TASK = ("decision_function", "predict", "predict_log_proba", "predict_proba", "score")


def make_task_scorer(
    scoring: str | Scorer,
    *,
    average: Literal["task"] | None = None,
    task_column: str | int | None = None,
) -> TaskScorer:
    """Make a scorer that passes the task of the rows to the estimator it scores.

    Parameters
    ----------
    scoring : str or callable
        Name of a scikit-learn scorer, or a scorer ``(estimator, X, y) -> float``. Of two classes
        that are text, named scores such as "average_precision" are about the second; another is
        that of ``make_scorer(..., pos_label=...)``.
    average : None or "task", default=None
        None: one score over all rows. "task": the mean of the scores of the tasks. Tasks in which
        the score is undefined are left out: it is NaN there, or fails because a class has no rows.
        A log loss is defined if it knows all labels: ``make_scorer(log_loss, labels=...)``.
    task_column : str, int or None, default=None
        For the average: name or index of the column of X that holds the task if none is passed.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from kinspan.model_selection import make_task_scorer
    >>> X, y = [[0, -2], [0, -1], [0, 1], [0, 2], [1, -1], [1, 1]], [0, 0, 1, 1, 0, 1]
    >>> model = LogisticRegression().fit(X, y)  # the first column of X is the task
    >>> observed = [0, 0, 1, 1, 1, 1]  # one of six differs from the prediction, in task 1
    >>> round(make_task_scorer("accuracy")(model, X, observed), 3)
    0.833
    >>> make_task_scorer("accuracy", average="task", task_column=0)(model, X, observed)
    0.75
    """
    return TaskScorer(scoring, average, task_column)


@dataclass
class TaskScorer:
    """A scorer that knows the task, made by `make_task_scorer`."""

    scoring: str | Scorer  # what to score: a name or a scorer
    average: Literal["task"] | None = None  # over all rows, or over tasks
    task_column: str | int | None = None  # where the task is if none is passed
    requests: dict[str, Request] = field(  # the metadata asked for when routing is on
        default_factory=lambda: {"task": True, "sample_weight": None}, repr=False
    )

    def __post_init__(self) -> None:
        if not isinstance(self.scoring, str) and not callable(self.scoring):
            raise TypeError(
                f"scoring={self.scoring!r} is neither the name of a scikit-learn scorer nor a "
                "scorer; for several scores make a dict of task scorers"
            )
        check_choice("average", self.average, (None, "task"))
        check_scoring(scoring=self.scoring)  # its error names the known scorers

    def __call__(
        self, estimator: Any, X: Any, y: Any, *, task: Any = None, sample_weight: Any = None
    ) -> float:
        """Score a fitted estimator.

        Parameters
        ----------
        estimator : fitted estimator
        X : rows, as the estimator takes them
        y : array-like of shape (n_samples,)
            True labels.
        task : array-like of shape (n_samples,), one task id, or None
            Passed to the estimator as ``task=``; with None nothing is passed.
        sample_weight : array-like of shape (n_samples,) or None
            Weights of the rows in the score.
        """
        if isinstance(estimator, type) or not hasattr(estimator, "predict"):
            raise TypeError(f"estimator is {estimator!r}; pass a fitted estimator")
        n_rows = same_length(X=X, y=y)
        sample_weight = check_weights(sample_weight, n_rows)
        scorer = get_scorer(self.scoring)
        if isinstance(self.scoring, str):
            estimator, y = _as_numbers(estimator, y)
        if self.average is None:
            return _score(scorer, estimator, _Rows(X, y, task, sample_weight))
        tasks = self._tasks(X, task, n_rows)
        rows = _Rows(X, y, None if task is None else tasks.values, sample_weight)
        scores = [_score_or_nan(scorer, estimator, part) for part in _by_task(rows, tasks)]
        defined = [score for score in scores if not math.isnan(score)]
        if not defined:
            raise ValueError(
                f"scoring={self.scoring!r} is undefined in every one of the {len(scores)} tasks: "
                "their rows may be of one class only; score more rows, or use average=None"
            )
        return float(np.mean(defined))

    def set_score_request(self, **requests: Request) -> TaskScorer:
        """Set what is requested when metadata routing is on: ``task``, ``sample_weight``."""
        unknown = sorted(requests.keys() - self.requests.keys())
        if unknown:
            raise TypeError(
                f"{unknown[0]!r} is not metadata of a task scorer; use one of {[*self.requests]}"
            )
        self.requests.update(requests)
        return self

    def get_metadata_routing(self) -> Any:
        """Return the requests of this scorer, as scikit-learn's routing reads them."""
        routing = MetadataRequest(owner=self)
        for name, alias in self.requests.items():
            routing.score.add_request(param=name, alias=alias)
        return routing

    def _tasks(self, X: Any, task: Any, n_rows: int) -> RowIds:
        tasks = task_ids(X, task, self.task_column if task is None else None, n_rows)
        if tasks is None:
            raise ValueError(
                "average='task' needs the task of every row: pass task=..., or name the column of "
                "X that holds it: make_task_scorer(..., task_column=...)"
            )
        return tasks


class _TaskBound:
    """A fitted estimator whose methods for new rows get the task in addition to their arguments.

    A search such as GridSearchCV predicts without a task, so it is replaced by its best estimator.
    """

    def __init__(self, estimator: Any, task: Any) -> None:
        self.estimator = getattr(estimator, "best_estimator_", estimator)
        self.task = task

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "estimator":  # before unpickling has set it
            raise AttributeError(name)
        attribute = getattr(self.estimator, name)
        if name not in _METHODS_WITH_TASK:
            return attribute
        return update_wrapper(partial(attribute, task=self.task), attribute)

    def __sklearn_tags__(self) -> Any:
        return get_tags(self.estimator)


class _OfNumbers:
    """A fitted estimator of two classes that are text, with 0 and 1 in their place."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator
        self.classes_ = np.arange(2)

    def predict(self, X: Any, **more: Any) -> Any:
        found = as_array(self.estimator.predict(X, **more))
        return (found == self.estimator.classes_[1]).astype(int)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "estimator":  # before unpickling has set it
            raise AttributeError(name)
        return getattr(self.estimator, name)

    def __sklearn_tags__(self) -> Any:
        return get_tags(self.estimator)


def _as_numbers(estimator: Any, y: Any) -> tuple[Any, Any]:
    """Two classes that are text as 0 and 1, of which scikit-learn takes 1 for the positive one."""
    classes, truth = getattr(estimator, "classes_", None), as_array(y)
    if not isinstance(classes, np.ndarray) or len(classes) != 2:
        return estimator, y
    if not all(isinstance(name, str) for name in classes.tolist()):
        return estimator, y
    if not np.isin(truth.astype(object), classes.astype(object)).all():
        return estimator, y  # whose labels scikit-learn refuses
    return _OfNumbers(getattr(estimator, "best_estimator_", estimator)), (
        truth == classes[1]
    ).astype(int)


class _Rows(NamedTuple):
    X: Any
    y: Any
    task: Any  # None: not passed to the estimator
    sample_weight: Any  # None: equal weights


def _by_task(rows: _Rows, tasks: RowIds) -> Iterator[_Rows]:
    ends = np.cumsum(np.bincount(tasks.codes, minlength=len(tasks.distinct)))
    for positions in np.split(np.argsort(tasks.codes, kind="stable"), ends[:-1]):
        yield _Rows(*(None if values is None else _take(values, positions) for values in rows))


def _take(values: Any, positions: Any) -> Any:
    if hasattr(values, "iloc"):
        return values.iloc[positions]
    if hasattr(values, "tocsr"):  # sparse
        return values.tocsr()[positions]
    return values[positions] if hasattr(values, "shape") else [values[i] for i in positions]


def _score(scorer: Scorer, estimator: Any, rows: _Rows) -> float:
    bound = estimator if rows.task is None else _TaskBound(estimator, rows.task)
    weight = {} if rows.sample_weight is None else {"sample_weight": rows.sample_weight}
    return float(scorer(bound, rows.X, rows.y, **weight))


def _score_or_nan(scorer: Scorer, estimator: Any, rows: _Rows) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        try:
            return _score(scorer, estimator, rows)
        except ValueError:
            # Some metrics raise an error instead of returning NaN if a class has no row.
            if len(set(as_array(rows.y).tolist())) >= len(getattr(estimator, "classes_", ())):
                raise
            return math.nan
