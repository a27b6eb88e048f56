"""Rows that judge each other's rules count as fewer rows: as many fewer as counts vary more."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from kinspan.risk import Energies
from kinspan.risk.dependence import independent_rows
from kinspan.risk.usual_task import UsualTask


def gaps(n: int, p: int, signal: float, draws: int) -> tuple[Any, Any]:
    """Shares of wrong rows that were left out of their sum, minus true errors; and these."""
    rng, mu = np.random.default_rng([n, p, int(100 * signal)]), np.zeros(p)
    mu[0] = signal
    rows = mu + rng.normal(size=(draws, n, p))  # the second class is the first one, mirrored
    rules = rows.sum(axis=1)
    margins = np.einsum("dnp,dp->dn", rows, rules) - (rows**2).sum(axis=2)
    true = norm.sf(rules @ mu / np.linalg.norm(rules, axis=1))
    return (margins < 0).mean(axis=1) - true, true


@pytest.mark.parametrize(("n", "p"), [(10, 20), (20, 20), (20, 200)])
@pytest.mark.parametrize("signal", [0.0, 0.3, 0.6, 1.0])
def test_counts_vary_as_those_of_independent_rows_would(n: int, p: int, signal: float) -> None:
    found, true = gaps(n, p, signal, 4000)
    error = float(true.mean())
    rows = independent_rows(np.array([float(n)]), np.array([p / (n * signal**2 + p)]), error)[0]
    squares = found**2 / (error * (1 - error) / rows)
    # Terms of the next order in 1/n are left out; without the correction the mean is 1.3 to 1.65.
    assert abs(squares.mean() - 1) < 0.12 + 4 * squares.std() / np.sqrt(len(squares))


def test_a_rule_without_noise_has_independent_rows() -> None:
    rows = np.array([3.0, 50.0])
    np.testing.assert_array_equal(independent_rows(rows, np.zeros(2), 0.3), rows)


def test_the_noise_of_a_task_alone_is_what_its_length_is_too_much() -> None:
    """T + N is the squared length of an estimated contrast, N of it noise."""
    counts, total, p = np.array([[4.0, 6.0], [20.0, 30.0]]), 9.0, 40.0
    noise = (p / counts).sum(axis=1)
    energies = Energies(np.full(2, total), total**2 / (total + noise), np.full((2, 2), p))
    share = UsualTask.of(energies, counts, counts.sum(axis=1)).noise_share()
    np.testing.assert_allclose(share, noise / (total + noise), rtol=1e-6)


def test_what_others_lend_is_no_noise_of_ones_own() -> None:
    counts = np.full((4, 2), 10.0)
    energies = Energies(np.full(4, 9.0), np.full(4, 8.0), np.full((4, 2), 40.0))
    alone = energies._replace(known=81 / (9.0 + np.full(4, 8.0)))
    rows = counts.sum(axis=1)
    lent, own = (UsualTask.of(e, counts, rows).noise_share()[0] for e in (energies, alone))
    assert 0 < lent < 0.5 * own


def test_a_rule_in_which_no_signal_was_found_is_noise() -> None:
    counts = np.full((3, 2), 10.0)
    energies = Energies(np.zeros(3), np.zeros(3), np.full((3, 2), 40.0))
    share = UsualTask.of(energies, counts, counts.sum(axis=1)).noise_share()
    np.testing.assert_allclose(share, 1.0, rtol=1e-5)
