"""Spikes in noise: their formulas are inverse to each other, and those of simulated matrices."""

from __future__ import annotations

import numpy as np
import pytest

from kinspan.labels.spikes import (
    bulk,
    edge,
    least_spike,
    marchenko_pastur,
    overlaps,
    spike_eigenvalues,
    spike_strengths,
    uneven_ratio,
)

RATIOS = [0.05, 0.5, 1.5, 4.0]


@pytest.mark.parametrize("ratio", RATIOS)
def test_the_bulk_is_the_density_of_noise(ratio: float) -> None:
    low, high = bulk(ratio)
    angle = np.linspace(0, np.pi, 20_001)  # x = centre + radius cos: no endpoint is sharp
    x = (low + high) / 2 + (high - low) / 2 * np.cos(angle)
    weight = (high - low) / 2 * np.sin(angle)
    mass = np.trapezoid(marchenko_pastur(x, ratio) * weight, angle)
    assert mass == pytest.approx(min(1.0, ratio), abs=1e-3)
    P = 600
    A = np.random.default_rng(0).standard_normal((int(ratio * P), P))
    values = np.linalg.eigvalsh(A.T @ A / P)
    mean = np.trapezoid(x * marchenko_pastur(x, ratio) * weight, angle)
    assert values.mean() == pytest.approx(mean, rel=0.02)
    assert values.max() == pytest.approx(edge(ratio), rel=0.06)
    np.testing.assert_array_equal(marchenko_pastur(np.array([0.0, low, high, 99.0]), ratio), 0.0)


@pytest.mark.parametrize("ratio", RATIOS)
def test_strengths_are_the_inverse_of_eigenvalues(ratio: float) -> None:
    strengths = np.sqrt(ratio) * np.geomspace(1.001, 1e6, 50)
    eigenvalues = spike_eigenvalues(strengths, ratio)
    assert (eigenvalues > edge(ratio)).all()
    np.testing.assert_allclose(spike_strengths(eigenvalues, ratio), strengths, rtol=1e-6)
    at_edge = spike_strengths(np.array(edge(ratio)), ratio)
    np.testing.assert_allclose(at_edge, np.sqrt(ratio), rtol=1e-6)


@pytest.mark.long
@pytest.mark.parametrize("ratio", [0.2, 2.0])
def test_eigenvalues_and_overlaps_are_those_of_simulated_matrices(ratio: float) -> None:
    """Mean over draws within four standard errors."""
    P, strength = 400, np.array(2.5)
    n, rng, draws = int(ratio * P), np.random.default_rng(1), []
    for _ in range(20):
        u, v = (x / np.linalg.norm(x) for x in (rng.standard_normal(n), rng.standard_normal(P)))
        A = rng.standard_normal((n, P)) + np.sqrt(P * strength) * np.outer(u, v)
        left, values, right = np.linalg.svd(A, full_matrices=False)
        draws.append([values[0] ** 2 / P, (right[0] @ v) ** 2, (left[:, 0] @ u) ** 2])
    expected = [spike_eigenvalues(strength, ratio), *overlaps(strength, ratio)]
    error = np.std(draws, axis=0) / np.sqrt(len(draws))
    assert np.all(np.abs(np.mean(draws, axis=0) - expected) < 4 * error)


def test_a_spike_at_the_transition_says_nothing_and_a_large_one_everything() -> None:
    for ratio in RATIOS:
        found = overlaps(np.array([0.5, 1.0, 1e9]) * np.sqrt(ratio), ratio)
        for cosine in found:
            np.testing.assert_allclose(cosine, [0, 0, 1], atol=1e-8)


@pytest.mark.parametrize(("n", "P"), [(1, 100), (3, 40), (20, 20), (100, 40)])
def test_noise_seldom_looks_like_a_spike(n: int, P: int) -> None:
    """In 1 % of all draws, within four standard errors; the edge alone would be passed in 10 %."""
    A = np.random.default_rng(1000).standard_normal((400, n, P))
    largest = np.linalg.norm(A, 2, axis=(1, 2)) ** 2 / P
    assert (largest > least_spike(n / P, n)).mean() < 0.03
    assert (largest > edge(n / P)).mean() > 0.04


@pytest.mark.parametrize("n", [100, 600])
@pytest.mark.parametrize("sizes", [[1.5, 0.5], [1.1, 0.9], [4.0, 0.0]])
def test_the_edge_of_noise_of_two_sizes_is_that_of_simulated_matrices(
    n: int, sizes: list[float]
) -> None:
    """Of whose squares each size has half, or one of them all."""
    P = 600
    shares = np.full(2, 0.5) if min(sizes) > 0 else np.array([0.25, 0.75])
    columns = shares / np.maximum(sizes, 1e-9) if min(sizes) > 0 else shares
    t = np.repeat(np.array(sizes), np.round(P * columns / columns.sum()).astype(int))
    dimension = t.sum() ** 2 / (t**2).sum()
    uneven = t.sum() * (t**3).sum() / (t**2).sum() ** 2
    A = np.random.default_rng(0).standard_normal((n, len(t))) * np.sqrt(t / t.mean())
    largest = np.linalg.norm(A, 2) ** 2 / len(t)
    ratio = uneven_ratio(n / dimension, uneven)
    assert largest == pytest.approx(edge(ratio), rel=0.05)
    assert uneven < 1.05 or edge(ratio) > 1.02 * edge(n / dimension)


def test_white_noise_has_its_own_ratio_and_uneven_noise_a_larger_one() -> None:
    for ratio in RATIOS:
        found = [uneven_ratio(ratio, u) for u in (0.9, 1.0, 1.0001, 1.5, 1.999, 2.001, 3.0, 9.0)]
        assert found[:2] == [ratio, ratio]
        assert (np.diff(found[1:]) > 0).all()
        assert found[2] == pytest.approx(ratio, rel=1e-2)
        assert found[4] == pytest.approx(found[5], rel=1e-2)
    assert uneven_ratio(0.0, 3.0) == 0.0
