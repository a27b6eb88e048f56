"""Left-out scores by several rules → the weights with which all tasks together combine the rules.

Weights are not negative and minimise the log loss of the combined scores, with a prior that is
worth a number of rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._rows.blocks import blocks
from kinspan._rows.types import Floats
from kinspan.selection.decisions import PRIOR_ROWS
from kinspan.selection.evidence import Evidence
from kinspan.selection.nonnegative import nonnegative

_STEPS, _TINY = 50, 1e-6
_LENGTHS = 0.5 ** np.arange(11)  # of a step that makes the loss larger: shorter, but not zero


def pooled_weights(scores: Floats, evidence: Evidence, prior: Floats) -> tuple[Floats, Floats]:
    """(rules,): the same weights for all tasks, from (rules, rows, classes) left-out scores.

    And (rows, classes): scores of rows by weights that have not seen them, eq. (37).
    """
    used, here = usable(scores, evidence)
    pooled = Pooled.of(used, here, prior)
    weights = with_direction(pooled.weights, prior)
    combined = np.tensordot(weights, scores, axes=1)
    if len(prior) > 1 and pooled.weights.any() and len(here.tasks):
        combined[evidence.own > 0] = _left_out(used, here, pooled)
    return weights, combined


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
        return cls(weights, here.slope / total, here.curvature / total)


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


def _left_out(scores: Floats, evidence: Evidence, pooled: Pooled) -> Floats:
    """(rows, classes): combined scores of rows by pooled weights that have not seen them."""
    b = evidence.fleet
    p = evidence.probabilities(np.tensordot(pooled.weights, scores, axes=1))
    excess = evidence.excess(p)
    of_rows = np.einsum("jnm,nm->jn", scores, excess * (b * evidence.of_one)[:, None])
    active = np.flatnonzero(pooled.weights > 0)  # a weight that is zero stays zero
    among = _steadied(pooled.curvature[active[:, None], active] * float(b.sum()))
    without = np.repeat(pooled.weights[:, None], len(b), axis=1)
    without[active] += np.linalg.solve(among, of_rows[active])
    return np.asarray(np.einsum("jn,jnm->nm", np.maximum(without, 0.0), scores))
