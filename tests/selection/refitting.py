"""What closed forms are compared with: really fitting again without each row."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.special import log_softmax

from kinspan import ClassMoments, RowSample
from kinspan._validation.labelled_rows import CheckedRows
from kinspan.scores import LinearRules
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
    return list(prepared_bases(moments, sample, scale, metric, None))


class Rule(Protocol):
    """Finds rules around the centres of tasks, in the basis."""

    def __call__(self, prepared: Prepared) -> LinearRules: ...


def labels_in_metric(labels: str, share: float, multi_class: str = "shared") -> Rule:
    """The rules of a choice of labels and a share of the covariance."""

    def found(prepared: Prepared) -> LinearRules:
        problem = Problem(prepared.in_metric(share), multi_class)
        zeros = np.zeros(problem.scaled.counts.shape)
        rules = solve(problem, labels, zeros, shrunk=False).rules
        return rules._replace(coef=prepared.root(share).turned_back(rules.coef))

    return found


def score_in_basis(prepared: Prepared, rules: LinearRules, x: Any, t: int) -> Any:
    """(classes,): scores of one row in the units of the input."""
    assert prepared.covariance is not None
    scaled = (x - prepared.origin) / prepared.scaled.scale[0]
    scaled = prepared.covariance.basis.coordinates(scaled)
    return rules.coef[t] @ (scaled - prepared.scaled.centres[t]) + rules.offset[t]


def refitted_scores(rows: Rows, rule: Rule, scale: str | None) -> Any:
    """(rows, classes): scores of every row by the rule of all the others, not calibrated."""
    found = []
    for i in range(len(rows.y)):
        prepared = bases_of(rows.without(i), scale, 0.0)[0]
        found.append(score_in_basis(prepared, rule(prepared), rows.X[i], rows.task[i]))
    return np.array(found)


def in_the_order_of_the_sample(rows: Rows, prepared: Prepared) -> Any:
    """(sampled rows,): which row of the world each of them is."""
    assert prepared.sample is not None
    distances = ((prepared.sample.rows[:, None] - rows.X) ** 2).sum(axis=2)
    return distances.argmin(axis=1)


def mean_log_loss(scores: Any, classes: Any) -> float:
    return float(-log_softmax(scores, axis=1)[np.arange(len(classes)), classes].mean())


class Agreement(NamedTuple):
    """Left-out scores in closed form next to those of fitting again."""

    optimism: float  # how much smaller the mean log loss in closed form is
    correlation: float  # of the differences between scores


def agreement_of(closed: Any, again: Any, classes: Any) -> Agreement:
    first, second = ((scores[:, 1:] - scores[:, :1]).ravel() for scores in (closed, again))
    optimism = mean_log_loss(again, classes) - mean_log_loss(closed, classes)
    return Agreement(optimism, float(np.corrcoef(first, second)[0, 1]))
