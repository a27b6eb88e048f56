"""Proposition 1 against simulated spectra."""

from __future__ import annotations

import numpy as np
import pytest

from kinspan.datasets import gaussian_mixture
from kinspan.theory import marchenko_pastur_density, phase_transition
from tests.theory.theory_simulation import Floats, assert_within, population_means


def spectrum(gram: Floats, counts: list[int], p: int, seed: int) -> Floats:
    means = population_means(gram, p)[None]
    X = gaussian_mixture(means, [counts], random_state=seed).X
    return np.asarray(np.linalg.eigvalsh(X.T @ X / p)[::-1])


@pytest.mark.parametrize(
    ("scale", "counts", "p"),
    [(3.0, [300, 100], 200), (4.0, [100, 200, 100], 400), (12.0, [50, 60, 70], 400)],
    ids=["rows > features", "three classes", "features > rows"],
)
def test_isolated_eigenvalues(scale: float, counts: list[int], p: int) -> None:
    gram = scale * np.diag(np.arange(1.0, len(counts) + 1)) + 0.5
    limit = phase_transition(gram, counts, p)
    assert limit.informative.all()
    drawn = [spectrum(gram, counts, p, seed)[: len(counts)] for seed in range(30)]
    assert_within(drawn, limit.eigenvalues)


def test_below_the_threshold_eigenvalues_stay_at_the_edge() -> None:
    """The edge is reached as slowly as p^(−2/3), with the Tracy–Widom law for its distance."""
    p, counts, seeds = 400, [400, 400], 20
    limit = phase_transition(np.diag([4.0, 0.5]), counts, p)
    assert limit.informative.tolist() == [True, False]
    assert limit.eigenvalues[1] == limit.bulk[1]
    drawn = [spectrum(np.diag([4.0, 0.5]), counts, p, seed)[1] for seed in range(seeds)]
    rows, features = np.sqrt(sum(counts)), np.sqrt(p)
    scale = (rows + features) * (1 / rows + 1 / features) ** (1 / 3) / p
    distance = (np.mean(drawn) - limit.bulk[1]) / scale
    assert distance == pytest.approx(-1.2065, abs=4 * 1.268 / np.sqrt(seeds))


@pytest.mark.parametrize(("n", "p"), [(900, 300), (300, 600), (400, 400)])
def test_density_is_that_of_pure_noise(n: int, p: int) -> None:
    limit = phase_transition(np.zeros((2, 2)), [n // 2, n // 2], p)
    edges = np.linspace(0.05, limit.bulk[1], 2001)
    centres = (edges[1:] + edges[:-1]) / 2
    mass = marchenko_pastur_density(centres, n, p) * np.diff(edges)
    drawn = spectrum(np.zeros((2, 2)), [n // 2, n // 2], p, 0)
    for x in np.linspace(0.3, limit.bulk[1], 7):
        # Linear statistics of eigenvalues have errors of order 1/p, without a square root.
        share = np.mean((drawn > 0.05) & (drawn <= x))
        assert share == pytest.approx(mass[centres <= x].sum(), abs=4 / p)


@pytest.mark.parametrize("ratio", [0.25, 0.9, 1.0, 1.5, 8.0])
def test_density_and_zeros_add_up_to_one(ratio: float) -> None:
    p, n = 1000, 1000 * ratio
    a, b = phase_transition(np.zeros((2, 2)), [n / 2, n / 2], p).bulk
    angle = (np.arange(20_000) + 0.5) / 20_000 * np.pi / 2
    x = a + (b - a) * np.sin(angle) ** 2
    slope = (b - a) * np.sin(2 * angle)
    total = (marchenko_pastur_density(x, n, p) * slope).mean() * np.pi / 2
    zeros = phase_transition(np.zeros((2, 2)), [n / 2, n / 2], p).zeros
    assert total + zeros == pytest.approx(1, abs=1e-3 if ratio == 1 else 1e-6)


def test_at_the_threshold_the_eigenvalue_meets_the_edge() -> None:
    exact = phase_transition([[1, -1], [-1, 1]], [500, 500], 1000)
    assert not exact.informative.any()
    above = phase_transition([[1, -1], [-1, 1]], [500.1, 500.1], 1000)
    assert above.informative.tolist() == [True, False]
    np.testing.assert_allclose(above.eigenvalues[0], above.bulk[1], rtol=1e-6)
