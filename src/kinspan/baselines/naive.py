"""Rows of tasks → one direction for all of them, whatever their relatedness: naive SPCA."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kinspan._rows.types import Floats
from kinspan._validation.parameters import check_choice
from kinspan.baselines._checks import check_moments
from kinspan.baselines._nearest_mean import components_of_sums, nearest_mean_rule
from kinspan.baselines._task_classifier import TaskClassifier
from kinspan.metric import ScaledMoments, scaled_moments
from kinspan.scores import LinearRules


class NaiveSPCA(TaskClassifier):
    """Supervised PCA of all tasks at once, with labels that ignore how related they are (N-SPCA).

    The rows of every task are centred by its mean, as in Algorithm 1 of the paper, and all tasks
    share their directions; only the thresholds are each task's own. Unrelated tasks make this worse
    than no transfer at all, tasks with swapped classes much worse.

    Parameters
    ----------
    variant : {"labels", "eigenvector"}, default="labels"
        `"labels"`: N-SPCA as the paper describes it and draws its theory: labels ±1, w = Σ ± x over
        all rows; one class against the rest for more than two. `"eigenvector"`: as its experiments
        run it: the leading n_classes − 1 eigenvectors of XJJᵀXᵀ, with J the indicators of the
        cells, and the nearest projected class mean.
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
    Two tasks with the classes of one swapped: labels ±1 cancel each other.

    >>> from kinspan.baselines import NaiveSPCA, SingleTaskSPCA
    >>> from kinspan.datasets import gaussian_mixture, related_means
    >>> train = gaussian_mixture(related_means([1, -1], 50), 100, random_state=0)
    >>> test = train.sample(1000, random_state=0)
    >>> def accuracy(clf):
    ...     clf.fit(train.X, train.y, task=train.task)
    ...     return clf.score(test.X, test.y, task=test.task)
    >>> accuracy(NaiveSPCA()) < accuracy(SingleTaskSPCA()) < accuracy(NaiveSPCA("eigenvector"))
    True
    """

    def __init__(
        self,
        variant: str = "labels",
        *,
        scale: str | None = "pooled",
        task_column: str | int | None = None,
    ) -> None:
        self.variant = variant
        self.scale = scale
        self.task_column = task_column

    def _fit(self, X: Any, y: ArrayLike, task: Any) -> None:
        check_choice("variant", self.variant, ("labels", "eigenvector"))
        check_choice("scale", self.scale, ("pooled", "task", None))
        moments = check_moments(self, X, y, task)
        scaled = scaled_moments(moments, self.scale)
        rules = (label_rules if self.variant == "labels" else eigenvector_rules)(scaled)
        self._keep_scaled(moments, rules, scaled, scaled.centres)


def label_rules(scaled: ScaledMoments) -> LinearRules:
    """Log odds (m₁ − m₂)(vₗᵀx − ½(m₁ + m₂)) of class l against the rest, vₗ of length one.

    vₗ ∝ Σ_t n_tl (x̄_tl − x̄_t), in which the mean of class j of task t has weight
    n_tl (1[j = l] − n_tj/n_t). The noise that it shares with vₗ is taken from its mean score. For
    two classes the threshold is that of Eq. 3, midway. Algorithm 1 subtracts m₁ alone, which for
    more classes is worse. A task with the opposite direction keeps a small slope: scores are not
    reversed.
    """
    n, means = scaled.counts, scaled.means - scaled.centres[:, None, :]
    share = n / n.sum(axis=1, keepdims=True)
    row_means = np.einsum("tj,tjp->tp", share, means)
    w = np.einsum("tl,tlp->lp", n, means - row_means[:, None, :])
    length = np.linalg.norm(w, axis=1)
    length = np.where(length > 0, length, np.inf)
    v = w / length[:, None]
    weights = n[:, None, :] * (np.eye(n.shape[1]) - share[:, :, None])
    scores = means @ v.T - weights * scaled.cell_noise[:, :, None] / length
    own, rest = _own_and_rest(scores, n)
    slope = np.maximum(own - rest, 1e-3)
    return LinearRules(slope[..., None] * v, -0.5 * slope * (own + rest))


def _own_and_rest(scores: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """(tasks, classes): mean score l over class l, and over the other rows, of scores[t, j, l]."""
    own = np.einsum("tll->tl", scores)
    others = np.maximum(counts.sum(axis=1, keepdims=True) - counts, 1.0)
    return own, (np.einsum("tj,tjl->tl", counts, scores) - counts * own) / others


def eigenvector_rules(scaled: ScaledMoments) -> LinearRules:
    """The nearest class mean of every task on the leading eigenvectors of XJJᵀXᵀ."""
    k, m, p = scaled.means.shape
    means = (scaled.means - scaled.centres[:, None, :]).reshape(k * m, p)
    components = components_of_sums(
        means, _centred_sums(scaled.counts), scaled.cell_noise.ravel(), m - 1
    )
    rule = nearest_mean_rule(components)
    return LinearRules(rule.coef.reshape(k, m, p), rule.offset.reshape(k, m))


def _centred_sums(counts: Floats) -> Floats:
    """(cells, cells): cell means → sums of the rows of each cell, less the mean of their task."""
    k, m = counts.shape
    share = counts / counts.sum(axis=1, keepdims=True)
    loadings = np.zeros((k, m, k, m))
    centring = np.eye(m) - share[:, None, :]
    loadings[np.arange(k), :, np.arange(k)] = counts[:, :, None] * centring
    return loadings.reshape(k * m, k * m)
