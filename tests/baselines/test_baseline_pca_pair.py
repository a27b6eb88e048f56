"""PCA and supervised PCA of one task: straight from their definitions, and against the theory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg

from kinspan.baselines import PCAClassifier, SPCAClassifier
from kinspan.baselines.pca import principal_axes, task_rule, unseen_share
from kinspan.datasets import gaussian_mixture, related_means
from kinspan.theory import pca_error_rate, pca_score_means, spca_error_rate
from tests.baselines.gaussian_errors import simulate
from tests.worlds import random_world

SIGNS = [[1, -1], [-1, 1]]


@pytest.mark.parametrize("shape", [(30, 200), (200, 30), (120, 100)])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_axes_are_the_leading_singular_vectors(shape: Any, kind: Any) -> None:
    X = np.random.default_rng(0).normal(size=shape) * np.linspace(1, 3, shape[1])
    axes = principal_axes(kind(X), 4)
    _, s, vectors = np.linalg.svd(X)
    np.testing.assert_allclose(axes.squares, s[:4] ** 2)
    np.testing.assert_allclose(np.abs(axes.directions @ vectors[:4].T), np.eye(4), atol=1e-6)


def test_pca_answers_the_nearest_projected_mean() -> None:
    X, y, task = random_world(0, n=400, p=12)
    clf = PCAClassifier(n_components=2).fit(X, y, task=task)
    for t in range(4):
        rows, classes = X[task == t], y[task == t]
        _, s, V = np.linalg.svd(rows, full_matrices=False)
        V, (n, p) = V[:2], rows.shape
        within = [rows[classes == j] - rows[classes == j].mean(axis=0) for j in range(3)]
        level = sum((w**2).sum() for w in within) / (n - 3) / p
        share = unseen_share(s[:2] ** 2 / (p * level), n / p)
        means = np.array([V @ rows[classes == j].mean(axis=0) * share for j in range(3)])
        distances = ((rows @ V.T)[:, None] - means) ** 2
        np.testing.assert_array_equal(
            clf.predict(rows, task=t), distances.sum(axis=2).argmin(axis=1)
        )


def test_supervised_components_are_eigenvectors_of_the_labelled_covariance() -> None:
    X, y, task = random_world(1, n=400, p=12)
    clf = SPCAClassifier(n_components=2).fit(X, y, task=task)
    for t in range(4):
        rows, labels = X[task == t], np.eye(3)[y[task == t]]
        V = np.linalg.eigh(rows.T @ labels @ labels.T @ rows)[1][:, -2:]
        inside = clf.coef_[t] @ V @ V.T
        np.testing.assert_allclose(inside, clf.coef_[t], atol=1e-8)


def test_supervised_means_are_the_mean_scores_of_new_rows() -> None:
    """The noise that class means share with the components is taken out: within 4 errors."""
    means = related_means([1], 200)
    gaps = []
    for seed in range(40):
        train = gaussian_mixture(means, [[30, 60]], random_state=seed)
        clf = SPCAClassifier(n_components=1).fit(train.X, train.y)
        w, b = clf.coef_[0, 0], clf.intercept_[0, 0]
        middle = (means[0] @ w).mean() + b  # zero where the threshold is midway
        gaps.append(middle / np.linalg.norm(w))
    assert abs(np.mean(gaps)) < 4 * np.std(gaps, ddof=1) / np.sqrt(40)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_share_of_new_rows_is_that_of_theorem_1(n_classes: int) -> None:
    """Estimated mean scores of PCA have the limits of the theory, for means that are not ±."""
    rng = np.random.default_rng(0)
    directions = np.linalg.qr(rng.normal(size=(400, n_classes)))[0].T
    means = (directions * np.array([4.0, 2.5, 1.8])[:n_classes, None])[None]
    counts = [[800] * n_classes]
    theory = pca_score_means(means[0] @ means[0].T, counts, 400, n_components=1)
    found = []
    for seed in range(6):
        train = gaussian_mixture(means, counts, random_state=seed)
        class_means = np.array([train.X[train.y == j].mean(axis=0) for j in range(n_classes)])
        axes = principal_axes(train.X, 1)
        share = unseen_share(axes.squares / 400, len(train.X) / 400)
        scores = (class_means @ axes.directions.T * share)[:, 0]
        found.append(scores * np.sign(scores[0] * theory[0, 0]))
    np.testing.assert_allclose(np.mean(found, axis=0), theory[:, 0], atol=0.05)


def test_below_the_transition_the_share_stays_at_it() -> None:
    np.testing.assert_allclose(unseen_share(np.array([0.1, 1.0]), 4.0), 2 / 3)
    ell = np.array([3.0, 10.0])
    share = unseen_share((1 + ell) * (1 + 4.0 / ell), 4.0)
    np.testing.assert_allclose(share, ell / (1 + ell))


@pytest.mark.parametrize("p", [100, 300])
def test_pca_reaches_theorem_1_and_spca_theorem_2(p: int) -> None:
    means = related_means([1], p)
    plain = simulate(lambda: PCAClassifier(n_components=1), means, [[500, 500]], 0)
    assert plain.agrees_with(float(pca_error_rate(SIGNS, [500, 500], p)))
    spca = simulate(SPCAClassifier, means, [[500, 500]], 0)
    assert spca.agrees_with(float(spca_error_rate(SIGNS, [500, 500], p)))
    assert spca.error < plain.error


def test_more_components_than_rows_or_features_are_cut() -> None:
    X, y, task = random_world(2, n=40, p=5)
    clf = PCAClassifier(n_components=5).fit(X[:14], y[:14], task=task[:14])
    assert np.isfinite(clf.coef_).all()
    rule = task_rule(X[:2], X[:2], 1.0, 9)
    assert rule.coef.shape == (2, 5)
    with pytest.raises(ValueError, match="n_components=6"):
        PCAClassifier(n_components=6).fit(X, y, task=task)


@pytest.mark.parametrize("shape", [(80, 1500), (1500, 80), (1200, 1300)])
def test_the_solver_works_on_the_smaller_side(shape: Any, monkeypatch: Any) -> None:
    sizes = []
    solve = scipy.sparse.linalg.eigsh

    def recorded(operator: Any, **options: Any) -> Any:
        sizes.append(operator.shape)
        return solve(operator, **options)

    monkeypatch.setattr(scipy.sparse.linalg, "eigsh", recorded)
    X = np.random.default_rng(0).normal(size=shape)
    X[:, :2] *= 4  # two directions that stand out, which the solver finds in a few steps
    principal_axes(X, 2)
    assert sizes == [(min(shape), min(shape))]
