"""Rows of tasks → the multi-task least-squares SVM, with labels and strengths from its theory."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinspan._rows.types import Codes, Floats
from kinspan._validation.parameters import check_choice
from kinspan.baselines._checks import (
    CodedRows,
    check_coded_rows,
    check_shared_strength,
    check_task_strengths,
    dense,
)
from kinspan.baselines._lssvm_labels import (
    ExpectedScores,
    TargetGroup,
    best_strengths,
    estimated_population,
    expected_scores,
)
from kinspan.baselines._lssvm_solver import task_directions
from kinspan.baselines._task_classifier import TaskClassifier
from kinspan.class_moments import ClassMoments
from kinspan.metric import ScaledMoments, scaled_moments
from kinspan.scores import LinearRules
from kinspan.theory._checks import Population


class MultiTaskLSSVM(TaskClassifier):
    """Multi-task least-squares SVM (Tiomoko et al., 2020), the paper's main competitor.

    Rules w_t = w₀ + v_t minimise ‖w₀‖²/(2λ) + Σ_t ‖v_t‖²/(2γ_t) + ½ Σ_i (y_i − g(x_i))², with rows
    centred in their task, in units of the noise and divided by √(n_tasks · n_features). One class
    against the rest for more than two. A linear system in sample or in feature space, whichever is
    cheaper: O(n³) or O(np² + kp³).

    The large-dimensional theory of the scores, with the relatedness of the tasks estimated, gives
    the labels, the strengths, and for every score the threshold midway between its two mean values
    and the slope that makes it log odds. With the best labels the theory prefers the weakest
    strengths, where the method becomes MTL-SPCA.

    Parameters
    ----------
    labels : {"plugin", "naive"}, default="plugin"
        `"plugin"`: for every target the labels of least theoretical error. `"naive"`: ±1.
    shared_strength : float, optional
        λ, from 0. None: for every target that of least theoretical error.
    task_strengths : float or array of shape (n_tasks,), optional
        γ, from 0, in the order of `tasks_`. None: for every target that of least theoretical error,
        the same for all tasks.
    scale : {"pooled", "task", None}, default="pooled"
        Divisor of the features: their standard deviation within the classes of all tasks, the
        total standard deviation of each task, or nothing.
    task_column : str or int, optional
        The column of X that holds the task id.

    Attributes
    ----------
    tasks_, classes_ : arrays of shape (n_tasks,) and (n_classes,)
        Ids, sorted; all that follows is in their order.
    coef_ : array of shape (n_tasks, 1 or n_classes, n_features)
        In the units of X. With two classes the one row points towards `classes_[1]`.
    intercept_ : array of shape (n_tasks, 1 or n_classes)
        What is added to the scores.
    labels_ : array of shape (n_tasks, 1 or n_classes, n_tasks, 2)
        labels_[t, l, s] are the labels, centred, of the rows of class l (of `classes_[1]` where
        there are two) and of all other rows of task s when rule l of task t is learnt.
    shared_strength_, task_strengths_ : arrays of shape (n_tasks,) and (n_tasks, n_tasks)
        λ, and a row of γ, for every target.
    forecast_error_ : array of shape (n_tasks,)
        The theoretical error with estimated relatedness; for more than two classes the mean error
        of one class against the rest. NaN for a task with a single class.

    Examples
    --------
    >>> from kinspan.baselines import MultiTaskLSSVM, SingleTaskSPCA
    >>> from kinspan.datasets import gaussian_mixture, related_means
    >>> counts = [[400, 400], [20, 20]]
    >>> train = gaussian_mixture(related_means([1, 0.9], 100), counts, random_state=0)
    >>> test = train.sample(1000, random_state=0)
    >>> def accuracy(clf):
    ...     clf.fit(train.X, train.y, task=train.task)
    ...     return clf.score(test.X, test.y, task=test.task)
    >>> accuracy(MultiTaskLSSVM()) > accuracy(SingleTaskSPCA()) + 0.03
    True
    """

    def __init__(
        self,
        *,
        labels: str = "plugin",
        shared_strength: float | None = None,
        task_strengths: ArrayLike | None = None,
        scale: str | None = "pooled",
        task_column: str | int | None = None,
    ) -> None:
        self.labels = labels
        self.shared_strength = shared_strength
        self.task_strengths = task_strengths
        self.scale = scale
        self.task_column = task_column

    def _fit(self, X: Any, y: ArrayLike, task: Any) -> None:
        check_choice("labels", self.labels, ("plugin", "naive"))
        check_choice("scale", self.scale, ("pooled", "task", None))
        rows = check_coded_rows(self, X, y, task)
        lam = check_shared_strength(self.shared_strength)
        gamma = check_task_strengths(self.task_strengths, len(rows.tasks), lam)
        moments = ClassMoments.from_checked(rows.checked())
        unit = in_units_of_noise(scaled_moments(moments, self.scale))
        populations = class_populations(unit)
        groups = best_strengths(populations, self.labels, lam, gamma)
        rows = rows._replace(X=centred_rows(rows, unit))
        fitted = joined([fit_targets(rows, group, populations, self.labels) for group in groups])
        self.labels_, self.shared_strength_ = fitted.labels, fitted.shared_strength
        self.task_strengths_ = fitted.task_strengths
        self.forecast_error_ = np.where(unit.present.sum(axis=1) > 1, fitted.errors, np.nan)
        self._keep_scaled(rows, of_all_classes(fitted), unit, row_means(unit))


class FittedTargets(NamedTuple):
    """The rules of some targets, with their labels and strengths."""

    targets: Codes  # (targets,)
    coef: Floats  # (targets, problems, features), in units of the noise
    offset: Floats  # (targets, problems)
    labels: Floats  # (targets, problems, tasks, 2)
    errors: Floats  # (targets,)
    shared_strength: Floats  # (targets,)
    task_strengths: Floats  # (targets, tasks)


def fit_targets(
    rows: CodedRows, group: TargetGroup, populations: list[Population], labels: str
) -> FittedTargets:
    """One system for all targets and problems that share their strengths."""
    strengths, targets = group
    expected = [expected_scores(p, strengths, labels) for p in populations]
    y = np.stack([scores.labels[targets] for scores in expected], axis=1)
    w = task_directions(
        rows.X,
        rows.task_codes,
        labels_of_rows(y, rows),
        np.repeat(targets, len(populations)),
        strengths,
    ).reshape(len(targets), len(populations), -1)
    slope, middle = (
        np.stack(v, axis=1)[targets] for v in zip(*map(log_odds, expected), strict=True)
    )
    return FittedTargets(
        targets,
        w * slope[..., None],
        -slope * middle,
        y,
        np.mean([scores.errors[targets] for scores in expected], axis=0),
        np.full(len(targets), strengths.shared),
        np.tile(strengths.own, (len(targets), 1)),
    )


def joined(parts: list[FittedTargets]) -> FittedTargets:
    """All targets, in their order."""
    order = np.argsort(np.concatenate([part.targets for part in parts]))
    return FittedTargets(*(np.concatenate(field)[order] for field in zip(*parts, strict=True)))


def labels_of_rows(labels: Floats, rows: CodedRows) -> Floats:
    """(rows, targets · problems): the label of every row, from those of its cell."""
    problems = problem_classes(len(rows.classes))
    rest = (rows.class_codes[:, None] != problems).astype(np.intp)
    of_rows = labels[:, np.arange(len(problems)), rows.task_codes[:, None], rest]
    return np.asarray(of_rows.transpose(1, 0, 2).reshape(len(rest), -1))


def log_odds(scores: ExpectedScores) -> tuple[Floats, Floats]:
    """(targets,) slope (m₁ − m₂)/σ² and middle ½(m₁ + m₂): slope · (g − middle) are log odds.

    A score is never reversed, and one without an expected gap keeps a small slope.
    """
    deviation = np.sqrt(scores.variances)
    slope = np.maximum(scores.gaps / deviation, 1e-3) / deviation
    return slope, scores.means.mean(axis=1)


def of_all_classes(fitted: FittedTargets) -> LinearRules:
    """Two classes have one problem: the log odds of the second; the first has the score zero."""
    if fitted.coef.shape[1] > 1:
        return LinearRules(fitted.coef, fitted.offset)
    zero_coef, zero_offset = np.zeros_like(fitted.coef), np.zeros_like(fitted.offset)
    return LinearRules(
        np.concatenate([zero_coef, fitted.coef], axis=1),
        np.concatenate([zero_offset, fitted.offset], axis=1),
    )


def class_populations(unit: ScaledMoments) -> list[Population]:
    """The estimated population of every problem: a class against the rest."""
    return [class_population(unit, j) for j in problem_classes(unit.counts.shape[1])]


def class_population(unit: ScaledMoments, j: int) -> Population:
    """Contrasts x̄_j − (mean of the other rows) of all tasks; zero for tasks without such a pair."""
    n = unit.counts
    pairs = np.stack([n[:, j], n.sum(axis=1) - n[:, j]], axis=1)
    several = pairs.min(axis=1) > 0
    weights = np.where(np.arange(n.shape[1]) == j, 1.0, -n / np.maximum(pairs[:, 1:], 1.0))
    weights *= several[:, None]
    contrasts = np.einsum("tj,tjp->tp", weights, unit.means)
    noise = np.einsum("tj,tj->t", weights**2, unit.cell_noise)
    gram = contrasts @ contrasts.T - np.diag(noise)
    return estimated_population(gram, noise, pairs, contrasts.shape[1])


def problem_classes(n_classes: int) -> Codes:
    """The classes that are separated from the rest: all, or the second of two."""
    return np.arange(n_classes) if n_classes > 2 else np.array([1])


def in_units_of_noise(scaled: ScaledMoments) -> ScaledMoments:
    """Divided by one more number, so that the mean variance within classes is one."""
    freedom = np.maximum(scaled.counts - 1.0, 0.0).sum(axis=1) + 1e-9
    level = float(np.average(scaled.noise_level, weights=freedom))
    return scaled._replace(
        scale=scaled.scale * np.sqrt(level),
        means=scaled.means / np.sqrt(level),
        cell_noise=scaled.cell_noise / level,
    )


def row_means(unit: ScaledMoments) -> Floats:
    """(tasks, features) means of all rows of every task."""
    share = unit.counts / unit.counts.sum(axis=1, keepdims=True)
    return np.asarray(np.einsum("tj,tjp->tp", share, unit.means))


def centred_rows(rows: CodedRows, unit: ScaledMoments) -> Floats:
    """(rows, features) less the mean of their task, in units of the noise."""
    scale = np.broadcast_to(unit.scale, unit.centres.shape)
    return np.asarray(dense(rows.X) / scale[rows.task_codes] - row_means(unit)[rows.task_codes])
