"""Rows → their scores, classes, probabilities and projections, as methods of the estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import TransformerMixin

from kinspan._arrays.elsewhere import all_finite, codes_on_device_of, in_library_of, per_row
from kinspan._arrays.libraries import namespace
from kinspan._memory.learnt import Learnt
from kinspan._rows.types import Codes, Floats
from kinspan._validation.accuracy import accuracy
from kinspan._validation.finite import check_finite, check_may_have_holes
from kinspan._validation.rows import check_known_tasks, check_rows
from kinspan.scores import answers, paired_scores, probabilities, projectors, without_absent


class RowsMixin(TransformerMixin):
    """The answers of a fitted MultiTaskSPCA for rows."""

    missing: str
    unseen: str
    _learnt: Learnt
    _n_features_out: int
    _with_rules: Any

    def decision_function(self, X: Any, *, task: Any = None) -> Floats:
        """Scores: (n_samples,) log odds of `classes_[1]`, or (n_samples, n_classes).

        A class that the task of a row cannot answer is 100 below all others.
        """
        scores, _ = self._with_rules()._scores(X, task)
        return in_library_of(scores[:, 0] if scores.shape[1] == 1 else scores, X)

    def predict(self, X: Any, *, task: Any = None) -> NDArray[Any]:
        """The class of every row, in the array library of X; `task` is one id per row, or one."""
        now = self._with_rules()
        scores, _ = now._scores(X, task, "deciding_intercept")
        found: NDArray[Any] = per_row(now._learnt.classes, answers(scores))
        return in_library_of(found, X)

    def predict_proba(self, X: Any, *, task: Any = None) -> Floats:
        """(n_samples, n_classes) probabilities, in the order of `classes_`."""
        return in_library_of(probabilities(*self._with_rules()._scores(X, task)), X)

    def predict_log_proba(self, X: Any, *, task: Any = None) -> Floats:
        """(n_samples, n_classes) logarithms of the probabilities."""
        found = self.predict_proba(X, task=task)
        with np.errstate(divide="ignore"):
            logarithms: Floats = namespace(found).log(found)
        return logarithms

    def transform(self, X: Any, *, task: Any = None) -> Floats:
        """(n_samples, n_components) projections Vᵀx on the directions of each row's task."""
        now = self._with_rules()
        features, names, rules = now._known_rows(X, task)
        found = now._learnt.rules
        scale = found.scale[:, None, :]
        if now._learnt.parameters["scale"] is None:  # one number for all features, of no meaning
            scale = np.ones_like(scale)
        directions = projectors(found.coef * scale, now._n_features_out)
        flat = np.zeros((len(directions), now._n_features_out))
        projected = now._rows_by(features, names, rules, directions / scale, flat)
        return in_library_of(projected, X)

    def score(
        self, X: Any, y: ArrayLike, *, task: Any = None, sample_weight: ArrayLike | None = None
    ) -> float:
        """Accuracy over all rows."""
        return accuracy(y, self.predict(X, task=task), sample_weight)

    def _scores(
        self, X: Any, task: Any, intercept: str = "intercept"
    ) -> tuple[Floats, NDArray[np.bool_]]:
        """Scores, and which classes the task of every row cannot answer."""
        features, names, rules = self._known_rows(X, task)
        found = self._learnt.rules
        scores = self._rows_by(features, names, rules, found.coef, getattr(found, intercept))
        absent = per_row(found.absent, rules)
        return without_absent(scores, absent), absent

    def _rows_by(
        self, X: Any, names: NDArray[Any] | None, rules: Codes, coef: Floats, intercept: Floats
    ) -> Floats:
        """Scores of rows by rules; where they are NaN, the holes of the rows are filled."""
        scores = paired_scores(X, rules, coef, intercept)
        if all_finite(scores):
            return scores
        check_may_have_holes(X, names, self.missing)
        filled = self._learnt.filling.filled(X, rules)
        scores = paired_scores(filled, rules, coef, intercept)
        return check_finite(scores, X, names, allows_holes=True)

    def _known_rows(self, X: Any, task: Any) -> tuple[Any, NDArray[Any] | None, Codes]:
        features, names, column = check_rows(self, X, task, reset=False)
        tasks = self._learnt.tasks
        known = check_known_tasks(column, features.shape[0], tasks, self.unseen)
        return features, names, codes_on_device_of(known, features, len(tasks) + 1)
