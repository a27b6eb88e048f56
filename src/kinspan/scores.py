"""Step 5: weights → directions and linear rules; samples → scores, probabilities, projections."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import softmax

from kinspan._arrays import is_elsewhere, is_foreign, is_sparse
from kinspan._device import scores as on_device
from kinspan._rows.types import Codes, Floats, Mask

NEVER = -100.0  # log odds of a class that a task cannot answer, below those that it can
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
    directions: Floats, alignment: Floats, level: Floats, log_priors: Floats, present: Mask
) -> LinearRules:
    """Scores of Algorithm 1: unit-variance projections minus their mean over the class."""
    length = np.sqrt(np.einsum("tlp,tlp->tl", directions, directions))
    unit = 1.0 / np.where(length > 0, length, np.inf) / np.sqrt(level)[:, None]
    own_mean = np.diagonal(alignment, axis1=1, axis2=2) * unit
    n_rivals = np.maximum(present.sum(axis=1, keepdims=True) - 1.0, 1.0)
    rest_mean = ((alignment * present[:, :, None]).sum(axis=1) * unit - own_mean) / n_rivals
    # The prior moves the threshold of a unit-variance score by log π over the gap of its means; of
    # two classes both scores move, each by half.
    share = present / np.maximum(present.sum(axis=1, keepdims=True), 1.0)
    relative = log_priors - (share * log_priors).sum(axis=1, keepdims=True)
    shift = relative * (1.0 + 1.0 / n_rivals) / np.maximum(own_mean - rest_mean, 1e-3)
    return LinearRules(directions * unit[..., None], shift - own_mean)


class Agreement(NamedTuple):
    """What tasks agree on."""

    contrasts: Floats  # (classes, features), shrunken by how little they agree
    centre: Floats  # (1, features)


def agreement(
    means: Floats, weights: Floats, coefficients: Floats, centres: Floats, class_shares: Floats
) -> Agreement:
    """Contrasts that fit all tasks best, by least squares where tasks lack classes.

    Products of different tasks alone say how much of it a new task will have.
    """
    own = np.einsum("t,tlj,tjp->tlp", weights, coefficients, means)
    inverse = np.linalg.pinv(np.einsum("t,tlj->lj", weights, coefficients), hermitian=True)
    mean = inverse @ own.sum(axis=0)
    power = float((mean**2).sum())
    of_one = float(((inverse @ own) ** 2).sum())
    pairs = max(1.0 - float((weights**2).sum()), 1e-9)
    several = power > 0 and (weights > 0).sum() > 1
    factor = max((power - of_one) / (pairs * power), 1e-3) if several else 1.0
    centre = weights[None] @ (centres - class_shares @ mean)
    return Agreement(mean * min(factor, 1.0), centre)


def in_input_units(
    rules: LinearRules, turned: Floats, centres: Floats, scale: Floats
) -> tuple[Floats, Floats]:
    """(coef, intercept) for rows in their own units; two classes make one score, for the second.

    Rules and centres are in the metric, `turned` are the coefficients for scaled rows.
    """
    coef = turned / scale[:, None, :]
    intercept = rules.offset - np.einsum("tlp,tp->tl", rules.coef, centres)
    if coef.shape[1] == 2:
        return coef[:, 1:] - coef[:, :1], intercept[:, 1:] - intercept[:, :1]
    return coef, intercept


class Calibration(NamedTuple):
    """How scores of rows become log odds."""

    factor: float  # what scores are multiplied with
    loss: float  # mean logarithmic loss of the probabilities that they then give


def calibration(
    scores: Floats, classes: Codes, weights: Floats, present: Mask
) -> tuple[Calibration, Floats]:
    """The factor that makes scores of rows log odds, of the largest likelihood; and their losses.

    Scores are without priors. A factor far from one has to be worth it: its log is normal a priori.
    """
    usable = ~np.isnan(scores[:, 0])
    scores, classes = np.where(present, scores, -np.inf)[usable], classes[usable]
    weights, places = weights[usable], np.arange(usable.sum())
    if not len(places):
        return Calibration(1.0, 0.0), np.full(len(usable), np.nan)

    below = scores - scores.max(axis=1, keepdims=True)

    def surprise(log_factor: float) -> Floats:
        tempered = np.exp(log_factor) * below
        return np.asarray(np.log(np.exp(tempered).sum(axis=1)) - tempered[places, classes])

    def loss(log_factor: float) -> float:
        return float(weights @ surprise(log_factor) + 0.5 * log_factor**2)

    best = minimize_scalar(loss, bounds=(-7.0, 4.0), method="bounded").x
    losses = np.full(len(usable), np.nan)
    losses[usable] = surprise(best)
    return Calibration(float(np.exp(best)), loss(best) / max(weights.sum(), 1e-300)), losses


def paired_scores(X: Any, rules: Codes, coef: Floats, intercept: Floats) -> Floats:
    """(rows, scores): every row with the rule of its own task, −1 the last, in double precision."""
    if is_elsewhere(X):
        return on_device.paired_scores(X, rules, coef, intercept)  # type: ignore[no-any-return]
    rules = np.where(rules < 0, rules + len(coef), rules)
    with np.errstate(invalid="ignore"):  # infinity minus infinity: named by who calls
        if is_sparse(X):
            scores = _sparse_scores(sp.csr_array(X), rules, coef)
        elif coef.shape[1] == 1:
            scores = _scores_by_row(X, rules, coef[:, 0])[:, None]
        else:
            scores = _scores_by_group(X, rules, coef)
    return np.asarray(scores + intercept[rules])


def _scores_by_row(X: NDArray[Any], rules: Codes, coef: Floats) -> Floats:
    """One score a row: the coefficients of every row's task are gathered block by block."""
    scores = np.empty(X.shape[0])
    block = max(16, _BLOCK_BYTES // (8 * max(X.shape[1], 1)))
    for start in range(0, len(scores), block):
        rows = slice(start, start + block)
        scores[rows] = np.vecdot(X[rows].astype(np.float64, copy=False), coef[rules[rows]])
    return scores


def _scores_by_group(X: NDArray[Any], rules: Codes, coef: Floats) -> Floats:
    """Several scores a row: rows of a task in groups of one size, and one product for many groups.

    The last group of a task is filled up with any row. A group is about as large as tasks have
    rows, so that neither many small tasks nor a few large ones cost more than their products.
    """
    counts = np.bincount(rules, minlength=len(coef))
    n_present = max(int((counts > 0).sum()), 1)
    size = int(2 ** np.clip(np.round(np.log2(max(len(rules), 1) / n_present)), 0, 8))
    n_groups = -(-counts // size)
    order = np.argsort(rules, kind="stable")
    place = np.arange(len(rules)) - (np.cumsum(counts) - counts)[rules[order]]
    slots = size * (np.cumsum(n_groups) - n_groups)[rules[order]] + place
    of_group = np.repeat(np.arange(len(coef)), n_groups)
    row_of_slot = np.zeros(size * len(of_group), dtype=np.intp)  # some row where there is none
    row_of_slot[slots] = order
    at_once = max(1, 4 * _BLOCK_BYTES // (8 * max(size, coef.shape[1]) * max(X.shape[1], 1)))
    scores = np.empty((len(rules), coef.shape[1]))
    for start in range(0, len(of_group), at_once):
        group = of_group[start : start + at_once]
        ends = size * start, size * (start + len(group))
        rows = X[row_of_slot[slice(*ends)]].astype(np.float64, copy=False)
        products = rows.reshape(len(group), size, -1) @ coef[group].transpose(0, 2, 1)
        some = slice(*np.searchsorted(slots, ends))
        scores[order[some]] = products.reshape(-1, coef.shape[1])[slots[some] - ends[0]]
    return scores


def _sparse_scores(X: sp.csr_array, rules: Codes, coef: Floats) -> Floats:
    """Every row moved to the columns of its task in a matrix with those of all tasks."""
    n_tasks, n_scores, p = coef.shape
    columns = np.repeat(rules.astype(np.int64), np.diff(X.indptr)) * p + X.indices
    parts = X.data.astype(np.float64), columns, X.indptr.astype(np.int64)
    wide = sp.csr_array(parts, shape=(X.shape[0], n_tasks * p))
    scores = [wide @ coef[:, score].reshape(-1) for score in range(n_scores)]
    return np.stack(scores, axis=1)


def answers(scores: Floats) -> Codes:
    """(rows,) positions of the classes that (rows, 1 or classes) scores speak for."""
    if is_foreign(scores):
        return on_device.answers(scores)  # type: ignore[no-any-return]
    best = scores[:, 0] > 0 if scores.shape[1] == 1 else scores.argmax(axis=1)
    return np.asarray(best.astype(np.intp))


def without_absent(scores: Floats, absent: Mask) -> Floats:
    """Scores in which classes that a row's task cannot answer are far below all others."""
    if is_foreign(scores):
        return on_device.without_absent(scores, absent, NEVER)  # type: ignore[no-any-return]
    if scores.shape[1] == 1 or not absent.any():
        return scores  # with two classes the rule of such a task is a constant
    lowest = np.where(absent, np.inf, scores).min(axis=1, keepdims=True)
    return np.where(absent, lowest + NEVER, scores)


def probabilities(scores: Floats, absent: Mask) -> Floats:
    """(rows, classes) probabilities of scores that are log odds."""
    if is_foreign(scores):
        return on_device.probabilities(scores, absent)  # type: ignore[no-any-return]
    if scores.shape[1] == 1:
        scores = np.hstack([np.zeros_like(scores), scores])
    both = np.where(absent, 0.0, softmax(scores, axis=1))
    return np.asarray(both / both.sum(axis=1, keepdims=True))


def projectors(coef: Floats, n_components: int) -> Floats:
    """(tasks, components, features): the leading orthonormal directions of every task's rules."""
    size = np.abs(coef).max(axis=(1, 2), keepdims=True)  # of squares that are numbers
    coef = coef / np.where(size > 0, size, 1.0)
    values, vectors = np.linalg.eigh(coef @ coef.transpose(0, 2, 1))
    values, vectors = values[:, ::-1][:, :n_components], vectors[:, :, ::-1][:, :, :n_components]
    vectors = vectors * np.where(vectors[:, -1:] < 0, -1.0, 1.0)
    floor = 1e-12 * values[:, :1]
    length = np.where(values > floor, np.sqrt(np.maximum(values, 0.0)), np.inf)
    return np.asarray(vectors.transpose(0, 2, 1) @ coef / length[..., None])
