"""Rules of labelled rows, and rows without labels → rules that have learnt from both, if it helps.

1. Rules are taught by rows without labels (`taught`), twice.
2. Whether that helps is not known beforehand: rows of another task, or groups that are not the
   classes, make rules worse. What speaks for it before any evidence is `support`, and a rule that
   knows its classes. The evidence is labelled rows: a third of them is left out of everything, both
   ways, and its log loss compared. All tasks together decide, and then every task for itself.
3. The weight of a task is the probability that it gains. Its rule is the weighted mean of both;
   without any weight it is exactly the rule of the labelled rows.
4. Left-out thirds are wrong more often than the rules of all labels, with rows without labels or
   not. So they only say which share of the errors these take off, in all tasks together; the errors
   are those of the labelled rules, left out in closed form.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from kinspan._rows.sums import cell_moments
from kinspan._rows.types import Codes, Floats, Mask
from kinspan.class_moments import ClassMoments
from kinspan.risk import LeftOutErrors, calibration, left_out_errors
from kinspan.row_sample import RowSample
from kinspan.selection.candidates import Options, of_classes
from kinspan.selection.decisions import GROUPS, PRIOR_ROWS, SURE
from kinspan.selection.evidence import Evidence, evidence_of
from kinspan.selection.outcome import FittedRules, UnlabelledUse
from kinspan.selection.support import support
from kinspan.selection.taught import Free, Labelled, Lines, free_rows, learnt_from, ratio

_RARELY = 0.01  # the least probability that rows help: before evidence, and to be used at all
_FOLDS = 3  # parts in which labelled rows are left out; two would halve the labels, each costs fits


class LeftOut(NamedTuple):
    """Labelled rows, each left out with a third of them, by both ways."""

    scores: Floats  # (2, rows, 1 or classes): by labelled rules and by taught ones, as log odds
    evidence: Evidence
    weights: Floats  # (rows,): how many rows each stands for
    size: float  # how much larger the scores of the taught rules should be than they are

    def errors(self, weight: Floats, known: Labelled) -> LeftOutErrors:
        """What they say of rules that are weighted means, (tasks,) the weight of the taught."""
        tasks, judged = self.evidence.tasks, self.evidence.own > 0
        w = weight[tasks][:, None]
        scores = of_classes((1.0 - w) * self.scores[0] + w * self.scores[1])
        scores = (scores + known.options.log_priors[tasks])[judged]
        priors = np.where(known.moments.present, known.options.priors, 0.0)
        classes = self.evidence.classes[judged]
        return left_out_errors(scores, tasks[judged], classes, self.weights[judged], priors)


def with_unlabelled(rules: FittedRules, known: Labelled, rows: RowSample) -> FittedRules:
    """Rules of all tasks, as far as rows without labels make them better."""
    free = free_rows(known.moments, rows)
    if known.options.multi_class == "one-vs-all" or not len(free.tasks):
        return rules
    before = _expected(rules, known, free)
    if not before.weight.any():
        return replace(rules, unlabelled=before)
    left_out = _left_out(known, free)
    found = _without_evidence(before) if left_out is None else _after_evidence(before, left_out)
    if not found.weight.any():
        return replace(rules, unlabelled=found)
    taught = learnt_from(learnt_from(rules, known, free), known, free)
    size = (1.0 if left_out is None else left_out.size) / ratio(rules, taught, known, free)
    mixed = _mixed(rules, taught, found, size, known.options)
    return mixed if left_out is None else _forecast(mixed, left_out, known)


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


def _without_evidence(before: UnlabelledUse) -> UnlabelledUse:
    """What is expected has to do; where that is next to nothing, rows are not used."""
    return before._replace(weight=np.where(before.weight < _RARELY, 0.0, before.weight))


def _after_evidence(before: UnlabelledUse, left_out: LeftOut) -> UnlabelledUse:
    """With what left-out labelled rows say."""
    evidence, n_tasks = left_out.evidence, len(before.weight)
    losses = [_bounded(evidence, scores) for scores in left_out.scores]
    better = np.where(evidence.own > 0, losses[0] - losses[1], 0.0)
    of_tasks, rows = (
        np.bincount(evidence.tasks, values, n_tasks).astype(np.float64)
        for values in (evidence.own * better, evidence.own)
    )
    weight = _posterior(before, of_tasks, float(evidence.fleet @ better))
    return before._replace(weight=weight, left_out=rows, better=of_tasks / np.maximum(rows, 1e-300))


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


def _left_out(known: Labelled, free: Free) -> LeftOut | None:
    """Labelled rows that rules have not seen, a third at a time; None where none can be left."""
    if known.sample is None:
        return None
    moments = known.moments
    sample = known.sample.aligned(moments.tasks, moments.classes, moments.n_features).effective()
    folds, classes = _folds(sample), sample.class_codes
    evidence = evidence_of(sample.task_codes, classes, sample.weights, folds >= 0, moments.present)
    if not evidence.own.any():
        return None
    scores = _scores(known._replace(sample=sample), free, folds)
    factors = calibration(scores, classes, evidence.own, evidence.present)
    scores = factors[:, None, None] * scores
    return LeftOut(scores, evidence, sample.weights, float(factors[1] / factors[0]))


def _folds(sample: RowSample) -> Codes:
    """(rows,): when a row is left out; never, if it is the only one of its cell."""
    number = np.bincount(sample.cells, minlength=sample.n_cells)[sample.cells]
    starts = np.flatnonzero(np.diff(sample.cells, prepend=-1))  # rows are sorted by cell
    first = np.zeros(len(sample.cells), dtype=np.intp)
    first[starts] = starts
    place = np.arange(len(sample.cells)) - np.maximum.accumulate(first)
    return np.where(number > 1, place % _FOLDS, -1)


def _scores(known: Labelled, free: Free, folds: Codes) -> Floats:
    """(2, rows, 1 or classes): of left-out rows by labelled rules and by taught ones."""
    sample = known.sample
    assert sample is not None
    scores = np.zeros((2, len(folds), len(sample.classes)))
    for fold in np.unique(folds[folds >= 0]):
        out = folds == fold
        moments = _without(known.moments, sample, out)
        rest = known._replace(moments=moments, sample=sample._kept(~out))
        labelled = rest.lines(rest.moments)
        taught = learnt_from(labelled, rest, free)
        rows, tasks = sample.rows[out].astype(np.float64), sample.task_codes[out]
        scores[0, out] = known.scores(labelled, rows, tasks)
        scores[1, out] = known.scores(taught, rows, tasks) / ratio(labelled, taught, known, free)
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


def _mixed(
    rules: FittedRules, taught: Lines, found: UnlabelledUse, size: float, options: Options
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


def _forecast(rules: FittedRules, left_out: LeftOut, known: Labelled) -> FittedRules:
    """With the share of errors that thirds lose by rows without labels taken off, on average.

    With a threshold, the forecast is that of the labelled rows.
    """
    before, found = rules.expected.left_out, rules.unlabelled
    assert found is not None
    labelled, taught = (left_out.errors(w, known) for w in (0.0 * found.weight, found.weight))
    used = (found.weight > 0) & (taught.rows > 0) & (before.rows > 0)
    if rules.threshold is not None or not used.any():
        return rules
    left = (1.0 + taught.wrong()[used].sum()) / (1.0 + labelled.wrong()[used].sum())
    after = before.times(np.where(used, left, 1.0))
    error, interval = after.forecast()
    error = np.where(used, error, rules.expected.error)
    interval = np.where(used[:, None], interval, rules.expected.interval)
    expected = rules.expected._replace(left_out=after, error=error, interval=interval)
    return replace(rules, forecasts=expected)
