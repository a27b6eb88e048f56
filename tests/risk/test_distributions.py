"""Distributions of the scores of new rows: with many left-out rows theirs, with few the fleet's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import average_precision_score, roc_auc_score

from kinspan.risk import ScoreForecast, forecast_score, score_distributions
from kinspan.risk.left_out_rows import LeftOutRows


def left_out(rng: np.random.Generator, counts: Any, distances: Any, offset: float = 0.0) -> Any:
    """Normal scores of two classes in every task, at these distances."""
    counts = np.asarray(counts)
    cells = np.repeat(np.arange(counts.size), counts.ravel())
    tasks, classes = cells // 2, cells % 2
    scores = rng.normal(size=len(cells)) + (classes - 0.5) * np.asarray(distances)[tasks] + offset
    log_priors = np.tile([0.0, offset], (len(counts), 1))
    both = np.stack([np.zeros(len(scores)), scores], axis=1)
    nothing = np.zeros(len(scores)), np.zeros(len(counts))
    return LeftOutRows(both, tasks, classes, np.ones(len(scores)), log_priors, *nothing)


def forecast(rows: LeftOutRows, counts: Any, name: str = "roc_auc") -> ScoreForecast:
    known = score_distributions(rows, np.asarray(counts, dtype=float), None)
    return forecast_score(known, name, None, np.zeros(len(counts)))


@pytest.mark.parametrize("name", ["roc_auc", "average_precision"])
def test_with_many_rows_it_is_the_score_of_these(name: str) -> None:
    """Whatever the shape: a mixture, of which half the positives are easy."""
    rng = np.random.default_rng(0)
    counts = [[4000, 1000]]
    rows = left_out(rng, counts, [1.0])
    easy = (rows.classes == 1) & (np.arange(len(rows.tasks)) % 2 == 0)
    rows = rows._replace(scores=rows.scores + 4.0 * easy[:, None] * np.array([0.0, 1.0]))
    measure = {"roc_auc": roc_auc_score, "average_precision": average_precision_score}[name]
    expected = measure(rows.classes, rows.scores[:, 1])
    found = forecast(rows, counts, name)
    assert found.value[0] == pytest.approx(expected, abs=0.015)  # it is smoothed
    assert found.interval[0, 0] < expected < found.interval[0, 1]
    assert np.diff(found.interval[0]) < 0.06


def test_intervals_cover_whether_tasks_are_alike_or_not() -> None:
    """Left-out rows that are independent, which intervals assume they are less than."""
    rng = np.random.default_rng(1)
    for spread in (0.0, 0.5):
        inside, gaps = [], []
        for _ in range(8):
            distances = 1.5 + spread * rng.normal(size=20)
            counts = np.tile([100, 10], (20, 1))
            found = forecast(left_out(rng, counts, distances), counts)
            truth = norm.cdf(distances / np.sqrt(2.0))
            inside += ((found.interval[:, 0] < truth) & (truth < found.interval[:, 1])).tolist()
            gaps += (found.value - truth).tolist()
        assert 0.86 < np.mean(inside) <= 1.0
        assert abs(np.mean(gaps)) < 4 * np.std(gaps) / np.sqrt(len(gaps)) + 0.01


def test_a_task_without_left_out_rows_is_expected_to_be_like_the_others() -> None:
    rng = np.random.default_rng(2)
    counts = np.tile([200, 50], (10, 1))
    rows = left_out(rng, counts, np.full(10, 2.0))
    kept = rows.tasks > 0
    of_rows = "scores", "tasks", "classes", "weights", "resized"
    rows = rows._replace(**{name: getattr(rows, name)[kept] for name in of_rows})
    found = forecast(rows, counts)
    assert found.value[0] == pytest.approx(found.value[1:].mean(), abs=0.02)
    assert np.diff(found.interval[0]) > 1.3 * np.diff(found.interval[1:], axis=1).mean()


def test_fewer_positives_say_less_and_the_fleet_says_more() -> None:
    counts = np.tile([200, 50], (12, 1))
    counts[0], counts[1] = [200, 2], [200, 12]
    found = forecast(left_out(np.random.default_rng(3), counts, np.full(12, 1.5)), counts)
    widths = np.diff(found.interval, axis=1)[:, 0]
    assert widths[0] > widths[1] > widths[2:].mean()
    distances = np.full(12, 1.5)
    distances[:2] = 0.0  # they look worse than the others
    found = forecast(left_out(np.random.default_rng(3), counts, distances), counts)
    assert found.value[1] < found.value[0] < found.value[2:].mean()


def test_priors_move_probabilities_but_no_ranks() -> None:
    counts = np.tile([300, 100], (3, 1))
    plain, moved = (
        left_out(np.random.default_rng(4), counts, np.full(3, 1.5), offset) for offset in (0.0, 2.0)
    )
    ranks = [forecast(rows, counts).value for rows in (plain, moved)]
    np.testing.assert_allclose(ranks[0], ranks[1], rtol=1e-9)
    losses = [forecast(rows, counts, "log_loss").value for rows in (plain, moved)]
    assert (losses[1] > losses[0] + 0.1).all()


def test_shares_are_those_of_labels_or_as_given() -> None:
    counts = np.array([[90.0, 10.0]])
    rows = left_out(np.random.default_rng(5), counts.astype(int), [1.0])
    drawn = score_distributions(rows, counts, None).draws(0).share
    assert drawn.mean() == pytest.approx(0.1, abs=0.01)
    assert drawn.std() == pytest.approx(0.03, abs=0.005)
    fixed = score_distributions(rows, counts, np.array([0.3])).draws(0).share
    np.testing.assert_array_equal(fixed, 0.3)


def test_a_weight_of_two_is_the_row_twice() -> None:
    rng = np.random.default_rng(6)
    counts = np.array([[60, 20], [30, 30]])
    rows = left_out(rng, counts, [1.0, 2.0])
    weights = rng.integers(1, 4, size=len(rows.tasks))
    again = np.repeat(np.arange(len(weights)), weights)
    repeated = LeftOutRows(
        *(rows.scores[again], rows.tasks[again], rows.classes[again]),
        *(np.ones(len(again)), rows.log_priors, rows.resized[again], rows.noise_share),
    )
    once = forecast(rows._replace(weights=weights.astype(float)), counts)
    twice = forecast(repeated, counts)
    np.testing.assert_allclose(once.value, twice.value, rtol=1e-9)
    np.testing.assert_allclose(once.interval, twice.interval, rtol=1e-9)


def test_spreads_of_few_rows_have_the_ratio_that_all_tasks_have() -> None:
    """Scores of tasks differ in size, and positives spread twice as much in each."""
    counts = np.tile([100, 4], (30, 1))
    rows = left_out(np.random.default_rng(7), counts, np.full(30, 2.0))
    size = np.exp(0.7 * np.random.default_rng(8).normal(size=30))[rows.tasks]
    spread = np.where(rows.classes == 1, 2.0, 1.0) * rows.scores[:, 1] * size
    rows = rows._replace(scores=np.stack([np.zeros(len(spread)), spread], axis=1))
    known = score_distributions(rows, counts.astype(float), None).log_variances
    ratios = np.exp(0.5 * known.difference.mean)
    assert ratios.mean() == pytest.approx(2.0, rel=0.15)
    assert ratios.std() < 0.35  # those of four rows have .8


def test_heavy_tails_tell_less_of_spreads() -> None:
    """A variance of n rows is off by √((κ − 1)/n), κ their fourth moment: 6 here, normally 3."""
    counts, n = np.tile([400, 400], (5, 1)), 400.0
    rng, doubts = np.random.default_rng(12), []
    simulated = rng.laplace(size=(4000, 400)).var(axis=1)
    for heavy in (False, True):
        rows = left_out(rng, counts, np.ones(5))
        if heavy:
            scores = rows.classes + rng.laplace(size=len(rows.tasks)) / np.sqrt(2.0)
            rows = rows._replace(scores=np.stack([np.zeros(len(scores)), scores], axis=1))
        known = score_distributions(rows, counts.astype(float), None).log_variances.difference
        doubts.append(known.variance.mean() * n / 2.0 / known.own.mean())
    assert doubts[0] == pytest.approx(2.0, rel=0.1)
    assert doubts[1] == pytest.approx(n * np.log(simulated).var(), rel=0.25)


def test_distances_grow_in_units_and_log_odds_with_them() -> None:
    """Log odds of normal scores: means ± d²/2 and deviation d, before and after."""
    rng, counts = np.random.default_rng(9), np.array([[4000, 4000]])
    d = 1.5
    rows = left_out(rng, counts, [d])
    rows = rows._replace(scores=d * rows.scores)
    known = score_distributions(rows, counts.astype(float), None)
    for growth in (1.0, 1.4):
        draws = known.draws(0, growth)
        mean = (draws.scores * draws.masses).sum(axis=2).mean(axis=0)
        expected = 0.5 * (growth * d) ** 2
        np.testing.assert_allclose(mean, [-expected, expected], rtol=0.06)
        around = draws.scores - (draws.scores * draws.masses).sum(axis=2, keepdims=True)
        deviation = np.sqrt((around**2 * draws.masses).sum(axis=2)).mean(axis=0)
        np.testing.assert_allclose(deviation, growth * d, rtol=0.06)


def test_a_single_task_is_expected_to_be_half_as_wrong_as_a_guess_before_it_is_seen() -> None:
    """By what one row of each class would tell: with many rows it is forgotten."""
    normal = -2.0 * norm.ppf(0.25)
    for n, weight in ((4, 0.4), (4000, 0.001)):
        rows = left_out(np.random.default_rng(10), [[n, n]], [0.0])
        known = score_distributions(rows, np.array([[n, n]], dtype=float), None).locations
        assert 0.0 < known.difference.own[0] < 1.0
        assert 1.0 - known.difference.own[0] < weight
    far = left_out(np.random.default_rng(10), [[4, 4]], [8.0])
    near = left_out(np.random.default_rng(10), [[4, 4]], [-8.0])
    found = [
        score_distributions(rows, np.array([[4.0, 4.0]]), None).locations.difference
        for rows in (far, near)
    ]
    assert found[1].mean[0] < normal < found[0].mean[0]


def test_rows_that_are_in_the_rules_of_each_other_tell_less() -> None:
    counts = np.tile([100, 10], (3, 1))
    rows = left_out(np.random.default_rng(11), counts, np.full(3, 1.5))
    narrow, wide = (
        score_distributions(rows._replace(noise_share=np.full(3, share)), counts * 1.0, None)
        for share in (0.0, 0.8)
    )
    assert (wide.locations.difference.variance > 1.2 * narrow.locations.difference.variance).all()


def test_scores_count_by_the_size_of_the_rule_of_the_task() -> None:
    counts = np.array([[50, 5]])
    rows = left_out(np.random.default_rng(12), counts, [1.5])
    odd = rows.scores.copy()
    odd[-1, 1] *= 30.0  # by a rule that is so much larger without its row
    resized = np.zeros(55)
    resized[-1] = rows.scores[-1, 1] - odd[-1, 1]
    again = forecast(rows._replace(scores=odd, resized=resized), counts)
    np.testing.assert_allclose(again.value, forecast(rows, counts).value, rtol=1e-9)
