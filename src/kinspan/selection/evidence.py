"""Losses of left-out rows → the scale, the metric of every task, and which tasks go alone.

The constants of all decisions are in `decisions`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kinspan._rows.types import Codes, Floats, Mask
from kinspan.risk import Residuals
from kinspan.row_sample import RowSample
from kinspan.selection.candidates import Candidate, Judged
from kinspan.selection.decisions import AS_ONE, EACH_CLASS, LEAVES, METRIC, SCALE, TOGETHER


def best_scale(judged: Sequence[Judged]) -> int:
    """Which of the scales has the least log loss, every task alone; of two equals the first."""
    losses = np.array([j.calibration.loss for j in judged])
    return int(np.argmax(losses < losses[0] - SCALE.constant))


def metrics_of_tasks(
    candidates: Sequence[Candidate], rows: Residuals | None, shape: tuple[int, ...]
) -> Codes:
    """(tasks,): the candidate that gives the least probability to wrong classes.

    A task with many rows chooses for itself, one with few follows the others; of two equals the
    one with less covariance is taken. The probability of wrong classes tells metrics apart with
    fewer rows than a count of errors, and unlike log loss it does not depend on the surest of them.
    """
    if len(candidates) == 1 or rows is None:
        return np.zeros(shape[0], dtype=np.intp)
    cells = rows.tasks * shape[1] + rows.classes
    return least_loss(wrong_class_probability(candidates), rows.weights, cells, shape)


def wrong_class_probability(candidates: Sequence[Candidate]) -> Floats:
    """(candidates, rows): one minus the probability of the true class, NaN if not left out."""
    return np.asarray(1.0 - np.exp(-np.array([c.losses for c in candidates])))


def least_loss(losses: Floats, weights: Floats, cells: Codes, shape: tuple[int, ...]) -> Codes:
    """(tasks,): the candidate with the least loss; the classes of a task count equally."""
    usable = np.isfinite(losses).all(axis=0) & (weights > 0)
    cells, weights, size = cells[usable], weights[usable], shape[0] * shape[1]
    n = np.bincount(cells, weights, minlength=size).reshape(shape)
    sums = [np.bincount(cells, weights * loss[usable], minlength=size) for loss in losses]
    means = np.array(sums).reshape(-1, *shape) / np.where(n > 0, n, 1.0)
    own = means.sum(axis=2) * (n.sum(axis=1) / np.maximum((n > 0).sum(axis=1), 1))
    pooled = means.sum(axis=(1, 2)) / max(int((n > 0).sum()), 1)
    # Rounding must not decide between metrics that are the same.
    return np.asarray((own + METRIC.constant * pooled[:, None]).round(9).argmin(axis=0))


def optimism(candidates: Sequence[Candidate], metrics: Codes, sample: RowSample | None) -> float:
    """How much smaller the forecast is because the same rows chose the metric.

    Half of the rows chooses for the other half; the halves are those of the hash.
    """
    if len(candidates) == 1 or sample is None:
        return 0.0
    w, half, rows = sample.weights, sample.keys % 2 == 0, np.arange(len(sample.keys))
    wrong = np.array([c.wrong for c in candidates])
    usable, losses = ~np.isnan(wrong).any(axis=0), wrong_class_probability(candidates)
    shape, crossed = (len(metrics), len(sample.classes)), 0.0
    for choosing in (half, ~half):
        chosen = least_loss(losses, 2.0 * w * choosing, sample.cells, shape)
        judged = usable & ~choosing
        crossed += float(wrong[chosen[sample.task_codes], rows][judged] @ w[judged])
    total = max(float(w[usable].sum()), 1.0)
    own = wrong[metrics[sample.task_codes], rows][usable]
    return max(crossed - float(own @ w[usable]), 0.0) / total


def better_as_one(
    pooled: Sequence[Candidate],
    candidates: Sequence[Candidate],
    rows: Residuals,
    shape: tuple[int, ...],
) -> Mask:
    """(tasks,): tasks that may take the rule of all as one; each family in its best metrics.

    None, unless rows prefer it, over all of them and in the mean of the tasks, by a
    number of standard errors that grows as rows become fewer: their losses are not independent. And
    no task whose own rows speak against it.
    """
    places = np.arange(len(rows.tasks))
    own, common = (
        wrong_class_probability(family)[metrics_of_tasks(family, rows, shape)[rows.tasks], places]
        for family in (candidates, pooled)
    )
    gains, tasks, weights = own - common, rows.tasks, rows.weights
    needed = AS_ONE.constant / max(int(np.isfinite(gains).sum()), 1)
    is_clear = smaller_mean(gains, tasks, weights, shape[0]) > needed
    return is_clear & (in_errors(*means_of(gains, tasks, weights, shape[0])) >= 0.0)


def each_class_is_better(each: Candidate, shared: Candidate, sample: RowSample) -> bool:
    """Whether rows clearly prefer a relatedness for every class."""
    differences = shared.losses - each.losses
    everyone = np.zeros(len(differences), dtype=np.intp)
    return bool(
        in_errors(*means_of(differences, everyone, sample.weights, 1))[0] > EACH_CLASS.constant
    )


def prefer_alone(
    together: Sequence[Judged],
    alone: Sequence[Judged],
    of_task: Codes,
    rows: Residuals,
    present: Mask,
) -> Mask:
    """(tasks,): tasks that go alone, given rules together and alone in every metric.

    All do, unless the losses are smaller together by a standard error, and by more where rows are
    few, over all rows or in the mean of the tasks; a single one does if the losses of its own rows
    are larger. Where most tasks have too few labels to leave any out, none does.
    """
    tasks, n_tasks, weights = rows.tasks, len(of_task), rows.weights
    pairs = zip(together, alone, strict=True)
    differences = np.array([both.losses - own.losses for both, own in pairs])
    differences = differences[of_task[tasks], np.arange(len(tasks))]
    mean, error = means_of(differences, tasks, weights, n_tasks)
    known = np.isfinite(error)
    if 2 * known.sum() < int((present.sum(axis=1) > 1).sum()):
        return np.zeros(n_tasks, dtype=bool)
    needed = 1.0 + TOGETHER.constant / max(int(np.isfinite(differences).sum()), 1)
    if smaller_mean(differences, tasks, weights, n_tasks) > -needed:
        return np.ones(n_tasks, dtype=bool)
    return np.asarray(in_errors(mean, np.where(known, error, np.inf)) > LEAVES.constant)


def smaller_mean(gains: Floats, tasks: Codes, weights: Floats, n_tasks: int) -> float:
    """The mean over rows, or over tasks, in standard errors; whichever is smaller."""
    of_all = in_errors(*means_of(gains, np.zeros_like(tasks), weights, 1))[0]
    return float(min(of_all, _mean_of_tasks(*means_of(gains, tasks, weights, n_tasks))))


def _mean_of_tasks(mean: Floats, error: Floats) -> float:
    """The mean of the means of tasks, in standard errors."""
    known = np.isfinite(error)
    if not known.any():
        return 0.0
    total = np.sqrt((error[known] ** 2).sum()) / known.sum()
    return float(in_errors(mean[known].mean(), total))


def means_of(
    values: Floats, groups: Codes, weights: Floats, n_groups: int
) -> tuple[Floats, Floats]:
    """(groups,): the mean of every group and its standard error, infinite without finite values."""
    usable = np.isfinite(values)
    g, w, d = groups[usable], weights[usable], values[usable]
    total = np.bincount(g, w, minlength=n_groups)
    n = np.maximum(total, 1e-300)
    mean = np.bincount(g, w * d, minlength=n_groups) / n
    variance = np.bincount(g, w * (d - mean[g]) ** 2, minlength=n_groups) / np.maximum(n - 1, 1.0)
    return mean, np.where(total > 0, np.sqrt(variance / n), np.inf)


def in_errors(mean: Floats, error: Floats) -> Floats:
    """Means in units of their standard errors; no error is no difference."""
    return np.divide(mean, error, out=np.zeros_like(error), where=error > 0)
