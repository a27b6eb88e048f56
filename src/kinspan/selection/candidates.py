"""Steps 3 to 6 for every candidate: rules of all tasks, and scores of rows that have not seen them.

A candidate is one choice of labels and metric for all tasks. Candidates that differ in the metric
only are a family: together they are one rule per task.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from kinspan._rows.types import Floats
from kinspan.labels import TaskWeights
from kinspan.risk import Goal, calibration, leave_one_out_scores
from kinspan.scores import LinearRules
from kinspan.selection.columns import rule_parts
from kinspan.selection.decisions import RIDGES
from kinspan.selection.evidence import Evidence, evidence_of
from kinspan.selection.own_rows import OwnRules, own_rules
from kinspan.selection.prepared import Prepared
from kinspan.selection.solutions import Problem, Solution, problems_of, solution_of, solve_each
from kinspan.selection.weights_of_all import PooledRule, pooled_weights

_KEPT_NUMBERS = 1 << 22  # in the class means of a metric that is kept while others are judged


class Options(NamedTuple):
    """Parameters of the estimator, checked."""

    labels: str
    scale: str | None
    multi_class: str
    metric: float | str
    share_classes: bool
    priors: Floats  # (tasks, classes)
    log_priors: Floats  # (tasks, classes): of prior times cost
    goal: Goal | None = None  # of thresholds; None is zero log odds
    shares: Floats | None = None  # (tasks,): of the second class among new rows, where given
    is_mirrored: bool = False  # the goal is about the first of two classes


class Candidate(NamedTuple):
    """One choice of labels and metric for all tasks."""

    prepared: Prepared
    labels: str
    multi_class: str
    share: float  # of the covariance in the metric; of "own" the ridge
    factor: float  # that turns scores into log odds
    scores: Floats  # (rows, 1 or classes): log odds of left-out rows, without priors; may be NaN
    solved: tuple[Problem, Solution] | None  # None where it is too large to be kept
    weights: list[TaskWeights] | None = None  # of tasks, from which rules are found again
    own: LinearRules | None = None  # rules in the basis, of "own"

    def solution(self) -> tuple[Problem, Solution]:
        """The rules in the metric, found again if they were not kept."""
        if self.solved is not None:
            return self.solved
        problem = Problem(self.prepared.in_metric(self.share), self.multi_class)
        if self.weights is None:
            return problem, _solve_each([problem], self.labels)[0]
        log_priors = np.zeros(problem.scaled.counts.shape)
        return problem, solution_of(problem, self.weights, log_priors, shrunk=False)

    def rules(self) -> LinearRules:
        """Rules around the centres of tasks, in the basis, as log odds without priors."""
        if self.own is not None:
            return LinearRules(*(self.factor * part for part in self.own))
        coef, offset = self.solution()[1].rules
        coef = self.prepared.root(self.share).turned_back(coef)
        coef *= self.factor  # of very many tasks, one copy less
        return LinearRules(coef, self.factor * offset)


class Family(NamedTuple):
    """Candidates that differ in the metric, combined in the same way for all tasks."""

    name: str
    candidates: list[Candidate]
    rule: PooledRule  # weights of candidates, and scores of left-out rows by them

    def light(self) -> Family:
        """Without the scores of single candidates, which nobody needs any more."""
        nothing = np.empty((0, 0))
        return self._replace(candidates=[c._replace(scores=nothing) for c in self.candidates])


def families(bases: Iterable[Prepared], options: Options) -> tuple[list[Family], Evidence]:
    """The families that a choice of labels names, and that of every task alone.

    Bases come one by one, those of tasks first, and rows of those before are given up.
    """
    found = list(_candidates(bases, options))
    first = found[0].prepared
    rows, present, judged = first.left_out, first.scaled.present, first.judged
    assert judged is not None
    usable = np.all([np.isfinite(c.scores[:, 0]) for c in found], axis=0)
    codes = rows.task_codes, rows.class_codes
    evidence = evidence_of(*codes, rows.weights, usable, present, judged.skipped)
    groups: dict[str, list[Candidate]] = {}
    for calibrated in _calibrated(found, evidence):
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
    # With so many classes that not all are judged, a decomposition for each of them is too much.
    is_judged = prepared.judged is None or not prepared.judged.skipped.any()
    return [*names, "each"] if n_classes > 2 and is_judged else names


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
        return Family(name, group, PooledRule(weights, combined))
    return Family(name, group, pooled_weights(scores, evidence, equal))


def _candidates(bases: Iterable[Prepared], options: Options) -> Iterator[Candidate]:
    """All candidates with raw scores, those of a basis at once."""
    names: list[str] = []
    for prepared in bases:
        light, is_first = prepared.light(), not names
        names = names or family_names(prepared, options)
        if prepared.is_as_one:
            if "naive" in names and options.multi_class == "shared":
                for candidate in _in_basis(prepared, light, [("shared", "single")], options):
                    yield candidate._replace(labels="naive")
            continue
        kinds = [(options.multi_class, name) for name in names if name not in ("own", "each")]
        kinds += [("each", "spectral")] if "each" in names else []
        yield from _in_basis(prepared, light, kinds, options)
        if is_first and "own" in names:
            for ridge, (rules, scores) in zip(RIDGES, _own(prepared, RIDGES), strict=True):
                yield Candidate(light, "own", "shared", ridge, 1.0, scores, None, own=rules)
        del prepared  # before the rows of the next one are there


def _in_basis(
    prepared: Prepared, light: Prepared, kinds: Sequence[tuple[str, str]], options: Options
) -> Iterator[Candidate]:
    """Every kind, a treatment of classes and labels, in all metrics of a basis.

    Candidates keep the basis without its rows.
    """
    is_large = prepared.scaled.means.size > _KEPT_NUMBERS
    at_once = 1 if is_large else len(prepared.shares)
    for start in range(0, len(prepared.shares), at_once):
        shares = prepared.shares[start : start + at_once]
        yield from _in_metrics(prepared, light, shares, kinds, options, keeps=not is_large)


def _in_metrics(
    prepared: Prepared,
    light: Prepared,
    shares: Sequence[float],
    kinds: Sequence[tuple[str, str]],
    options: Options,
    *,
    keeps: bool,
) -> list[Candidate]:
    """The same in some of the metrics, whose solutions are kept or found again."""
    solved = _solved(prepared, shares, kinds, options)
    roots = [prepared.root(share) for share in shares]
    scores = leave_one_out_scores(rule_parts(solved, roots), prepared.rows(shares))
    keeps, n = keeps or options.multi_class == "one-vs-all", scores.shape[2] // len(kinds)
    return [
        Candidate(
            *(light, labels, multi_class, share, 1.0, scores[:, i, n * j : n * (j + 1)]),
            *(found if keeps else None, found[1].weights),
        )
        for i, share in enumerate(shares)
        for j, ((multi_class, labels), found) in enumerate(zip(kinds, solved[i], strict=True))
    ]


def _solved(
    prepared: Prepared, shares: Sequence[float], kinds: Sequence[tuple[str, str]], options: Options
) -> list[list[tuple[Problem, Solution]]]:
    """For every metric all kinds, with contrasts that are built once."""
    in_metrics, problems = [prepared.in_metric(share) for share in shares], {}
    found = []
    for multi_class, labels in kinds:
        if multi_class not in problems:
            problems[multi_class] = problems_of(in_metrics, multi_class)
        some = problems[multi_class]
        log_priors = options.log_priors if multi_class == "one-vs-all" else None
        found.append(list(zip(some, _solve_each(some, labels, log_priors), strict=True)))
    return [list(in_metric) for in_metric in zip(*found, strict=True)]


def _solve_each(
    problems: Sequence[Problem], labels: str, log_priors: Floats | None = None
) -> list[Solution]:
    if log_priors is None:
        log_priors = np.zeros(problems[0].scaled.counts.shape)
    return solve_each(problems, labels, log_priors, shrunk=False)


def _own(prepared: Prepared, ridges: Sequence[float]) -> list[OwnRules]:
    problem = Problem(prepared.in_metric(0.0), "shared")
    means = problem.class_means
    rows = prepared.rows((0.0,))
    return own_rules(problem.scaled, means.values, means.coefficients, rows, ridges)


def _calibrated(found: list[Candidate], evidence: Evidence) -> Iterator[Candidate]:
    """With scores as log odds; scores of Algorithm 1 stay what they are."""
    scores = np.array([candidate.scores for candidate in found])
    factors = calibration(scores, evidence.classes, evidence.own, evidence.present)
    for candidate, factor, raw in zip(found, factors.tolist(), scores, strict=True):
        yield candidate._replace(factor=factor, scores=factor * raw)


def of_classes(scores: Floats) -> Floats:
    """(rows, classes): with two classes, a score is the second minus the first."""
    return np.hstack([-0.5 * scores, 0.5 * scores]) if scores.shape[1] == 1 else scores
