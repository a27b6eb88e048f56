"""Scores of distributions: those of the registry for rows with the same weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import expit

from kinspan.metrics import SCORES, Score, ScoredRows
from kinspan.risk.distributions import Draws
from kinspan.risk.drawn_scores import DRAWN, Sorted, drawn, summarised, with_other_shapes

LEVELS: dict[str, Any] = {
    **{"": None, "precision": 0.5, "budget": 0.1},
    "matrix": np.array([[0.0, 1.0], [7.0, 0.5]]),
}


def some_draws(n: int = 3, points: int = 40) -> Draws:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(n, 2, points)) + np.array([[-1.0], [0.5]])
    masses = rng.uniform(size=(2, points))
    return Draws(
        scores,
        masses / masses.sum(axis=1, keepdims=True),
        rng.uniform(0.1, 0.4, n),
        np.array([50.0, 20.0]),
    )


def test_every_score_of_the_registry_can_be_drawn() -> None:
    assert list(DRAWN) == list(SCORES)


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("threshold", [0.0, -0.8])
def test_drawn_scores_are_those_of_weighted_rows(name: str, threshold: float) -> None:
    draws, score = some_draws(), Score(name, LEVELS[SCORES[name].level])
    found = DRAWN[name](Sorted.of(draws, threshold), score.level)
    for i, share in enumerate(draws.share):
        scores = draws.scores[i].ravel()
        p = expit(scores)
        truth = np.repeat([0, 1], draws.scores.shape[2])
        weights = (draws.masses * np.array([[1 - share], [share]])).ravel()
        answers = (scores > threshold).astype(np.intp)
        rows = ScoredRows(truth, answers, np.stack([1 - p, p], axis=1), weights)
        assert found[i] == pytest.approx(score.of(rows), abs=1e-9)


@pytest.mark.parametrize("rows", [20.0, 200.0])
def test_what_few_rows_say_of_one_place_is_in_the_interval(rows: float) -> None:
    """All draws are the same: what is not known is how many of so many rows are positive there."""
    grid = np.linspace(-4.0, 4.0, 400)
    masses = np.exp(-0.5 * (grid - np.array([[-1.0], [1.0]])) ** 2)
    masses /= masses.sum(axis=1, keepdims=True)
    scores = np.broadcast_to(grid, (100, 2, 400))
    draws = Draws(scores, masses, np.full(100, 0.2), np.full(2, rows))
    found = summarised(drawn("f1", None, draws, 0.0)[None])
    rng, f1 = np.random.default_rng(0), []
    right = masses[:, grid > 0.0].sum(axis=1)
    for q, r in (rng.binomial(int(rows), right, size=(4000, 2)) + 0.5) / (rows + 1.0):
        f1.append(2 * 0.2 * r / (0.2 + 0.2 * r + 0.8 * q))
    np.testing.assert_allclose(found.interval[0], np.quantile(f1, [0.05, 0.95]), atol=0.03)
    assert found.value[0] == pytest.approx(
        2 * 0.2 * right[1] / (0.2 + 0.2 * right[1] + 0.8 * right[0])
    )
    exact = summarised(drawn("roc_auc", None, draws, 0.0)[None])
    assert np.ptp(exact.interval) < 1e-9  # of all places, which are not in doubt together


def test_what_few_rows_say_of_tails_is_in_the_interval() -> None:
    """All draws are the same: what is not known is the shape of so many rows."""
    grid = np.linspace(-4.0, 4.0, 400)
    masses = np.exp(-0.5 * grid**2) * np.ones((2, 1))
    masses /= masses.sum(axis=1, keepdims=True)
    scores = np.broadcast_to(grid + np.array([[-1.0], [1.003]]), (100, 2, 400))
    widths = []
    for rows in (20.0, 80.0, 1e6):
        draws = Draws(scores, masses, np.full(100, 0.1), np.full(2, rows))
        found = summarised(drawn("average_precision", None, draws, 0.0)[None])
        low, high = found.interval[0]
        assert low < found.value[0] < high
        widths.append(high - low)
    assert widths[0] / widths[1] == pytest.approx(2.0, rel=0.3)  # as one over the root of rows
    assert widths[2] < 0.05 * widths[0]  # what steps of the grid leave


def test_other_shapes_have_the_same_locations_and_spreads() -> None:
    draws = some_draws(200)
    found = with_other_shapes(draws)
    np.testing.assert_allclose(found.masses.sum(axis=2), 1.0)
    np.testing.assert_allclose(found.masses.mean(axis=0), draws.masses, atol=0.02)
    for power in (1, 2):
        moments = [(of.masses * of.scores**power).sum(axis=2) for of in (draws, found)]
        np.testing.assert_allclose(moments[0], moments[1], atol=1e-9)


def test_a_class_that_is_never_answered_may_be_answered_once() -> None:
    draws = some_draws(100)._replace(scores=np.full((100, 2, 40), -3.0))
    found = summarised(drawn("f1", None, draws, 0.0)[None])
    assert found.value[0] == found.interval[0, 0] == 0.0
    assert found.interval[0, 1] > 0.02
