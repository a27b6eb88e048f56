"""The whole method on one screen: moments and sampled rows → the rules of all tasks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np

from kinspan._rows.types import Floats
from kinspan.class_moments import ClassMoments
from kinspan.row_sample import RowSample
from kinspan.selection.as_one import as_one_moved, as_one_task, can_be_moved
from kinspan.selection.candidates import Candidate, Family, Options, families
from kinspan.selection.combination import Combination
from kinspan.selection.decisions import ALONE
from kinspan.selection.evidence import Evidence
from kinspan.selection.expected import formula
from kinspan.selection.outcome import FittedRules, outcome
from kinspan.selection.prepared import Prepared, emptied, prepared_bases
from kinspan.selection.solutions import Problem, solve
from kinspan.selection.weights_of_tasks import Combined, combine


def fit(
    moments: ClassMoments,
    sample: RowSample | None,
    options: Options,
    unlabelled: ClassMoments | None = None,
) -> FittedRules:
    """All tasks at once; moments of rows without labels, of one class, place new tasks."""
    # The rules in the units of the input, with forecasts and learning curves.
    return outcome(*combination_of(moments, sample, options, unlabelled), options)


def combination_of(
    moments: ClassMoments,
    sample: RowSample | None,
    options: Options,
    unlabelled: ClassMoments | None = None,
) -> tuple[Combination, Prepared]:
    """What the rules of all tasks are made of, and the basis of the first scale."""
    # 2. Scales for the features, and the bases of their covariances.
    bases = prepared_bases(moments, sample, options.scale, options.metric, unlabelled)
    begun = [next(bases)]
    first = begun[0].light()
    if first.covariance is None:
        return _by_formula(first, options), first
    # 3 to 6. Rules of every candidate, and scores of rows that have not seen them.
    found, evidence = families(
        _one_by_one(chain(emptied(begun), bases), first, moments, options), options
    )
    if not evidence.own.any():
        return _by_formula(first, options), first
    # 6b. The weight of every candidate in the rule of every task.
    found = [family.light() for family in found]
    return _combined(found, evidence, options), first


def _one_by_one(
    bases: Iterable[Prepared], first: Prepared, moments: ClassMoments, options: Options
) -> Iterator[Prepared]:
    """Every basis, and that of all tasks as one; none is kept here, as most of it are rows."""
    wants_as_one = options.labels == "auto" and options.scale == "auto"
    for prepared in bases:
        if prepared.covariance is not None:
            yield prepared
            if wants_as_one and can_be_moved(prepared):
                yield from _if_any(as_one_moved(moments, prepared))
                wants_as_one = False
        del prepared
    if wants_as_one:
        yield from _if_any(as_one_task(moments, first.sample, first.origin, options.metric))


def _if_any(prepared: Prepared | None) -> Iterator[Prepared]:
    if prepared is not None:
        yield prepared


def _combined(found: list[Family], evidence: Evidence, options: Options) -> Combination:
    """Every task's own combination of families, which all tasks have combined from candidates."""
    used = found if options.labels == "auto" else found[:1]
    if options.multi_class == "one-vs-all":
        used = found[:1]
    prior = _before_evidence(used)
    n_tasks = len(options.priors)
    rules = [family.rule for family in used]
    if options.multi_class == "one-vs-all":
        both = Combined(np.ones((n_tasks, 1)), np.ones(1), rules)
    else:
        both = combine(rules, evidence, prior, n_tasks)
    alone = next(f for f in found if f.name == "single")
    return Combination.of(used, both, alone, evidence)


def _before_evidence(used: list[Family]) -> Floats:
    """(families,): related tasks are what the method is for, and few rows may speak for it by luck.

    So every task alone counts less than each way of sharing, and its own covariance not at all.
    """
    alone = {"single": ALONE.constant, "own": 0.0}
    counts = np.array([alone.get(family.name, 1.0) for family in used])
    return np.asarray(counts / counts.sum())


def _by_formula(prepared: Prepared, options: Options) -> Combination:
    """Without left-out rows: the rule that its own formula says is best."""
    problem = Problem(prepared.in_metric(0.0), options.multi_class)
    log_priors = np.zeros_like(options.log_priors)
    if options.multi_class == "one-vs-all":
        log_priors = options.log_priors

    def candidate(labels: str) -> Candidate:
        return Candidate(
            *(prepared, labels, options.multi_class, 0.0, 1.0, np.empty((0, 0))),
            (problem, solve(problem, labels, log_priors)),
        )

    alone = formula(candidate("single"), options)  # first: its rules are as large as all others
    return Combination.without_rows(candidate(options.labels), alone, len(options.priors))
