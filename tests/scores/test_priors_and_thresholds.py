"""Priors, costs and classes of different sizes: where the threshold lies."""

from __future__ import annotations

import numpy as np
import pytest

from kinspan import MultiTaskSPCA
from kinspan.datasets import gaussian_mixture, related_means
from tests.worlds import fitted, random_world


def test_priors_move_the_threshold_by_their_log_odds() -> None:
    equal, (X, _, task) = fitted(9)
    skewed, _ = fitted(9, priors=[0.2, 0.8])
    difference = skewed.decision_function(X, task=task) - equal.decision_function(X, task=task)
    np.testing.assert_allclose(difference, np.log(4.0))


def test_empirical_priors_are_those_of_each_task() -> None:
    X, y, task = random_world(10, n_classes=2)
    keep = (task != 2) | (y == 1) | (np.arange(len(X)) % 5 == 0)
    X, y, task = X[keep], y[keep], task[keep]
    equal = MultiTaskSPCA(metric=0).fit(X, y, task=task)
    skewed = MultiTaskSPCA(metric=0, priors="empirical").fit(X, y, task=task)
    odds = [(y[task == t] == 1).sum() / (y[task == t] == 0).sum() for t in range(4)]
    np.testing.assert_allclose((skewed.intercept_ - equal.intercept_)[:, 0], np.log(odds))


def test_class_weights_are_costs_and_balanced_undoes_the_prior() -> None:
    plain, _ = fitted(11)
    costly, _ = fitted(11, class_weight={1: 5.0})
    np.testing.assert_allclose(costly.intercept_ - plain.intercept_, np.log(5.0))
    balanced, _ = fitted(11, priors="empirical", class_weight="balanced")
    np.testing.assert_allclose(balanced.intercept_, plain.intercept_)


@pytest.mark.parametrize("labels", ["spectral", "plugin", "single"])
def test_classes_of_different_sizes_do_not_move_the_threshold(labels: str) -> None:
    """Direction and middle contain the same samples; their common noise is taken out."""
    means = related_means([1, 0.9], 200)
    shares = []
    for seed in range(20):
        train = gaussian_mixture(means, [[5, 50], [200, 200]], random_state=seed)
        clf = MultiTaskSPCA(labels=labels, scale=None).fit(train.X, train.y, task=train.task)
        middle = clf.intercept_[0, 0]  # the true middle is zero
        shares.append(middle / np.linalg.norm(clf.coef_[0]))
    assert abs(np.mean(shares)) < 4 * np.std(shares) / np.sqrt(len(shares))
