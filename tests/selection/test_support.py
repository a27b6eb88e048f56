"""Support: whether rows without labels fall into the groups of a rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import kinspan.selection.support as of_groups
from kinspan.selection.support import _Groups, _log_likelihood, support


def test_support_sees_groups_and_only_groups() -> None:
    rng = np.random.default_rng(0)
    tasks, side = np.repeat(np.arange(3), 300), rng.choice([-1.0, 1.0], 900)
    centre = np.array([0.0, 2.0, 2.0])[tasks] * side
    centre = np.where(tasks == 2, np.where(rng.random(900) < 0.2, 2.0, -2.0), centre)
    score = centre + rng.standard_normal(900)
    scores, means = np.stack([-score, score], axis=1), np.array([[2.0, -2.0], [-2.0, 2.0]])
    found = support(scores, tasks, np.repeat(means[None], 3, axis=0), np.ones((3, 2), bool))
    gain = found.per_number(0.0)
    assert gain[0] < 0.01
    assert gain[1] > 0.1
    assert gain[2] > 0.1  # also where one class has four times as many rows


def naive_support(scores: Any, means: Any) -> float:
    """Of one task, straight from the equation; eigenvalues within groups are not floored."""
    z = (scores - scores.mean(axis=1, keepdims=True))[:, 1:]
    d = (means - means.mean(axis=1, keepdims=True))[:, 1:]
    z, d = z - z.mean(axis=0), d - d.mean(axis=0)
    units = np.linalg.inv(np.linalg.cholesky(z.T @ z / len(z))).T
    z, d, found = z @ units, d @ units, []
    for gamma in np.linspace(0.1, 1.5, 15):
        shares = np.full(len(d), 1 / len(d))
        for step in range(5):
            centres = gamma * (d - shares @ d)
            within = np.eye(z.shape[1]) - (shares * centres.T) @ centres
            if np.linalg.eigvalsh(within).min() < 0.02:
                break
            groups = zip(shares, centres, strict=True)
            density = np.stack([s * multivariate_normal(c, within).pdf(z) for s, c in groups], 1)
            if step < 4:
                posterior = density / density.sum(axis=1, keepdims=True)
                shares = (posterior.sum(axis=0) + 10) / (len(z) + 10 * len(d))
            else:
                one = multivariate_normal(np.zeros(z.shape[1])).logpdf(z)
                found.append(np.log(density.sum(axis=1)).sum() - one.sum())
    return float(max(max(found) - 0.5, 0) / z.size)


@pytest.mark.parametrize("at_once", [1, 1 << 22])
def test_support_is_that_of_every_task_alone_among_its_classes(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tasks with equally many classes are computed together, whatever order rows come in.

    And so are several distances, or each by itself where rows are many.
    """
    monkeypatch.setattr(of_groups, "_AT_ONCE", at_once)
    rng = np.random.default_rng(3)
    present = np.array([[1, 1, 0], [1, 0, 1], [1, 1, 1], [0, 1, 1], [1, 1, 1]], bool)
    tasks = rng.integers(0, 5, 600)
    label = np.array([rng.choice(np.flatnonzero(present[t])) for t in tasks])
    scores = 1.5 * np.eye(3)[label] + rng.standard_normal((600, 3)) @ rng.standard_normal((3, 3))
    scores, means = np.where(present[tasks], scores, 0.0), np.repeat(np.eye(3)[None], 5, axis=0)
    found = support(scores, tasks, means, present)
    for t, there in enumerate(present):
        mine = scores[tasks == t][:, there]
        alone = naive_support(mine, means[t][there][:, there])
        assert found.rows[t] == len(mine)
        assert found.per_number(0.0)[t] == pytest.approx(alone, rel=1e-6, abs=1e-9)


def test_one_group_is_the_mixture_whose_means_are_equal() -> None:
    z = np.random.default_rng(0).standard_normal((50, 2))
    groups = _Groups(z, np.zeros((2, 3, 2)), np.array([20, 30]), np.full(2, 2.0))
    np.testing.assert_allclose(_log_likelihood(groups, np.array([0.5, 1.0])), 0.0, atol=1e-9)
