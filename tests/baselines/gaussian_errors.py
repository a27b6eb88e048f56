"""Errors of linear rules on Gaussian cells, without a test sample, and their average over draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import norm

from kinspan.datasets import gaussian_mixture


class Simulated(NamedTuple):
    """Mean over draws of training rows, and its standard error."""

    error: float
    standard_error: float

    def agrees_with(self, theory: float) -> bool:
        """Within four standard errors."""
        return abs(self.error - theory) < 4 * self.standard_error


def exact_error(clf: Any, means: Any, target: int) -> float:
    """Error of the rule of a target on rows N(mean, I) of two equally frequent classes."""
    code = list(clf.tasks_).index(target)
    w, b = clf.coef_[code, 0], clf.intercept_[code, 0]
    scores = (means[target] @ w + b) / np.linalg.norm(w)
    return float((norm.sf(-scores[0]) + norm.sf(scores[1])) / 2)


def simulate(
    make: Callable[[], Any], means: Any, counts: Any, target: int, draws: int = 30
) -> Simulated:
    """Fit and measure on many draws."""
    errors = []
    for seed in range(draws):
        train = gaussian_mixture(means, counts, random_state=seed)
        clf = make().fit(train.X, train.y, task=train.task)
        errors.append(exact_error(clf, means, target))
    return Simulated(float(np.mean(errors)), float(np.std(errors, ddof=1) / np.sqrt(draws)))
