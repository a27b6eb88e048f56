"""Rows of tasks → one linear classifier on a shared and a task's own copy of the features."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from kinspan._rows.types import Codes
from kinspan._validation.parameters import check_choice
from kinspan.baselines._checks import (
    check_coded_rows,
    check_label_column,
    check_linear,
    check_sparse_learner,
)
from kinspan.baselines._task_classifier import TaskClassifier
from kinspan.scores import LinearRules


class FeatureAugmentation(TaskClassifier):
    """One linear classifier on (x, 0, …, x, …, 0): a shared copy of x and one for its task.

    The regularisation of the classifier decides how much of a rule is shared. The augmented rows
    are sparse and hold twice as many numbers as X, not (n_tasks + 1) times as many; after the fit
    the two parts of the coefficients are added, and prediction needs no augmented rows.

    Parameters
    ----------
    estimator : scikit-learn classifier with `coef_` that takes sparse rows, optional
        By default `LogisticRegression()`.
    unseen : {"error", "shared"}, default="error"
        What to do with rows of tasks that `fit` has not seen: refuse them, or use the shared part.
    task_column : str or int, optional
        The column of X that holds the task id.

    Attributes
    ----------
    tasks_, classes_ : arrays of shape (n_tasks,) and (n_classes,)
        Ids, sorted; all that follows is in their order.
    coef_ : array of shape (n_tasks + 1, 1 or n_classes, n_features)
        The rules of the tasks, shared part included; the last one is the shared part alone.
    intercept_ : array of shape (n_tasks + 1, 1 or n_classes)
        What is added to the scores, the same for all tasks.
    estimator_ : classifier
        The fitted classifier of augmented rows.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from kinspan.baselines import FeatureAugmentation
    >>> from kinspan.datasets import load_digit_pairs
    >>> digits = load_digit_pairs(n_per_class=5)
    >>> clf = FeatureAugmentation(LogisticRegression(C=0.01))
    >>> clf.fit(digits.X, digits.y, task=digits.task).coef_.shape
    (46, 1, 64)
    >>> clf.score(digits.X_test, digits.y_test, task=digits.task_test) > 0.9
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        unseen: str = "error",
        task_column: str | int | None = None,
    ) -> None:
        self.estimator = estimator
        self.unseen = unseen
        self.task_column = task_column

    def _fit(self, X: Any, y: ArrayLike, task: Any) -> None:
        check_choice("unseen", self.unseen, ("error", "shared"))
        rows = check_coded_rows(self, X, y, task)
        learner = LogisticRegression() if self.estimator is None else clone(self.estimator)
        check_sparse_learner(learner)
        wide = augmented(rows.X, rows.task_codes, len(rows.tasks))
        self.estimator_ = learner.fit(wide, check_label_column(y, rows.class_codes))
        both = np.atleast_2d(check_linear(learner).coef_)
        shared, own = np.split(both, [rows.X.shape[1]], axis=1)
        own = own.reshape(len(shared), len(rows.tasks), -1).transpose(1, 0, 2)
        coef = np.concatenate([shared + own, shared[None]])
        intercept = np.broadcast_to(learner.intercept_, coef.shape[:2])
        self._keep(rows, LinearRules(coef, np.array(intercept)))


def augmented(X: Any, task_codes: Codes, n_tasks: int) -> sp.csr_array:
    """(rows, (n_tasks + 1) · features) CSR: every row twice, the second time for its task."""
    shared = sp.csr_array(X)
    n, p = shared.shape
    shift = np.repeat(task_codes * p, np.diff(shared.indptr))
    columns = (shared.indices + shift).astype(shared.indices.dtype)
    own = sp.csr_array((shared.data, columns, shared.indptr), shape=(n, n_tasks * p))
    return sp.csr_array(sp.hstack([shared, own], format="csr"))
