"""Scores of distributions: those of the registry for rows with the same weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import expit

from kinspan.metrics import SCORES, Score, ScoredRows
from kinspan.risk.distributions import Draws
from kinspan.risk.drawn_scores import DRAWN, Sorted

LEVELS: dict[str, Any] = {
    **{"": None, "precision": 0.5, "budget": 0.1},
    "matrix": np.array([[0.0, 1.0], [7.0, 0.5]]),
}


def some_draws(n: int = 3, points: int = 40) -> Draws:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(n, 2, points)) + np.array([[-1.0], [0.5]])
    masses = rng.uniform(size=(2, points))
    return Draws(scores, masses / masses.sum(axis=1, keepdims=True), rng.uniform(0.1, 0.4, n))


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
