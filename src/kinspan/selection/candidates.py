"""Steps 3 to 6 for every candidate: rules of all tasks, and scores of rows that have not seen them.

A candidate is one choice of labels and metric for all tasks. Candidates that differ in the metric
only are a family: together they are one rule per task.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Floats
from kinspan.risk import Residuals, calibration, leave_one_out_scores
from kinspan.scores import LinearRules
from kinspan.selection.decisions import RIDGES
from kinspan.selection.evidence import Evidence, evidence_of, pooled_weights
from kinspan.selection.own_rows import OwnRules, own_rules
from kinspan.selection.prepared import Prepared
from kinspan.selection.solutions import Problem, Solution, rule_parts, solve

_KEPT_NUMBERS = 1 << 23  # in the class means of a metric that is kept while others are judged


class Options(NamedTuple):
    """Parameters of the estimator, checked."""

    labels: str
    scale: str | None
    multi_class: str
    metric: float | str
    share_classes: bool
    priors: Floats  # (tasks, classes)
    log_priors: Floats  # (tasks, classes): of prior times cost


class Candidate(NamedTuple):
    """One choice of labels and metric for all tasks."""

    prepared: Prepared
    labels: str
    multi_class: str
    share: float  # of the covariance in the metric; of "own" the ridge
    factor: float  # that turns scores into log odds
    scores: Floats  # (rows, classes): log odds of left-out rows, without priors; may be NaN
    solved: tuple[Problem, Solution] | None  # None where it is too large to be kept
    own: LinearRules | None = None  # rules in the basis, of "own", if they are small enough

    def solution(self) -> tuple[Problem, Solution]:
        """The rules in the metric, found again if they were not kept."""
        if self.solved is not None:
            return self.solved
        problem = Problem(self.prepared.in_metric(self.share), self.multi_class)
        return problem, _solve(problem, self.labels)

    def rules(self) -> LinearRules:
        """Rules around the centres of tasks, in the basis, as log odds without priors."""
        if self.labels == "own":
            rules = self.own or _own(_Metric.of(self.prepared, 0.0), self.share).rules
        else:
            rules = self.solution()[1].rules
            rules = rules._replace(coef=rules.coef / np.sqrt(self.prepared.stretch(self.share)))
        return LinearRules(self.factor * rules.coef, self.factor * rules.offset)


class Family(NamedTuple):
    """Candidates that differ in the metric, combined in the same way for all tasks."""

    name: str
    candidates: list[Candidate]
    weights: Floats  # (candidates,)
    scores: Floats  # (rows, classes): of left-out rows, combined

    def light(self) -> Family:
        """Without the scores of single candidates, which nobody needs any more."""
        nothing = np.empty((0, 0))
        return self._replace(candidates=[c._replace(scores=nothing) for c in self.candidates])


def families(
    bases: Sequence[Prepared], as_one: Prepared | None, options: Options
) -> tuple[list[Family], Evidence]:
    """The families that a choice of labels names, and that of every task alone."""
    names = family_names(bases[0], options)
    found = list(_candidates(bases, as_one, names, options))
    rows, present = bases[0].sample, bases[0].scaled.present
    assert rows is not None
    usable = np.all([np.isfinite(c.scores[:, 0]) for c in found], axis=0)
    evidence = evidence_of(rows.task_codes, rows.class_codes, rows.weights, usable, present)
    groups: dict[str, list[Candidate]] = {}
    while found:  # raw scores are not kept next to calibrated ones
        calibrated = _calibrated(found.pop(0), evidence)
        groups.setdefault(_family_of(calibrated), []).append(calibrated)
    return [_family(name, group, evidence) for name, group in groups.items()], evidence


def family_names(prepared: Prepared, options: Options) -> list[str]:
    """What is combined, and "single", for comparison."""
    n_classes = prepared.scaled.counts.shape[1]
    if (prepared.scaled.present.sum(axis=1) > 1).sum() < 2:
        alone = options.labels in ("auto", "spectral", "single")
        return ["single"] if alone else [options.labels, "single"]
    if options.labels != "auto":
        return list(dict.fromkeys([options.labels, "single"]))
    if options.multi_class == "one-vs-all":
        return ["auto", "single"]
    names = ["naive", "spectral", "single"]
    if not (options.share_classes and not prepared.scaled.present.all()):
        names.append("own")  # with its own rows alone a task cannot borrow a class
    return [*names, "each"] if n_classes > 2 else names


def _family_of(candidate: Candidate) -> str:
    return "each" if candidate.multi_class == "each" else candidate.labels


def _family(name: str, group: list[Candidate], evidence: Evidence) -> Family:
    equal = np.full(len(group), 1.0 / len(group))
    scores = np.array([c.scores for c in group])
    if group[0].multi_class == "one-vs-all":  # scores in standard deviations stay what they are
        losses = [evidence.own @ np.nan_to_num(evidence.losses(s)) for s in scores]
        best = int(np.argmin(losses))
        weights = np.where(np.arange(len(group)) == best, 1.0 / group[best].factor, 0.0)
        combined = np.tensordot(weights, scores, axes=1)
    else:
        weights, combined = pooled_weights(scores, evidence, equal)
    return Family(name, group, weights, combined)


def _candidates(
    bases: Sequence[Prepared], as_one: Prepared | None, names: list[str], options: Options
) -> Iterator[Candidate]:
    """All candidates with raw scores: bases and shares first, so that contrasts are built once."""
    common = [(options.multi_class, name) for name in names if name not in ("own", "each")]
    for prepared in bases:
        for share in prepared.shares:
            metric = _Metric.of(prepared, share)
            problem = Problem(prepared.in_metric(share), options.multi_class)
            for multi_class, labels in common:
                yield _candidate(metric, problem, labels, multi_class, options)
            if "each" in names:
                each = Problem(problem.scaled, "each")
                yield _candidate(metric, each, "spectral", "each", options)
    if "own" in names:
        without = _Metric.of(bases[0], 0.0)
        for ridge in RIDGES:
            rules, scores = _own(without, ridge)
            kept = rules if rules.coef.size <= _KEPT_NUMBERS else None
            yield Candidate(bases[0], "own", "shared", ridge, 1.0, scores, None, kept)
    if as_one is not None and "naive" in names and options.multi_class == "shared":
        for share in as_one.shares:
            problem = Problem(as_one.in_metric(share), "shared")
            metric = _Metric.of(as_one, share)
            yield _candidate(metric, problem, "single", "shared", options)._replace(labels="naive")


class _Metric(NamedTuple):
    """A basis and a share of its covariance, with the sampled rows in that metric."""

    prepared: Prepared
    share: float
    rows: Residuals

    @classmethod
    def of(cls, prepared: Prepared, share: float) -> _Metric:
        rows = prepared.rows(share)
        assert rows is not None
        return cls(prepared, share, rows)


def _candidate(
    metric: _Metric, problem: Problem, labels: str, multi_class: str, options: Options
) -> Candidate:
    log_priors = options.log_priors if multi_class == "one-vs-all" else None
    solution = _solve(problem, labels, log_priors)
    left_out = leave_one_out_scores(rule_parts(solution, problem), metric.rows)
    keeps = problem.scaled.means.size <= _KEPT_NUMBERS or multi_class == "one-vs-all"
    solved = (problem, solution) if keeps else None
    return Candidate(metric.prepared, labels, multi_class, metric.share, 1.0, left_out, solved)


def _solve(problem: Problem, labels: str, log_priors: Floats | None = None) -> Solution:
    if log_priors is None:
        log_priors = np.zeros(problem.scaled.counts.shape)
    return solve(problem, labels, log_priors, shrunk=False)


def _own(metric: _Metric, ridge: float) -> OwnRules:
    problem = Problem(metric.prepared.in_metric(metric.share), "shared")
    means = problem.class_means
    return own_rules(problem.scaled, means.values, means.coefficients, metric.rows, ridge)


def _calibrated(candidate: Candidate, evidence: Evidence) -> Candidate:
    """With scores as log odds; scores of Algorithm 1 stay what they are."""
    used = evidence.own > 0
    scores = np.where(used[:, None], candidate.scores, np.nan)
    factor = calibration(scores, evidence.classes, evidence.own, evidence.present)
    return candidate._replace(factor=factor, scores=factor * candidate.scores)
