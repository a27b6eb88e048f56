"""Rules of labelled rows, and rows without labels → rules that have learnt from both, if it helps.

1. Rules are taught by rows without labels (`taught`), twice.
2. Whether that helps is not known beforehand: rows of another task, or groups that are not the
   classes, make rules worse. What speaks for it before any evidence is that rows which have not
   taught fall into the groups that the others have taught (`support`), and that labelled rows are
   no strangers among them (`strangers`).
3. The evidence is labelled rows: a third of them is left out of everything, both ways, and its log
   loss compared (`left_out_thirds`). All tasks together decide, and then every task for itself.
   Where no label can be left out, class means of the labels and of the groups are compared.
4. The weight of a task is the probability that it gains. Its rule is the weighted mean of both;
   without any weight it is exactly the rule of the labelled rows.
   Before evidence, many labels are less likely to gain than few.
5. Left-out thirds are wrong more often than the rules of all labels, with rows without labels or
   not. So they only say which share of the errors these take off, in all tasks together; the errors
   are those of the labelled rules, left out in closed form. Where no label can be left out, rows
   without labels say which of their answers change, and both rules how likely each is right.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import expit, logit

from kinspan._rows.types import Codes, Floats
from kinspan.row_sample import RowSample
from kinspan.selection.candidates import Options
from kinspan.selection.decisions import GROUPS, PRIOR_ROWS, SURE
from kinspan.selection.evidence import Evidence
from kinspan.selection.left_out_thirds import LeftOut, Thirds, thirds
from kinspan.selection.outcome import FittedRules, UnlabelledUse
from kinspan.selection.strangers import belonging, named
from kinspan.selection.taught import (
    Free,
    Labelled,
    Lines,
    free_rows,
    learnt_from,
    probabilities,
    ratio,
)

_RARELY = 0.01  # the least probability that rows help, to be used at all
_BEFORE = 1e-4  # and before evidence: with .01, rows of one class cost MNIST 6 points in one draw


def with_unlabelled(rules: FittedRules, known: Labelled, rows: RowSample) -> FittedRules:
    """Rules of all tasks, as far as rows without labels make them better."""
    free = free_rows(known.moments, rows)
    if known.options.multi_class == "one-vs-all" or not len(free.tasks):
        return rules
    found = thirds(rules, known, free)
    use, left_out = _expected(found, known, free), found.labelled
    if left_out is not None:
        use = _after_evidence(use, left_out)
    if not (use.weight >= _RARELY).any():
        return replace(rules, unlabelled=use._replace(weight=0.0 * use.weight))
    taught = learnt_from(learnt_from(rules, known, free), known, free)
    use = _after_names(use, named(known, free, probabilities(taught, known, free)))
    size = (1.0 if left_out is None else left_out.size) / ratio(rules, taught, known, free)
    mixed = _mixed(rules, taught, use, size, known.options)
    if left_out is not None:
        mixed = _forecast(mixed, left_out, known)
    return _by_changes(mixed, rules, taught, known, free)


def _expected(found: Thirds, known: Labelled, free: Free) -> UnlabelledUse:
    """Before any evidence: the support of the rows, and whether they are of the task."""
    gain, n_tasks = found.support.per_number(PRIOR_ROWS.constant), len(known.moments.tasks)
    alike = np.where(found.support.rows > 0, belonging(known, free), 0.0)
    weight = alike * gain**2 / (gain**2 + GROUPS.constant**2)
    return UnlabelledUse(
        weight, found.support.rows, gain, np.zeros(n_tasks), np.zeros(n_tasks), alike
    )


def _after_evidence(before: UnlabelledUse, left_out: LeftOut) -> UnlabelledUse:
    """With what left-out labelled rows say."""
    evidence, n_tasks = left_out.evidence, len(before.weight)
    losses = [_bounded(evidence, scores) for scores in left_out.scores]
    better = np.where(evidence.own > 0, losses[0] - losses[1], 0.0)
    of_tasks, rows = (
        np.bincount(evidence.tasks, values, n_tasks).astype(np.float64)
        for values in (evidence.own * better, evidence.own)
    )
    expected = before._replace(weight=before.weight * _expecting(float(evidence.fleet.sum())))
    weight = _posterior(expected, of_tasks, float(evidence.fleet @ better))
    return before._replace(weight=weight, left_out=rows, better=of_tasks / np.maximum(rows, 1e-300))


def _expecting(rows: float) -> float:
    """What is left of the probability of a gain before n rows have shown it.

    A gain g per row has the density N e^(−Ng), and n rows without any make it e^(−gn) as likely.
    """
    return PRIOR_ROWS.constant / (PRIOR_ROWS.constant + rows)


def _bounded(evidence: Evidence, scores: Floats) -> Floats:
    """(rows,): log losses if a few labels are arbitrary: no single row decides."""
    doubt = 1.0 - SURE.constant
    arbitrary = 1.0 / np.maximum(evidence.present.sum(axis=1), 1)
    return np.asarray(-np.log((1.0 - doubt) * np.exp(-evidence.losses(scores)) + doubt * arbitrary))


def _posterior(before: UnlabelledUse, better: Floats, of_all: float) -> Floats:
    """(tasks,): the probability that a task gains, if most gain or lose together."""
    has_rows = before.rows > 0
    prior = max(float(before.weight[has_rows].mean()), _BEFORE)
    together = SURE.constant * expit(logit(prior) + of_all)
    weight = np.where(has_rows, expit(logit(together) + better), 0.0)
    return np.where(weight < _RARELY, 0.0, weight)


def _after_names(use: UnlabelledUse, names: Floats) -> UnlabelledUse:
    """With the probability that groups bear the right names, where no label could be left out.

    Before labels speak, names are as likely right as not.
    """
    odds = np.log(SURE.constant * np.exp(np.minimum(names, 50.0)) + 1.0 - SURE.constant)
    weight = np.where(use.left_out > 0, use.weight, use.weight * expit(odds))
    return use._replace(weight=np.where(weight < _RARELY, 0.0, weight))


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


def _by_changes(
    mixed: FittedRules, rules: FittedRules, taught: Lines, known: Labelled, free: Free
) -> FittedRules:
    """Where no label could be left out: with the errors of rows whose answer has changed.

    Their classes are as likely as both rules say, each of them with its weight.
    """
    expected, found = mixed.expected, mixed.unlabelled
    assert found is not None
    used = (found.weight > 0) & (found.left_out == 0)
    if mixed.threshold is not None or not used.any():
        return mixed
    w = found.weight[free.tasks][:, None]
    labelled, after = (probabilities(of, known, free) for of in (rules, mixed))
    likely = (1.0 - w) * labelled + w * probabilities(taught, known, free)
    answers = labelled.argmax(axis=1), after.argmax(axis=1)
    error = _with_changes(expected.error, free.tasks, likely, *answers)
    error = np.where(used, np.minimum(error, expected.interval[:, 1]), expected.error)
    interval = expected.interval.copy()
    interval[:, 0] = np.minimum(interval[:, 0], error)
    return replace(mixed, forecasts=expected._replace(error=error, interval=interval))


def _with_changes(
    error: Floats, tasks: Codes, likely: Floats, before: Codes, after: Codes
) -> Floats:
    """(tasks,): errors that some answers of (rows,) have taken off, and that others have added."""
    rows, row = np.maximum(np.bincount(tasks, minlength=len(error)), 1), np.arange(len(tasks))
    gone, added = (
        np.bincount(tasks, (before != after) * (1.0 - likely[row, of]), len(error)) / rows
        for of in (before, after)
    )
    return np.asarray(np.maximum(error - gone, 0.0) + added)
