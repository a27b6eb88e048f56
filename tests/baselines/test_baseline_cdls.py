"""Cross-domain landmark selection: its matrices written out, its function lowered by every step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.linalg import block_diag
from scipy.optimize import minimize
from sklearn.svm import LinearSVC

from kinspan.baselines import CDLS, SingleTaskSPCA
from kinspan.baselines._cdls_steps import (
    Pool,
    Target,
    source_landmarks,
    source_map,
    target_landmarks,
)
from kinspan.datasets import gaussian_mixture, related_means
from tests.worlds import random_world


def pools(seed: int = 0, p: int = 6, n_classes: int = 3) -> tuple[Pool, Target]:
    """Rows sorted by class, as the matrices of the paper have them."""
    rng = np.random.default_rng(seed)

    def pool(n: int, width: int, weighted: bool) -> Pool:
        classes = np.sort(np.arange(n) % n_classes)
        weights = rng.uniform(0.1, 1, n) if weighted else np.ones(n)
        return Pool(rng.normal(size=(n, width)) + classes[:, None], classes, weights)

    return pool(15, p, True), Target(pool(6, 4, False), pool(11, 4, True))


def blocks(source: Pool, other: Pool, value: Any) -> Any:
    """blk_c value(c, α_c, weights of the other rows of class c)."""
    classes = np.unique(source.classes)
    return block_diag(
        *[
            value(c, source.weights[source.classes == c], other.weights[other.classes == c])
            for c in classes
        ]
    )


def naive_map(source: Pool, target: Target) -> Any:
    """P_s = (S H_S Sᵀ + I/2)⁻¹ (S H_SL Tᵀ + S H_SU Uᵀ) with the matrices of the paper."""
    labelled, unlabelled = target
    S, T, U = source.rows.T, labelled.rows.T, unlabelled.rows.T
    alpha, beta, ones = source.weights, unlabelled.weights, labelled.weights
    total = beta.sum() + len(ones)
    a, l_, b = (
        [pool.weights[pool.classes == c].sum() for c in range(3)]
        for pool in (source, labelled, unlabelled)
    )
    e = [1 / (a[c] * b[c] + b[c] * l_[c] + l_[c] * a[c]) for c in range(3)]
    H_S = (
        np.outer(alpha, alpha) / alpha.sum() ** 2
        + blocks(source, source, lambda c, x, _: np.outer(x, x) / a[c] ** 2)
        + blocks(source, source, lambda c, x, _: e[c] * (b[c] + l_[c]) * np.diag(x))
    )
    right = np.zeros((len(S), len(T)))
    for pool, rows in ((labelled, T), (unlabelled, U)):
        H = (
            np.outer(alpha, pool.weights) / (alpha.sum() * total)
            + blocks(source, pool, lambda c, x, w: np.outer(x, w) / (a[c] * (b[c] + l_[c])))
            + blocks(source, pool, lambda c, x, w: e[c] * np.outer(x, w))
        )
        right += S @ H @ rows.T
    return np.linalg.solve(S @ H_S @ S.T + np.eye(len(S)) / 2, right)


def naive_function(P: Any, source: Pool, target: Target) -> float:
    """What both steps lower, sum by sum."""
    s, (labelled, unlabelled) = source.rows @ P, target
    t, u = labelled.rows, unlabelled.rows
    alpha, beta = source.weights, unlabelled.weights
    mean = alpha @ s / alpha.sum()
    value = ((mean - (t.sum(axis=0) + beta @ u) / (len(t) + beta.sum())) ** 2).sum()
    for c in np.unique(source.classes):
        A, L, B = (source.classes == c), (labelled.classes == c), (unlabelled.classes == c)
        a, n, b = alpha[A].sum(), L.sum(), beta[B].sum()
        if n + b == 0:
            continue
        miss = alpha[A] @ s[A] / a - (t[L].sum(axis=0) + beta[B] @ u[B]) / (n + b)
        pairs = sum(
            w * ((x - z) ** 2).sum() for x, w in zip(s[A], alpha[A], strict=True) for z in t[L]
        )
        pairs += sum(
            v * ((x - z) ** 2).sum() for x in t[L] for z, v in zip(u[B], beta[B], strict=True)
        )
        pairs += sum(
            w * v * ((x - z) ** 2).sum()
            for x, w in zip(s[A], alpha[A], strict=True)
            for z, v in zip(u[B], beta[B], strict=True)
        )
        value += (miss**2).sum() + pairs / (a * b + b * n + n * a)
    return float(value + (P**2).sum() / 2)


@pytest.mark.parametrize("p", [6, 40], ids=["tall", "wide"])
def test_the_map_is_that_of_the_matrices(p: int) -> None:
    source, target = pools(p=p)
    np.testing.assert_allclose(source_map(source, target, 3), naive_map(source, target))


def test_the_first_map_knows_no_pseudo_classes() -> None:
    """Terms 2 and 3 of H_SL are 11ᵀ/(n_S n_L) and H_SU has its first term only."""
    source, target = pools(1)
    source = source._replace(weights=np.ones(15))
    unknown = Pool(target.unlabelled.rows, np.full(11, -1), np.ones(11))
    S, T, U = source.rows.T, target.labelled.rows.T, unknown.rows.T
    five_two = block_diag(*3 * [np.ones((5, 2))]) / 10
    H_S = np.ones((15, 15)) / 225 + block_diag(*3 * [np.ones((5, 5)) / 25 + np.eye(5) / 5])
    right = S @ (np.ones((15, 6)) / (15 * 17) + 2 * five_two) @ T.T
    right += S @ np.ones((15, 11)) @ U.T / (15 * 17)
    expected = np.linalg.solve(S @ H_S @ S.T + np.eye(6) / 2, right)
    found = source_map(source, Target(target.labelled, unknown), 3)
    np.testing.assert_allclose(found, expected)


def test_the_map_minimises_the_function() -> None:
    source, target = pools(2)
    P = source_map(source, target, 3)
    least = naive_function(P, source, target)
    rng = np.random.default_rng(0)
    for _ in range(10):
        assert naive_function(P + 1e-3 * rng.normal(size=P.shape), source, target) > least


@pytest.mark.parametrize("share", [0.3, 0.7])
def test_landmarks_minimise_the_function(share: float) -> None:
    source, target = pools(3)
    P = source_map(source, target, 3)
    even = target.unlabelled._replace(weights=np.full(11, share))
    target = Target(target.labelled, even)
    projected = source._replace(rows=source.rows @ P)
    alpha = source_landmarks(projected, target, 3, share)
    peer = constrained_minimum(
        lambda x: naive_function(P, source._replace(weights=x), target), source.classes, share
    )
    found = naive_function(P, source._replace(weights=alpha), target)
    assert found == pytest.approx(peer, rel=1e-6)
    projected = projected._replace(weights=alpha)
    beta = target_landmarks(projected, target, 3, share)
    peer = constrained_minimum(
        lambda x: naive_function(
            P, source._replace(weights=alpha), Target(target.labelled, even._replace(weights=x))
        ),
        even.classes,
        share,
    )
    chosen = Target(target.labelled, even._replace(weights=beta))
    final = naive_function(P, source._replace(weights=alpha), chosen)
    assert final == pytest.approx(peer, rel=1e-6)
    assert final < found


def constrained_minimum(function: Any, classes: Any, share: float) -> float:
    indicator = np.eye(3)[classes].T
    equations: Any = {
        "type": "eq",
        "fun": lambda x: indicator @ x - share * indicator.sum(axis=1),
    }
    found = minimize(
        function,
        np.full(len(classes), share),
        method="SLSQP",
        bounds=[(0, 1)] * len(classes),
        constraints=equations,
        options={"maxiter": 500, "ftol": 1e-12},
    )
    return float(found.fun)


def test_a_class_without_target_rows_pulls_nothing() -> None:
    source, target = pools(4)
    gone = Target(
        *(
            Pool(p.rows[p.classes > 0], p.classes[p.classes > 0], p.weights[p.classes > 0])
            for p in target
        )
    )
    P = source_map(source, gone, 3)
    least = naive_function(P, source, gone)
    rng = np.random.default_rng(0)
    for _ in range(10):
        assert naive_function(P + 1e-3 * rng.normal(size=P.shape), source, gone) > least
    weights = source_landmarks(source._replace(rows=source.rows @ P), gone, 3, 0.5)
    assert weights[source.classes == 0].mean() == pytest.approx(0.5, rel=1e-5)


def adaptation(seed: int) -> tuple[Any, Any]:
    means = 2 * related_means([1, 0.9], 60)
    train = gaussian_mixture(means, [[100, 100], [4, 4]], random_state=seed)
    return train, train.sample([[0, 0], [100, 100]], random_state=seed)


@pytest.mark.long
def test_the_source_helps_the_target_and_landmarks_guard_against_wrong_pseudo_classes() -> None:
    scores = []
    for seed in range(4):
        train, test = adaptation(seed)
        few = train.task == 1
        alone = SingleTaskSPCA().fit(train.X[few], train.y[few])
        found = [alone.score(test.X, test.y)]
        for share, rows in ((0.5, None), (0.5, test.X), (1.0, test.X)):
            clf = CDLS(landmark_share=share).fit(train.X, train.y, task=train.task, unlabelled=rows)
            found.append(clf.score(test.X, test.y, task=1))
        scores.append(found)
    alone_score, supervised, landmarks, all_rows = np.mean(scores, axis=0)
    assert supervised > alone_score + 0.02
    assert landmarks > all_rows + 0.01


@pytest.mark.parametrize("share", [0.5, 1.0])
def test_weights_are_kept_and_have_the_share_as_mean(share: float) -> None:
    train, test = adaptation(0)
    clf = CDLS(landmark_share=share).fit(train.X, train.y, task=train.task, unlabelled=test.X)
    for j in (0, 1):
        chosen = clf.source_weights_[train.y[train.task == 0] == j]
        assert chosen.mean() == pytest.approx(share, rel=1e-5)
    assert clf.unlabelled_weights_.mean() == pytest.approx(share, rel=1e-5)
    if share < 1:
        for weights in (clf.source_weights_, clf.unlabelled_weights_):
            assert np.mean((weights < 1e-6) | (weights > 1 - 1e-6)) > 0.5


def test_unlabelled_rows_are_checked() -> None:
    X, y, task = random_world(0, n_tasks=2)
    with pytest.raises(ValueError, match="unlabelled has 3 features but X has 7"):
        CDLS(target=1).fit(X, y, task=task, unlabelled=X[:, :3])
    with pytest.raises(ValueError, match="NaN"):
        CDLS(target=1).fit(X, y, task=task, unlabelled=np.full((2, 7), np.nan))


def test_one_iteration_needs_no_landmarks() -> None:
    X, y, task = random_world(1, n_tasks=2)
    clf = CDLS(target=1, n_iterations=1, normalise=False).fit(X, y, task=task, unlabelled=X[:9])
    np.testing.assert_array_equal(clf.source_weights_, 1.0)
    assert clf.score(X, y, task=task) > 0.5


def test_one_iteration_by_hand() -> None:
    """Rows of length one, target components, the first map, and a weighted SVM."""
    X, y, task = random_world(2, n=60, n_tasks=2)
    order = np.lexsort([y, task])
    X, y, task = X[order], y[order], task[order]
    few = np.r_[: (task == 0).sum(), np.flatnonzero(task == 1)[::3]]
    X, y, task = X[few], y[few], task[few]
    clf = CDLS(n_iterations=1, n_components=3).fit(X, y, task=task)
    Z = X / np.linalg.norm(X, axis=1, keepdims=True)
    S, T = Z[task == 0], Z[task == 1]
    P_target = np.linalg.svd(T)[2][:3].T
    target = Target(
        Pool(T @ P_target, y[task == 1], np.ones(len(T))),
        Pool(np.empty((0, 3)), np.empty(0, dtype=np.intp), np.empty(0)),
    )
    P_source = source_map(Pool(S, y[task == 0], np.ones(len(S))), target, 3)
    rows = np.vstack([S @ P_source, T @ P_target])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    weights = np.r_[np.full(len(S), len(T) / len(S)), np.ones(len(T))]
    svm = LinearSVC(fit_intercept=False, dual=False, max_iter=10_000)
    svm.fit(rows, y, sample_weight=weights)
    found = clf.decision_function(X, task=task)
    np.testing.assert_allclose(
        found, np.vstack([S @ P_source, T @ P_target]) @ svm.coef_.T, rtol=1e-4, atol=1e-5
    )
