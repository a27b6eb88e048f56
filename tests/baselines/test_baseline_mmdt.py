"""Max-margin domain transforms: both steps against a general solver, and the whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from kinspan.baselines import MMDT, SingleTaskSPCA
from kinspan.baselines.mmdt import Costs, Signed, best_map, classifiers, objective
from kinspan.datasets import gaussian_mixture, related_means
from tests.worlds import random_world


def signed(seed: int, n: int, p: int = 2, n_classes: int = 3) -> Signed:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    X = rng.normal(size=(n, p)) + 1.5 * rng.normal(size=(n_classes, p))[y]
    return Signed(np.hstack([X, np.ones((n, 1))]), 2.0 * np.eye(n_classes)[y] - 1)


def naive_objective(W: Any, theta: Any, source: Signed, target: Signed, costs: Costs) -> float:
    value = 0.5 * ((W - np.eye(len(W))) ** 2).sum() + 0.5 * (theta**2).sum()
    for c in range(len(theta)):
        for x, sign in zip(source.X, source.signs[:, c], strict=True):
            value += costs.source * max(0.0, 1 - sign * theta[c] @ x)
        for x, sign in zip(target.X, target.signs[:, c], strict=True):
            value += costs.target * max(0.0, 1 - sign * theta[c] @ W @ x)
    return float(value)


def hinge_minimum(design: Any, offset: Any, costs: Any, size: int) -> float:
    """min ½‖v‖² + Σ costs·slack, slack ≥ 1 − offset − design·v, slack ≥ 0, by SLSQP."""
    n = len(offset)
    bounds: Any = [(None, None)] * size + [(0, None)] * n
    options: Any = {"maxiter": 500, "ftol": 1e-12}
    margins: Any = {
        "type": "ineq",
        "fun": lambda z: design @ z[:size] + z[size:] - 1 + offset,
        "jac": lambda z: np.hstack([design, np.eye(n)]),
    }

    def cost(z: Any) -> Any:
        return 0.5 * z[:size] @ z[:size] + costs @ z[size:]

    def gradient(z: Any) -> Any:
        return np.r_[z[:size], costs]

    found = minimize(
        cost,
        np.concatenate([np.zeros(size), np.maximum(1 - offset, 0) + 1]),
        jac=gradient,
        method="SLSQP",
        bounds=bounds,
        constraints=margins,
        options=options,
    )
    return float(found.fun)


def test_the_map_step_reaches_the_minimum() -> None:
    target, costs = signed(0, 9), Costs(0.05, 0.7)
    theta = np.random.default_rng(1).normal(size=(3, 3))
    found = best_map(theta, target, costs)
    W = np.eye(3) + sum(
        found.duals[i, c] * np.outer(theta[c], target.X[i]) for i in range(9) for c in range(3)
    )
    np.testing.assert_allclose(found.mapped_rows(), target.X @ W.T)
    np.testing.assert_allclose(found.mapped_theta(), theta @ W)
    assert found.distance() == pytest.approx(((W - np.eye(3)) ** 2).sum())
    nothing = Signed(np.zeros((0, 3)), np.zeros((0, 3)))
    value = naive_objective(W, theta, nothing, target, costs) - 0.5 * (theta**2).sum()
    design = [
        target.signs[i, c] * np.outer(theta[c], target.X[i]).ravel()
        for i in range(9)
        for c in range(3)
    ]
    offset = (target.signs * (target.X @ theta.T)).ravel()
    assert value == pytest.approx(
        hinge_minimum(np.array(design), offset, np.full(27, 0.7), 9), rel=1e-5
    )


def test_the_classifier_step_reaches_the_minimum() -> None:
    source, mapped, costs = signed(2, 15), signed(3, 6), Costs(0.05, 1.0)
    theta = classifiers(source, mapped, costs)
    X, signs = np.vstack([source.X, mapped.X]), np.vstack([source.signs, mapped.signs])
    weights = np.r_[np.full(15, 0.05), np.ones(6)]
    for c in range(3):
        value = 0.5 * theta[c] @ theta[c]
        value += weights @ np.maximum(1 - signs[:, c] * (X @ theta[c]), 0)
        least = hinge_minimum(signs[:, [c]] * X, np.zeros(21), weights, 3)
        assert value == pytest.approx(least, rel=1e-4)


def test_the_objective_is_the_published_one_and_falls() -> None:
    source, target, costs = signed(4, 30), signed(5, 9), Costs(0.05, 1.0)
    theta = classifiers(source, target, costs)
    values = []
    for _ in range(4):
        found = best_map(theta, target, costs)
        values.append(objective(found, source, target, costs))
        W = np.eye(3) + np.einsum("ic,cp,iq->pq", found.duals, theta, target.X)
        assert values[-1] == pytest.approx(naive_objective(W, theta, source, target, costs))
        theta = classifiers(source, target._replace(X=found.mapped_rows()), costs)
    assert np.all(np.diff(values) < 1e-4 * values[0])
    start = naive_objective(np.eye(3), classifiers(source, target, costs), source, target, costs)
    assert values[0] < start


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("standardise", [True, False])
def test_rules_are_the_classifiers_of_mapped_rows(n_classes: int, standardise: bool) -> None:
    """Scores of raw rows, by hand: length one, z-scores, the constant, W for the target."""
    X, y, task = random_world(0, n=90, n_tasks=2, n_classes=n_classes)
    clf = MMDT(target=1, standardise=standardise).fit(X, y, task=task)
    Z = X / np.linalg.norm(X, axis=1, keepdims=True)
    if standardise:
        Z = Z - np.array([Z[task == t].mean(axis=0) for t in (0, 1)])[task]
        Z = Z / Z.std(axis=0)
    problems = np.arange(n_classes) if n_classes > 2 else [1]
    rows = [
        Signed(
            np.hstack([Z, np.ones((90, 1))])[task == t], 2.0 * (y[task == t, None] == problems) - 1
        )
        for t in (0, 1)
    ]
    costs, mapped = Costs(0.05, 1.0), rows[1]
    for _ in range(2):
        found = best_map(classifiers(rows[0], mapped, costs), rows[1], costs)
        mapped = rows[1]._replace(X=found.mapped_rows())
    own = clf.decision_function(X[task == 0], task=0).reshape(-1, len(problems))
    np.testing.assert_allclose(own, rows[0].X @ found.theta.T, rtol=1e-3, atol=1e-3)
    few = clf.decision_function(X[task == 1], task=1).reshape(-1, len(problems))
    np.testing.assert_allclose(few, mapped.X @ found.theta.T, rtol=1e-3, atol=1e-3)


def test_the_source_helps_the_target() -> None:
    means = 2 * related_means([1, 0.9], 60)
    scores = []
    for seed in range(6):
        train = gaussian_mixture(means, [[100, 100], [4, 4]], random_state=seed)
        test = train.sample([[0, 0], [150, 150]], random_state=seed)
        few = train.task == 1
        alone = SingleTaskSPCA().fit(train.X[few], train.y[few])
        clf = MMDT().fit(train.X, train.y, task=train.task)
        assert clf.objective_.shape == (2,)
        scores.append([alone.score(test.X, test.y), clf.score(test.X, test.y, task=1)])
    alone_score, score = np.mean(scores, axis=0)
    assert score > alone_score + 0.02
