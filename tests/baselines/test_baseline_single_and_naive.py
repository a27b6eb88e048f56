"""Single-task and naive SPCA: straight from their equations, and against the theory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from kinspan import MultiTaskSPCA
from kinspan.baselines import NaiveSPCA, SingleTaskSPCA
from kinspan.datasets import gaussian_mixture, related_means
from kinspan.theory import error_rate, mtl_score_means
from tests.baselines.gaussian_errors import simulate
from tests.worlds import World, random_world

COUNTS = [[1000, 1000], [50, 50]]  # Figure 2 of the paper


def noise(X: Any) -> float:
    """tr C / n of the rows of one cell."""
    return float(X.var(axis=0, ddof=1).sum() / len(X))


def cells(world: World) -> Any:
    return {
        (t, j): world.X[(world.task == t) & (world.y == j)]
        for t in np.unique(world.task)
        for j in np.unique(world.y)
    }


def test_single_task_is_the_difference_of_means_with_an_unbiased_threshold() -> None:
    world = random_world(0, n_classes=2, offset=3.0)
    clf = SingleTaskSPCA(scale=None).fit(world.X, world.y, task=world.task)
    rows = cells(world)
    for t in range(4):
        first, second = rows[t, 0], rows[t, 1]
        w = second.mean(axis=0) - first.mean(axis=0)
        # wᵀμ without bias: the mean of a class shares its noise with w.
        m1 = w @ first.mean(axis=0) + noise(first)
        m2 = w @ second.mean(axis=0) - noise(second)
        expected = world.X @ w - (m1 + m2) / 2
        np.testing.assert_allclose(clf.decision_function(world.X, task=t), expected, atol=1e-9)


def test_single_task_with_many_classes_is_the_rule_of_every_pair() -> None:
    world = random_world(1, n_classes=3)
    clf = SingleTaskSPCA(scale=None).fit(world.X, world.y, task=world.task)
    for pair in ([0, 1], [0, 2], [1, 2]):
        kept = np.isin(world.y, pair)
        two = SingleTaskSPCA(scale=None).fit(world.X[kept], world.y[kept], task=world.task[kept])
        scores = clf.decision_function(world.X, task=world.task)
        np.testing.assert_allclose(
            scores[:, pair[1]] - scores[:, pair[0]],
            two.decision_function(world.X, task=world.task),
            atol=1e-9,
        )


def test_labels_of_one_sign_a_class_make_the_naive_direction() -> None:
    world = random_world(2, n_classes=2, offset=3.0)
    clf = NaiveSPCA(scale=None).fit(world.X, world.y, task=world.task)
    w, sign = np.zeros(7), 2.0 * world.y - 1
    for t in range(4):
        mine = world.task == t
        for x, label in zip(world.X[mine], sign[mine], strict=True):
            w += label * (x - world.X[mine].mean(axis=0))
    rows = cells(world)
    for t in range(4):
        n1, n2 = len(rows[t, 0]), len(rows[t, 1])
        weight = 2 * n1 * n2 / (n1 + n2)  # of either class mean in w
        m1 = w @ rows[t, 0].mean(axis=0) + weight * noise(rows[t, 0])
        m2 = w @ rows[t, 1].mean(axis=0) - weight * noise(rows[t, 1])
        expected = world.X @ w - (m1 + m2) / 2
        found = clf.decision_function(world.X, task=t)
        slope = found @ expected / (expected @ expected)
        np.testing.assert_allclose(found, slope * expected, atol=1e-9)
        assert slope > 0


def test_naive_eigenvectors_are_those_of_the_feature_matrix() -> None:
    world = random_world(3, n_classes=3)
    clf = NaiveSPCA("eigenvector", scale=None).fit(world.X, world.y, task=world.task)
    centred = world.X - np.array([world.X[world.task == t].mean(axis=0) for t in world.task])
    J = np.zeros((len(world.X), 12))
    J[np.arange(len(J)), world.task * 3 + world.y] = 1
    V = np.linalg.eigh(centred.T @ J @ J.T @ centred)[1][:, -2:]
    inside = clf.coef_.reshape(-1, 7) @ V @ V.T
    np.testing.assert_allclose(inside, clf.coef_.reshape(-1, 7), atol=1e-9)


@pytest.mark.parametrize("beta", [0.0, 4 / 9, 1.0])
def test_naive_labels_reach_their_theory(beta: float) -> None:
    means = related_means([1, beta], 100)
    gram = gaussian_mixture(means, 1).mean_gram
    theory = error_rate(gram, COUNTS, 100, [[1, -1], [1, -1]], target=1)
    assert simulate(lambda: NaiveSPCA(scale=None), means, COUNTS, 1).agrees_with(float(theory))


@pytest.mark.parametrize("beta", [2 / 9, 1.0])
def test_naive_eigenvectors_reach_theorem_3(beta: float) -> None:
    """The plotted N-SPCA is worse than labels ±1 where the tasks differ, and equal at β = 1."""
    means = related_means([1, beta], 100)
    gram = gaussian_mixture(means, 1).mean_gram
    scores = mtl_score_means(gram, COUNTS, 100, np.eye(4))[2:, 0]
    theory = norm.sf(abs(scores[0] - scores[1]) / 2)
    found = simulate(lambda: NaiveSPCA("eigenvector", scale=None), means, COUNTS, 1)
    assert found.agrees_with(theory)
    signs = float(error_rate(gram, COUNTS, 100, [[1, -1], [1, -1]], target=1))
    assert theory > signs + 0.01 or beta == 1.0


@pytest.mark.parametrize("counts", [[[60, 60]], [[20, 180]]], ids=["balanced", "unbalanced"])
def test_single_task_reaches_its_theory(counts: Any) -> None:
    """Also where one class has nine times the rows of the other: the threshold is unbiased."""
    means = related_means([1], 80)
    theory = error_rate(
        gaussian_mixture(means, 1).mean_gram, counts, 80, 1 / np.array(counts) * [1, -1], target=0
    )
    found = simulate(lambda: SingleTaskSPCA(scale=None), means, counts, 0, draws=60)
    assert found.agrees_with(float(theory))


def test_swapped_classes_turn_naive_labels_against_the_task() -> None:
    means = related_means([1, -1], 50)
    counts = [[100, 100], [10, 10]]
    against = simulate(NaiveSPCA, means, counts, 1, draws=5)
    either_sign = simulate(lambda: NaiveSPCA("eigenvector"), means, counts, 1, draws=5)
    assert against.error > 0.7
    assert either_sign.error < 0.3


def test_the_core_agrees_with_both_baselines() -> None:
    train = gaussian_mixture(related_means([1, 0.5], 30), [[80, 80], [20, 20]], random_state=0)
    test = train.sample(300, random_state=0)
    for baseline, labels in ((SingleTaskSPCA(), "single"), (NaiveSPCA(), "naive")):
        core = MultiTaskSPCA(labels=labels, row_sample=0)
        answers = [
            clf.fit(train.X, train.y, task=train.task).predict(test.X, task=test.task)
            for clf in (baseline, core)
        ]
        assert (answers[0] == answers[1]).mean() > 0.97


def test_many_classes_are_scored_by_the_log_odds_of_each_against_the_rest() -> None:
    world = random_world(4, n_classes=3, offset=3.0)
    clf = NaiveSPCA(scale=None).fit(world.X, world.y, task=world.task)
    rows = cells(world)
    for label in range(3):
        w = np.zeros(7)
        for t in range(4):
            mine = world.task == t
            centred = world.X[mine] - world.X[mine].mean(axis=0)
            w += centred[world.y[mine] == label].sum(axis=0)
        v = w / np.linalg.norm(w)
        for t in range(4):
            n = np.array([len(rows[t, j]) for j in range(3)])
            weights = n[label] * (np.eye(3)[label] - n / n.sum())
            means = [
                v @ rows[t, j].mean(axis=0) - weights[j] * noise(rows[t, j]) / np.linalg.norm(w)
                for j in range(3)
            ]
            own, others = means[label], np.arange(3) != label
            rest = np.average(np.array(means)[others], weights=n[others])
            slope = max(own - rest, 1e-3)  # never turned round
            expected = slope * (world.X @ v - (own + rest) / 2)
            found = clf.decision_function(world.X, task=t)[:, label]
            np.testing.assert_allclose(found, expected, atol=1e-9)
