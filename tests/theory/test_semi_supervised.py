"""Rules that rows without labels have taught once: limits, order, and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import norm

from kinspan.theory import bayes_error_rate, semi_supervised_error_rate
from tests.theory.theory_simulation import Floats, assert_within, population_means, random_gram

OPPOSITE = np.array([[1.0, -1.0], [-1.0, 1.0]])


def taught_once(
    M: Floats, labelled: Floats, unlabelled: Floats, rng: np.random.Generator
) -> Floats:
    """(tasks,) errors with rows that are drawn; every weight is the best one for known means."""
    cells, p = M.shape
    G, errors = M @ M.T, rng.standard_normal((cells, p))
    known = M + errors / np.sqrt(labelled.ravel())[:, None]
    means, contrasts = known.copy(), np.kron(np.eye(cells // 2), [[1.0], [-1.0]])
    noise = np.diag(p / labelled.ravel())
    weights = np.linalg.solve(G + noise, G @ contrasts)
    for t, (n, free) in enumerate(zip(labelled, unlabelled.astype(int), strict=True)):
        own = slice(2 * t, 2 * t + 2)
        X = np.repeat(M[own], free, axis=0) + rng.standard_normal((free.sum(), p))
        w, delta = weights[:, t] @ known, contrasts[:, t] @ M
        middle, gap = M[own].mean(axis=0), delta @ w / np.linalg.norm(w)
        score = (X - middle) @ w / np.linalg.norm(w)
        first = expit(np.log(free[0] / free[1]) + gap * score)
        r = np.stack([first, 1.0 - first])
        means[own] = (n[:, None] * known[own] + r @ X) / (n + r.sum(axis=1))[:, None]
    best = np.linalg.solve(means @ means.T, means @ M.T @ contrasts).T @ means
    found = np.einsum("tp,tp->t", best, contrasts.T @ M) / np.linalg.norm(best, axis=1)
    return np.asarray(norm.sf(found / 2))


@pytest.mark.long
@pytest.mark.parametrize("scale", [0.6, 2.0])
def test_drawn_rows_teach_as_much(scale: float) -> None:
    gram, p = scale * random_gram(4, 0), 2000
    labelled = np.array([[300.0, 400.0], [250.0, 90.0]])
    unlabelled = np.array([[700.0, 1600.0], [2250.0, 1610.0]])
    counts = labelled + unlabelled
    M = population_means(gram, p)
    drawn = [taught_once(M, labelled, unlabelled, np.random.default_rng(s)) for s in range(12)]
    theory = semi_supervised_error_rate(gram, counts, p, labelled / counts)
    assert_within(drawn, theory)
    alone = bayes_error_rate(gram, labelled, p, 1)
    assert np.all(np.abs(alone - theory) > 0.01)


@pytest.mark.parametrize("seed", range(10))
def test_no_rule_is_better_than_the_least_error(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, 5))
    gram, counts = random_gram(2 * k, seed) * rng.uniform(0.2, 5), rng.integers(5, 80, (k, 2))
    for fraction in (0.05, 0.3, 0.8):
        found = semi_supervised_error_rate(gram, counts, 50, fraction)
        assert np.all(found >= bayes_error_rate(gram, counts, 50, fraction) - 1e-9)


def test_without_labels_nothing_is_taught() -> None:
    gram, counts = np.kron([[2, 1], [1, 2]], OPPOSITE), np.array([[60, 60], [200, 200]])
    np.testing.assert_allclose(semi_supervised_error_rate(gram, counts, 100, 0.0), 0.5)


def test_rules_that_know_the_classes_teach_all_that_labels_would() -> None:
    gram = 400.0 * np.kron([[1.0, 0.5], [0.5, 1.0]], OPPOSITE)
    counts = np.array([[50, 60], [40, 30]])
    found = semi_supervised_error_rate(gram, counts, 20_000, 0.5)
    np.testing.assert_allclose(found, bayes_error_rate(gram, counts, 20_000, 1), rtol=1e-6)


def test_a_task_without_labels_is_told_by_related_ones() -> None:
    gram = 4 * np.kron([[1.0, 0.9], [0.9, 1.0]], OPPOSITE)
    counts = np.array([[300, 300], [300, 300]])
    first = semi_supervised_error_rate(gram, counts, 100, [1.0, 0.0])
    lent = bayes_error_rate(gram, counts * [[1], [0]], 100, 1)
    assert first[1] < lent[1] - 0.001
