"""Learning curves: from the present forecast on, down to the limit of many labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from kinspan.risk import Energies, Learning, learning_curves
from kinspan.risk.gaussian import error_of_equal_classes
from kinspan.risk.usual_task import UsualTask


def curves(
    total: Any, known: Any, counts: Any, distance: Any = 1.0, width: float = 0.2, m: int = 2
) -> Learning:
    """Of tasks with m classes; the larger one leaves a noise of thirty."""
    counts = np.asarray(counts, dtype=np.float64)
    spread = np.repeat(30.0 * counts.max(axis=1, keepdims=True), counts.shape[1], axis=1)
    distance = np.broadcast_to(np.asarray(distance, dtype=np.float64), (len(counts),))
    ends = np.stack([distance + width, distance - width], axis=1)
    error, interval = (error_of_equal_classes(d, m) for d in (distance, ends))
    energies = Energies(np.asarray(total), np.asarray(known), spread)
    n_classes, chance = np.full(len(counts), m), np.full(len(counts), 1.0 - 1.0 / m)
    return learning_curves(energies, counts, error, interval, n_classes, chance)


def known_energy(found: Learning, task: int) -> float:
    """A + E²/(E + N/n), at the present number of labels."""
    noise = (found.spread[task] / found.counts[task]).sum()
    own = found.own[task]
    return float(found.passed_on[task] + own**2 / (own + noise))


@pytest.mark.parametrize("m", [2, 5])
def test_with_no_more_labels_the_curve_is_the_forecast(m: int) -> None:
    found = curves([4.0, 3.0], [2.0, 0.1], np.full((2, m), 20.0), [1.3, 0.4], m=m)
    for task in (0, 1):
        np.testing.assert_allclose(found.error(task, np.zeros(1)), found.present[task], rtol=1e-15)
        np.testing.assert_allclose(
            found.interval(task, np.zeros(1))[0], found.ends[task], rtol=1e-15
        )


def test_it_falls_to_its_limit() -> None:
    found = curves([4.0], [2.0], [[50.0, 50.0]], distance=1.3)
    more = found.error(0, np.array([0.0, 10.0, 100.0, 1e9]))
    assert (np.diff(more) < 0).all()
    assert more[-1] == pytest.approx(found.limit(0), abs=1e-6)
    # The distance grows as the root of the energy: from 2 to all of 4.
    assert found.limit(0) == pytest.approx(norm.sf(1.3 * np.sqrt(2.0)), abs=1e-4)
    ends = norm.sf((1.3 + np.array([0.2, -0.2])) * np.sqrt(2.0))
    np.testing.assert_allclose(found.interval(0, np.array(np.inf)), ends, atol=1e-4)


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


def test_what_few_labels_know_beyond_a_usual_task_is_luck() -> None:
    """Of the excess over what is usual with as few, the share n/(n + 200) is believed; less stays.

    A task with ten labels among tasks with a hundred was expected to know as much as they do, and
    to gain too little by more.
    """
    counts = np.array([[100.0, 100.0], [10.0, 10.0], [10.0, 10.0]])
    known, n = np.array([2.0, 3.0, 0.5]), counts.sum(axis=1)
    found = curves([4.0] * 3, known, counts)
    usual = UsualTask.of(Energies(np.full(3, 4.0), known, found.spread), counts, n).known
    assert usual[1] < usual[0] - 0.05
    assert n @ usual == pytest.approx(n @ known)
    expected = known - (1 - n / (n + 200)) * np.maximum(known - usual, 0.0)
    for task in range(3):
        assert known_energy(found, task) == pytest.approx(expected[task])


def test_what_is_known_is_part_of_the_total() -> None:
    too_much, nothing = (curves([4.0], [known], [[50.0, 50.0]]) for known in (5.0, -1.0))
    assert known_energy(too_much, 0) == pytest.approx(0.98 * 4)
    assert nothing.own[0] == pytest.approx(4.0)  # nothing was passed on


def test_a_task_that_only_its_forecast_describes_is_placed_by_it() -> None:
    """What it knows is the energy with which the factor of the others gives its distance."""
    found = curves([4.0] * 3, [1.0, 1.0, np.nan], np.full((3, 2), 1e9), [1.0, 1.0, 1.5])
    assert known_energy(found, 2) == pytest.approx(1.5**2, rel=1e-3)


def test_classes_without_labels_have_everything_to_learn() -> None:
    """What is not known is the task's own; the first labels bring a part of it."""
    found = curves([4.0, 4.0], [1.0, 1.0], [[300.0, 0.0], [300.0, 300.0]])
    assert found.own[0] == pytest.approx(3.0)
    before, after = found.error(0, np.array([0.0, 1.0]))
    assert before == pytest.approx(found.present[0])
    assert after < before


def test_no_better_than_a_guess_stays_so() -> None:
    found = curves([4.0], [1.0], [[9.0, 9.0]])._replace(present=np.array([0.53]))
    np.testing.assert_allclose(found.error(0, np.array([0.0, 100.0])), 0.53)


def test_no_curve_for_a_task_of_one_class() -> None:
    found = curves([4.0], [1.0], [[9.0, 9.0]])._replace(n_classes=np.array([1.0]))
    assert np.isnan(found.error(0, np.array([0.0, 5.0]))).all()
    assert np.isnan(found.limit(0))
