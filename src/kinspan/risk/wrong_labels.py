"""Scores of left-out rows → how likely every label is wrong, and rates of wrong labels.

Of the rows with label c a share 1 − ρ_c is of class c, and the other classes of the task share the
rest equally: such a row is of class k with probability R_ck. With f_k = exp(a s_k), s the scores of
the row by rules that have not seen it, and labels of a task that count equally, the label is c with
probability, eq. (48) of docs/theory.md,

    Σ_k R_ck f_k / Σ_b Σ_k R_bk f_k.

Three accounts of the labels are compared by their likelihood: all are right, wrong ones are equally
frequent in all classes, or each class has a rate of its own. The rates of single tasks move away
from those of all as far as tasks differ beyond chance. How many of the labels that there are are
wrong follows from these rates and from the rows, and is known better than the rates are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax

from kinspan._meta_analysis import variance_beyond_chance
from kinspan._rows.types import Codes, Floats, Mask
from kinspan.risk.forecast import beta_interval

_RATES = (1e-6, 0.49)  # if half of the labels were wrong, nobody could tell which half
_LOG_SLOPES = (-3.0, 4.0)
_STARTS = ((0.5, 0.05), (1.5, 0.25))  # log slope and rate: few or many wrong labels
_LEAST_KNOWN = 0.02  # of a label in doubt
_EXACT = 1e12  # known labels behind a rate that was given
_TINY = 1e-300


class LabelledScores(NamedTuple):
    """Left-out rows with the labels that they were given."""

    scores: Floats  # (rows, classes): log odds without priors
    tasks: Codes  # (rows,)
    classes: Codes  # (rows,): the labels
    weights: Floats  # (rows,): labels of a task count equally
    present: Mask  # (tasks, classes)

    def by_cell(self, values: Floats) -> Floats:
        """(tasks, classes): sums of the values of rows."""
        cells = self.tasks * self.present.shape[1] + self.classes
        sums = np.bincount(cells, values, self.present.size)
        return sums.astype(np.float64).reshape(self.present.shape)


class WrongLabels(NamedTuple):
    """What left-out rows say of the labels."""

    evidence: float  # the probability that there are wrong labels at all
    resolution: float  # how much a label tells of the rates, in units of one that is known
    slope: float  # of the log odds of true classes by scores
    rates: Floats  # (tasks, classes): the probability that a label is wrong, if some are
    shares: Floats  # (tasks, classes): of the labels that there are, those that are wrong
    interval: Floats  # (tasks, classes, 2): 90 % intervals for these shares

    def probability(self, labels: LabelledScores) -> Floats:
        """(rows,): that the label of a row is wrong."""
        rates = self.rates[labels.tasks, labels.classes]
        return self.evidence * _is_wrong(labels, rates, self.slope)


def rate_interval(rates: Floats, known: Floats) -> Floats:
    """(..., 2): 90 % intervals for rates that numbers of known labels show, by Jeffreys' prior."""
    mean = (known * rates + 0.5) / (known + 1.0)
    ends = beta_interval(np.ravel(mean), np.ravel(mean * (1.0 - mean) / (known + 2.0)))
    return np.asarray(ends.reshape(*np.shape(rates), 2))


def wrong_labels(labels: LabelledScores, given: Floats | None = None) -> WrongLabels:
    """The most likely account of all labels, and the rates of every cell; or given (classes,)."""
    n_classes = labels.scores.shape[1]
    if given is not None:
        slope = _account(labels, np.eye(n_classes), given).slope
        everywhere = np.broadcast_to(given, labels.present.shape)
        is_some, known = float(given.any()), np.full(everywhere.shape, _EXACT)
        shares = _shares_of_cells(labels, everywhere, known, slope)
        return WrongLabels(is_some, 1.0, slope, everywhere, *shares)
    none, *some = (
        _account(labels, shape)
        for shape in (np.zeros((n_classes, 0)), np.ones((n_classes, 1)), np.eye(n_classes))
    )
    likely = softmax([account.log_evidence for account in (none, *some)])
    rates = np.tensordot(likely[1:], [one.rates for one in some], axes=1) / likely[1:].sum()
    best = some[int(likely[1:].argmax())]
    found = _rates_of_cells(labels, rates, best.slope)
    shares = _shares_of_cells(labels, found.rates, found.known, best.slope)
    return WrongLabels(float(1.0 - likely[0]), found.resolution, best.slope, found.rates, *shares)


class _Account(NamedTuple):
    """The most likely slope and rates of one account."""

    log_evidence: float  # the log likelihood, less what every rate that was free to choose costs
    slope: float
    rates: Floats  # (classes,)


def _account(labels: LabelledScores, shape: Floats, given: Floats | None = None) -> _Account:
    """The rates are the (classes, free) shape times free ones, unless these are given.

    Scores are log odds already: before any labels the log of the slope is normal around zero.
    """
    free = shape.shape[1]
    rates = [_RATES] * free if given is None else [(rate, rate) for rate in given.tolist()]
    found = [
        minimize(
            *(_loss, np.r_[start, np.full(free, rate)], (labels, shape)),
            jac=True,
            method="L-BFGS-B",
            bounds=[_LOG_SLOPES, *rates],
        )
        for start, rate in _STARTS
    ]
    best = min(found, key=lambda one: float(one.fun))
    cost = 0.5 * free * np.log(max(float(labels.weights.sum()), 1.0))
    return _Account(-float(best.fun) - cost, float(np.exp(best.x[0])), shape @ best.x[1:])


def _loss(parameters: Floats, labels: LabelledScores, shape: Floats) -> tuple[float, Floats]:
    """Minus the sum of the logs of eq. (48), with its derivatives."""
    slope, rates = np.exp(parameters[0]), shape @ parameters[1:]
    c, w, present = labels.classes, labels.weights, labels.present[labels.tasks]
    odds = _odds(labels.scores, slope, present)
    n_others = (present.sum(axis=1) - 1.0)[:, None]
    mean_of_others = np.where(present, (odds.sum(axis=1, keepdims=True) - odds) / n_others, 0.0)
    confusion = np.where(present, rates[c][:, None] / n_others, 0.0)  # R of the label of a row
    confusion[np.arange(len(c)), c] = 1.0 - rates[c]
    of_label = confusion * odds
    of_class = np.where(present, rates, 0.0)
    lent = (of_class.sum(axis=1, keepdims=True) - of_class) / n_others
    of_any = (1.0 - of_class + lent) * odds  # of all labels that a row of a class can have
    numerator, denominator = of_label.sum(axis=1) + _TINY, of_any.sum(axis=1)
    excess = of_label / numerator[:, None] - of_any / denominator[:, None]
    by_slope = slope * (w @ (excess * np.where(present, labels.scores, 0.0)).sum(axis=1))
    away = mean_of_others - odds  # what a rate adds to the odds of its label
    of_own = away[np.arange(len(c)), c] / numerator
    by_rates = np.bincount(c, w * of_own, len(rates)) - (w / denominator) @ away
    loss = 0.5 * parameters[0] ** 2 - w @ (np.log(numerator) - np.log(denominator))
    return float(loss), np.r_[parameters[0] - by_slope, -(shape.T @ by_rates)]


def _odds(scores: Floats, slope: float, present: Mask) -> Floats:
    """(rows, classes): f_k up to a factor of the row; zero for classes that a task lacks."""
    logarithms = np.where(present, slope * scores, -np.inf)
    return np.asarray(np.exp(logarithms - logarithms.max(axis=1, keepdims=True)))


def _is_wrong(labels: LabelledScores, rates: Floats, slope: float) -> Floats:
    """(rows,): the probability that a label is wrong, given the rate of its cell."""
    present = labels.present[labels.tasks]
    odds = _odds(labels.scores, slope, present)
    own = odds[np.arange(len(odds)), labels.classes]
    wrong = rates * (odds.sum(axis=1) - own) / (present.sum(axis=1) - 1.0)
    return np.asarray(wrong / (wrong + (1.0 - rates) * own + _TINY))


class _Rates(NamedTuple):
    """Rates of every cell, as in `WrongLabels`."""

    resolution: float
    rates: Floats
    known: Floats  # (tasks, classes): labels of which all is known that tell as much of the rate


def _rates_of_cells(labels: LabelledScores, of_classes: Floats, slope: float) -> _Rates:
    """The rates of classes as far as tasks are alike, and of single cells as far as they differ.

    Eqs. (49) to (51): the mean probability q of wrong labels is a step from the rate ρ of all tasks
    towards that of the cell. Labels in doubt tell less: n of them are worth
    n − Σ q (1 − q) / ρ (1 − ρ).
    """
    n, spread, in_doubt = _doubts(labels, of_classes, slope)
    wrong = labels.by_cell(_is_wrong(labels, of_classes[labels.classes], slope))
    known = np.maximum(n - labels.by_cell(in_doubt) / spread, _LEAST_KNOWN * n)
    used, safe = n > 0, np.where(n > 0, known, 1.0)
    asked = of_classes + (wrong - n * of_classes) / safe
    between = variance_beyond_chance(asked[used], (known / spread)[used], int(used.sum()))
    own = np.where(used, between / (between + spread / safe), 0.0)
    rates = np.clip(of_classes + own * (asked - of_classes), *_RATES)
    variance = own / safe + (1.0 - own) ** 2 / np.maximum(known.sum(axis=0), 1.0)
    return _Rates(float(known.sum() / max(n.sum(), 1.0)), rates, 1.0 / variance)


def _shares_of_cells(
    labels: LabelledScores, rates: Floats, known: Floats, slope: float
) -> tuple[Floats, Floats]:
    """The share of wrong labels in every cell, and its interval: eq. (51a) of docs/theory.md.

    An interval has room for half a label on both sides: shares are multiples of a label.
    """
    w, q = labels.weights, _is_wrong(labels, rates[labels.tasks, labels.classes], slope)
    n, spread, in_doubt = _doubts(labels, rates, slope)
    total, safe = labels.by_cell(w), np.maximum(n, 1.0)
    total = np.where(n > 0, total, 1.0)
    shares = labels.by_cell(w * q) / total
    lost = np.minimum(labels.by_cell(in_doubt) / (safe * spread), 1.0)
    variance = labels.by_cell(w**2 * in_doubt) / total**2 + lost**2 * spread / known
    held = (n * shares + 0.5) / (n + 1.0)
    ends = rate_interval(shares, held * (1.0 - held) / np.maximum(variance, 1.0 / _EXACT))
    low = np.minimum(ends[..., 0], shares - 0.5 / safe)
    high = np.maximum(ends[..., 1], shares + 0.5 / safe)
    return shares, np.clip(np.stack([low, high], axis=-1), 0.0, 1.0)


def _doubts(labels: LabelledScores, rates: Floats, slope: float) -> tuple[Floats, Floats, Floats]:
    """(tasks, classes) labels and the variance of one of them, and (rows,) what of it remains.

    The few labels of a cell cannot show rates that are smaller than half a label.
    """
    n = labels.by_cell(np.ones(len(labels.tasks)))
    held = (n * rates + 0.5) / (n + 1.0)
    q = _is_wrong(labels, held[labels.tasks, labels.classes], slope)
    return n, held * (1.0 - held), q * (1.0 - q)
