"""Scores of rows without labels → do they fall into the groups that the rule of their task implies?

A rule without any meaning for a task gives scores that are one cloud. With z the scores of the rows
in units of their own covariance, d_c those of the class means around their mean, and shares π_c,

    Σ_c π_c N(z; γ d_c, I − γ² Σ_c π_c d_c d_cᵀ)    against    N(z; 0, I)

has the same mean and covariance for every γ: only groups can make it more likely. The gain in log
likelihood per row and dimension, for the best γ, is the support. Shares need not be equal. Tasks
with equally many classes are computed together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Codes, Floats, Mask

_GAMMAS = tuple(np.linspace(0.1, 1.5, 15))  # class means of few rows are too far apart
_AT_ONCE = 1 << 22  # numbers of rows, classes and γ
_STEPS, _HELD = 4, 10.0  # steps of the shares, and rows per class that are expected before any
_LEAST = 0.02  # of the variance that is left within groups


class Support(NamedTuple):
    """What rows without labels say of the rule of their task."""

    rows: Floats  # (tasks,): how many there are
    numbers: Floats  # (tasks,): rows times the dimensions in which they differ
    gain: Floats  # (γ, tasks): log likelihood, compared with one group

    def per_number(self, rows: float) -> Floats:
        """(tasks,): for the best γ, towards that of all tasks, which is worth a number of rows."""
        best = np.maximum(self.gain.max(axis=0) - 0.5, 0.0)  # of several γ
        own = best / np.maximum(self.numbers, 1.0)
        of_all = self.rows @ own / max(float(self.rows.sum()), 1.0)
        found = (self.rows * own + rows * of_all) / (self.rows + rows)
        return np.where(self.rows > 0, found, 0.0)

    def __add__(self, other: Support) -> Support:  # type: ignore[override]
        """Of the rows of both, by rules of their own."""
        return Support(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


class _Groups(NamedTuple):
    """Rows of some tasks, sorted by task, in units of their own covariance."""

    z: Floats  # (rows, dimensions)
    d: Floats  # (tasks, classes, dimensions): class means
    n: Codes  # (tasks,): rows of each
    freedom: Floats  # (tasks,): dimensions in which rows differ

    def sums(self, values: Floats) -> Floats:
        """(γ, tasks, …): over the rows of every task, each of which has some."""
        return np.asarray(np.add.reduceat(values, np.cumsum(self.n) - self.n, axis=1))

    def times(self, matrices: Floats) -> Floats:
        """(γ, rows, columns): rows times the (γ, tasks, dimensions, columns) of their task."""
        found = np.empty((len(matrices), len(self.z), matrices.shape[3]))
        ends = np.cumsum(self.n)
        for t, (end, n) in enumerate(zip(ends.tolist(), self.n.tolist(), strict=True)):
            np.matmul(self.z[end - n : end], matrices[:, t], out=found[:, end - n : end])
        return found


def support(scores: Floats, tasks: Codes, means: Floats, present: Mask) -> Support:
    """From (rows, classes) scores, and (tasks, classes, classes): scores of the class means."""
    rows = np.bincount(tasks, minlength=len(present))
    n_classes = present.sum(axis=1)
    numbers, gain = np.zeros(len(present)), np.zeros((len(_GAMMAS), len(present)))
    for m in np.unique(n_classes[n_classes > 1]):
        chosen = np.flatnonzero((rows > 2) & (n_classes == m))
        if len(chosen):
            there = np.nonzero(present[chosen])[1].reshape(len(chosen), m)
            groups = _in_own_units(scores, tasks, means, chosen, there)
            numbers[chosen] = groups.n * groups.freedom
            at_once = max(_AT_ONCE // (len(groups.z) * m), 1)
            for start in range(0, len(_GAMMAS), at_once):
                some = slice(start, start + at_once)
                gain[some, chosen] = _log_likelihood(groups, np.array(_GAMMAS[some]))
    return Support(rows.astype(np.float64), numbers, gain)


def _in_own_units(
    scores: Floats, tasks: Codes, means: Floats, chosen: Codes, there: Codes
) -> _Groups:
    """Scores and class means so that the covariance of all scores is the identity.

    Only differences between the (tasks, classes) that are there mean anything.
    """
    place = np.full(len(means), -1)
    place[chosen] = np.arange(len(chosen))
    rows = np.flatnonzero(place[tasks] >= 0)
    rows = rows[np.argsort(place[tasks[rows]], kind="stable")]
    t = place[tasks[rows]]
    n = np.bincount(t, minlength=len(chosen))
    ends = np.cumsum(n)[:-1]
    z = _around(scores[rows[:, None], there[t]])
    z -= np.stack([part.mean(axis=0) for part in np.split(z, ends)])[t]
    covariances = np.stack([part.T @ part / len(part) for part in np.split(z, ends)])
    values, axes = np.linalg.eigh(covariances)
    kept = values > 1e-9 * np.maximum(values[:, -1:], 1e-300)
    axes = np.where(kept[:, None], axes / np.sqrt(np.where(kept, values, 1.0))[:, None], 0.0)
    d = _around(means[chosen[:, None, None], there[:, :, None], there[:, None, :]])
    d = (d - d.mean(axis=1, keepdims=True)) @ axes
    groups = _Groups(z, d, n, kept.sum(axis=1).astype(np.float64))
    return groups._replace(z=groups.times(axes[None])[0])


def _around(scores: Floats) -> Floats:
    """Scores around their mean over classes, of which only differences mean anything."""
    return np.asarray(scores - scores.mean(axis=-1, keepdims=True))


def _log_likelihood(groups: _Groups, gammas: Floats) -> Floats:
    """(γ, tasks): of a mixture around γ d, minus that of one group; with shares that fit best."""
    n_tasks, n_classes = groups.d.shape[:2]
    shares = np.full((len(gammas), n_tasks, n_classes), 1.0 / n_classes)
    for _ in range(_STEPS):
        densities = _mixture(groups, gammas, shares)[0]
        posterior = np.exp(densities - _log_sum(densities))
        shares = (groups.sums(posterior) + _HELD) / (groups.n + _HELD * n_classes)[:, None]
    densities, axes = _mixture(groups, gammas, shares)
    found = groups.sums(_log_sum(densities)[..., 0]) + 0.5 * groups.sums(
        (groups.z**2).sum(axis=1)[None]
    )
    return np.asarray(found - 0.5 * groups.sums((groups.times(axes) ** 2).sum(axis=2)))


def _mixture(groups: _Groups, gammas: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """(γ, rows, classes): log of share and density of every group, up to what all groups have.

    And (γ, tasks, dimensions, dimensions): the inverse root of the covariance within groups.
    """
    d = gammas[:, None, None, None] * (groups.d - shares[:, :, None] @ groups.d)
    within = np.eye(d.shape[3]) - np.swapaxes(shares[..., None] * d, 2, 3) @ d
    values, axes = np.linalg.eigh(within)
    values = np.maximum(values, _LEAST)
    axes = axes / np.sqrt(values)[..., None, :]
    turned = d @ axes
    of_group = np.log(shares) - 0.5 * (turned**2).sum(axis=3)
    of_group -= 0.5 * np.log(values).sum(axis=2)[..., None]
    found = groups.times(axes @ np.swapaxes(turned, 2, 3))
    found += np.repeat(of_group, groups.n, axis=1)
    return found, axes


def _log_sum(densities: Floats) -> Floats:
    """(…, rows, 1): the logarithm of the sum of densities."""
    most = densities.max(axis=-1, keepdims=True)
    return np.asarray(most + np.log(np.exp(densities - most).sum(axis=-1, keepdims=True)))
