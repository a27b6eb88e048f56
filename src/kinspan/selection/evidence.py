"""What rows that were left out decide: the metric of every task, and who goes alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kinspan._rows.types import Codes, Floats
from kinspan.row_sample import RowSample
from kinspan.selection.candidates import Candidate, Judged, Options, Verdict, judge
from kinspan.selection.rules import send_alone

_POOLED_ROWS = 100.0  # what all rows say of a metric counts as much as so many of the task's own


def metrics_of_tasks(candidates: list[Verdict], shape: tuple[int, ...]) -> Codes:
    """(tasks,): the candidate that gives the least to wrong classes of rows that were left out.

    A task with many rows chooses for itself, one with few follows the others; of two equals it is
    the plainer one. The probability of wrong classes tells metrics apart with fewer rows than a
    count of errors, and unlike the logarithmic loss it does not hang on the surest of them.
    """
    residuals = candidates[0].residuals
    if len(candidates) == 1 or residuals is None:
        return np.zeros(shape[0], dtype=np.intp)
    cells = residuals.tasks * shape[1] + residuals.classes
    return _chosen(_given_to_others(candidates), residuals.weights, cells, shape)


def _given_to_others(candidates: list[Verdict]) -> Floats:
    """(candidates, rows): one minus the probability of the true class, NaN if not left out."""
    return np.asarray(1.0 - np.exp(-np.array([c.losses for c in candidates])))


def _chosen(losses: Floats, weights: Floats, cells: Codes, shape: tuple[int, ...]) -> Codes:
    """(tasks,): the candidate with the least loss; every class of a task counts as much."""
    usable = np.isfinite(losses).all(axis=0) & (weights > 0)
    cells, weights, size = cells[usable], weights[usable], shape[0] * shape[1]
    n = np.bincount(cells, weights, minlength=size).reshape(shape)
    sums = [np.bincount(cells, weights * loss[usable], minlength=size) for loss in losses]
    means = np.array(sums).reshape(-1, *shape) / np.where(n > 0, n, 1.0)
    own = means.sum(axis=2) * (n.sum(axis=1) / np.maximum((n > 0).sum(axis=1), 1))
    pooled = means.sum(axis=(1, 2)) / max(int((n > 0).sum()), 1)
    # Rounding must not decide between metrics that are the same.
    return np.asarray((own + _POOLED_ROWS * pooled[:, None]).round(9).argmin(axis=0))


def optimism(candidates: list[Verdict], metrics: Codes, sample: RowSample | None) -> float:
    """How much smaller the forecast is for the metric having been chosen by the same rows.

    Half of the rows chooses for the other half; the halves are those of the hash.
    """
    if len(candidates) == 1 or sample is None:
        return 0.0
    w, half, rows = sample.weights, sample.keys % 2 == 0, np.arange(len(sample.keys))
    wrong = np.array([c.wrong for c in candidates])
    usable, losses = ~np.isnan(wrong).any(axis=0), _given_to_others(candidates)
    shape, crossed = (len(metrics), len(sample.classes)), 0.0
    for choosing in (half, ~half):
        chosen = _chosen(losses, 2.0 * w * choosing, sample.cells, shape)
        judged = usable & ~choosing
        crossed += float(wrong[chosen[sample.task_codes], rows][judged] @ w[judged])
    total = max(float(w[usable].sum()), 1.0)
    own = wrong[metrics[sample.task_codes], rows][usable]
    return max(crossed - float(own @ w[usable]), 0.0) / total


def guarded(
    used: list[Candidate], of_task: Codes, options: Options
) -> list[tuple[Judged, Judged]] | None:
    """For every candidate, rules in which some go alone if rows prefer it; and all alone.

    All go alone unless the losses are smaller together by a standard error, and by more where rows
    are few, over all rows or in the mean of the tasks; a single one, if the losses of its own rows
    are larger by two. Where most tasks have too few labels to leave any out, nobody is asked. None
    is for all going alone.
    """
    pairs = [(c.together, judge(c.alone, c.scaled, c.residuals, options)) for c in used]
    residuals = used[0].residuals
    if residuals is None or options.labels != "spectral":
        return pairs
    t, n_tasks, weights = residuals.tasks, len(of_task), residuals.weights
    n_asked = int((used[0].scaled.present.sum(axis=1) > 1).sum())
    of_row = of_task[t], np.arange(len(t))
    differences = np.array([together.losses - alone.losses for together, alone in pairs])[of_row]
    mean, error = _means(differences, t, weights, n_tasks)
    known = np.isfinite(error)
    if 2 * known.sum() < n_asked:
        return pairs
    needed = 1.0 + 50.0 / max(int(np.isfinite(differences).sum()), 1)
    if _smaller_mean(differences, t, weights, n_tasks) > -needed:
        return None
    prefers = _in_errors(mean, np.where(known, error, np.inf)) > 2.0
    if not prefers.any():
        return pairs
    guarded_pairs = []
    for c, (together, alone) in zip(used, pairs, strict=True):
        both = together.solution, alone.solution
        mixed = send_alone(c.scaled, options.log_priors, both, prefers)
        guarded_pairs.append((judge(mixed, c.scaled, c.residuals, options), alone))
    return guarded_pairs


def better_as_one(
    pooled: list[Verdict], candidates: list[Verdict], shape: tuple[int, ...]
) -> NDArray[np.bool_]:
    """(tasks,): tasks that may take the rule of all as one; each family in its best metrics.

    Nobody, unless rows prefer it, over all of them and in the mean of the tasks, by standard errors
    that are the more the fewer the rows: their losses are not independent. And no task whose own
    rows speak against it.
    """
    residuals = candidates[0].residuals
    if residuals is None:
        return np.zeros(shape[0], dtype=bool)
    rows = np.arange(len(residuals.tasks))
    own, common = (
        _given_to_others(family)[metrics_of_tasks(family, shape)[residuals.tasks], rows]
        for family in (candidates, pooled)
    )
    gains, tasks, weights = own - common, residuals.tasks, residuals.weights
    needed = 300.0 / max(int(np.isfinite(gains).sum()), 1)
    is_clear = _smaller_mean(gains, tasks, weights, shape[0]) > needed
    return is_clear & (_in_errors(*_means(gains, tasks, weights, shape[0])) >= 0.0)


def _smaller_mean(gains: Floats, tasks: Codes, weights: Floats, n_tasks: int) -> float:
    """The mean over rows, or over tasks, in standard errors; whichever is smaller."""
    of_all = _in_errors(*_means(gains, np.zeros_like(tasks), weights, 1))[0]
    return float(min(of_all, _mean_of_tasks(*_means(gains, tasks, weights, n_tasks))))


def _mean_of_tasks(mean: Floats, error: Floats) -> float:
    """The mean of the means of tasks, in standard errors."""
    known = np.isfinite(error)
    if not known.any():
        return 0.0
    total = np.sqrt((error[known] ** 2).sum()) / known.sum()
    return float(_in_errors(mean[known].mean(), total))


def is_clearly_better(each: Verdict, shared: Verdict, sample: RowSample) -> bool:
    """A relatedness a class has many more weights: rows must speak for it by four errors."""
    differences = shared.losses - each.losses
    everyone = np.zeros(len(differences), dtype=np.intp)
    return bool(_in_errors(*_means(differences, everyone, sample.weights, 1))[0] > 4.0)


def _means(values: Floats, groups: Codes, weights: Floats, n_groups: int) -> tuple[Floats, Floats]:
    """(groups,): the mean of every group and its standard error, infinite without finite values."""
    usable = np.isfinite(values)
    g, w, d = groups[usable], weights[usable], values[usable]
    total = np.bincount(g, w, minlength=n_groups)
    n = np.maximum(total, 1e-300)
    mean = np.bincount(g, w * d, minlength=n_groups) / n
    variance = np.bincount(g, w * (d - mean[g]) ** 2, minlength=n_groups) / np.maximum(n - 1, 1.0)
    return mean, np.where(total > 0, np.sqrt(variance / n), np.inf)


def _in_errors(mean: Floats, error: Floats) -> Floats:
    """Means in units of their standard errors; no error is no difference."""
    return np.divide(mean, error, out=np.zeros_like(error), where=error > 0)
