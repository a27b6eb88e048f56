"""Leaving a row out in closed form equals doing it; scores become log odds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinspan import MultiTaskSPCA
from kinspan.metric import covariance_of_rows
from kinspan.risk import (
    Residuals,
    RuleParts,
    calibration,
    leave_one_out_scores,
)
from tests.worlds import sampled_rows


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("p", [4, 30])  # with 30 features there are fewer rows than features
@pytest.mark.parametrize("half", [0.0, 0.5])
def test_closed_form_equals_removing_the_row(share: float, p: int, half: float) -> None:
    rng = np.random.default_rng(0)
    k, m = 2, 3
    t, c = np.repeat([0, 1], 9), np.tile(np.repeat([0, 1, 2], 3), 2)
    X, weights = rng.normal(size=(18, p)), rng.integers(1, 3, 18).astype(float)
    counts = np.bincount(t * m + c, weights).reshape(k, m).astype(float)
    means = cell_means(X, t * m + c, weights).reshape(k, m, p)
    residuals = X - means[t, c]
    covariance = covariance_of_rows(residuals, sampled_rows(t * m + c, weights), means)
    scatter = (weights[:, None] * residuals).T @ residuals / weights.sum() / covariance.mean_value
    metric = (1 - share) * np.eye(p) + share * scatter
    # Rules are sums of means and residuals: they lie in the basis.
    mixing = rng.normal(size=(k, m, k * m))
    own, w = rng.normal(size=(k, m)), mixing @ means.reshape(k * m, p)
    offset, undone = rng.normal(size=(k, m)), rng.normal(size=(k, m))
    centre = means.mean(axis=1, keepdims=True)

    def turned(vectors: Any) -> Any:
        return covariance.basis.coordinates(vectors) / np.sqrt(covariance.stretch(share))

    noise = cell_noise(turned(residuals), t * m + c, weights).reshape(k, m)
    stretch = covariance.stretch(share)
    parts = one_metric(
        *(turned(w) / np.sqrt(stretch), offset, own, undone, noise),
        *(covariance.basis.coordinates(means - centre), np.full((k, m), 1 / m), counts),
        half,
    )
    row_share = share / (covariance.mean_value * weights.sum())
    rows = Residuals(
        *(covariance.residuals, stretch[None], t, c, weights),
        np.array([row_share]),
    )
    found = leave_one_out_scores(parts, rows)[:, 0]
    for i in range(18):
        r, n, centring = residuals[i], counts[t[i], c[i]], (np.eye(m) - 1 / m)[c[i]]
        cell = own[t[i]] * centring
        w_new, x, metric_new = without_row(
            r, n, w[t[i]], cell, X[i] - centre[t[i], 0], metric, row_share
        )
        expected = brute_force_scores(w_new, x, metric_new, half) + offset[t[i]]
        fewer = weights - (np.arange(18) == i)
        others = turned(X - cell_means(X, t * m + c, fewer)[t * m + c])
        new_noise = cell_noise(others, t * m + c, fewer).reshape(k, m)
        of_cell = undone[t[i]] * centring
        more = of_cell / m + half * of_cell**2  # in the centre, and in half of the length
        expected += more * (new_noise - noise)[t[i], c[i]]
        np.testing.assert_allclose(found[i], expected, rtol=1e-8, atol=1e-8)


def one_metric(
    coef: Any,
    offset: Any,
    own: Any,
    undone: Any,
    noise: Any,
    contrasts: Any,
    shares: Any,
    counts: Any,
    half: float = 0.0,
) -> RuleParts:
    """Rules for all classes, in one metric."""
    centring = np.tile(np.eye(counts.shape[1]) - 1.0 / counts.shape[1], (len(counts), 1, 1))
    return RuleParts(
        *(coef[:, None], offset[:, None], own[:, None], undone[:, None], noise[..., None]),
        *(contrasts, centring),
        *(shares, counts, np.full((len(counts), 1), half)),
    )


def cell_means(X: Any, cells: Any, weights: Any) -> Any:
    """(cells, features) weighted means."""
    of_cells = [cells == cell for cell in np.unique(cells)]
    return np.array([np.average(X[of], axis=0, weights=weights[of]) for of in of_cells])


def cell_noise(residuals: Any, cells: Any, weights: Any) -> Any:
    """(cells,): rows minus the mean of their cell → squared sampling error of the mean."""
    squares, n = (residuals**2).sum(axis=1), np.bincount(cells, weights)
    scatter = np.bincount(cells, weights * squares)
    return scatter / (n - 1) / n


def without_row(
    r: Any, n: float, w: Any, own: Any, x: Any, metric: Any, share: float
) -> tuple[Any, Any, Any]:
    """Rules, centred row and metric after one row of a cell of n, of residual r, has left."""
    moved = -r / (n - 1)  # the cell mean without the row, minus the cell mean
    w_new = w + own[:, None] * moved
    return w_new, x - moved / len(w), metric - share * n / (n - 1) * np.outer(r, r)


def brute_force_scores(w: Any, x: Any, metric: Any, half: float) -> Any:
    inverse = np.linalg.inv(metric)
    return w @ inverse @ x - half * np.einsum("lp,pq,lq->l", w, inverse, w)


def test_rows_that_are_their_whole_cell_cannot_be_left_out() -> None:
    ones = np.ones((1, 2, 1))
    one = ones[..., 0]
    parts = one_metric(ones, one, one, one, one, ones,
                       ones[..., 0] / 2, np.array([[1.0, 3.0]]))  # fmt: skip
    values = np.array([[0.0], [1.0], [-1.0]])
    rows = Residuals(values, np.ones((1, 1)), np.zeros(3, int), np.array([0, 1, 1]),
                     np.array([1.0, 1.0, 2.0]), np.zeros(1))  # fmt: skip
    found = leave_one_out_scores(parts, rows)[:, 0]
    np.testing.assert_array_equal(np.isnan(found[:, 0]), [True, False, False])


def test_a_cell_that_keeps_one_row_has_the_spread_of_its_task() -> None:
    """Rules of length zero: scores are what thresholds undo of the noise of the cell mean."""
    counts, noise, r = np.array([[2.0, 5.0]]), np.array([[3.0, 0.7]]), np.array([[1.5], [2.0]])
    nothing, undone = np.zeros((1, 2, 1)), np.array([[1.0, 10.0]])
    parts = one_metric(nothing, np.zeros((1, 2)), np.zeros((1, 2)), undone, noise,
                       nothing, np.full((1, 2), 0.5), counts, 1.0)  # fmt: skip
    t, c = np.zeros(2, int), np.array([0, 1])
    rows = Residuals(r, np.ones((1, 1)), t, c, np.ones(2), np.zeros(1))
    found = leave_one_out_scores(parts, rows)[:, 0]
    scatter = noise * counts * (counts - 1)
    of_task = scatter.sum() / (counts - 1).sum()  # one row left shows no spread of its own
    of_rest = (scatter[0, 1] - 2.0**2 * 5 / 4) / 3 / 4
    of_cells = undone * [[0.5, -0.5], [-0.5, 0.5]]
    more = np.array([of_task - 3.0, of_rest - 0.7])[:, None]
    expected = more * (0.5 * of_cells + of_cells**2)
    np.testing.assert_allclose(found, expected)


def test_a_row_that_is_its_own_metric_has_a_bounded_score() -> None:
    """Without it the metric would be singular: Sherman and Morrison divide by a millionth."""
    one = np.ones((1, 2, 1))
    zero = np.zeros((1, 2))
    parts = one_metric(one, zero, zero, zero, np.ones((1, 2)), np.zeros((1, 2, 1)),
                       np.zeros((1, 2)), np.full((1, 2), 2.0))  # fmt: skip
    rows = Residuals(np.ones((1, 1)), np.ones((1, 1)), np.zeros(1, int),
                     np.zeros(1, int), np.ones(1), np.full(1, 0.5))  # fmt: skip
    np.testing.assert_allclose(leave_one_out_scores(parts, rows), 1.0 + 1e6)


def test_forecast_of_a_class_of_three_rows_beside_one_of_sixty() -> None:
    """Without a third of its rows a class mean is noisier; its threshold must know that.

    The mean gap was .08 as long as the threshold stayed that of three rows.
    """
    gaps = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        means = 3.0 * rng.normal(size=(2, 60)) / np.sqrt(60)
        y, new_y = np.repeat([0, 1], [3, 60]), np.repeat([0, 1], 1000)
        X, new = (means[labels] + rng.normal(size=(len(labels), 60)) for labels in (y, new_y))
        clf = MultiTaskSPCA(labels="single", metric=0.0).fit(X, y)
        gaps.append(clf.forecast_error_[0] - (1 - clf.score(new, new_y)))
    assert abs(np.mean(gaps)) < 4 * np.std(gaps) / np.sqrt(60) < 0.07


@pytest.mark.parametrize("factor", [0.2, 1.0, 4.0])
def test_temperature_finds_the_factor_of_scores_that_are_log_odds(factor: float) -> None:
    rng = np.random.default_rng(0)
    log_odds = 2 * rng.normal(size=20_000)
    classes = (rng.uniform(size=20_000) < 1 / (1 + np.exp(-log_odds))).astype(int)
    scores = np.column_stack([np.zeros(20_000), log_odds / factor])
    found = calibration(scores[None], classes, np.ones(20_000), np.ones((20_000, 2), bool))[0]
    assert found == pytest.approx(factor, rel=0.05)


def test_temperature_of_perfect_scores_stays_bounded() -> None:
    scores = np.column_stack([np.zeros(10), np.repeat([-1.0, 1.0], 5)])
    classes = np.repeat([0, 1], 5)
    found = calibration(scores[None], classes, np.ones(10), np.ones((10, 2), bool))[0]
    assert 1.0 < found < 60


def test_temperature_is_the_most_likely_one_given_its_prior() -> None:
    """Against a grid: Σ weight · log loss, of classes that are there, plus ½ log² of log odds.

    In units in which the differences between scores have a root mean square of two.
    """
    rng = np.random.default_rng(0)
    scores, classes = 3.0 * rng.normal(size=(12, 3)), rng.integers(0, 2, 12)
    weights, present = rng.uniform(0.5, 3.0, 12), np.tile([True, True, False], (12, 1))
    grid = np.linspace(-4, 4, 4001)
    margin = scores[np.arange(12), 1 - classes] - scores[np.arange(12), classes]
    losses = np.log1p(np.exp(np.exp(grid)[:, None] * margin))
    unit = 0.5 * np.sqrt(np.average(margin**2, weights=weights))
    total = losses @ weights + 0.5 * (grid + np.log(unit)) ** 2
    found = calibration(scores[None], classes, weights, present)[0]
    assert np.log(found) == pytest.approx(grid[total.argmin()], abs=2e-3)


@pytest.mark.parametrize("unit", [1e-150, 1e-9, 1e7, 1e150])
def test_log_odds_do_not_depend_on_the_units_of_scores(unit: float) -> None:
    rng = np.random.default_rng(1)
    scores, classes, weights = rng.normal(size=(9, 2)), rng.integers(0, 2, 9), np.ones(9)
    present = np.full((9, 2), True)
    expected = calibration(scores[None], classes, weights, present)[0]
    found = calibration((unit * scores)[None], classes, weights, present)[0]
    assert found * unit == pytest.approx(expected, rel=1e-9)


def test_of_two_classes_the_difference_of_scores_is_enough() -> None:
    """And candidates that are calibrated together do not change each other."""
    rng = np.random.default_rng(2)
    scores = rng.normal(size=(5, 30, 2)) * np.logspace(-3, 3, 5)[:, None, None]
    classes, weights = rng.integers(0, 2, 30), rng.uniform(0.5, 2.0, 30)
    scores[:, :3] = np.nan  # rows that could not be left out
    present = np.full((30, 2), True)
    expected = [calibration(one[None], classes, weights, present)[0] for one in scores]
    difference = scores[..., 1:] - scores[..., :1]
    for given in (scores, difference):
        np.testing.assert_allclose(calibration(given, classes, weights, present), expected, 1e-9)
