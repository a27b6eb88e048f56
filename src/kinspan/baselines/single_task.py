"""Rows of tasks → the difference of the class means of every task alone: single-task SPCA."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinspan._validation.parameters import check_choice
from kinspan.baselines._checks import check_moments
from kinspan.baselines._task_classifier import TaskClassifier
from kinspan.metric import ScaledMoments, scaled_moments
from kinspan.scores import LinearRules


class SingleTaskSPCA(TaskClassifier):
    """Supervised PCA of every task alone: the reference for any transfer.

    For two classes the direction is w = x̄₁ − x̄₂ and the threshold lies midway between the mean
    scores wᵀμ₁ and wᵀμ₂, estimated without bias: x̄ⱼ shares its noise with w, and classes of
    different size share it unequally. For more classes this is the rule of every pair of them,
    which makes it the nearest class mean.

    Parameters
    ----------
    scale : {"pooled", "task", None}, default="pooled"
        Divisor of the features: their standard deviation within the classes of all tasks, the
        total standard deviation of each task, or nothing.
    task_column : str or int, optional
        The column of X that holds the task id.

    Attributes
    ----------
    tasks_, classes_ : arrays of shape (n_tasks,) and (n_classes,)
        Ids, sorted; all that follows is in their order.
    coef_ : array of shape (n_tasks, 1 or n_classes, n_features)
        In the units of X. With two classes the one row points towards `classes_[1]`.
    intercept_ : array of shape (n_tasks, 1 or n_classes)
        What is added to the scores.

    Examples
    --------
    >>> from kinspan import MultiTaskSPCA
    >>> from kinspan.baselines import SingleTaskSPCA
    >>> from kinspan.datasets import load_digit_pairs
    >>> digits = load_digit_pairs(n_per_class=5)
    >>> test = dict(X=digits.X_test, y=digits.y_test, task=digits.task_test)
    >>> alone = SingleTaskSPCA().fit(digits.X, digits.y, task=digits.task).score(**test)
    >>> together = MultiTaskSPCA().fit(digits.X, digits.y, task=digits.task).score(**test)
    >>> 0.5 < alone < together
    True
    """

    def __init__(
        self, *, scale: str | None = "pooled", task_column: str | int | None = None
    ) -> None:
        self.scale = scale
        self.task_column = task_column

    def _fit(self, X: Any, y: ArrayLike, task: Any) -> None:
        check_choice("scale", self.scale, ("pooled", "task", None))
        moments = check_moments(self, X, y, task)
        scaled = scaled_moments(moments, self.scale)
        self._keep_scaled(moments, class_mean_rules(scaled), scaled, scaled.centres)


def class_mean_rules(scaled: ScaledMoments) -> LinearRules:
    """Scores x̄ᵀx − ½(‖x̄‖² − tr C/n) around the centre of each task: unbiased −½‖x − μ‖²."""
    means = scaled.means - scaled.centres[:, None, :]
    squares = np.einsum("tjp,tjp->tj", means, means)
    return LinearRules(means, -0.5 * (squares - scaled.cell_noise))
