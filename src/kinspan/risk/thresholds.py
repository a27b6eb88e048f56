"""How scores are distributed, and a goal → the score above which the second class is answered.

A task looks at the masses of both classes above every threshold, expected over all draws of its
distributions: with few positives they are mostly what the other tasks make likely, so that
thresholds are drawn together as far as tasks are alike. Scores are log odds too, and say by
themselves how many of the rows with a score are positive: with few positives both are believed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from kinspan._rows.types import Floats
from kinspan.risk.distributions import Draws, ScoreDistributions

_LEAST = 1e-3  # of all rows: a threshold is not set by the precision of fewer
_LOG_ODDS_ROWS = 20.0  # rows of the rarer class after which log odds are believed less
_DRAWS_OF_ALL = 10  # are enough of each task for a threshold of all


class Goal(NamedTuple):
    """What a threshold is for."""

    name: str  # "cost", "f1", "precision" or "budget"
    level: Any  # (tasks, 2, 2) costs, nothing, a precision, or a share of the rows
    together: bool  # one threshold for all tasks

    def mirrored(self) -> Goal:
        """Of the same rows with two classes exchanged."""
        return self._replace(level=self.level[:, ::-1, ::-1]) if self.name == "cost" else self


class _Above(NamedTuple):
    """Masses of both classes above thresholds, from the highest to the lowest."""

    thresholds: Floats  # (points,)
    negative: Floats  # (points,)
    positive: Floats  # (points,)
    share: float  # of the second class

    @classmethod
    def of(cls, scores: Floats, negative: Floats, positive: Floats) -> _Above:
        """From masses at scores, which sum to one; the first threshold is above all of them."""
        order = np.argsort(-scores, kind="stable")
        sorted_scores = scores[order]
        between = 0.5 * (sorted_scores[1:] + sorted_scores[:-1])
        ends = sorted_scores[0] + 1.0, sorted_scores[-1] - 1.0
        of_negative, of_positive = (
            np.concatenate([[0.0], np.cumsum(masses[order])]) for masses in (negative, positive)
        )
        places = np.concatenate([ends[:1], between, ends[1:]])
        return cls(places, of_negative, of_positive, float(positive.sum()))


def thresholds(distributions: ScoreDistributions, goal: Goal) -> Floats:
    """(tasks + 1,): the last is for tasks that are not fitted, that of all tasks as one."""
    n_tasks = len(distributions.counts)
    if not distributions.is_known:
        return np.zeros(n_tasks + 1)
    costs = goal.level if goal.name == "cost" else np.zeros((n_tasks, 1, 1))
    of_all = _best(_of_all(distributions), goal, costs.mean(axis=0))
    if goal.together:
        return np.full(n_tasks + 1, of_all)
    own = [
        threshold_of_task(distributions.draws(t), distributions.counts[t], goal, costs[t])
        for t in range(n_tasks)
    ]
    return np.array([*own, of_all])


def threshold_of_task(draws: Draws, counts: Floats, goal: Goal, costs: Floats) -> float:
    """That of a task by itself, with its labels (2,), and costs (2, 2) if they are the goal."""
    return _best(_Above.of(*_atoms(draws, counts)), goal, costs)


def _atoms(draws: Draws, counts: Floats, step: int = 1) -> tuple[Floats, Floats, Floats]:
    """Scores of both classes in all draws, with masses of the first and of the second.

    Without any rows, what was drawn and what log odds say of it count equally.
    """
    scores, share = draws.scores[::step], draws.share[::step]
    masses = np.stack([1.0 - share, share], axis=1)[:, :, None] * draws.masses / len(share)
    as_said = _LOG_ODDS_ROWS / (counts.min() + 2.0 * _LOG_ODDS_ROWS)
    drawn = np.array([[0.0], [1.0]])  # the class of the score
    is_positive = (1.0 - as_said) * drawn + as_said * draws.probabilities()[::step]
    negative, positive = masses * (1.0 - is_positive), masses * is_positive
    return scores.ravel(), negative.ravel(), positive.ravel()


def _of_all(distributions: ScoreDistributions) -> _Above:
    """All tasks, each by its number of labels."""
    counts = distributions.counts
    weights = counts.sum(axis=1) / counts.sum()
    parts = []
    for t, weight in enumerate(weights):
        draws = distributions.draws(t)
        scores, *masses = _atoms(draws, counts.sum(axis=0), len(draws.share) // _DRAWS_OF_ALL)
        parts.append((scores, *(weight * m for m in masses)))
    return _Above.of(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _best(above: _Above, goal: Goal, costs: Floats) -> float:
    level = costs if goal.name == "cost" else goal.level
    return float(above.thresholds[_PLACES[goal.name](above, level)])


def _least_cost(above: _Above, costs: Floats) -> int:
    negatives = 1.0 - above.share
    of_answers = (
        costs[0, 0] * (negatives - above.negative),
        costs[0, 1] * above.negative,
        costs[1, 0] * (above.share - above.positive),
        costs[1, 1] * above.positive,
    )
    return int(np.argmin(sum(of_answers)))


def _largest_f1(above: _Above, level: Any) -> int:
    f1 = 2.0 * above.positive / (above.share + above.positive + above.negative)
    return int(f1.argmax())


def _precise_enough(above: _Above, level: float) -> int:
    """The lowest threshold with this precision; where there is none, the most precise one."""
    chosen = above.positive + above.negative
    precision = np.where(chosen >= _LEAST, above.positive / np.maximum(chosen, 1e-300), 0.0)
    reached = np.flatnonzero(precision >= level)
    return int(reached[-1]) if len(reached) else int(precision.argmax())


def _within_budget(above: _Above, level: float) -> int:
    """The lowest threshold above which there are not more rows."""
    chosen = above.positive + above.negative
    return int(np.flatnonzero(chosen <= level + 1e-12)[-1])


_PLACES: dict[str, Callable[[_Above, Any], int]] = {
    "cost": _least_cost,
    "f1": _largest_f1,
    "precision": _precise_enough,
    "budget": _within_budget,
}
