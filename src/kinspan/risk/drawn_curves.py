"""Distributions of scores → masses of both classes above thresholds, in all draws at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Codes, Floats
from kinspan.risk.distributions import ScoreDistributions

_POINTS = 400


class MassesAbove(NamedTuple):
    """What is answered by the second class, at thresholds from the highest to the lowest."""

    thresholds: Floats  # (points,)
    negative: Floats  # (draws, points): of all rows, with the positive ones
    positive: Floats  # (draws, points)

    @property
    def share(self) -> Floats:
        """(draws, 1): of the second class."""
        return self.positive[:, -1:]


def masses_above(distributions: ScoreDistributions, tasks: Codes) -> MassesAbove:
    """Of some tasks as one, each by its number of labels.

    Errors of tasks are taken as independent: what all of them have in common is not in the spread.
    """
    weights = distributions.counts[tasks].sum(axis=1)
    all_draws = [distributions.draws(int(t)) for t in tasks]
    low = min(float(draws.scores.min()) for draws in all_draws)
    high = max(float(draws.scores.max()) for draws in all_draws)
    thresholds = np.linspace(high, low - 1e-9, _POINTS)
    found = np.zeros((2, len(all_draws[0].share), _POINTS))
    rng = np.random.default_rng(0)
    for draws, weight in zip(all_draws, weights / weights.sum(), strict=True):
        order = rng.permutation(len(draws.share))
        above = np.cumsum(draws.masses[:, ::-1], axis=1)
        shares = np.stack([1.0 - draws.share, draws.share])[:, order]
        for c in (0, 1):
            for i, scores in enumerate(draws.scores[order, c]):
                mass = np.interp(-thresholds, -scores[::-1], above[c], left=0.0)
                found[c, i] += weight * shares[c, i] * mass
    return MassesAbove(thresholds, found[0], found[1])
