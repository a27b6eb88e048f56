"""Step 5: weights → directions and linear rules; samples → scores, probabilities, projections."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from kinspan._arrays import is_sparse
from kinspan._cell_sums import Codes, Floats

NEVER = float(np.finfo(np.float64).min)  # the score of a class that a task cannot answer
_BLOCK_BYTES = 1 << 21


class LinearRules(NamedTuple):
    """Score l of a row x of task t: (x − centre_t)ᵀ coef_tl + offset_tl, in scaled units."""

    coef: Floats  # (tasks, classes, features)
    offset: Floats  # (tasks, classes)


def shrinkage(signal: Floats, power: Floats, own_power: Floats) -> Floats:
    """Factor that turns directions into the best estimate of the true contrasts.

    signal = ⟨direction, true contrast⟩ and power = ‖direction‖², so that signal/power is one for
    the optimal labels. A direction without signal is still a direction: it keeps a thousandth of
    the length of the task's own contrast.
    """
    safe = np.where(power > 0, power, 1.0)
    return np.maximum(signal / safe, 1e-3 * np.sqrt(own_power / safe))


def discriminant_rules(
    directions: Floats, factor: Floats, level: Floats, log_priors: Floats
) -> LinearRules:
    """Linear discriminant: ((x − centre)ᵀ w − ½‖w‖²)/variance + log prior, w shrunken means."""
    estimate = directions * factor[:, None, None]
    half = 0.5 * np.einsum("tlp,tlp->tl", estimate, estimate)
    return LinearRules(estimate / level[:, None, None], log_priors - half / level[:, None])


def centred_rules(
    directions: Floats, alignment: Floats, level: Floats, log_priors: Floats
) -> LinearRules:
    """Scores of Algorithm 1: unit-variance projections minus their mean over the class."""
    length = np.sqrt(np.einsum("tlp,tlp->tl", directions, directions))
    unit = 1.0 / np.where(length > 0, length, np.inf) / np.sqrt(level)[:, None]
    own_mean = np.diagonal(alignment, axis1=1, axis2=2) * unit
    rest_mean = (alignment * unit[:, None, :]).sum(axis=1) - own_mean
    gap = own_mean - rest_mean / max(directions.shape[1] - 1, 1)
    # The prior moves the threshold of a unit-variance score by log π over the gap of its means.
    shift = (log_priors - log_priors.mean(axis=1, keepdims=True)) / np.maximum(gap, 1e-3)
    return LinearRules(directions * unit[..., None], shift - own_mean)


def agreed_contrasts(
    contrasts: Floats, weights: Floats, counts: Floats, cell_noise: Floats
) -> Floats:
    """(classes, features): what tasks agree on, their mean contrasts shrunken by the noise."""
    by_class = weights[:, None] * (counts > 0)
    total = by_class.sum(axis=0)
    by_class = by_class / np.where(total > 0, total, 1.0)
    mean = np.einsum("tj,tjp->jp", by_class, contrasts)
    power, noise = (mean**2).sum(), (by_class**2 * cell_noise).sum()
    return np.asarray(mean * max(1.0 - noise / power, 1e-3) if power > 0 else mean)


def in_input_units(rules: LinearRules, centres: Floats, scale: Floats) -> tuple[Floats, Floats]:
    """(coef, intercept) for rows in their own units; two classes make one score, for the second."""
    coef = rules.coef / scale[:, None, :]
    intercept = rules.offset - np.einsum("tlp,tp->tl", rules.coef, centres)
    if coef.shape[1] == 2:
        return coef[:, 1:] - coef[:, :1], intercept[:, 1:] - intercept[:, :1]
    return coef, intercept


def paired_scores(X: Any, rules: Codes, coef: Floats, intercept: Floats) -> Floats:
    """(rows, scores): every row with the rule of its own task, in double precision."""
    n_scores = coef.shape[1]
    if is_sparse(X) or n_scores > 1:
        scores = _scores_by_task(X, rules, coef)
    else:
        scores = _scores_by_row(X, rules, coef[:, 0])[:, None]
    return np.asarray(scores + intercept[rules])


def _scores_by_row(X: NDArray[Any], rules: Codes, coef: Floats) -> Floats:
    """One score a row: the coefficients of every row's task are gathered block by block."""
    scores = np.empty(X.shape[0])
    block = max(16, _BLOCK_BYTES // (8 * max(X.shape[1], 1)))
    for start in range(0, len(scores), block):
        rows = slice(start, start + block)
        scores[rows] = np.vecdot(X[rows].astype(np.float64, copy=False), coef[rules[rows]])
    return scores


def _scores_by_task(X: Any, rules: Codes, coef: Floats) -> Floats:
    """Several scores a row: one product for the rows of every task."""
    scores = np.empty((X.shape[0], coef.shape[1]))
    order = np.argsort(rules, kind="stable")
    starts = np.flatnonzero(np.diff(rules[order], prepend=rules[order[:1]] - 1))
    for rows in np.split(order, starts)[1:]:
        scores[rows] = X[rows] @ coef[rules[rows[0]]].T
    return scores


def probabilities(decision: Floats) -> Floats:
    """(rows, classes) probabilities of scores that are log odds."""
    if decision.shape[1] == 1:
        second = expit(decision)
        return np.hstack([1.0 - second, second])
    return np.asarray(softmax(decision, axis=1))


def projectors(coef: Floats, n_components: int) -> Floats:
    """(tasks, components, features): the leading orthonormal directions of every task's rules."""
    values, vectors = np.linalg.eigh(coef @ coef.transpose(0, 2, 1))
    values, vectors = values[:, ::-1][:, :n_components], vectors[:, :, ::-1][:, :, :n_components]
    vectors = vectors * np.where(vectors[:, -1:] < 0, -1.0, 1.0)
    floor = 1e-12 * values[:, :1]
    length = np.where(values > floor, np.sqrt(np.maximum(values, 0.0)), np.inf)
    return np.asarray(vectors.transpose(0, 2, 1) @ coef / length[..., None])
