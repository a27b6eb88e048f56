"""Scores of rows → log odds of their true classes, which may bend.

Scores are log odds where classes are alike but for their means. Where one spreads more, or features
are skewed, log odds rise steeply at one end of the scores and hardly at the other, and rows are on
the wrong side that no wrong label has put there. With u the place of a row among all, as a normal
deviate, and r its score, the log odds h are, eq. (48a) of docs/theory.md,

    h(r) = c + ∫₀ʳ exp(α + β u(s) + γ (u(s)² − 1)/√2) ds.

Of two classes r is the score of the second less that of the first. Of several it is how far the
best is ahead: all scores of a row are stretched by h(r)/r, and c is zero.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from kinspan._rows.types import Floats, Mask

SPREADS = np.array([1.0, 0.5, 0.5, 0.5])  # of α, β, γ and c before any label is seen
_KNOTS = 200
_STEEPEST = 30.0  # of a logarithm


class LogOdds(NamedTuple):
    """A function of scores, linear between places."""

    places: Floats  # (knots,): of r
    heights: Floats  # (knots,)
    level: float

    def of(self, scores: Floats, present: Mask) -> Floats:
        """(rows, classes): those of rows with these scores; what is not present is not meant."""
        centred, r = centred_scores(scores, present)
        stretched = centred * (_linear(r, self.places, self.heights) / r)[:, None]
        return stretched + self.level * level_of(scores.shape[1])


class Bends(NamedTuple):
    """Rows by which log odds are found."""

    scores: Floats  # (rows, classes): around their means
    r: Floats  # (rows,): never quite zero
    places: Floats  # (knots,): of r, zero among them
    shapes: Floats  # (3, knots): what α, β and γ multiply

    @classmethod
    def of(cls, scores: Floats, present: Mask, weights: Floats) -> Bends:
        """Knots have equal numbers of rows between them."""
        centred, r = centred_scores(scores, present)
        order = np.argsort(r, kind="stable")
        middle = np.cumsum(weights[order]) - 0.5 * weights[order]
        chosen = np.unique(np.linspace(0, len(r) - 1, _KNOTS).astype(np.intp))
        places, first = np.unique(r[order][chosen], return_index=True)
        u = ndtri(middle[chosen][first] / weights.sum())
        with_zero = np.union1d(places, [0.0])
        u = np.interp(with_zero, places, u)
        shapes = np.stack([np.ones_like(u), u, (u**2 - 1.0) / np.sqrt(2.0)])
        return cls(centred, r, with_zero, shapes)

    def log_odds(self, by: Floats) -> LogOdds:
        """Of parameters α, β, γ and c."""
        return LogOdds(self.places, self._heights(by)[0], float(by[3]))

    def bent(self, by: Floats) -> tuple[Floats, Floats]:
        """(rows, classes) log odds, and (3, rows) how the stretch of a row follows α, β and γ."""
        heights = self._heights(by)
        stretches = np.array([np.interp(self.r, self.places, part) for part in heights]) / self.r
        level = by[3] * level_of(self.scores.shape[1])
        return self.scores * stretches[0][:, None] + level, stretches

    def _heights(self, by: Floats) -> Floats:
        """(3, knots): integrals from zero of the slope, and of its derivatives by β and γ."""
        slopes = self.shapes * np.exp(np.clip(by[:3] @ self.shapes, -_STEEPEST, _STEEPEST))
        steps = 0.5 * (slopes[:, 1:] + slopes[:, :-1]) * np.diff(self.places)
        heights = np.concatenate([np.zeros((3, 1)), np.cumsum(steps, axis=1)], axis=1)
        return np.asarray(heights - heights[:, [int(np.searchsorted(self.places, 0.0))]])


def centred_scores(scores: Floats, present: Mask) -> tuple[Floats, Floats]:
    """(rows, classes) around the mean of the classes that are present, and (rows,) r."""
    known = np.where(present, scores, 0.0)
    mean = known.sum(axis=1) / present.sum(axis=1)
    centred = np.where(present, scores - mean[:, None], 0.0)
    if scores.shape[1] == 2:
        r = centred[:, 1] - centred[:, 0]
    else:
        best = np.sort(np.where(present, scores, -np.inf), axis=1)[:, -2:]
        r = np.where(np.isfinite(best[:, 0]), best[:, 1] - best[:, 0], 0.0)
    return centred, np.where(np.abs(r) > 1e-12, r, 1e-12)


def level_of(n_classes: int) -> Floats:
    """(classes,): what a level adds to their log odds."""
    return np.array([-0.5, 0.5]) if n_classes == 2 else np.zeros(n_classes)


def _linear(x: Floats, places: Floats, heights: Floats) -> Floats:
    """Between places, and beyond them with the last slope."""
    inside = np.clip(x, places[0], places[-1])
    found = np.interp(inside, places, heights)
    if len(places) < 2:
        return np.asarray(x)
    first, last = (np.diff(heights)[i] / np.diff(places)[i] for i in (0, -1))
    return np.asarray(found + np.where(x < places[0], first, last) * (x - inside))
