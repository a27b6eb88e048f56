"""Rows of a task → the components of its class sums, and the nearest class mean."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinspan._validation.parameters import check_n_components
from kinspan.baselines._checks import check_moments
from kinspan.baselines._nearest_mean import components_of_sums, nearest_mean_rule
from kinspan.baselines._task_classifier import TaskClassifier
from kinspan.metric import ScaledMoments, scaled_moments
from kinspan.scores import LinearRules


class SPCAClassifier(TaskClassifier):
    """Supervised principal components of every task, and the nearest class mean (Theorem 2).

    V holds the leading eigenvectors of XyyᵀXᵀ with canonical labels y = e_j: components of the
    class sums, found from a matrix as small as the number of classes. Neither centred nor scaled,
    as in section 3 of the paper. Several tasks are fitted one by one.

    Parameters
    ----------
    n_components : int, optional
        Components τ, at most one for each class; by default all.
    task_column : str or int, optional
        The column of X that holds the task id.

    Attributes
    ----------
    tasks_, classes_ : arrays of shape (n_tasks,) and (n_classes,)
        Ids, sorted; all that follows is in their order.
    coef_ : array of shape (n_tasks, 1 or n_classes, n_features)
        With two classes the one row points towards `classes_[1]`.
    intercept_ : array of shape (n_tasks, 1 or n_classes)
        What is added to the scores.

    Examples
    --------
    Figure 1 of the paper at p = 100, where the theory gives .1702 for SPCA and .1829 for PCA:

    >>> from kinspan.baselines import PCAClassifier, SPCAClassifier
    >>> from kinspan.datasets import gaussian_mixture, related_means
    >>> train = gaussian_mixture(related_means([1], 100), 500, random_state=0)
    >>> test = train.sample(5000, random_state=0)
    >>> for clf in (SPCAClassifier(), PCAClassifier(n_components=1)):
    ...     print(f"{1 - clf.fit(train.X, train.y).score(test.X, test.y):.2f}")
    0.17
    0.18
    """

    def __init__(
        self, n_components: int | None = None, *, task_column: str | int | None = None
    ) -> None:
        self.n_components = n_components
        self.task_column = task_column

    def _fit(self, X: Any, y: ArrayLike, task: Any) -> None:
        moments = check_moments(self, X, y, task)
        n_components = check_n_components(self.n_components, len(moments.classes))
        unscaled = scaled_moments(moments, None)
        rules = component_rules(unscaled, n_components)
        self._keep_scaled(moments, rules, unscaled, np.zeros_like(unscaled.centres))


def component_rules(unscaled: ScaledMoments, n_components: int) -> LinearRules:
    """The nearest class mean on the components of every task's class sums."""
    rules = [
        nearest_mean_rule(components_of_sums(means, np.diag(n), noise, n_components))
        for means, n, noise in zip(
            unscaled.means, unscaled.counts, unscaled.cell_noise, strict=True
        )
    ]
    return LinearRules(*map(np.stack, zip(*rules, strict=True)))
