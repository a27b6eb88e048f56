"""Rules of labelled rows, and rows without labels → rules that have learnt from both.

1. The rule of its task gives every row without label a probability for each class. With these as
   weights it counts in the class means, and the fit is repeated with them; twice. Only moments
   change: covariance and combination are still those of labelled rows.
2. Whether that helps is not known beforehand: rows of another task, or groups that are not the
   classes, make rules worse. What speaks for it before any evidence is `support`, and a rule that
   knows its classes. The evidence is labelled rows: a third of them is left out of everything, both
   ways, and its log loss compared. All tasks together decide, and then every task for itself.
3. The weight of a task is the probability that it gains. Its rule is the weighted mean of both;
   without any weight it is exactly the rule of the labelled rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit, softmax

from kinspan._rows import identifiers
from kinspan._rows.sums import cell_moments
from kinspan._rows.types import Codes, Floats, Mask
from kinspan.class_moments import ClassMoments
from kinspan.risk import calibration
from kinspan.row_sample import RowSample
from kinspan.scores import paired_scores
from kinspan.selection.candidates import Options
from kinspan.selection.decisions import GROUPS, PRIOR_ROWS, SURE
from kinspan.selection.evidence import Evidence, evidence_of
from kinspan.selection.fit import fit
from kinspan.selection.outcome import FittedRules, UnlabelledUse
from kinspan.selection.support import support

_RARELY = 0.01  # the least probability that rows help: before evidence, and to be used at all
_FOLDS = 3  # parts in which labelled rows are left out; two would halve the labels, each costs fits


class Free(NamedTuple):
    """Rows without labels, of tasks with labels of two classes; equal rows count once."""

    tasks: Codes  # (rows,)
    rows: Floats  # (rows, features)


class Labelled(NamedTuple):
    """What the labelled rules are fitted to."""

    moments: ClassMoments
    sample: RowSample | None
    options: Options
    unlabelled: ClassMoments | None  # of all rows without labels: these place new tasks

    def rules(self, moments: ClassMoments) -> FittedRules:
        """The fit with other moments."""
        return fit(moments, self.sample, self.options, self.unlabelled)

    def scores(self, rules: FittedRules, rows: Floats, tasks: Codes) -> Floats:
        """(rows, classes): scores without priors, around their mean over the classes of a task."""
        scores = paired_scores(rows, tasks, rules.coef, rules.intercept)
        if scores.shape[1] == 1:
            scores = np.concatenate([-0.5 * scores, 0.5 * scores], axis=1)
        there = self.moments.present[tasks]
        scores = np.where(there, scores - self.options.log_priors[tasks], 0.0)
        mean = scores.sum(axis=1) / np.maximum(there.sum(axis=1), 1)
        return np.where(there, scores - mean[:, None], 0.0)


def with_unlabelled(rules: FittedRules, known: Labelled, rows: RowSample) -> FittedRules:
    """Rules of all tasks, as far as rows without labels make them better."""
    free = free_rows(known.moments, rows)
    if known.options.multi_class == "one-vs-all" or not len(free.tasks):
        return rules
    before = _expected(rules, known, free)
    if not before.weight.any():
        return replace(rules, unlabelled=before)
    found, size = _after_evidence(before, known, free)
    if not found.weight.any():
        return replace(rules, unlabelled=found)
    taught = learnt_from(learnt_from(rules, known, free), known, free)
    size /= _ratio(rules, taught, known, free)
    return _mixed(rules, taught, found, size, known.options)


def free_rows(moments: ClassMoments, rows: RowSample) -> Free:
    """Rows without labels of tasks that have labels of two classes."""
    places = identifiers.lookup(moments.tasks, rows.tasks)[rows.task_codes]
    several = (places >= 0) & (moments.present.sum(axis=1) > 1)[places]
    return Free(places[several], rows.rows[several].astype(np.float64))


def learnt_from(rules: FittedRules, known: Labelled, free: Free) -> FittedRules:
    """The fit with class means in which every row counts with its probabilities."""
    shares = known.scores(rules, free.rows, free.tasks) + np.log(known.options.priors)[free.tasks]
    shares = softmax(np.where(known.moments.present[free.tasks], shares, -np.inf), axis=1)
    return known.rules(known.moments + _soft(known.moments, free, shares))


def _soft(moments: ClassMoments, free: Free, shares: Floats) -> ClassMoments:
    """Moments of rows that belong to every class of their task with a share."""
    n_tasks = len(moments.tasks)
    found = [cell_moments(free.rows, free.tasks, n_tasks, of_class) for of_class in shares.T]
    parts = (np.stack(part, axis=1) for part in zip(*found, strict=True))
    return ClassMoments(moments.tasks, moments.classes, *parts)


def _expected(rules: FittedRules, known: Labelled, free: Free) -> UnlabelledUse:
    """Before any evidence: the support of the rows, and what the rule knows of its classes."""
    present, priors = known.moments.present, known.options.priors
    n_tasks, n_classes = present.shape
    means, tasks = known.moments.means.reshape(-1, known.moments.n_features), np.arange(n_tasks)
    of_means = known.scores(rules, means, np.repeat(tasks, n_classes)).reshape(*present.shape, -1)
    scores = known.scores(rules, free.rows, free.tasks)
    found = support(scores, free.tasks, of_means, present)
    gain = found.shrunk(PRIOR_ROWS.constant)
    can_be = np.where(present, priors, 0.0)
    chance = 1.0 - can_be.max(axis=1) / np.maximum(can_be.sum(axis=1), 1e-300)
    error = np.where(np.isnan(rules.forecast_error), 1.0, rules.forecast_error)
    known_share = np.clip(1.0 - error / np.maximum(chance, 1e-300), 0.0, 0.999) ** 2
    odds = (gain / GROUPS.constant) ** 2 * known_share / (1.0 - known_share)
    weight = odds / (1.0 + odds)
    weight = np.where(weight < 1e-9, 0.0, weight)
    return UnlabelledUse(weight, found.rows, gain, np.zeros(n_tasks), np.zeros(n_tasks))


def _after_evidence(
    before: UnlabelledUse, known: Labelled, free: Free
) -> tuple[UnlabelledUse, float]:
    """With what left-out labelled rows say; and how large the scores of the new rules should be."""
    sample = known.sample
    if sample is None:
        return _without_evidence(before), 1.0
    sample = sample.aligned(
        known.moments.tasks, known.moments.classes, known.moments.n_features
    ).effective()
    known = known._replace(sample=sample)
    folds, tasks, classes = _folds(sample), sample.task_codes, sample.class_codes
    present = known.moments.present
    evidence = evidence_of(tasks, classes, sample.weights, folds >= 0, present)
    if not evidence.own.any():
        return _without_evidence(before), 1.0
    scores = _left_out(known, free, folds)
    factors = calibration(scores, classes, evidence.own, evidence.present)
    losses = [_bounded(evidence, factor * of) for factor, of in zip(factors, scores, strict=True)]
    better = np.where(evidence.own > 0, losses[0] - losses[1], 0.0)
    of_tasks, rows = (
        np.bincount(tasks, values, len(present)).astype(np.float64)
        for values in (evidence.own * better, evidence.own)
    )
    weight = _posterior(before, of_tasks, float(evidence.fleet @ better))
    per_row = of_tasks / np.maximum(rows, 1e-300)
    found = before._replace(weight=weight, left_out=rows, better=per_row)
    return found, float(factors[1] / factors[0])


def _without_evidence(before: UnlabelledUse) -> UnlabelledUse:
    """What is expected has to do; where that is next to nothing, rows are not used."""
    return before._replace(weight=np.where(before.weight < _RARELY, 0.0, before.weight))


def _bounded(evidence: Evidence, scores: Floats) -> Floats:
    """(rows,): log losses if a few labels are arbitrary: no single row decides."""
    doubt = 1.0 - SURE.constant
    arbitrary = 1.0 / np.maximum(evidence.present.sum(axis=1), 1)
    return np.asarray(-np.log((1.0 - doubt) * np.exp(-evidence.losses(scores)) + doubt * arbitrary))


def _posterior(before: UnlabelledUse, better: Floats, of_all: float) -> Floats:
    """(tasks,): the probability that a task gains, if most gain or lose together."""
    has_rows = before.rows > 0
    prior = max(float(before.weight[has_rows].mean()), _RARELY)
    together = SURE.constant * expit(logit(prior) + of_all)
    weight = np.where(has_rows, expit(logit(together) + better), 0.0)
    return np.where(weight < _RARELY, 0.0, weight)


def _folds(sample: RowSample) -> Codes:
    """(rows,): when a row is left out; never, if it is the only one of its cell."""
    number = np.bincount(sample.cells, minlength=sample.n_cells)[sample.cells]
    starts = np.flatnonzero(np.diff(sample.cells, prepend=-1))  # rows are sorted by cell
    first = np.zeros(len(sample.cells), dtype=np.intp)
    first[starts] = starts
    place = np.arange(len(sample.cells)) - np.maximum.accumulate(first)
    return np.where(number > 1, place % _FOLDS, -1)


def _left_out(known: Labelled, free: Free, folds: Codes) -> Floats:
    """(2, rows, 1 or classes): scores of left-out rows by labelled rules and by taught ones."""
    sample = known.sample
    assert sample is not None
    scores = np.zeros((2, len(folds), len(sample.classes)))
    for fold in np.unique(folds[folds >= 0]):
        out = folds == fold
        moments = _without(known.moments, sample, out)
        rest = known._replace(moments=moments, sample=sample._kept(~out))
        labelled = rest.rules(rest.moments)
        taught = learnt_from(labelled, rest, free)
        rows, tasks = sample.rows[out].astype(np.float64), sample.task_codes[out]
        scores[0, out] = known.scores(labelled, rows, tasks)
        scores[1, out] = known.scores(taught, rows, tasks) / _ratio(labelled, taught, known, free)
    return scores[..., 1:] - scores[..., :1] if scores.shape[2] == 2 else scores


def _without(moments: ClassMoments, sample: RowSample, out: Mask) -> ClassMoments:
    """Moments without some sampled rows; of cells whose rows are all sampled, from the others."""
    shape, n_cells = moments.means.shape, moments.counts.size
    (all_n, *_), (n, m, s), (kept_n, kept_m, kept_s) = (
        cell_moments(sample.rows[some], sample.cells[some], n_cells, sample.weights[some])
        for some in (slice(None), out, ~out)
    )
    before = moments.counts.reshape(-1)
    is_whole = all_n > before * (1.0 - 1e-9)
    left = np.where(is_whole, kept_n, before - n)
    safe = np.where(left > 0, left, 1.0)
    away = m - moments.means.reshape(n_cells, -1)
    means = moments.means.reshape(n_cells, -1) - (n / safe)[:, None] * away
    squares = moments.squares.reshape(n_cells, -1) - s - (n * before / safe)[:, None] * away**2
    means = np.where(is_whole[:, None], kept_m, means)
    squares = np.where(is_whole[:, None], kept_s, np.maximum(squares, 0.0))
    return replace(
        moments,
        counts=left.reshape(shape[:2]),
        means=means.reshape(shape),
        squares=squares.reshape(shape),
    )


def _ratio(rules: FittedRules, taught: FittedRules, known: Labelled, free: Free) -> float:
    """How much larger the scores of rows without labels are by the taught rules."""
    sizes = [(known.scores(of, free.rows, free.tasks) ** 2).sum() for of in (rules, taught)]
    return float(np.sqrt(sizes[1] / sizes[0])) if min(sizes) > 0 else 1.0


def _mixed(
    rules: FittedRules, taught: FittedRules, found: UnlabelledUse, size: float, options: Options
) -> FittedRules:
    """The weighted mean of both rules of every task; new tasks keep theirs."""
    log_priors = options.log_priors
    if rules.coef.shape[1] == 1:
        log_priors = log_priors[:, 1:] - log_priors[:, :1]
    absent = rules.absent[:-1] if rules.coef.shape[1] > 1 else np.zeros((len(log_priors), 1), bool)
    w = np.where(absent, 0.0, found.weight[:, None])
    coef, intercept = rules.coef.copy(), rules.intercept.copy()
    coef[:-1] += w[..., None] * (size * taught.coef[:-1] - rules.coef[:-1])
    other = size * (taught.intercept[:-1] - log_priors) + log_priors
    intercept[:-1] += w * (other - rules.intercept[:-1])
    return replace(rules, coef=coef, intercept=intercept, unlabelled=found)
