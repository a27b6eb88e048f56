"""Scores of rows without labels → do they fall into the groups that the rule of their task implies?

A rule without any meaning for a task gives scores that are one cloud. With z the scores of the rows
in units of their own covariance, d_c those of the class means around their mean, and shares π_c,

    Σ_c π_c N(z; γ d_c, I − γ² Σ_c π_c d_c d_cᵀ)    against    N(z; 0, I)

has the same mean and covariance for every γ: only groups can make it more likely. The gain in log
likelihood per row and dimension, for the best γ, is the support. Shares need not be equal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from kinspan._rows.types import Codes, Floats, Mask

_GAMMAS = tuple(np.linspace(0.1, 1.5, 15))  # class means of few rows are too far apart
_STEPS, _HELD = 4, 10.0  # steps of the shares, and rows per class that are expected before any
_LEAST = 0.02  # of the variance that is left within groups


class Support(NamedTuple):
    """What rows without labels say of the rule of their task."""

    rows: Floats  # (tasks,): how many there are
    gain: Floats  # (tasks,): log likelihood per row and dimension, compared with one group

    def shrunk(self, rows: float) -> Floats:
        """(tasks,): towards that of all tasks, which is worth a number of rows."""
        of_all = self.rows @ self.gain / max(float(self.rows.sum()), 1.0)
        found = (self.rows * self.gain + rows * of_all) / (self.rows + rows)
        return np.where(self.rows > 0, found, 0.0)


def support(scores: Floats, tasks: Codes, means: Floats, present: Mask) -> Support:
    """From (rows, classes) scores, and (tasks, classes, classes): scores of the class means."""
    rows = np.bincount(tasks, minlength=len(present)).astype(np.float64)
    gain = np.zeros(len(present))
    for t in np.flatnonzero((rows > 2) & (present.sum(axis=1) > 1)):
        there = np.flatnonzero(present[t])
        z, d = _in_own_units(
            _around(scores[tasks == t][:, there]), _around(means[t][there][:, there])
        )
        if z.shape[1]:
            best = max(_log_likelihood(z, gamma * d) for gamma in _GAMMAS)
            gain[t] = max(best - 0.5, 0.0) / z.size  # the best of several γ is a little too good
    return Support(rows, gain)


def _around(scores: Floats) -> Floats:
    """Scores around their mean over classes, of which only differences mean anything."""
    return np.asarray(scores - scores.mean(axis=1, keepdims=True))


def _in_own_units(scores: Floats, means: Floats) -> tuple[Floats, Floats]:
    """Scores and class means so that the covariance of all scores is the identity."""
    around = scores - scores.mean(axis=0)
    values, axes = np.linalg.eigh(around.T @ around / len(around))
    kept = values > 1e-9 * max(float(values[-1]), 1e-300)
    axes = axes[:, kept] / np.sqrt(values[kept])
    return around @ axes, (means - means.mean(axis=0)) @ axes


def _log_likelihood(z: Floats, d: Floats) -> float:
    """Of a mixture around class means d, minus that of one group; with the shares that fit best."""
    n_rows, n_classes = len(z), len(d)
    shares = np.full(n_classes, 1.0 / n_classes)
    for _ in range(_STEPS):
        densities = _densities(z, d, shares)
        posterior = np.exp(densities - logsumexp(densities, axis=1, keepdims=True))
        shares = (posterior.sum(axis=0) + _HELD) / (n_rows + _HELD * n_classes)
    mixture = logsumexp(_densities(z, d, shares), axis=1)
    return float(mixture.sum() + 0.5 * (z**2).sum())


def _densities(z: Floats, d: Floats, shares: Floats) -> Floats:
    """(rows, classes): log of share and density of every group, up to a constant of all."""
    d = d - shares @ d
    values, axes = np.linalg.eigh(np.eye(d.shape[1]) - (shares[:, None] * d).T @ d)
    values = np.maximum(values, _LEAST)
    axes = axes / np.sqrt(values)
    z, d = z @ axes, d @ axes
    squares = (z**2).sum(axis=1)[:, None] + (d**2).sum(axis=1) - 2.0 * z @ d.T
    return np.asarray(np.log(shares) - 0.5 * squares - 0.5 * np.log(values).sum())
