"""The whole method on one screen: moments and sampled rows → the rules of all tasks."""

from __future__ import annotations

import numpy as np

from kinspan._rows.types import Codes
from kinspan.class_moments import ClassMoments
from kinspan.risk import Residuals
from kinspan.row_sample import RowSample
from kinspan.selection.candidates import Candidate, Judged, Options, candidates, in_full, judge
from kinspan.selection.evidence import (
    best_scale,
    better_as_one,
    each_class_is_better,
    metrics_of_tasks,
    optimism,
    prefer_alone,
)
from kinspan.selection.outcome import Chosen, FittedRules, outcome
from kinspan.selection.prepared import Prepared, Scaling, prepare, scalings
from kinspan.selection.solutions import Problem, send_alone, solve


def fit(
    moments: ClassMoments,
    sample: RowSample | None,
    options: Options,
    unlabelled: ClassMoments | None = None,
) -> FittedRules:
    """All tasks at once; moments of rows without labels, of one class, place new tasks."""
    # 2. A scale for the features, and the basis of their covariance.
    origin, scales = scalings(moments, sample, options.scale)
    scaling = scales[0] if len(scales) == 1 else scales[_best_scale(scales, options)]
    prepared = prepare(origin, scaling, moments.tasks, options.metric, unlabelled)
    # 3 to 6. Contrasts, weights of tasks and rules in every metric, judged by left-out rows.
    found = candidates(prepared, prepared.shares, options)
    # 6b. The metric and the rules of every task.
    chosen = _chosen(prepared, options, found)
    if chosen is None:  # all tasks go alone, in the metrics that suit them then
        alone = options._replace(labels="single")
        chosen = _chosen(prepared, alone, candidates(prepared, prepared.shares, alone, found))
    assert chosen is not None  # with labels="single" nobody is sent alone
    # The rules in the units of the input, with forecasts and learning curves.
    return outcome(chosen, prepared, options)


def _best_scale(scales: list[Scaling], options: Options) -> int:
    """The scale in which left-out rows are classified best, every task alone."""
    judged = []
    for scaling in scales:
        problem = Problem(scaling.scaled, options.multi_class)
        judged.append(_alone(problem, scaling.rows(), options))
    return best_scale(judged)


def _alone(problem: Problem, rows: Residuals | None, options: Options) -> Judged:
    return judge(solve(problem, "single", options.log_priors), problem, rows, options)


def _chosen(prepared: Prepared, options: Options, found: list[Candidate]) -> Chosen | None:
    """The metric of every task and its rules there; None if all should go alone."""
    metrics = metrics_of_tasks(found, prepared.rows(0.0), prepared.scaled.counts.shape)
    if options.labels == "spectral":
        found, metrics = _with_one_rule_for_all(prepared, options, found, metrics)
    too_small = optimism(found, metrics, prepared.sample)
    if options.multi_class == "shared":
        found, metrics = _with_each_class(prepared, options, found, metrics)
    used, of_task = np.unique(metrics, return_inverse=True)
    together = [in_full(prepared, found[i]) for i in used]
    alone = together
    if options.labels != "single":
        alone = [_alone(judged.problem, judged.rows, options) for judged in together]
    rows, shares = together[0].rows, np.array([found[i].share for i in used])
    if options.labels != "spectral" or rows is None:
        return Chosen(shares, together, alone, of_task, too_small)
    goes_alone = prefer_alone(together, alone, of_task, rows, prepared.scaled.present)
    if goes_alone.all():
        return None
    if goes_alone.any():
        together = [
            judge(
                send_alone(t.problem, options.log_priors, (t.solution, a.solution), goes_alone),
                t.problem,
                t.rows,
                options,
            )
            for t, a in zip(together, alone, strict=True)
        ]
    return Chosen(shares, together, alone, of_task, too_small)


def _with_one_rule_for_all(
    prepared: Prepared, options: Options, found: list[Candidate], metrics: Codes
) -> tuple[list[Candidate], Codes]:
    """The same candidates and those of all tasks as one, for tasks whose rows prefer these."""
    rows, shape = prepared.rows(0.0), prepared.scaled.counts.shape
    if rows is None or shape[0] == 1:
        return found, metrics
    naive = options._replace(labels="naive")
    pooled = candidates(prepared, prepared.fewer_shares, naive, found)
    as_one = better_as_one(pooled, found, rows, shape)
    if not as_one.any():
        return found, metrics
    both = found + pooled
    return both, np.where(as_one, metrics_of_tasks(both, rows, shape), metrics)


def _with_each_class(
    prepared: Prepared, options: Options, found: list[Candidate], metrics: Codes
) -> tuple[list[Candidate], Codes]:
    """A relatedness for every class in the metric of most tasks, if rows clearly prefer it."""
    if prepared.sample is None or prepared.scaled.counts.shape[1] == 2:
        return found, metrics
    most = found[np.bincount(metrics).argmax()]
    each = candidates(prepared, (most.share,), options._replace(multi_class="each"))
    if not each_class_is_better(each[0], most, prepared.sample):
        return found, metrics
    return each, np.zeros_like(metrics)
