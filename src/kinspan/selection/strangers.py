"""Labelled rows and those without labels → are both of the same tasks, and do groups have names?

Rows without labels may be of another task, or of one class only. Then labelled rows are strangers
among them: the nearest row is farther away than the nearest of the others is from these. If nobody
is a stranger, the share p of rows without labels that are as far from their nearest is as likely to
be anything; of a stranger it is taken to have the density ½ p^(−½).

Where no label can be left out, it has to be in line with what it has taught: class means of the
labels, compared with those of the groups that rules have found.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, gamma, logit

from kinspan._rows.types import Floats
from kinspan.selection.decisions import SURE
from kinspan.selection.taught import Free, Labelled, places_in

_MOST = 300  # rows of a task that are compared with others; all have the same chance to be
_SMALL = 1e-12


def belonging(known: Labelled, free: Free) -> Floats:
    """(tasks,): the probability that rows without labels are of the task and of all its classes.

    All tasks together decide, and then every task for itself.
    """
    against = _against(known, free)
    together = SURE.constant * expit(logit(SURE.constant) - against.sum())
    return np.asarray(expit(logit(np.clip(together, _SMALL, 1.0)) - against))


def _against(known: Labelled, free: Free) -> Floats:
    """(tasks,): log of how much more likely distances are if labelled rows are strangers."""
    sample, moments = known.sample, known.moments
    found = np.zeros(len(moments.tasks))
    if sample is None:
        return found
    sample = sample.aligned(moments.tasks, moments.classes, moments.n_features)
    some = free.some(free.numbers() < _MOST)
    units = _units(free)
    rows = sample.rows.astype(np.float64) / units
    for t in np.unique(some.tasks):
        mine = np.flatnonzero(sample.task_codes == t)
        mine = mine[np.argsort(places_in(sample.cells[mine]), kind="stable")[:_MOST]]
        others = some.rows[some.tasks == t] / units
        if len(others) > 1 and len(mine):
            p = _as_far(rows[mine], others)
            found[t] = (np.log(0.5) - 0.5 * np.log(p)).sum()
    return found


def _as_far(rows: Floats, others: Floats) -> Floats:
    """(rows,): how many of the others are as far from the nearest one of them; counts itself."""
    among = _squared_distances(others, others)
    np.fill_diagonal(among, np.inf)
    usual, nearest = among.min(axis=1), _squared_distances(rows, others).min(axis=1)
    as_far = (usual >= nearest[:, None] * (1.0 - 1e-9)).sum(axis=1)
    return np.asarray((1.0 + as_far) / (1.0 + len(others)))


def _squared_distances(rows: Floats, others: Floats) -> Floats:
    lengths = (rows**2).sum(axis=1)[:, None] + (others**2).sum(axis=1)
    return np.asarray(np.maximum(lengths - 2.0 * rows @ others.T, 0.0))


def _units(free: Free) -> Floats:
    """(features,): the range of every feature, which rare values do not make small."""
    ranges = np.ptp(free.rows, axis=0)
    return np.asarray(np.where(ranges > 0, ranges, 1.0))


def named(known: Labelled, free: Free, shares: Floats) -> Floats:
    """(tasks,): log of how much more likely labels are if groups bear the names of their classes.

    With δ_c the means of groups and ℓ_c those of labels, around their means over classes, and C the
    covariance within groups, x = Σ δ_c·ℓ_c has the mean f = Σ ‖δ_c‖² then and the variance
    v = Σ δ_cᵀCδ_c / n_c. With other names its mean is g = −f / (m! − 1), over all other orders of m
    names: −f for the one other order of two. The logarithm is (f − g)(x − (f + g)/2) / v.
    """
    moments, units = known.moments, _units(free)
    found = np.zeros(len(moments.tasks))
    for t in np.unique(free.tasks):
        there = np.flatnonzero(moments.present[t])
        rows, r = free.rows[free.tasks == t] / units, shares[free.tasks == t][:, there]
        number = r.sum(axis=0)
        if number.min() > _SMALL:
            labels = moments.means[t, there] / units
            found[t] = _log_odds(rows, r, number, labels, moments.counts[t, there])
    return found


def _log_odds(rows: Floats, r: Floats, number: Floats, labels: Floats, counts: Floats) -> float:
    means = r.T @ rows / number[:, None]
    groups, labels = means - means.mean(axis=0), labels - labels.mean(axis=0)
    along = rows @ groups.T  # (rows, directions)
    centres = means @ groups.T  # (classes, directions)
    of_classes = (p @ (along - at) ** 2 for p, at in zip(r.T, centres, strict=True))
    scatter = np.sum(list(of_classes), axis=0) / number.sum()
    v, f, x = (scatter / counts).sum(), (groups**2).sum(), (groups * labels).sum()
    others = -f / (gamma(len(counts) + 1.0) - 1.0)
    return float((f - others) * (x - 0.5 * (f + others)) / v) if v > _SMALL * f**2 else 0.0
