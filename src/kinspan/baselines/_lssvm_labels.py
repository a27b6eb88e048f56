"""Relatedness of the tasks → labels, strengths, and the scores that the theory predicts.

All tasks are targets at once. A problem is one class against the rest: two cells per task.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from kinspan._rows.types import Codes, Floats
from kinspan.baselines._lssvm_solver import Strengths
from kinspan.theory._checks import Population
from kinspan.theory._lssvm_limits import LssvmLimits, lssvm_limits

_GRID = tuple(10.0 ** np.arange(-3.0, 3.5))  # of strengths


class ExpectedScores(NamedTuple):
    """Labels for every target, and the scores that the theory gives them."""

    labels: Floats  # (targets, tasks, 2) for the rows of the class and of the rest
    means: Floats  # (targets, 2) mean scores on the target, with centred labels
    variances: Floats  # (targets,)

    @property
    def errors(self) -> Floats:
        """(targets,) Q(½ gap/σ): the error with the threshold midway."""
        return np.asarray(ndtr(-0.5 * self.gaps / np.sqrt(self.variances)))

    @property
    def gaps(self) -> Floats:
        """(targets,) mean score of the class minus that of the rest."""
        return np.asarray(self.means[:, 0] - self.means[:, 1])


class TargetGroup(NamedTuple):
    """Targets that are learnt with the same strengths."""

    strengths: Strengths
    targets: Codes


def estimated_population(gram: Floats, noise: Floats, counts: Floats, p: int) -> Population:
    """Two cells per task at ±½ of its contrast, from estimated inner products of the contrasts.

    The estimate is made positive in the metric of its noise; only contrasts matter, because every
    task is centred.
    """
    deviation = np.sqrt(np.where(noise > 0, noise, 1.0))
    values, vectors = np.linalg.eigh((gram + gram.T) / 2 / deviation[:, None] / deviation)
    root = deviation[:, None] * vectors * np.sqrt(np.maximum(values, 0.0))
    return Population(np.kron(root @ root.T, [[0.25, -0.25], [-0.25, 0.25]]), counts, p)


def expected_scores(population: Population, strengths: Strengths, labels: str) -> ExpectedScores:
    """Labels of one kind for all targets, and the scores that the theory predicts for them."""
    limits = lssvm_limits(population, strengths.kernel)
    k = len(population.counts)
    signs = np.tile([1.0, -1.0], (k, k))
    y = signs if labels == "naive" else _best_labels(limits, population.counts)
    silent = np.abs(y).max(axis=1, keepdims=True) <= 1e-12  # no signal: only the target's own rows
    y = np.where(silent, np.kron(np.eye(k), [1.0, -1.0]), y)
    centred = y @ limits.centring.T
    means = centred - centred @ limits.residual.T
    variances = np.einsum("tc,tcd,td->t", centred, limits.spreads, centred)
    own = means.reshape(k, k, 2)[np.arange(k), np.arange(k)]
    variances = np.where(variances > 0, variances, 1.0)
    return ExpectedScores(centred.reshape(k, k, 2), own, variances)


def _best_labels(limits: LssvmLimits, counts: Floats) -> Floats:
    """(targets, cells) y = Eu with EᵀS_tE u = Eᵀ(I − F)ᵀδ_t: the largest gap²/variance.

    E makes centred labels of one number per task. The systems are solved with a unit diagonal,
    because tasks that share little need large labels; those that share nothing get the label zero.
    """
    E = _centred_pairs(counts)
    gain = E - limits.residual @ E
    spread = E.T @ limits.spreads @ E
    diagonal = np.einsum("tss->ts", spread)
    kept = diagonal > 1e-30 * diagonal.max(axis=1, keepdims=True)
    length = np.where(kept, np.sqrt(np.where(kept, diagonal, 1.0)), np.inf)
    unit = spread / length[:, :, None] / length[:, None, :]
    unit += ~kept[:, None, :] * np.eye(len(counts))
    contrasts = (gain[::2] - gain[1::2]) / length
    return np.asarray(np.linalg.solve(unit, contrasts[..., None])[..., 0] / length @ E.T)


def _centred_pairs(counts: Floats) -> Floats:
    """(cells, tasks) columns (n₂, −n₁)/(n₁ + n₂) for the cells of each task; zero for one class."""
    k, several = len(counts), counts.min(axis=1) > 0
    pair = counts[:, ::-1] / counts.sum(axis=1, keepdims=True) * [1.0, -1.0]
    E = np.zeros((k, 2, k))
    E[np.arange(k), :, np.arange(k)] = pair * several[:, None]
    return E.reshape(2 * k, k)


def best_strengths(
    populations: list[Population], labels: str, shared: float | None, own: Floats | None
) -> list[TargetGroup]:
    """For every target the strengths with the least theoretical error, mean over the problems.

    Those that are None are searched on a grid, with one γ for all tasks. Targets with the same
    strengths come together.
    """
    k = len(populations[0].counts)
    grid = [
        Strengths(float(lam), np.broadcast_to(gamma, k).astype(np.float64))
        for lam, gamma in product(
            _GRID if shared is None else (shared,), _GRID if own is None else (own,)
        )
    ]
    if len(grid) == 1:
        return [TargetGroup(grid[0], np.arange(k))]
    errors = [
        np.mean([expected_scores(p, at, labels).errors for p in populations], axis=0) for at in grid
    ]
    best = np.argmin(errors, axis=0)
    return [TargetGroup(grid[at], np.flatnonzero(best == at)) for at in np.unique(best)]
