"""Learning curves: through the present forecast, down to the limit of many labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from kinspan.risk import Energies, Learning, learning_curves

SURE = 1e-7  # half the width of an interval that leaves no doubt


def curves(
    total: Any, known: Any, counts: Any, distance: Any = 1.0, width: float = SURE
) -> Learning:
    """Of tasks of two classes; the larger one leaves a noise of thirty."""
    counts = np.asarray(counts, dtype=np.float64)
    spread = np.repeat(30.0 * counts.max(axis=1, keepdims=True), 2, axis=1)
    distance = np.broadcast_to(np.asarray(distance, dtype=np.float64), (len(counts),))
    interval = norm.sf(np.stack([distance + width, distance - width], axis=1))
    energies = Energies(np.asarray(total), np.asarray(known), spread)
    n_classes = np.full(len(counts), 2)
    return learning_curves(energies, counts, norm.sf(distance), interval, n_classes)


def known_energy(found: Learning, task: int) -> float:
    """A + E²/(E + N/n), at the present number of labels."""
    noise = (found.spread[task] / found.counts[task]).sum()
    own = found.own[task]
    return float(found.passed_on[task] + own**2 / (own + noise))


def test_a_curve_goes_through_the_forecast_and_down_to_its_limit() -> None:
    found = curves([4.0], [2.0], [[50.0, 50.0]], distance=1.3)
    assert found.error(0, np.array([0.0]))[0] == pytest.approx(norm.sf(1.3), abs=1e-4)
    more = found.error(0, np.array([0.0, 10.0, 100.0, 1e9]))
    assert (np.diff(more) < 0).all()
    assert more[-1] == pytest.approx(found.limit(0), abs=1e-6)
    # The distance grows as the root of the energy: from 2 to all of 4.
    assert found.limit(0) == pytest.approx(norm.sf(1.3 * np.sqrt(2.0)), abs=1e-4)


@pytest.mark.parametrize("more", [0.0, 7.0, 300.0])
def test_the_curve_is_that_of_the_paper(more: float) -> None:
    """known(n) = A + E²/(E + N/n), of which the distance is a constant times the root."""
    found = curves([4.0], [2.0], [[20.0, 60.0]], distance=1.1)
    A, E = found.passed_on[0], found.own[0]
    assert pytest.approx(4.0) == A + E
    noise = 1800.0 / (20 + more) + 1800.0 / (60 + more)
    known = A + E**2 / (E + noise)
    error = found.error(0, np.array([more]))[0]
    assert error == pytest.approx(norm.sf(1.1 * np.sqrt(known / 2.0)), abs=1e-4)


def test_few_labels_believe_the_total_of_all_tasks() -> None:
    """A task of n labels has the share n/(n + 200) of its own, and all tasks the rest."""
    counts, total = np.array([[100.0, 100.0], [10.0, 10.0]]), np.array([4.0, 15.0])
    found = curves(total, [1.0, 1.0], counts)
    n = counts.sum(axis=1)
    usual = n @ total / n.sum()
    expected = usual + n / (n + 200) * (total - usual)
    np.testing.assert_allclose(found.passed_on + found.own, expected)


def test_what_few_labels_know_beyond_the_others_is_luck() -> None:
    """Of the excess over what is known usually, the share n/(n + 200) is believed; less stays."""
    counts = np.array([[100.0, 100.0], [10.0, 10.0], [10.0, 10.0]])
    known, n = np.array([2.0, 3.0, 1.5]), counts.sum(axis=1)
    found = curves([4.0] * 3, known, counts)
    usual = n @ known / n.sum()
    excess = np.maximum(known - usual, 0.0)
    assert (excess > 0).tolist() == [False, True, False]
    expected = known - (1 - n / (n + 200)) * excess
    for task in range(3):
        assert known_energy(found, task) == pytest.approx(expected[task])


@pytest.mark.parametrize(("known", "bounded"), [(5.0, 0.98 * 4), (-1.0, 1e-9 * 4)])
def test_what_is_known_is_part_of_the_total(known: float, bounded: float) -> None:
    """The factor is the distance, here 1, over the root of what is known."""
    assert curves([4.0], [known], [[50.0, 50.0]]).factor[0] == pytest.approx(
        bounded**-0.5, rel=1e-4
    )


def naive_meta_analysis(values: Any, precision: Any) -> tuple[Any, Any]:
    """DerSimonian and Laird; (n − 1)/(n + 5) of the variance between few tasks is believed."""
    n, total = len(values), precision.sum()
    common = precision @ values / total
    q = precision @ (values - common) ** 2
    between = max((q - (n - 1)) / (total - (precision**2).sum() / total), 0.0)
    between *= (n - 1) / (n + 5)
    of_task = 1 / precision
    drawn = (values * between + common * of_task) / (between + of_task)
    return drawn, np.sqrt(between * of_task / (between + of_task))


def test_factors_are_drawn_together_as_in_a_meta_analysis() -> None:
    distance, width = np.array([0.6, 1.0, 1.6, 2.0]), 0.3
    known = np.array([1.0, 1.0, 1.5, 1.2])
    found = curves([4.0] * 4, known, np.full((4, 2), 1e9), distance, width)
    precision = known * (2 * norm.isf(0.05) / (2 * width)) ** 2
    factor, doubt = naive_meta_analysis(distance / np.sqrt(known), precision)
    np.testing.assert_allclose(found.factor, factor, rtol=1e-3)
    np.testing.assert_allclose(found.doubt, doubt, rtol=1e-3)
    assert (doubt > 0.05).all()


def test_doubt_about_the_factor_makes_the_error_a_mean() -> None:
    """Over a normal distribution: E Q(a + bz) = Q(a/√(1 + b²))."""
    found = curves([4.0], [1.0], [[50.0, 50.0]])
    found = found._replace(factor=np.array([2.0]), doubt=np.array([0.4]))
    distance, deviation = 2.0 * np.sqrt(4.0), 0.4 * np.sqrt(4.0)
    expected = norm.sf(distance / np.sqrt(1 + deviation**2))
    assert found.limit(0) == pytest.approx(expected, rel=1e-2)


def test_tasks_whose_forecasts_agree_have_one_factor_without_doubt() -> None:
    found = curves([4.0] * 3, [1.0] * 3, np.full((3, 2), 50.0), [1.0, 1.1, 0.9], width=1.0)
    assert np.ptp(found.factor) == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_array_equal(found.doubt, 0.0)


def test_a_task_that_only_its_forecast_describes_is_placed_by_it() -> None:
    """What it knows is the energy with which the common factor gives its distance."""
    found = curves([4.0] * 3, [1.0, 1.0, np.nan], np.full((3, 2), 1e9), [1.0, 1.0, 1.5])
    assert known_energy(found, 2) == pytest.approx(1.5**2, rel=1e-3)


def test_classes_without_labels_have_everything_to_learn() -> None:
    """What is not known is the task's own; the first labels bring a part of it."""
    found = curves([4.0, 4.0], [1.0, 1.0], [[300.0, 0.0], [300.0, 300.0]])
    assert found.own[0] == pytest.approx(3.0)
    before, after = found.error(0, np.array([0.0, 1.0]))
    assert before == pytest.approx(norm.sf(found.factor[0] * 1.0), abs=1e-4)
    assert after < before


def test_no_curve_for_a_task_of_one_class() -> None:
    found = curves([4.0], [1.0], [[9.0, 9.0]])._replace(n_classes=np.array([1.0]))
    assert np.isnan(found.error(0, np.array([0.0, 5.0]))).all()
    assert np.isnan(found.limit(0))
