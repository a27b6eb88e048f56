"""The multi-task least-squares SVM: its equations solved naively, its theory, and its limits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from kinspan import MultiTaskSPCA
from kinspan.baselines import MultiTaskLSSVM, SingleTaskSPCA, _lssvm_solver
from kinspan.baselines._lssvm_labels import best_strengths, expected_scores
from kinspan.baselines._lssvm_solver import (
    Strengths,
    directions_by_features,
    directions_by_samples,
)
from kinspan.datasets import gaussian_mixture, related_means
from kinspan.theory import (
    lssvm_error_rate,
    lssvm_optimal_labels,
    lssvm_optimal_strengths,
    lssvm_score_means,
    lssvm_score_variances,
    optimal_error_rate,
)
from kinspan.theory._checks import Population
from tests.baselines.gaussian_errors import exact_error, simulate
from tests.worlds import random_world

FIGURE_2 = [[1000, 1000], [50, 50]]
SIGNS = [1, -1, 1, -1]


def gram(beta: float) -> Any:
    return np.kron([[1, beta], [beta, 1]], [[1, -1], [-1, 1]])


def naive_solution(X: Any, y: Any, task: Any, lam: float, gamma: Any) -> tuple[Any, Any]:
    """w_t and b_t of every task by the n × n system of the paper, with intercepts."""
    k, (n, p) = len(gamma), X.shape
    X = X - np.array([X[task == t].mean(axis=0) for t in task])
    A = np.diag(gamma) + lam * np.ones((k, k))
    K = np.array(
        [[A[task[i], task[j]] * X[i] @ X[j] / (k * p) for j in range(n)] for i in range(n)]
    )
    H = K + np.eye(n)
    P = (task[:, None] == np.arange(k)).astype(float)
    b = np.linalg.solve(P.T @ np.linalg.solve(H, P), P.T @ np.linalg.solve(H, y))
    alpha = np.linalg.solve(H, y - P @ b)
    w = np.array([(A[t, task] * alpha) @ X / (k * p) for t in range(k)])
    return w, b


@pytest.mark.parametrize("gamma", [[0.5, 1.5, 1.0], [0.0, 2.0, 0.3]])
@pytest.mark.parametrize("lam", [0.0, 0.7])
def test_both_spaces_solve_the_equations_of_the_paper(lam: float, gamma: Any) -> None:
    X, _, task = random_world(0, n=60, p=9, n_tasks=3)
    y = np.random.default_rng(1).normal(size=60)
    w, b = naive_solution(X, y, task, lam, gamma)
    means = np.array([X[task == t].mean(axis=0) for t in range(3)])
    np.testing.assert_allclose(b, [y[task == t].mean() for t in range(3)])
    columns, targets = np.tile((y - b[task])[:, None], 3), np.arange(3)
    strengths = Strengths(lam, np.array(gamma))
    for solve in (directions_by_samples, directions_by_features):
        found = solve(X - means[task], task, columns, targets, strengths)
        np.testing.assert_allclose(found, w, atol=1e-12)


def test_given_labels_and_strengths_are_those_of_the_equations() -> None:
    X, y, task = random_world(1, n=80, p=6, n_classes=2)
    fixed: dict[str, Any] = {"shared_strength": 2.0, "task_strengths": [0.5, 1.0, 1.5, 2.0]}
    clf = MultiTaskLSSVM(labels="naive", scale=None, **fixed).fit(X, y, task=task)
    within = [X[(task == t) & (y == j)] for t in range(4) for j in range(2)]
    level = sum(len(c) * c.var(axis=0).sum() for c in within) / (80 - 8) / 6
    w, _ = naive_solution(
        X / np.sqrt(level), 2.0 * y - 1, task, 2.0, np.array([0.5, 1.0, 1.5, 2.0])
    )
    for t in range(4):
        cosine = clf.coef_[t, 0] @ w[t] / np.linalg.norm(clf.coef_[t, 0]) / np.linalg.norm(w[t])
        assert cosine == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("labels", ["plugin", "naive"])
@pytest.mark.parametrize("counts", [[[100, 100], [50, 50]], [[90, 30], [20, 60]]])
def test_expected_scores_are_those_of_the_theory(labels: str, counts: Any) -> None:
    G = gram(0.6)
    strengths: dict[str, Any] = {"shared_strength": 0.4, "task_strengths": [0.8, 1.2]}
    population = Population(G, np.array(counts, dtype=float), 70)
    found = expected_scores(population, Strengths(0.4, np.array([0.8, 1.2])), labels)
    for t in range(2):
        y = np.array(SIGNS, dtype=float)
        if labels == "plugin":
            y = lssvm_optimal_labels(G, counts, 70, target=t, **strengths).ravel()
            ratio = found.labels[t].ravel() / y
            np.testing.assert_allclose(ratio, ratio[0])
        error = lssvm_error_rate(G, counts, 70, y, target=t, **strengths)
        assert found.errors[t] == pytest.approx(error)
        own = found.labels[t].ravel()
        means = lssvm_score_means(G, counts, 70, own, **strengths)
        np.testing.assert_allclose(found.means[t], means[2 * t : 2 * t + 2])
        variance = lssvm_score_variances(G, counts, 70, own, **strengths)[t]
        assert found.variances[t] == pytest.approx(variance)


@pytest.mark.parametrize("beta", [0.0, 0.5, 1.0])
def test_naive_labels_reach_their_theory(beta: float) -> None:
    fixed: dict[str, Any] = {"shared_strength": 1.0, "task_strengths": 1.0}
    found = simulate(
        lambda: MultiTaskLSSVM(labels="naive", scale=None, **fixed),
        related_means([1, beta], 100),
        [[500, 500], [50, 50]],
        1,
    )
    theory = lssvm_error_rate(gram(beta), [[500, 500], [50, 50]], 100, SIGNS, target=1, **fixed)
    assert found.agrees_with(theory)


@pytest.mark.parametrize("beta", [0.0, 1.0])
def test_plugin_labels_reach_the_plotted_theory(beta: float) -> None:
    """Figure 2: λ = γ = 1 over ‖A‖ = 3; the theory there is .1721 at β = 1 and .2432 at β = 0."""
    fixed: dict[str, Any] = {"shared_strength": 1 / 3, "task_strengths": 1 / 3}
    found = simulate(
        lambda: MultiTaskLSSVM(scale=None, **fixed), related_means([1, beta], 100), FIGURE_2, 1
    )
    y = lssvm_optimal_labels(gram(beta), FIGURE_2, 100, target=1, **fixed)
    theory = lssvm_error_rate(gram(beta), FIGURE_2, 100, y, target=1, **fixed)
    assert theory == pytest.approx({0.0: 0.2432, 1.0: 0.1721}[beta], abs=1e-4)
    assert found.agrees_with(theory)


@pytest.mark.parametrize("beta", [0.3, 0.9])
def test_weak_strengths_give_the_rule_of_multi_task_spca(beta: float) -> None:
    """Directions of both are the same, and so is the theory of their errors."""
    means, counts = related_means([1, beta], 60), [[300, 300], [40, 40]]
    weak: dict[str, Any] = {"shared_strength": 1e-7, "task_strengths": 1e-7}
    y = lssvm_optimal_labels(gram(beta), counts, 60, target=1, **weak)
    error = lssvm_error_rate(gram(beta), counts, 60, y, target=1, **weak)
    assert error == pytest.approx(float(optimal_error_rate(gram(beta), counts, 60, target=1)))
    train = gaussian_mixture(means, counts, random_state=0)
    svm = MultiTaskLSSVM(**weak).fit(train.X, train.y, task=train.task)
    spca = MultiTaskSPCA(labels="plugin", row_sample=0).fit(train.X, train.y, task=train.task)
    for t in range(2):
        a, b = svm.coef_[t, 0], spca.coef_[t, 0]
        assert a @ b / np.linalg.norm(a) / np.linalg.norm(b) > 0.999
        assert exact_error(svm, means, t) == pytest.approx(exact_error(spca, means, t), abs=2e-3)


def test_chosen_strengths_have_the_least_theoretical_error() -> None:
    population = Population(gram(0.5), np.array(FIGURE_2, dtype=float), 100)
    groups = best_strengths([population], "naive", None, None)
    chosen = next(group.strengths for group in groups if 1 in group.targets)
    error = expected_scores(population, chosen, "naive").errors[1]
    best = lssvm_optimal_strengths(gram(0.5), FIGURE_2, 100, SIGNS, target=1)
    assert best.error_rate - 1e-9 <= error < best.error_rate + 2e-3
    fixed = lssvm_error_rate(gram(0.5), FIGURE_2, 100, SIGNS, target=1)
    assert error < fixed - 0.005
    half = best_strengths([population], "naive", 2.0, None)
    assert {group.strengths.shared for group in half} == {2.0}


def test_chosen_strengths_help_naive_labels_and_related_tasks_help_the_target() -> None:
    means, counts = related_means([1, 0.9], 100), [[400, 400], [20, 20]]
    naive: dict[str, Any] = {"labels": "naive", "scale": None}
    chosen = simulate(lambda: MultiTaskLSSVM(**naive), means, counts, 1, draws=8)
    strong: dict[str, Any] = {"shared_strength": 10.0, "task_strengths": 10.0}
    fixed = simulate(lambda: MultiTaskLSSVM(**naive, **strong), means, counts, 1, draws=8)
    plugin = simulate(lambda: MultiTaskLSSVM(scale=None), means, counts, 1, draws=8)
    alone = simulate(lambda: SingleTaskSPCA(scale=None), means, counts, 1, draws=8)
    assert chosen.error < fixed.error - 0.02
    assert plugin.error < alone.error - 0.05
    best = float(optimal_error_rate(gram(0.9), counts, 100, target=1))
    assert plugin.error < best + 0.03


def test_scores_are_log_odds() -> None:
    means = related_means([1, 0.8], 80)
    train = gaussian_mixture(means, [[400, 400], [200, 200]], random_state=0)
    clf = MultiTaskLSSVM().fit(train.X, train.y, task=train.task)
    w, b = clf.coef_[1, 0], clf.intercept_[1, 0]
    scores, variance = means[1] @ w + b, w @ w  # log odds have mean ± half their variance
    np.testing.assert_allclose(scores, [-variance / 2, variance / 2], rtol=0.25)
    assert clf.forecast_error_[1] == pytest.approx(exact_error(clf, means, 1), abs=0.03)


def test_unequal_classes_keep_the_threshold_midway() -> None:
    fixed: dict[str, Any] = {"shared_strength": 0.5, "task_strengths": 0.5}
    means, counts = related_means([1, 0.8], 80), [[100, 300], [150, 30]]
    found = simulate(lambda: MultiTaskLSSVM(scale=None, **fixed), means, counts, 1, draws=40)
    y = lssvm_optimal_labels(gram(0.8), counts, 80, target=1, **fixed)
    theory = lssvm_error_rate(gram(0.8), counts, 80, y, target=1, **fixed)
    assert abs(found.error - theory) < 0.01


def test_many_classes_one_against_the_rest() -> None:
    rng = np.random.default_rng(3)
    means = 1.5 * rng.normal(size=(1, 4, 20)) + 0.5 * rng.normal(size=(3, 4, 20))
    train = gaussian_mixture(means, 15, random_state=0)
    test = train.sample(200, random_state=0)
    clf = MultiTaskLSSVM().fit(train.X, train.y, task=train.task)
    assert clf.coef_.shape == (3, 4, 20)
    assert clf.labels_.shape == (3, 4, 3, 2)
    assert clf.score(test.X, test.y, task=test.task) > 0.95


def test_a_target_without_signal_is_learnt_alone_and_a_task_with_one_class_has_no_forecast() -> (
    None
):
    train = gaussian_mixture(np.zeros((3, 2, 40)), 10, random_state=1)
    kept = (train.task != 2) | (train.y == 1)
    clf = MultiTaskLSSVM().fit(train.X[kept], train.y[kept], task=train.task[kept])
    assert np.isnan(clf.forecast_error_).tolist() == [False, False, True]
    assert (np.linalg.norm(clf.coef_[:2, 0], axis=1) > 0).all()
    assert set(clf.predict(train.X, task=2)) == {1}


def test_the_error_formula_is_that_of_the_gap() -> None:
    population = Population(gram(0.2), np.full((2, 2), 30.0), 50)
    found = expected_scores(population, Strengths(1.0, np.ones(2)), "plugin")
    gap = found.means[:, 0] - found.means[:, 1]
    np.testing.assert_allclose(found.errors, norm.sf(gap / np.sqrt(found.variances) / 2))


@pytest.mark.parametrize(("n", "p", "space"), [(30, 90, "samples"), (300, 20, "features")])
def test_the_smaller_space_is_taken(n: int, p: int, space: str, monkeypatch: Any) -> None:
    taken = []
    for name in ("samples", "features"):
        solve = getattr(_lssvm_solver, f"directions_by_{name}")

        def recorded(*given: Any, name: str = name, solve: Any = solve) -> Any:
            taken.append(name)
            return solve(*given)

        monkeypatch.setattr(_lssvm_solver, f"directions_by_{name}", recorded)
    X, y, task = random_world(2, n=n, p=p)
    MultiTaskLSSVM().fit(X, y, task=task)
    assert taken == [space]
