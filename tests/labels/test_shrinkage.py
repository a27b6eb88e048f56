"""Energies, kept shares and sums over others: equal to naive ones, and right at their limits."""

from __future__ import annotations

import numpy as np
import pytest

from kinspan.labels.shrinkage import kept_share, pooled_energies, precision_of_others
from kinspan.labels.spectrum import of_others, spectrum_of_rows
from kinspan.metric import ScaledMoments
from tests.labels.naive_rules import energies


@pytest.mark.parametrize("doubt", [0.0, 0.1])
@pytest.mark.parametrize("signal", [0.0, 0.3, 5.0])
def test_energies_equal_their_definition(signal: float, doubt: float) -> None:
    rng = np.random.default_rng(0)
    freedom, variance = rng.integers(5, 200, 30).astype(float), rng.uniform(0.01, 0.5, 30)
    squares = (
        rng.noncentral_chisquare(freedom, signal * rng.uniform(0, 2, 30) / variance) * variance
    )
    found = pooled_energies(squares, freedom, variance, doubt)
    expected = energies(squares, freedom, variance, doubt)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    extra = [
        np.append(values, last) for values, last in ((squares, 7.0), (freedom, 0.0), (variance, 1))
    ]
    np.testing.assert_array_equal(
        pooled_energies(extra[0], extra[1], extra[2], doubt), np.append(found, 0.0)
    )


def test_energies_are_drawn_to_their_pool_and_never_negative() -> None:
    rng = np.random.default_rng(0)
    freedom, variance = np.full(400, 100.0), np.full(400, 0.02)
    same = pooled_energies(rng.chisquare(100, 400) * 0.02, freedom, variance, 0.0)
    assert same.max() < 0.1  # noise alone: nothing is left
    truth = rng.choice([0.0, 4.0], 400)
    squares = rng.noncentral_chisquare(100, truth / 0.02) * 0.02
    found = pooled_energies(squares, freedom, variance, 0.0)
    assert (found >= 0).all()
    assert abs(found[truth > 0].mean() - 4.0) < 0.2


def test_a_target_with_nothing_else_keeps_a_thousandth() -> None:
    energy, noise = np.array([0.0, 3.0, 0.0, 3.0, 0.0]), np.array([1.0, 1.0, 1.0, 1.0, 0.0])
    has_direction = np.array([False, False, True, True, False])
    kept = kept_share(energy, noise, has_direction)
    np.testing.assert_array_equal(kept, [1e-3, 0.75, 0.0, 0.75, 1e-3])


@pytest.mark.parametrize("k", [0, 1, 2, 7])
def test_sums_over_others_leave_out_one(k: int) -> None:
    values = np.random.default_rng(k).uniform(1, 2, k)
    expected = [np.delete(values, t).sum() for t in range(k)]
    np.testing.assert_allclose(of_others(values), expected)


def test_a_huge_value_does_not_hide_the_others() -> None:
    np.testing.assert_array_equal(of_others(np.array([1.0, 1e30, 2.0])), [1e30, 3.0, 1e30])


def test_the_effective_number_of_others() -> None:
    rows, noise = np.ones((4, 5)), 5.0 / np.array([1.0, 1.0, 2.0, 4.0])
    total, n = precision_of_others(spectrum_of_rows(rows, noise, 5.0))
    np.testing.assert_allclose(total, [7, 7, 6, 4])
    np.testing.assert_allclose(n, [49 / 21, 49 / 21, 36 / 18, 16 / 6])
    alone = precision_of_others(spectrum_of_rows(rows[:1], noise[:1], 5.0))
    assert alone[1] == 1.0


def test_noise_that_few_rows_show_makes_no_energies() -> None:
    """Tasks of five rows without signal differ by the error of their own noise, not in energy."""
    rng = np.random.default_rng(0)
    n, p, tasks = np.array([3.0, 2.0]), 20, 2000
    rows = [rng.normal(size=(tasks, int(m), p)) for m in n]
    means = np.stack([r.mean(axis=1) for r in rows], axis=1)
    spread = np.stack([r.var(axis=1, ddof=1).sum(axis=1) for r in rows], axis=1)
    counts = np.tile(n, (tasks, 1))
    level = spread.mean(axis=1) / p
    scaled = ScaledMoments(np.ones((1, p)), means, counts, spread / n, level, float(p))
    noise = scaled.cell_noise.sum(axis=1)
    squares, freedom = ((means[:, 1] - means[:, 0]) ** 2).sum(axis=1), np.full(tasks, float(p))
    error = noise.var() / noise.mean() ** 2
    assert abs(scaled.noise_doubt.mean() / error - 1.0) < 0.15
    found = [pooled_energies(squares, freedom, noise / p, d) for d in (scaled.noise_doubt, 0.0)]
    assert np.ptp(found[0]) == 0.0
    assert np.ptp(found[1]) > 1.0
