"""Rows and their tasks → the class with the largest score: the base of all baselines."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from kinspan._rows.types import Floats, Ids
from kinspan._validation.accuracy import accuracy
from kinspan._validation.finite import check_finite
from kinspan._validation.fitted import unchanged_on_error
from kinspan.baselines._checks import CodedRows, TaskRows, check_task_rows
from kinspan.class_moments import ClassMoments
from kinspan.metric import ScaledMoments
from kinspan.scores import LinearRules, answers, in_input_units, paired_scores

_TASK = {"task": True}
_NEVER = float(np.finfo(np.float64).min)  # below any score: scores of baselines are not calibrated


class TaskClassifier(ClassifierMixin, BaseEstimator):
    """A classifier with a linear rule for every task, which `_fit` of the subclasses finds."""

    __metadata_request__fit: ClassVar = _TASK
    __metadata_request__predict: ClassVar = _TASK
    __metadata_request__decision_function: ClassVar = _TASK
    __metadata_request__score: ClassVar = _TASK

    task_column: str | int | None
    tasks_: Ids
    classes_: Ids
    coef_: Floats
    intercept_: Floats

    def fit(self, X: Any, y: ArrayLike, *, task: Any = None) -> Self:
        """Fit the rule of every task; `task` is one id per row, one for all rows, or None."""
        with unchanged_on_error(self):
            self._fit(X, y, task)
        return self

    def _fit(self, X: Any, y: ArrayLike, task: Any) -> None:
        raise NotImplementedError

    def decision_function(self, X: Any, *, task: Any = None) -> Floats:
        """Scores: (n_samples,), positive for `classes_[1]`, or (n_samples, n_classes)."""
        scores = self._scores(X, task)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any, *, task: Any = None) -> NDArray[Any]:
        """The class of every row; `task` is one id per row, or one id for all rows."""
        scores = self._scores(X, task)
        return np.asarray(self.classes_[answers(scores)])

    def score(
        self, X: Any, y: ArrayLike, *, task: Any = None, sample_weight: ArrayLike | None = None
    ) -> float:
        """Accuracy over all rows."""
        return accuracy(y, self.predict(X, task=task), sample_weight)

    @property
    def _n_features(self) -> int:
        """Features of the rules; a task column is none."""
        return int(self.coef_.shape[-1])

    def _scores(self, X: Any, task: Any) -> Floats:
        check_is_fitted(self)
        rows = check_task_rows(self, X, task)
        return check_finite(self._score_rows(rows), rows.X, rows.names)

    def _score_rows(self, rows: TaskRows) -> Floats:
        return paired_scores(rows.X, rows.codes, self.coef_, self.intercept_)

    def _keep(self, ids: CodedRows | ClassMoments, rules: LinearRules) -> None:
        self.tasks_, self.classes_ = ids.tasks, ids.classes
        self.coef_, self.intercept_ = rules

    def _keep_scaled(
        self,
        ids: CodedRows | ClassMoments,
        rules: LinearRules,
        scaled: ScaledMoments,
        centres: Floats,
    ) -> None:
        """Keep rules of scaled rows around centres, for rows as they are.

        A class of which a task has no samples is never answered.
        """
        coef = np.where(scaled.present[..., None], rules.coef, 0.0)
        rules = LinearRules(coef, np.where(scaled.present, rules.offset, _NEVER))
        self._keep(ids, LinearRules(*in_input_units(rules, coef, centres, scaled.scale)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
