"""Thresholds: with many left-out rows the best ones for these, with few drawn to the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinspan.risk import Goal, score_distributions, thresholds
from kinspan.risk.left_out_rows import LeftOutRows
from tests.risk.test_distributions import left_out

COSTS = np.array([[0.0, 1.0], [6.0, 0.0]])


def found(rows: LeftOutRows, counts: Any, goal: Goal) -> Any:
    return thresholds(score_distributions(rows, np.asarray(counts, dtype=float), None), goal)


def reached(scores: Any, y: Any, threshold: float) -> dict[str, float]:
    """What rows get with a threshold."""
    above = scores > threshold
    right, chosen = float((above & (y == 1)).sum()), float(above.sum())
    return {
        "cost": -float(COSTS[y, above.astype(int)].mean()),
        "f1": 2.0 * right / (chosen + (y == 1).sum()),
        "precision": right / max(chosen, 1.0),
        "budget": chosen / len(y),
    }


@pytest.mark.parametrize("name", ["cost", "f1"])
def test_with_many_rows_nothing_is_much_better(name: str) -> None:
    """Whatever the shape: some positives are easy, and some lie among the negatives."""
    counts = np.array([[6000, 1500]])
    rows = left_out(np.random.default_rng(0), counts, [1.0])
    easy = (rows.classes == 1) & (np.arange(len(rows.tasks)) % 2 == 0)
    scores = rows.scores[:, 1] + 3.0 * easy
    rows = rows._replace(scores=np.stack([np.zeros(len(scores)), scores], axis=1))
    goal = Goal(name, COSTS[None] if name == "cost" else None, False)
    value = reached(scores, rows.classes, found(rows, counts, goal)[0])[name]
    best = max(reached(scores, rows.classes, at)[name] for at in np.linspace(-4, 6, 200))
    assert best - value < 0.02 * abs(best)


@pytest.mark.parametrize(("name", "level"), [("precision", 0.6), ("budget", 0.1)])
def test_shares_are_kept(name: str, level: float) -> None:
    counts = np.tile([3000, 600], (2, 1))
    rows = left_out(np.random.default_rng(1), counts, [1.5, 2.0])
    above = found(rows, counts, Goal(name, level, False))
    for t in range(2):
        own = rows.tasks == t
        value = reached(rows.scores[own, 1], rows.classes[own], above[t])[name]
        assert value == pytest.approx(level, abs=0.03)


def test_a_precision_out_of_reach_is_as_high_as_can_be() -> None:
    counts = np.array([[900, 100]])
    rows = left_out(np.random.default_rng(2), counts, [0.3])
    above = found(rows, counts, Goal("precision", 0.95, False))
    assert (rows.scores[:, 1] > above[0]).mean() < 0.02


def test_one_threshold_for_all_spends_the_budget_where_positives_are() -> None:
    counts = np.array([[800, 200], [980, 20]])
    rows = left_out(np.random.default_rng(3), counts, [2.0, 2.0])
    prior = np.log(counts / counts.sum(axis=1, keepdims=True))
    rows = rows._replace(scores=rows.scores + prior[rows.tasks], log_priors=prior)
    s = np.diff(rows.scores, axis=1)[:, 0]
    each, together = (found(rows, counts, Goal("budget", 0.1, of_all)) for of_all in (False, True))
    assert len(set(together)) == 1
    assert (s > together[0]).mean() == pytest.approx(0.1, abs=0.02)
    share = [(s > together[0])[rows.tasks == t].mean() for t in (0, 1)]
    assert share[0] > 3 * share[1]
    for t in (0, 1):
        assert (s > each[t])[rows.tasks == t].mean() == pytest.approx(0.1, abs=0.03)


def test_thresholds_of_few_positives_are_drawn_to_those_of_the_others() -> None:
    def spread(n_positives: int, n_others: int) -> float:
        """Of the threshold of a task, over its own rows."""
        drawn = []
        for seed in range(12):
            counts = np.tile([200, 60], (n_others + 1, 1))
            counts[0] = [200, n_positives]
            rows = left_out(np.random.default_rng(seed), counts, np.full(n_others + 1, 2.0))
            drawn.append(found(rows, counts, Goal("f1", None, False))[0])
        return float(np.std(drawn))

    assert spread(4, 15) < 0.7 * spread(4, 0)


def test_a_threshold_falls_as_misses_cost_more() -> None:
    counts = np.array([[400, 100]])
    rows = left_out(np.random.default_rng(4), counts, [1.5])
    costs = [np.array([[[0.0, 1.0], [c, 0.0]]]) for c in (1.0, 3.0, 10.0)]
    falling = [found(rows, counts, Goal("cost", of, False))[0] for of in costs]
    assert (np.diff(falling) < 0).all()


def test_with_few_positives_log_odds_are_believed_too() -> None:
    """A task of four positives that look far too low; by log odds a cost of 6 is at −log 6."""
    counts = np.array([[60, 4]])
    rows = left_out(np.random.default_rng(3), counts, [2.0])
    offset = np.log(4 / 60)
    low = np.where(rows.classes == 1, -3.0, 0.0) + 2.0 * rows.scores[:, 1] + offset
    rows = rows._replace(
        scores=np.stack([np.zeros(len(low)), low], axis=1), log_priors=np.array([[0.0, offset]])
    )
    goal = Goal("cost", COSTS[None], False)
    above = found(rows, counts, goal)[0]
    known = score_distributions(rows, counts.astype(float), None)
    as_if_known = known._replace(counts=1e6 * known.counts, shares=np.array([4 / 64]))
    believed_alone = thresholds(as_if_known, goal)[0]
    by_log_odds = -np.log(6.0)
    assert abs(above - by_log_odds) < abs(believed_alone - by_log_odds) - 0.1
