"""Left-out scores by several rules → the weights with which all tasks together combine the rules.

Weights are not negative and minimise the log loss of the combined scores, with a prior that is
worth a number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kinspan._rows.blocks import blocks
from kinspan._rows.by_task import RowsByTask
from kinspan._rows.once import computed_once
from kinspan._rows.types import Floats
from kinspan.selection.decisions import PRIOR_ROWS
from kinspan.selection.evidence import Evidence
from kinspan.selection.leaving_rows import Gone
from kinspan.selection.nonnegative import inverse_among, nonnegative, nonnegative_moved

_STEPS, _TINY = 50, 1e-6
_LENGTHS = 0.5 ** np.arange(11)  # of a step that makes the loss larger: shorter, but not zero


@dataclass(frozen=True, eq=False)
class PooledRule:
    """Rules with the same weights for all tasks, and scores of rows by weights without the row."""

    weights: Floats  # (rules,)
    scores: Floats  # (rows, 1 or classes): without its loss, and among the rules that are used
    seen: Seen | None = None  # None where the weights have seen no row

    @computed_once
    def unseen(self) -> Floats:
        """(rows, 1 or classes): scores without anything that the row said, eq. (37)."""
        if self.seen is None:
            return self.scores
        pooled, scores, evidence = self.seen
        found, kept = np.tensordot(self.weights, scores, axes=1), evidence.own > 0
        used, here = usable(scores, evidence)
        found[kept] = weighted(pooled.without(pooled.gone(used, here)), used)
        return found


class Seen(NamedTuple):
    """What weights have seen."""

    pooled: Pooled
    scores: Floats  # (rules, rows, 1 or classes)
    evidence: Evidence


def pooled_weights(scores: Floats, evidence: Evidence, prior: Floats) -> PooledRule:
    """The same weights for all tasks, from (rules, rows, classes) left-out scores."""
    used, here = usable(scores, evidence)
    pooled = Pooled.of(used, here, prior)
    weights = with_direction(pooled.weights, prior)
    once = np.tensordot(weights, scores, axes=1)
    if len(prior) == 1 or not pooled.weights.any() or not len(here.tasks):
        return PooledRule(weights, once)
    once[evidence.own > 0] = weighted(pooled.without_loss(pooled.gone(used, here)), used)
    return PooledRule(weights, once, Seen(pooled, scores, evidence))


def weighted(weights: Floats, scores: Floats) -> Floats:
    """(rows, classes): (rules, rows, classes) scores by (rows, rules) weights."""
    if scores.shape[2] == 1:  # sums of a few long columns
        columns = np.ascontiguousarray(weights.T)
        return np.asarray(np.einsum("jn,jn->n", columns, scores[..., 0])[:, None])
    return np.asarray(np.einsum("nj,jnm->nm", weights, scores))


def with_direction(weights: Floats, prior: Floats) -> Floats:
    """Where rows speak against all rules, a thousandth of the prior: an answer has a direction."""
    lost = weights.sum(axis=-1, keepdims=True) < 1e-3
    return np.where(lost, weights + 1e-3 * prior, weights)


def usable(scores: Floats, evidence: Evidence) -> tuple[Floats, Evidence]:
    """Scores of the rows that count, and these rows."""
    kept = evidence.own > 0
    if kept.all():
        return scores, evidence
    return scores[:, kept], evidence.some(kept)


class Pooled(NamedTuple):
    """The optimum of all tasks, with the slope and curvature of its loss per row."""

    weights: Floats
    slope: Floats
    curvature: Floats
    n_rows: float

    @classmethod
    def of(cls, scores: Floats, evidence: Evidence, prior: Floats) -> Pooled:
        """The combined loss of all tasks, and the prior as a number of rows around its point."""
        total = max(float(evidence.fleet.sum()), 1e-9)
        loss = Loss(scores, evidence, evidence.fleet)
        here = loss.around(prior)
        held = PRIOR_ROWS.constant * _steadied(here.curvature / total)
        weights, here = prior, here.held(held, np.zeros(len(prior)))
        for _ in range(_STEPS):
            if not np.diagonal(here.curvature).max() > 1e-100:
                break  # all rows are told apart without a doubt
            target = here.curvature @ weights - here.slope
            step = nonnegative(here.curvature, target) - weights
            size = np.abs(step).max() / max(np.abs(weights).max(), 1e-300)
            for length in _LENGTHS:
                moved = weights + length * step
                after = loss.around(moved).held(held, moved - prior)
                if after.value <= here.value or size <= 1e-5:
                    break
            weights, here = moved, after
            if size <= 1e-6:  # Newton's method: the next one would be rounding
                break
        return cls(weights, here.slope / total, here.curvature / total, total)

    def gone(self, scores: Floats, evidence: Evidence) -> Gone:
        """What leaves the slope of the loss of all tasks with every row."""
        p = evidence.probabilities(np.tensordot(self.weights, scores, axes=1))
        return Gone.of(scores, evidence, p, evidence.fleet)

    def without_loss(self, gone: Gone) -> Floats:
        """(rows, rules): weights without the loss of a row; one that is zero stays zero."""
        used, curvature = self.weights > 0, _steadied(self.n_rows * self.curvature)
        back = gone.loss() @ inverse_among(curvature[None], used[None])[0]
        return np.asarray(np.maximum(self.weights + back, 0.0))

    def without(self, gone: Gone) -> Floats:
        """(rows, rules): weights without a row; one that is zero may come back."""
        used, curvature = self.weights > 0, _steadied(self.n_rows * self.curvature)
        target = curvature @ self.weights - self.n_rows * self.slope
        moves = gone.everything()
        as_one = RowsByTask(np.zeros(len(moves), dtype=np.intp))
        return nonnegative_moved(curvature[None], target[None], used[None], moves, as_one)


class Quadratic(NamedTuple):
    """A loss around some weights."""

    value: float
    slope: Floats  # (rules,)
    curvature: Floats  # (rules, rules)

    def held(self, by: Floats, away: Floats) -> Quadratic:
        """With a prior of this (rules, rules) curvature, whose point is so far away."""
        pull = by @ away
        return Quadratic(
            self.value + 0.5 * float(away @ pull), self.slope + pull, self.curvature + by
        )


class Loss(NamedTuple):
    """The log loss of combined scores, summed over rows."""

    scores: Floats  # (rules, rows, classes)
    evidence: Evidence
    b: Floats  # (rows,): how much a row counts

    def around(self, weights: Floats) -> Quadratic:
        """With the same (rules,) weights for all rows."""
        n_rules, n_rows, n_scores = self.scores.shape
        value, slope, curvature = 0.0, np.zeros(n_rules), np.zeros((n_rules, n_rules))
        for rows in blocks(n_rows, n_rules * n_scores):
            scores, evidence = self.scores[:, rows], self.evidence.some(rows)
            losses, p = evidence.likelihood(np.tensordot(weights, scores, axes=1))
            value += float(self.b[rows] @ losses)
            excess = evidence.excess(p) * self.b[rows, None]
            flat = centred(scores, p, self.b[rows]).reshape(n_rules, -1)
            slope += scores.reshape(n_rules, -1) @ excess.ravel()
            curvature += flat @ flat.T
        return Quadratic(value, slope, curvature)


def centred(scores: Floats, p: Floats, b: Floats) -> Floats:
    """(rules, rows, classes): scores around their mean over p, times √(b p)."""
    if scores.shape[2] == 1:  # the deviations of both classes are one number
        return np.asarray(scores * np.sqrt(p * (1.0 - p) * b[:, None]))
    around = scores - np.einsum("jnm,nm->jn", scores, p)[..., None]
    around *= np.sqrt(p * b[:, None])
    return np.asarray(around)


def _steadied(curvature: Floats) -> Floats:
    """With a little on the diagonal, so that rules that are copies of each other share weights."""
    size = max(float(np.diagonal(curvature).mean()), 1e-300)
    return np.asarray(curvature + _TINY * size * np.eye(len(curvature)))
