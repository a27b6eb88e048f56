"""Scores of left-out rows → how likely every label is wrong, and rates of wrong labels.

Of the rows with label c a share 1 − ρ_c is of class c, and the other classes of the task share the
rest equally: such a row is of class k with probability R_ck. With f_k = exp(h_k), h the log odds of
the row by rules that have not seen it (`bends`), and labels of a task that count equally, the label
is c with probability, eq. (48) of docs/theory.md,

    Σ_k R_ck f_k / Σ_b Σ_k R_bk f_k.

Accounts of the labels are compared by their likelihood: all are right, wrong ones are equally
frequent in all classes, or in one of two, or each class has a rate of its own. In each of them log
odds may bend, and all bends are averaged over. The rates of single tasks move away from those of
all as far as tasks differ beyond chance. How many of the labels that there are are wrong follows
from these rates and from the rows, and is known better than the rates are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax

from kinspan._meta_analysis import variance_beyond_chance
from kinspan._rows.types import Codes, Floats, Mask
from kinspan.risk.bends import SPREADS, Bends, LogOdds, level_of
from kinspan.risk.forecast import beta_interval

_RATES = (1e-6, 0.49)  # if half of the labels were wrong, nobody could tell which half
_BOUNDS = [(-3.0, 4.0)] * 4  # of the parameters of log odds
_STARTS = ((0.5, 0.05), (1.5, 0.25))  # log slope and rate: few or many wrong labels
_STEP = 1e-4  # of a derivative
_LEAST_KNOWN = 0.02  # of a label in doubt
_GROUPS = 400  # of rows that are alike
_EXACT = 1e12  # known labels behind a rate that was given
_TINY = 1e-300


class LabelledScores(NamedTuple):
    """Left-out rows with the labels that they were given."""

    scores: Floats  # (rows, classes): log odds without priors
    tasks: Codes  # (rows,)
    classes: Codes  # (rows,): the labels
    weights: Floats  # (rows,): labels of a task count equally
    present: Mask  # (tasks, classes)

    def of_rows(self) -> Mask:
        """(rows, classes): which classes the task of a row has."""
        return self.present[self.tasks]

    def odds(self, log_odds: LogOdds) -> Floats:
        """(rows, classes): f_k up to a factor of the row."""
        return _odds(log_odds.of(self.scores, self.of_rows()), self.of_rows())

    def summed(self) -> LabelledScores:
        """Of two classes and many rows, those with nearly the same score as one row."""
        n = len(self.tasks)
        if self.present.shape[1] > 2 or n <= 2 * _GROUPS:
            return self
        r = self.scores[:, 1] - self.scores[:, 0]
        group = np.empty(n, dtype=np.intp)
        group[np.argsort(r, kind="stable")] = np.arange(n) * _GROUPS // n
        cells, place = np.unique(2 * group + self.classes, return_inverse=True)
        weights = np.bincount(place, self.weights).astype(np.float64)
        half = 0.5 * np.bincount(place, self.weights * r) / weights
        tasks = np.zeros(len(cells), dtype=np.intp)
        scores = np.stack([-half, half], axis=1)
        return LabelledScores(scores, tasks, cells % 2, weights, np.ones((1, 2), dtype=bool))

    def by_cell(self, values: Floats) -> Floats:
        """(tasks, classes): sums of the values of rows."""
        cells = self.tasks * self.present.shape[1] + self.classes
        sums = np.bincount(cells, values, self.present.size)
        return sums.astype(np.float64).reshape(self.present.shape)


class WrongLabels(NamedTuple):
    """What left-out rows say of the labels."""

    evidence: float  # the probability that there are wrong labels at all
    resolution: float  # how much a label tells of the rates, in units of one that is known
    log_odds: LogOdds  # of true classes by scores
    rates: Floats  # (tasks, classes): the probability that a label is wrong, if some are
    shares: Floats  # (tasks, classes): of the labels that there are, those that are wrong
    interval: Floats  # (tasks, classes, 2): 90 % intervals for these shares

    def probability(self, labels: LabelledScores) -> Floats:
        """(rows,): that the label of a row is wrong."""
        rates = self.rates[labels.tasks, labels.classes]
        return self.evidence * _is_wrong(labels, rates, labels.odds(self.log_odds))


def rate_interval(rates: Floats, known: Floats) -> Floats:
    """(..., 2): 90 % intervals for rates that numbers of known labels show, by Jeffreys' prior."""
    mean = (known * rates + 0.5) / (known + 1.0)
    ends = beta_interval(np.ravel(mean), np.ravel(mean * (1.0 - mean) / (known + 2.0)))
    return np.asarray(ends.reshape(*np.shape(rates), 2))


def wrong_labels(labels: LabelledScores, given: Floats | None = None) -> WrongLabels:
    """The most likely account of all labels, and the rates of every cell; or given (classes,)."""
    n_classes = labels.scores.shape[1]
    summed = labels.summed()
    bends = Bends.of(summed.scores, summed.of_rows(), summed.weights)
    if given is not None:
        account = _account(summed, bends, np.eye(n_classes), given)
        everywhere = np.broadcast_to(given, labels.present.shape)
        is_some, known = float(given.any()), np.full(everywhere.shape, _EXACT)
        log_odds = bends.log_odds(account.bend)
        shares = _shares_of_cells(labels, everywhere, known, labels.odds(log_odds))
        return WrongLabels(is_some, 1.0, log_odds, everywhere, *shares)
    shapes, before = _shapes(n_classes)
    none, *some = (_account(summed, bends, shape) for shape in shapes)
    likely = softmax(np.array([account.log_evidence for account in (none, *some)]) + before)
    rates = np.tensordot(likely[1:], [one.rates for one in some], axes=1) / likely[1:].sum()
    best = some[int(likely[1:].argmax())]
    log_odds = bends.log_odds(best.bend)
    odds = labels.odds(log_odds)
    found = _rates_of_cells(labels, rates, odds)
    shares = _shares_of_cells(labels, found.rates, found.known, odds)
    return WrongLabels(float(1.0 - likely[0]), found.resolution, log_odds, found.rates, *shares)


def _shapes(n_classes: int) -> tuple[list[Floats], Floats]:
    """Accounts, each (classes, free rates), and the logarithms of how likely they are before.

    That no label is wrong is as likely as all others together: labels that tell nothing are no
    evidence of wrong ones.
    """
    every = np.eye(n_classes)
    shapes = [np.zeros((n_classes, 0)), np.ones((n_classes, 1)), every]
    if n_classes > 2:
        return shapes, np.log([2.0, 1.0, 1.0])
    return [*shapes, every[:, :1], every[:, 1:]], np.log([3.0, 1.0, 1.0, 0.5, 0.5])


class _Account(NamedTuple):
    """The most likely log odds and rates of one account."""

    log_evidence: float  # the log likelihood, less what all that was free to choose costs
    bend: Floats  # (4,): α, β, γ and c of `bends`
    rates: Floats  # (classes,)


def _account(
    labels: LabelledScores, bends: Bends, shape: Floats, given: Floats | None = None
) -> _Account:
    """The rates are the (classes, free) shape times free ones, unless these are given.

    How log odds bend is averaged over, by a normal distribution around the most likely bend.
    """
    free = shape.shape[1]
    rates = [_RATES] * free if given is None else [(rate, rate) for rate in given.tolist()]
    several = labels.scores.shape[1] > 2
    bounds = [*_BOUNDS[:3], (0.0, 0.0) if several else _BOUNDS[3], *rates]
    found = [
        minimize(
            *(_loss, np.r_[start, np.zeros(3), np.full(free, rate)], (labels, bends, shape)),
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
        )
        for start, rate in (_STARTS if free else _STARTS[:1])
    ]
    best = min(found, key=lambda one: float(one.fun))
    curvature = np.empty((4, 4))
    for i in range(4):
        away = _STEP * np.eye(len(best.x))[i]
        ends = [_loss(best.x + side * away, labels, bends, shape)[1][:4] for side in (1.0, -1.0)]
        curvature[i] = (ends[0] - ends[1]) / (2.0 * _STEP)
    sharper = 0.5 * (curvature + curvature.T) * np.outer(SPREADS, SPREADS)
    narrowed = 0.5 * np.log(np.maximum(np.linalg.eigvalsh(sharper), 1e-2)).sum()
    cost = 0.5 * free * np.log(max(float(labels.weights.sum()), 1.0))
    return _Account(-float(best.fun) - narrowed - cost, best.x[:4], shape @ best.x[4:])


def _loss(
    parameters: Floats, labels: LabelledScores, bends: Bends, shape: Floats
) -> tuple[float, Floats]:
    """Minus the sum of the logs of eq. (48), with its derivatives."""
    bend, rates = parameters[:4], shape @ parameters[4:]
    c, w, present = labels.classes, labels.weights, labels.of_rows()
    bent, stretches = bends.bent(bend)
    odds = _odds(bent, present)
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
    by_stretch = stretches @ (w * (excess * bends.scores).sum(axis=1))
    by_bend = np.r_[by_stretch, w @ (excess @ level_of(len(rates)))]
    away = mean_of_others - odds  # what a rate adds to the odds of its label
    of_own = away[np.arange(len(c)), c] / numerator
    by_rates = np.bincount(c, w * of_own, len(rates)) - (w / denominator) @ away
    before = bend / SPREADS
    loss = 0.5 * before @ before - w @ (np.log(numerator) - np.log(denominator))
    return float(loss), np.r_[before / SPREADS - by_bend, -(shape.T @ by_rates)]


def _odds(log_odds: Floats, present: Mask) -> Floats:
    """(rows, classes): f_k up to a factor of the row; zero for classes that a task lacks."""
    logarithms = np.where(present, log_odds, -np.inf)
    return np.asarray(np.exp(logarithms - logarithms.max(axis=1, keepdims=True)))


def _is_wrong(labels: LabelledScores, rates: Floats, odds: Floats) -> Floats:
    """(rows,): the probability that a label is wrong, given the rate of its cell."""
    own = odds[np.arange(len(odds)), labels.classes]
    wrong = rates * (odds.sum(axis=1) - own) / (labels.of_rows().sum(axis=1) - 1.0)
    return np.asarray(wrong / (wrong + (1.0 - rates) * own + _TINY))


class _Rates(NamedTuple):
    """Rates of every cell, as in `WrongLabels`."""

    resolution: float
    rates: Floats
    known: Floats  # (tasks, classes): labels of which all is known that tell as much of the rate


def _rates_of_cells(labels: LabelledScores, of_classes: Floats, odds: Floats) -> _Rates:
    """The rates of classes as far as tasks are alike, and of single cells as far as they differ.

    Eqs. (49) to (51): the mean probability q of wrong labels is a step from the rate ρ of all tasks
    towards that of the cell. Labels in doubt tell less: n of them are worth
    n − Σ q (1 − q) / ρ (1 − ρ).
    """
    n, spread, in_doubt = _doubts(labels, of_classes, odds)
    wrong = labels.by_cell(_is_wrong(labels, of_classes[labels.classes], odds))
    known = np.maximum(n - labels.by_cell(in_doubt) / spread, _LEAST_KNOWN * n)
    used, safe = n > 0, np.where(n > 0, known, 1.0)
    asked = of_classes + (wrong - n * of_classes) / safe
    between = variance_beyond_chance(asked[used], (known / spread)[used], int(used.sum()))
    own = np.where(used, between / (between + spread / safe), 0.0)
    rates = np.clip(of_classes + own * (asked - of_classes), *_RATES)
    variance = own / safe + (1.0 - own) ** 2 / np.maximum(known.sum(axis=0), 1.0)
    return _Rates(float(known.sum() / max(n.sum(), 1.0)), rates, 1.0 / variance)


def _shares_of_cells(
    labels: LabelledScores, rates: Floats, known: Floats, odds: Floats
) -> tuple[Floats, Floats]:
    """The share of wrong labels in every cell, and its interval: eq. (51a) of docs/theory.md.

    An interval has room for half a label on both sides: shares are multiples of a label.
    """
    w, q = labels.weights, _is_wrong(labels, rates[labels.tasks, labels.classes], odds)
    n, spread, in_doubt = _doubts(labels, rates, odds)
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


def _doubts(labels: LabelledScores, rates: Floats, odds: Floats) -> tuple[Floats, Floats, Floats]:
    """(tasks, classes) labels and the variance of one of them, and (rows,) what of it remains.

    The few labels of a cell cannot show rates that are smaller than half a label.
    """
    n = labels.by_cell(np.ones(len(labels.tasks)))
    held = (n * rates + 0.5) / (n + 1.0)
    q = _is_wrong(labels, held[labels.tasks, labels.classes], odds)
    return n, held * (1.0 - held), q * (1.0 - q)
