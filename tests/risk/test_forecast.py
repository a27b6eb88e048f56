"""The forecast is a posterior: the count with many rows, the other tasks with none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import beta, binom, norm

from kinspan.risk import Forecast, LeftOutErrors, left_out_errors
from kinspan.risk.between_tasks import rows_of_a_task
from kinspan.risk.forecast import ALIKE, beta_interval, prior_of_others

HALF = 0.5

# The error of guessing in twenty tasks and the unit of errors; tasks differ by distances.
HALVES = np.stack([np.full(20, 0.5), np.full(20, 0.5), np.ones(20)])


def forecast(
    margins: Any, t: Any, c: Any, weights: Any = None, priors: Any = (0.5, 0.5)
) -> Forecast:
    """Of two classes, from the margins of their rows."""
    signed = np.where(c == 1, margins, -margins) / 2
    weights = np.ones(len(margins)) if weights is None else weights
    scores = np.column_stack([-signed, signed])
    return left_out_errors(scores, t, c, weights, np.tile(priors, (t.max() + 1, 1))).forecast()


def gaussian(seed: int, distances: Any, n: Any) -> tuple[Any, Any, Any]:
    """Margins of tasks with these distances, n rows of every class."""
    rng = np.random.default_rng(seed)
    t, c = (
        np.repeat(np.arange(len(distances)), 2 * n),
        np.tile(np.repeat([0, 1], n), len(distances)),
    )
    return np.asarray(distances)[t] + rng.normal(size=len(t)), t, c


def simulated_posterior(rows: Any, wrong: Any, chance: Any) -> Any:
    """Means and standard deviations by brute force, on a grid of errors."""
    grid = (np.arange(4000) + 0.5) / 4000
    likelihoods, posteriors = [], []
    known = rows_of_a_task(wrong.sum() / rows.sum() / chance, rows.sum(), chance)
    for alike in ALIKE:
        worth = alike * known
        of_tasks, evidence = [], 0.0
        for t in range(len(rows)):
            others = np.arange(len(rows)) != t
            variances = 1 / worth + 1 / rows[others]
            g, first = 1 / variances, 1 / (1 / worth + 1.0)
            mean = (first * chance / 2 + g @ (wrong / rows)[others]) / (first + g.sum())
            strength = 1 / (1 / worth + 1 / (first + g.sum()))
            prior = beta.pdf(grid, strength * mean, strength * (1 - mean))
            joint = prior * grid ** wrong[t] * (1 - grid) ** (rows[t] - wrong[t])
            evidence += np.log(joint.mean())
            of_tasks.append(joint / joint.sum())
        likelihoods.append(evidence + np.log(alike) / 2)
        posteriors.append(of_tasks)
    weights = np.exp(np.array(likelihoods) - max(likelihoods))
    density = np.tensordot(weights / weights.sum(), np.array(posteriors), axes=1)
    means = density @ grid
    return means, np.sqrt(density @ grid**2 - means**2)


def test_the_posterior_is_that_of_bayes() -> None:
    rows, wrong = np.array([12.0, 30.0, 8.0]), np.array([4.0, 6.0, 3.0])
    found = LeftOutErrors(rows, wrong / rows, wrong / rows, *HALVES[:, :3]).forecast()
    means, deviations = simulated_posterior(rows, wrong, 0.5)
    np.testing.assert_allclose(found.error, means, atol=2e-3)
    nu = means * (1 - means) / deviations**2 - 1
    for q, end in zip((0.05, 0.95), found.interval.T, strict=True):
        np.testing.assert_allclose(end, beta.ppf(q, means * nu, (1 - means) * nu), atol=8e-3)


@pytest.mark.parametrize("n", [8, 20])
def test_intervals_of_one_task_cover_whatever_its_error(n: int) -> None:
    """Exactly, over all counts; without the half row .86 on average, and .58 at worst."""
    intervals = []
    for wrong in range(n + 1):
        share = np.array([wrong / n])
        of = LeftOutErrors(np.array([float(n)]), share, share, *HALVES[:, :1])
        intervals.append(of.forecast().interval[0])
    low, high = np.array(intervals).T
    covered = []
    for error in np.linspace(0.05, 0.45, 41):
        likely = binom.pmf(np.arange(n + 1), n, error)
        covered.append(likely[(low <= error) & (error <= high)].sum())
    assert 0.9 < np.mean(covered) < 0.93
    assert min(covered) > 0.83


def test_half_a_row_is_added_only_as_far_as_nothing_is_known_before() -> None:
    mean, variance = np.array([0.02, 0.3]), np.array([0.002, 0.01])
    plain, guessed = (beta_interval(mean, variance, part) for part in (0.0, np.array([1.0, 0.0])))
    np.testing.assert_array_equal(plain[:, 0], guessed[:, 0])
    assert guessed[0, 1] > 1.15 * plain[0, 1]
    assert guessed[1, 1] == plain[1, 1]
    rows, errors = np.full(20, 30.0), np.full(20, 0.2)
    half = np.full(20, HALF)
    alone, among = (
        prior_of_others(rows[:k], errors[:k], half[:k], half[:k], 30.0).guessed for k in (1, 20)
    )
    assert alone[0] == pytest.approx(1.0)
    assert (among < 0.01).all()


def test_tasks_near_guessing_are_drawn_together_more_than_others() -> None:
    """Distances that differ by a factor hardly change an error of nearly a half."""
    rows = np.full(4, 20.0)
    apart = np.array([-0.1, -0.05, 0.05, 0.1])
    spreads = [
        np.ptp(LeftOutErrors(rows, e + apart, e + apart, *HALVES[:, :4]).forecast().error)
        for e in (0.15, 0.45)
    ]
    assert spreads[1] < 0.5 * spreads[0]


@pytest.mark.parametrize("width", [1.0, 4.0])
def test_with_many_rows_it_is_the_count(width: float) -> None:
    """Class 1 four times as wide: a Gaussian tail with one deviation was off by eight points."""
    margins, t, c = gaussian(0, [2.0, 2.5, 3.0], 10_000)
    margins = np.where(c == 1, width * (margins - 2.0) + 2.0, margins)
    found = forecast(margins, t, c)
    counted = [(margins[t == task] < 0).mean() for task in range(3)]
    np.testing.assert_allclose(found.error, counted, atol=0.003)
    assert (found.interval[:, 0] < counted).all()
    assert (counted < found.interval[:, 1]).all()
    assert np.ptp(found.interval, axis=1).max() < 0.015


def test_with_many_rows_every_task_has_its_own_count() -> None:
    """One task has a tenth of its rows on the far side, another half of them in one place."""
    margins, t, c = gaussian(0, [1.0, 1.0, 1.0, 1.0], 4000)
    rng = np.random.default_rng(1)
    margins[t == 2] = np.where(rng.uniform(size=8000) < 0.1, -6.0, margins[t == 2] + 1.0)
    margins[t == 3] = np.where(rng.uniform(size=8000) < 0.5, 0.3, margins[t == 3])
    found = forecast(margins, t, c)
    counted = np.array([(margins[t == k] < 0).mean() for k in range(4)])
    np.testing.assert_allclose(found.error, counted, atol=0.004)  # a common ratio alone: .04 off


def test_without_rows_a_task_is_like_the_others() -> None:
    """Also without those of one class; what is said of the others does not change."""
    margins, t, c = gaussian(0, np.full(30, 1.0), 50)
    rows = ~((t == 3) & (c == 1))
    all_rows, some_rows = forecast(margins, t, c), forecast(margins[rows], t[rows], c[rows])
    fleet = np.delete(some_rows.error, 3).mean()
    assert some_rows.error[3] == pytest.approx(fleet, abs=0.01)
    assert np.ptp(some_rows.interval[3]) > np.ptp(all_rows.interval[3])
    np.testing.assert_allclose(
        np.delete(some_rows.error, 3), np.delete(all_rows.error, 3), atol=0.005
    )


def test_intervals_cover() -> None:
    """Distances differ between tasks; twenty rows of every class."""
    rng = np.random.default_rng(0)
    distances = np.maximum(1.0 + 0.3 * rng.normal(size=1000), 0.0)
    found, truth = forecast(*gaussian(1, distances, 20)), norm.sf(distances)
    covered = ((found.interval[:, 0] <= truth) & (truth <= found.interval[:, 1])).mean()
    assert abs(covered - 0.9) < 4 * np.sqrt(0.9 * 0.1 / 1000) + 0.03  # margins help: it is wide
    assert abs((found.error - truth).mean()) < 0.01
    of_mean = np.abs(found.error.mean() - truth).mean()
    assert np.abs(found.error - truth).mean() < of_mean


def test_no_signal_announces_chance() -> None:
    found = forecast(*gaussian(0, np.zeros(200), 3))
    assert abs(found.error.mean() - HALF) < 4 * np.sqrt(0.25 / 1200)
    assert np.abs(found.error - HALF).max() < 0.15
    assert (found.interval[:, 1] > 0.49).all()


def test_two_lucky_rows_are_not_the_best_task() -> None:
    """107 and 2 labels were announced as the best of forty shops."""
    margins, t, c = gaussian(0, [0.3, *np.linspace(0.3, 1.5, 9)], 40)
    keep = (t > 0) | (c == 0)
    margins, t, c = (
        np.concatenate([part[keep], extra])
        for part, extra in zip((margins, t, c), ([3.0, 3.5], [0, 0], [1, 1]), strict=True)
    )
    found = forecast(margins, t.astype(int), c.astype(int))
    assert found.error[0] > np.sort(found.error)[2]
    assert np.ptp(found.interval[0]) > 1.3 * np.median(np.ptp(found.interval, axis=1))


def test_tasks_that_differ_are_not_drawn_together() -> None:
    """What others are worth follows from the counts: much if tasks agree, little if not."""
    rows, alike = np.full(20, 20.0), np.full(20, 0.25)
    found = LeftOutErrors(rows, alike, alike, *HALVES).forecast()
    apart = np.tile([0.0, 0.5], 10)
    differing = LeftOutErrors(rows, apart, apart, *HALVES).forecast()
    assert np.ptp(found.interval[0]) < 0.2
    np.testing.assert_allclose(differing.error, apart, atol=0.06)


def test_one_task_is_by_itself() -> None:
    """Before it has rows, half of what guessing gives is expected, as by one row."""
    rows, errors = np.array([20.0]), np.array([0.4])
    found = LeftOutErrors(rows, errors, errors, *HALVES[:, :1]).forecast()
    worth = rows_of_a_task(0.8, 20.0, 0.5) * np.array(ALIKE)
    first = 1 / (1 / worth + 1)
    strength = 1 / (1 / worth + 1 / first)
    means = (20 * 0.4 + strength * 0.25) / (20 + strength)
    assert means.min() < found.error[0] < means.max()


def test_errors_are_compared_in_units_of_guessing() -> None:
    """A task of ten classes does not expect the error of tasks of two."""
    chance = np.array([0.5, 0.5, 0.9])
    a, b, _ = prior_of_others(np.full(3, 50.0), np.array([0.1, 0.1, 0.18]), chance, chance, 30.0)
    np.testing.assert_allclose(a / (a + b), chance * (a / (a + b))[0] / 0.5)


def test_priors_weigh_the_errors_of_classes() -> None:
    margins, t, c = gaussian(0, [1.0], 5000)
    margins = np.where(c == 1, margins - 1.0, margins + 1.0)
    errors = [forecast(margins, t, c, priors=(1 - q, q)).error[0] for q in (0.01, 0.5, 0.99)]
    expected = [norm.sf(2.0), (norm.sf(2.0) + 0.5) / 2, 0.5]
    np.testing.assert_allclose(errors, expected, atol=0.03)


def test_many_classes() -> None:
    """Five classes of three tasks, one of which lacks a class: against what is drawn."""
    rng = np.random.default_rng(0)
    t, c = np.repeat(np.arange(3), 1000), np.tile(np.arange(5), 600)
    priors = np.full((3, 5), 0.2)
    priors[2, 4] = 0.0
    kept = priors[t, c] > 0
    scores = 2.0 * np.eye(5)[c] + rng.normal(size=(3000, 5))
    found = left_out_errors(scores[kept], t[kept], c[kept], np.ones(kept.sum()), priors).forecast()
    masked = np.where(priors[t] > 0, scores, -np.inf)[kept]
    wrong = masked.argmax(axis=1) != c[kept]
    np.testing.assert_allclose(
        found.error, [wrong[t[kept] == task].mean() for task in range(3)], atol=0.01
    )


def test_nothing_is_known_without_any_row() -> None:
    found = forecast(np.full(4, np.nan), np.zeros(4, int), np.array([0, 0, 1, 1]))
    assert np.isnan(found.error).all()
    assert np.isnan(found.interval).all()


def test_errors_times_a_factor_are_those_of_as_many_wrong_rows() -> None:
    n, wrong = np.array([400.0, 900.0, 50.0]), np.array([0.2, 0.1, 0.3])
    known = np.full(3, 0.5), np.full(3, 0.5), np.ones(3)
    before = LeftOutErrors(n, wrong, wrong, *known)
    np.testing.assert_allclose(before.wrong(), n * wrong)
    halved = LeftOutErrors(n, wrong / 2, wrong / 2, *known)
    for found, expected in zip(before.times(np.full(3, 0.5)), halved, strict=True):
        np.testing.assert_allclose(found, expected)
    for found, expected in zip(before.times(np.ones(3)), before, strict=True):
        np.testing.assert_array_equal(found, expected)
    assert before.times(np.full(3, 9.0)).counted.max() <= 0.5  # no more than a guess
