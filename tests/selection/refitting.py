"""What closed forms are compared with: really fitting again without each row."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import log_softmax

from kinspan import ClassMoments, RowSample
from kinspan._validation.labelled_rows import CheckedRows
from kinspan.selection.candidates import Options
from kinspan.selection.prepared import Prepared, prepared_bases
from kinspan.selection.solutions import Problem, solve


class Rows(NamedTuple):
    """Rows of several tasks."""

    X: Any
    y: Any
    task: Any

    def without(self, i: int) -> Rows:
        kept = np.arange(len(self.y)) != i
        return Rows(self.X[kept], self.y[kept], self.task[kept])


def small_world(
    seed: int, *, n_classes: int = 2, n: int = 6, n_tasks: int = 4, p: int = 12
) -> Rows:
    """Tasks that share a part of their class means; features with different spreads."""
    rng = np.random.default_rng(seed)
    task = np.repeat(np.arange(n_tasks), n * n_classes)
    y = np.tile(np.repeat(np.arange(n_classes), n), n_tasks)
    means = 0.5 * rng.normal(size=(1, n_classes, p)) + 0.25 * rng.normal(
        size=(n_tasks, n_classes, p)
    )
    X = means[task, y] + rng.normal(size=(len(y), p))
    return Rows(X * rng.uniform(0.5, 2.0, p), y, task)


def options_of(rows: Rows, labels: str, scale: str | None, metric: float | str) -> Options:
    shape = (len(np.unique(rows.task)), len(np.unique(rows.y)))
    priors = np.full(shape, 1.0 / shape[1])
    return Options(labels, scale, "shared", metric, False, priors, np.log(priors))


def bases_of(rows: Rows, scale: str | None, metric: float | str) -> list[Prepared]:
    checked = CheckedRows(rows.X, rows.y, rows.task)
    moments, sample = ClassMoments.from_checked(checked), RowSample.from_checked(checked, 10_000)
    return prepared_bases(moments, sample, scale, metric, None)


def refitted_scores(rows: Rows, labels: str, scale: str | None, share: float) -> Any:
    """(rows, classes): scores of every row by the rule of all the others, not calibrated."""
    found = []
    for i in range(len(rows.y)):
        prepared = bases_of(rows.without(i), scale, share)[0]
        problem = Problem(prepared.in_metric(share), "shared")
        rules = solve(problem, labels, np.zeros(problem.scaled.counts.shape), shrunk=False).rules
        assert prepared.covariance is not None
        x = (rows.X[i] - prepared.origin) / prepared.scaled.scale[0] @ prepared.covariance.basis
        t = rows.task[i]
        centred = x / np.sqrt(prepared.stretch(share)) - problem.scaled.centres[t]
        found.append(rules.coef[t] @ centred + rules.offset[t])
    return np.array(found)


def in_the_order_of_the_sample(rows: Rows, prepared: Prepared) -> Any:
    """(sampled rows,): which row of the world each of them is."""
    assert prepared.sample is not None
    distances = ((prepared.sample.rows[:, None] - rows.X) ** 2).sum(axis=2)
    return distances.argmin(axis=1)


def mean_log_loss(scores: Any, classes: Any) -> float:
    return float(-log_softmax(scores, axis=1)[np.arange(len(classes)), classes].mean())
