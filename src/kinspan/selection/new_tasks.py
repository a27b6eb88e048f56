"""Tasks with labels of no class, or of one only: the rule that the others agree on, moved to them.

What is missing is where they lie. Rows of one class, or rows without labels, say so; the centres of
the other tasks say what to expect before there are any. How wrong that will be is estimated by
letting known tasks, one after the other, pretend to be new.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import t as student

from kinspan._rows.types import Floats, Mask
from kinspan.metric import ScaledMoments
from kinspan.risk import error_rate
from kinspan.scores import Agreement
from kinspan.selection.prepared import Unlabelled
from kinspan.selection.solutions import agreed, shared_rule

_MOST = 64  # tasks that pretend


class Places(NamedTuple):
    """Where new tasks lie."""

    centres: Floats  # (tasks, features)
    trust: Floats  # (tasks,): how far a centre has moved from what was expected to what rows say
    variance: Floats  # (tasks,): squared error of what rows say, along a direction


def newcomers(counts: Floats) -> Mask:
    """(tasks,): tasks without two classes, if others have such classes and know theirs."""
    present = counts > 0
    is_new = present.sum(axis=1) < 2
    unheard = ~known_classes(counts)
    return np.asarray(is_new & ~is_new.all() & ~(present & unheard).any(axis=1))


def known_classes(counts: Floats) -> Mask:
    """(classes,): those of the tasks that have two or more."""
    present = counts > 0
    return np.asarray(present[present.sum(axis=1) > 1].any(axis=0))


def places(
    pooled: ScaledMoments, agreement: Agreement, priors: Floats, unlabelled: Unlabelled
) -> Places:
    """Centres from the rows of one class, those without labels and those of the other tasks."""
    known = pooled.present.sum(axis=1) > 1
    axes = _directions(agreement.contrasts)
    level = float(pooled.noise_level[known].mean())
    between = (((pooled.centres - agreement.centre)[known] @ axes) ** 2).mean(axis=1)
    differences = pooled.means - pooled.centres[:, None] - agreement.contrasts
    disagreement = _mean_square(differences[known][pooled.present[known]] @ axes)
    width = _mean_square(agreement.contrasts @ axes)
    labelled = _precision(pooled.counts.sum(axis=1), level, disagreement)
    of_class = np.einsum("tj,tjp->tp", pooled.present, pooled.means - agreement.contrasts)
    free = _precision(unlabelled.counts, level + width, 0.0)
    of_all = unlabelled.means - priors @ agreement.contrasts
    own = labelled + free
    safe = np.where(own > 0, own, 1.0)
    seen = (labelled[:, None] * of_class + free[:, None] * of_all) / safe[:, None]
    # A task that lies far from where the others lie says so itself.
    far = (((seen - agreement.centre) @ axes) ** 2).mean(axis=1) - 1.0 / safe
    scatter = (between.sum() + np.where(own > 0, np.maximum(far, 0.0), 0.0)) / len(between)
    trust = own * scatter / (own * scatter + 1.0)
    centres = agreement.centre + trust[:, None] * (seen - agreement.centre)
    return Places(centres, trust, np.where(own > 0, 1.0 / safe, 0.0))


def _directions(contrasts: Floats) -> Floats:
    """(features, rank): an orthonormal basis of what tells classes apart."""
    _, values, right = np.linalg.svd(contrasts, full_matrices=False)
    return np.asarray(right[values > 1e-9 * max(values[0], 1e-300)].T)


def _mean_square(values: Floats) -> float:
    return float((values**2).mean()) if values.size else 0.0


def _precision(counts: Floats, variance: float, disagreement: float) -> Floats:
    n = np.where(counts > 0, counts, 1.0)
    return np.where(counts > 0, 1.0 / (variance / n + disagreement), 0.0)


def forecast_of_newcomers(
    pooled: ScaledMoments, log_priors: Floats, priors: Floats, where: Places, inflation: float
) -> tuple[Floats, Floats]:
    """(tasks,) errors and (tasks, 2) intervals, from known tasks that pretend to be new.

    NaN where fewer than two tasks are known. Scores spread more than they would without
    correlations, by an inflation.
    """
    known = np.flatnonzero(pooled.present.sum(axis=1) > 1)
    error, interval = np.full(len(priors), np.nan), np.full((len(priors), 2), np.nan)
    if len(known) < 2:
        return error, interval
    spaced = known[np.linspace(0, len(known) - 1, min(len(known), _MOST)).round().astype(int)]
    pretended = [_pretend(pooled, t, log_priors) for t in spaced]
    spread, tail = np.sqrt(1.0 + 1.0 / len(spaced)), student.ppf(0.95, len(spaced) - 1)
    for t in np.flatnonzero(newcomers(pooled.counts)):
        errors = np.array(
            [p.error(where.trust[t], where.variance[t], priors[t], inflation) for p in pretended]
        )
        half = tail * spread * errors.std(ddof=1)
        error[t] = errors.mean()
        interval[t] = np.clip([error[t] - half, error[t] + half], 0.0, 1.0)
    return error, interval


class _Pretended(NamedTuple):
    """Scores of a known task by the rule that the others agree on."""

    means: Floats  # (classes, classes): of score l over class j, around the task's own centre
    shift: Floats  # (classes,): what they change by around the centre of the others
    covariance: Floats  # (classes, classes)
    level: float
    present: Mask  # (classes,)

    def error(self, trust: float, variance: float, priors: Floats, inflation: float) -> float:
        means = self.means + (1.0 - trust) * self.shift
        spread = self.covariance * (self.level * inflation + trust**2 * variance)
        return float(error_rate(means, spread, np.where(self.present, priors, 0.0)))


def _pretend(pooled: ScaledMoments, task: int, log_priors: Floats) -> _Pretended:
    others = np.arange(len(pooled.counts)) != task
    rest = pooled._replace(
        means=pooled.means[others],
        counts=pooled.counts[others],
        cell_noise=pooled.cell_noise[others],
        noise_level=pooled.noise_level[others],
    )
    agreement = agreed(rest)
    coef, offset = (part[0] for part in shared_rule(agreement, rest, log_priors[others]))
    own = pooled.means[task] - pooled.centres[task]
    shift = (pooled.centres[task] - agreement.centre[0]) @ coef.T
    return _Pretended(
        own @ coef.T + offset,
        shift,
        coef @ coef.T,
        float(pooled.noise_level[task]),
        pooled.present[task],
    )
