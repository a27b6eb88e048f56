"""Arbitrary covariances: simulation, closed forms, and the optimum for unequal classes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from kinspan.theory import (
    anisotropic_error_rate,
    anisotropic_optimal_error_rate,
    anisotropic_optimal_labels,
    anisotropic_score_moments,
    error_rate,
    mtl_score_means,
    optimal_error_rate,
    optimal_labels,
    threshold_error_rate,
)
from tests.theory.theory_simulation import (
    Floats,
    assert_within,
    population_means,
    random_gram,
    unit,
)

COUNTS = np.array([[100, 60], [20, 35]])


def toeplitz(p: int, decay: float) -> Floats:
    return np.asarray(decay ** np.abs(np.subtract.outer(np.arange(p), np.arange(p))))


def spectrum(p: int, low: float, high: float, seed: int) -> Floats:
    U = np.linalg.qr(np.random.default_rng(seed).standard_normal((p, p)))[0]
    return np.asarray((U * np.linspace(low, high, p)) @ U.T)


def shared(p: int) -> Floats:
    return np.broadcast_to(spectrum(p, 0.2, 2.0, 0), (2, 2, p, p))


def by_task(p: int) -> Floats:
    first, second = toeplitz(p, 0.7), spectrum(p, 0.3, 3.0, 1)
    return np.stack([np.stack([first, first]), np.stack([second, second])])


def by_cell(p: int) -> Floats:
    cells = [toeplitz(p, 0.5), spectrum(p, 0.2, 1.0, 2), spectrum(p, 0.5, 1.5, 3), 3 * np.eye(p)]
    return np.stack(cells).reshape(2, 2, p, p)


CASES = {"shared": (shared, 200), "by task": (by_task, 300), "by cell": (by_cell, 250)}
each_case = pytest.mark.parametrize(("model", "p"), CASES.values(), ids=CASES.keys())


def means_of(p: int) -> Floats:
    return 1.5 * population_means(random_gram(4, 7), p).reshape(2, 2, p)


def directions(M: Floats, C: Floats, labels: Floats, n_seeds: int) -> list[Floats]:
    """Unit directions Σ ỹ Σ x, the sum of a cell drawn from N(nμ, nC)."""
    n, p = COUNTS.ravel(), M.shape[2]
    roots = [np.linalg.cholesky(c) for c in C.reshape(-1, p, p)]
    found = []
    for seed in range(n_seeds):
        z = np.random.default_rng(seed).standard_normal((len(n), p))
        sums = n[:, None] * M.reshape(-1, p) + np.sqrt(n)[:, None] * np.stack(
            [root @ noise for root, noise in zip(roots, z, strict=True)]
        )
        found.append(unit(np.ravel(labels) @ sums))
    return found


@each_case
def test_moments_and_errors_are_simulated(model: object, p: int) -> None:
    assert callable(model)
    M, C = means_of(p), model(p)
    for labels in ([[1, -1], [1, -1]], [[0.3, -2], [1, -0.5]]):
        found = directions(M, C, np.array(labels), 60)
        moments = anisotropic_score_moments(M, COUNTS, labels, covariances=C)
        assert_within([M.reshape(4, p) @ w for w in found], moments.means)
        variances = [C.reshape(4, p, p) @ w @ w for w in found]
        assert_within(variances, moments.variances)


@each_case
@pytest.mark.parametrize("priors", [[0.5, 0.5], [0.8, 0.2]])
def test_the_optimum_is_simulated(model: object, p: int, priors: list[float]) -> None:
    assert callable(model)
    M, C = means_of(p), model(p)
    y = anisotropic_optimal_labels(M, COUNTS, covariances=C, target=1, priors=priors)
    theory = anisotropic_optimal_error_rate(M, COUNTS, covariances=C, target=1, priors=priors)
    errors = []
    for w in directions(M, C, y, 60):
        m, v = M[1] @ w, C[1] @ w @ w
        grid = np.linspace(m.min() - 4, m.max() + 4, 4001)
        wrong = priors[0] * norm.cdf((grid - m[0]) / np.sqrt(v[0])) + priors[1] * norm.sf(
            (grid - m[1]) / np.sqrt(v[1])
        )
        errors.append(wrong.min())
    assert_within(errors, theory)


@each_case
def test_no_other_labels_are_better(model: object, p: int) -> None:
    assert callable(model)
    M, C, rng = means_of(p), model(p), np.random.default_rng(0)
    y = anisotropic_optimal_labels(M, COUNTS, covariances=C, target=0)
    best = anisotropic_optimal_error_rate(M, COUNTS, covariances=C, target=0)
    assert anisotropic_error_rate(M, COUNTS, y, covariances=C, target=0) == pytest.approx(best)
    for size in (0.003, 0.03, 0.3, 3.0):
        other = y + size * np.abs(y).max() * rng.standard_normal(y.shape)
        assert anisotropic_error_rate(M, COUNTS, other, covariances=C, target=0) >= best - 1e-12


def test_very_unequal_classes_are_told_apart_by_their_spread() -> None:
    """With almost equal means the best rule cuts off the tail of the wider class."""
    p = 50
    M = np.zeros((1, 2, p))
    M[0, 0, 0] = 0.3
    C = np.stack([0.01 * np.eye(p), np.eye(p)])[None]
    best = anisotropic_optimal_error_rate(M, [[50, 50]], covariances=C, target=0)
    moments = anisotropic_score_moments(M, [[50, 50]], [1, -1], covariances=C)
    middle = threshold_error_rate(
        moments.means, moments.means.mean(), score_variances=moments.variances
    )
    assert best < middle - 0.05


@pytest.mark.parametrize("priors", [[0.5, 0.5], [0.9, 0.1]])
@pytest.mark.parametrize("ratio", [0.003, 0.1, 0.7, 30.0])
def test_the_search_finds_the_best_of_all_directions(ratio: float, priors: list[float]) -> None:
    """With one task the weights are an angle; very unequal classes need a matrix K₁ − cK₂."""
    p, counts = 20, [[9, 14]]
    M = population_means([[0.3, 0.1], [0.1, 0.2]], p)[None]
    C = np.stack([ratio * spectrum(p, 0.1, 2.0, 4), spectrum(p, 0.2, 1.0, 5)])[None]
    best = anisotropic_optimal_error_rate(M, counts, covariances=C, target=0, priors=priors)

    def error(angle: float) -> float:
        y = [np.cos(angle), np.sin(angle)]
        return float(anisotropic_error_rate(M, counts, y, covariances=C, target=0, priors=priors))

    angles = np.linspace(0, 2 * np.pi, 61)
    near = angles[np.argmin([error(angle) for angle in angles])]
    grid = min(error(angle) for angle in near + np.linspace(-angles[1], angles[1], 41))
    assert grid - 1e-5 < best <= grid + 1e-12


def test_the_identity_gives_the_isotropic_theory() -> None:
    p = 60
    M = means_of(p)
    gram = M.reshape(4, p) @ M.reshape(4, p).T
    y = np.random.default_rng(0).standard_normal((2, 2))
    moments = anisotropic_score_moments(M, COUNTS, y, covariances=np.eye(p))
    np.testing.assert_allclose(moments.means, mtl_score_means(gram, COUNTS, p, y))
    np.testing.assert_allclose(moments.variances, 1)
    for t in range(2):
        for priors in (None, [0.7, 0.3]):
            assert anisotropic_error_rate(
                M, COUNTS, y, covariances=np.eye(p), target=t, priors=priors
            ) == pytest.approx(error_rate(gram, COUNTS, p, y, target=t, priors=priors))
            assert anisotropic_optimal_error_rate(
                M, COUNTS, covariances=np.eye(p), target=t, priors=priors
            ) == pytest.approx(optimal_error_rate(gram, COUNTS, p, target=t, priors=priors))
        expected = optimal_labels(gram, COUNTS, p, target=t)
        found = anisotropic_optimal_labels(M, COUNTS, covariances=np.eye(p), target=t)
        np.testing.assert_allclose(found / found[t, 0], expected / expected[t, 0])


def test_equal_covariances_give_the_closed_form() -> None:
    p = 80
    M, C = means_of(p), by_task(80)
    flat, S, n = M.reshape(4, p), C[1, 0], COUNTS.ravel()
    K = flat @ S @ flat.T + np.diag(np.einsum("cij,ij->c", C.reshape(4, p, p), S) / n)
    signal = flat @ (flat[2] - flat[3])
    expected = norm.sf(np.sqrt(signal @ np.linalg.solve(K, signal)) / 2)
    found = anisotropic_optimal_error_rate(M, COUNTS, covariances=C, target=1)
    assert found == pytest.approx(expected)


def test_nearly_equal_covariances_give_nearly_the_closed_form() -> None:
    p = 80
    M, C = means_of(p), by_task(80).copy()
    equal = anisotropic_optimal_error_rate(M, COUNTS, covariances=C, target=1)
    C[1, 0] *= 1 + 1e-6
    assert anisotropic_optimal_error_rate(M, COUNTS, covariances=C, target=1) == pytest.approx(
        equal, rel=1e-5
    )
