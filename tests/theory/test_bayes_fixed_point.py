"""The Bayes risk: equal to the optimum with all labels, reached by message passing with few."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import block_diag
from scipy.special import expit
from scipy.stats import norm

from kinspan.theory import bayes_error_rate, optimal_error_rate, semi_supervised_error_rate
from tests.theory.theory_simulation import Floats, assert_within, population_means, random_gram

OPPOSITE = np.array([[1.0, -1.0], [-1.0, 1.0]])


def message_passing(
    M: Floats, G: Floats, labelled: list[int], unlabelled: list[int], rng: np.random.Generator
) -> Floats:
    """Errors of approximate message passing for classes ±μ_t, known G; (tasks,)."""
    k, p = M.shape
    task = np.repeat(np.arange(k), np.add(labelled, unlabelled))
    known = np.concatenate(
        [np.arange(n + u) < n for n, u in zip(labelled, unlabelled, strict=True)]
    )
    y = np.where(rng.random(len(task)) < 0.5, 1.0, -1.0)
    X = y[:, None] * M[task] + rng.standard_normal((len(task), p))
    r, one_hot, prior = np.where(known, y, 0.0), np.eye(k)[task], p * np.linalg.inv(G)
    V = np.linalg.inv(prior + np.diag(labelled))
    mu = V @ (one_hot.T * r) @ X
    for _ in range(25):
        field = (X @ mu.T)[np.arange(len(X)), task] - p * np.diag(V)[task] * r
        r = np.where(known, y, np.tanh(field))
        V = np.linalg.inv(prior + np.diag(one_hot.T @ r**2))
        mu = V @ ((one_hot.T * r) @ X - (one_hot.T @ (1 - r**2))[:, None] * mu)
    return np.asarray(norm.sf((mu * M).sum(axis=1) / np.linalg.norm(mu, axis=1)))


def general_message_passing(
    M: Floats, G: Floats, labelled: Floats, unlabelled: Floats, rng: np.random.Generator
) -> Floats:
    """The same for any two means a task and any class sizes: posteriors û of two classes for r."""
    cells, p = M.shape
    rows = np.stack([labelled, unlabelled], axis=-1).astype(int).ravel()
    cell = np.repeat(np.repeat(np.arange(cells), 2), rows)
    known = np.repeat(np.tile([True, False], cells), rows)
    X = M[cell] + rng.standard_normal((len(cell), p))
    shares = unlabelled / unlabelled.sum(axis=1, keepdims=True)
    u = np.where(known[:, None], np.eye(cells)[cell], block_diag(*shares)[cell // 2])
    prior = p * np.linalg.inv(G)
    V = np.linalg.inv(prior + np.diag(labelled.ravel()))
    mu = V @ u[known].T @ X[known]
    for _ in range(40):
        for t in range(cells // 2):
            own, i = slice(2 * t, 2 * t + 2), ~known & (cell // 2 == t)
            field = X[i] @ mu[own].T - p * u[i, own] @ V[own, own] - (mu[own] ** 2).sum(axis=1) / 2
            first = expit(np.log(shares[t, 0] / shares[t, 1]) + field[:, 0] - field[:, 1])
            u[i, own] = np.stack([first, 1 - first], axis=1)
        squares = u.T @ u
        V = np.linalg.inv(prior + squares)
        mu = V @ (u.T @ X - (np.diag(u.sum(axis=0)) - squares) @ mu)
    w, delta = mu[::2] - mu[1::2], M[::2] - M[1::2]
    return np.asarray(norm.sf((w * delta).sum(axis=1) / 2 / np.linalg.norm(w, axis=1)))


def symmetric_fixed_point(G: Floats, n: Floats, eta: Floats, p: int) -> Floats:
    """The equations for classes ±μ_t, with inverses and quadrature of another kind."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(120)
    weights = weights / weights.sum()
    q = np.diag(G)
    for _ in range(2000):
        F = np.tanh(q[:, None] + np.sqrt(q)[:, None] * nodes) @ weights
        S = n / p * (eta + (1 - eta) * F)
        q = np.diag(G - np.linalg.inv(np.linalg.inv(G) + np.diag(S)))
    return np.asarray(norm.sf(np.sqrt(q)))


@pytest.mark.parametrize("seed", range(20))
def test_with_all_labels_it_is_the_optimum_of_the_paper(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, 5))
    gram = random_gram(2 * k, seed, rank=int(rng.integers(1, 2 * k + 2))) * rng.uniform(0.2, 5)
    counts = rng.integers(1, 80, (k, 2))
    best = np.array([optimal_error_rate(gram, counts, 50, target=t) for t in range(k)])
    np.testing.assert_allclose(bayes_error_rate(gram, counts, 50, 1), best, rtol=1e-9)
    taught = semi_supervised_error_rate(gram, counts, 50, 1)  # by nobody; a singular Gram matrix
    np.testing.assert_allclose(taught, best, rtol=1e-7)  # costs its pseudo-inverse some digits


@pytest.mark.parametrize("eta", [[1.0, 1.0], [0.5, 0.1], [0.02, 0.0]])
def test_opposite_classes_give_the_symmetric_equations(eta: list[float]) -> None:
    G = np.array([[1.5, 1.05], [1.05, 1.5]])
    n = np.array([600.0, 840.0])
    found = bayes_error_rate(np.kron(G, OPPOSITE), np.c_[n / 2, n / 2], 400, eta)
    np.testing.assert_allclose(found, symmetric_fixed_point(G, n, np.array(eta), 400), atol=1e-8)


@pytest.mark.long
def test_message_passing_reaches_it() -> None:
    G = np.array([[1.5, 1.05], [1.05, 1.5]])
    labelled, unlabelled, p = [200, 40], [400, 800], 400
    n = np.add(labelled, unlabelled)
    theory = bayes_error_rate(np.kron(G, OPPOSITE), np.c_[n / 2, n / 2], p, labelled / n)
    np.testing.assert_allclose(theory, [0.158, 0.154], atol=5e-4)
    M = population_means(G, p)
    drawn = [
        message_passing(M, G, labelled, unlabelled, np.random.default_rng(seed))
        for seed in range(40)
    ]
    assert_within(drawn, theory)
    supervised = bayes_error_rate(np.kron(G, OPPOSITE), np.c_[labelled, labelled] / 2, p, 1)
    assert np.all(supervised - theory > 0.04)


@pytest.mark.long
def test_message_passing_reaches_it_for_any_means_and_sizes() -> None:
    gram, p = 2 * random_gram(4, 0), 400
    labelled = np.array([[60.0, 80.0], [50.0, 17.0]])
    unlabelled = np.array([[140.0, 320.0], [450.0, 323.0]])
    counts = labelled + unlabelled
    M = population_means(gram, p)
    drawn = [
        general_message_passing(M, gram, labelled, unlabelled, np.random.default_rng(seed))
        for seed in range(20)
    ]
    assert_within(drawn, bayes_error_rate(gram, counts, p, labelled / counts))


def test_more_labels_and_more_rows_never_hurt() -> None:
    gram, counts = 2 * random_gram(4, 1), np.array([[60.0, 80.0], [200.0, 170.0]])
    errors = [bayes_error_rate(gram, counts, 100, eta) for eta in (0.05, 0.2, 0.5, 1)]
    assert np.all(np.diff(errors, axis=0) < 0)
    alone = bayes_error_rate(gram, counts * 0.2, 100, 1)
    assert np.all(bayes_error_rate(gram, counts, 100, 0.2) < alone)


def test_fractions_by_task_and_by_cell() -> None:
    gram, counts = random_gram(4, 2), [[60, 80], [200, 170]]
    by_task = bayes_error_rate(gram, counts, 100, [0.2, 0.6])
    by_cell = bayes_error_rate(gram, counts, 100, [[0.2, 0.2], [0.6, 0.6]])
    np.testing.assert_array_equal(by_task, by_cell)
