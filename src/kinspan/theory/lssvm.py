"""A population and labels → scores and errors of the multi-task least-squares SVM, a competitor.

Rows are N(μ, I). Tasks are centred by their sample means; their kernel is A_tt'·xᵀx'/(kp) with
A = diag(γ) + λ11ᵀ: λ, the `shared_strength`, is common to all tasks, γ, the `task_strengths`, is
each task's own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize

from kinspan._rows.types import Floats
from kinspan.theory._checks import (
    check_one_label,
    check_population,
    check_strengths,
    check_target,
    check_two_classes,
)
from kinspan.theory._errors import gap_error
from kinspan.theory._lssvm_limits import LssvmLimits, lssvm_limits


class LssvmStrengths(NamedTuple):
    """Hyperparameters with the least theoretical error for given labels."""

    shared_strength: float  # λ
    task_strengths: Floats  # (tasks,) γ
    error_rate: float  # the error they give


def lssvm_score_means(
    mean_gram: ArrayLike,
    counts: ArrayLike,
    n_features: int,
    labels: ArrayLike,
    *,
    shared_strength: float = 1.0,
    task_strengths: ArrayLike = 1.0,
) -> Floats:
    """(cells,) mean scores by the classifier of each cell's own task, intercept included.

    The intercept of a task is the mean of its labels, exactly; the rest is (I − (I + KD)⁻¹)ỹ for
    labels centred in each task, with K, D of the fixed point in `_lssvm_limits`.

    Parameters
    ----------
    mean_gram, counts, n_features
        The population: see :func:`mtl_score_means`.
    labels : array-like of shape (tasks, classes) or (cells,)
        The label of the rows of each cell.
    shared_strength : float, default=1.0
    task_strengths : float or array-like of shape (tasks,), default=1.0
        λ and γ.

    Examples
    --------
    >>> import numpy as np
    >>> from kinspan.theory import lssvm_score_means
    >>> G = np.kron(np.eye(2), [[1, -1], [-1, 1]])
    >>> lssvm_score_means(G, [[100, 100], [50, 50]], 100, [1, -1, 1, -1]).round(3).tolist()
    [0.361, -0.361, 0.262, -0.262]
    """
    limits, n = _limits(mean_gram, counts, n_features, shared_strength, task_strengths)
    return _score_means(limits, check_one_label(labels, n))


def lssvm_score_variances(
    mean_gram: ArrayLike,
    counts: ArrayLike,
    n_features: int,
    labels: ArrayLike,
    *,
    shared_strength: float = 1.0,
    task_strengths: ArrayLike = 1.0,
) -> Floats:
    """Variance of the scores of each task: the squared length of its direction.

    The arguments are those of :func:`lssvm_score_means`; the result has shape (tasks,).

    Examples
    --------
    >>> import numpy as np
    >>> from kinspan.theory import lssvm_score_variances
    >>> G = np.kron(np.eye(2), [[1, -1], [-1, 1]])
    >>> lssvm_score_variances(G, [[100, 100], [50, 50]], 100, [1, -1, 1, -1]).round(3).tolist()
    [0.243, 0.187]
    """
    limits, n = _limits(mean_gram, counts, n_features, shared_strength, task_strengths)
    y = check_one_label(labels, n)
    return np.array([_variance(limits, y, t) for t in range(len(n))])


def lssvm_error_rate(
    mean_gram: ArrayLike,
    counts: ArrayLike,
    n_features: int,
    labels: ArrayLike,
    *,
    target: int,
    shared_strength: float = 1.0,
    task_strengths: ArrayLike = 1.0,
) -> float:
    """Error on a target with two classes, threshold midway: Q(½(m_t1 − m_t2)/σ_t).

    The arguments are those of :func:`lssvm_score_means`, with the index of the target task.

    Examples
    --------
    Labels ±1 in the setting of Figure 2 at β = 0:

    >>> import numpy as np
    >>> from kinspan.theory import lssvm_error_rate
    >>> G = np.kron(np.eye(2), [[1, -1], [-1, 1]])
    >>> round(lssvm_error_rate(G, [[1000, 1000], [50, 50]], 100, [1, -1, 1, -1], target=1), 4)
    0.274
    """
    limits, n = _limits(mean_gram, counts, n_features, shared_strength, task_strengths)
    check_two_classes(n)
    return _error(limits, check_one_label(labels, n), check_target(target, n))


def lssvm_optimal_labels(
    mean_gram: ArrayLike,
    counts: ArrayLike,
    n_features: int,
    *,
    target: int,
    shared_strength: float = 1.0,
    task_strengths: ArrayLike = 1.0,
) -> Floats:
    """The labels, centred in each task, that make the fewest errors on a target with two classes.

    As the strengths tend to zero their error tends to that of :func:`optimal_error_rate`. The
    arguments are those of :func:`lssvm_score_means`; the result has shape (tasks, classes), up to a
    common factor.

    Examples
    --------
    Figure 2 at β = 1, where the paper plots .1722:

    >>> import numpy as np
    >>> from kinspan.theory import lssvm_error_rate, lssvm_optimal_labels
    >>> G = np.kron(np.ones((2, 2)), [[1, -1], [-1, 1]])
    >>> plotted = {"target": 1, "shared_strength": 1 / 3, "task_strengths": 1 / 3}
    >>> y = lssvm_optimal_labels(G, [[1000, 1000], [50, 50]], 100, **plotted)
    >>> round(lssvm_error_rate(G, [[1000, 1000], [50, 50]], 100, y, **plotted), 4)
    0.1721
    """
    limits, n = _limits(mean_gram, counts, n_features, shared_strength, task_strengths)
    check_two_classes(n)
    return _best_labels(limits, check_target(target, n)).reshape(n.shape)


def lssvm_optimal_strengths(
    mean_gram: ArrayLike, counts: ArrayLike, n_features: int, labels: ArrayLike, *, target: int
) -> LssvmStrengths:
    """The strengths with the least theoretical error on a target, for given labels.

    A search between 1e-3 and 1e3, from a weak, a medium and a strong start. The arguments are
    those of :func:`lssvm_error_rate`.

    Examples
    --------
    Labels ±1 for unrelated tasks: good strengths undo most of the negative transfer.

    >>> import numpy as np
    >>> from kinspan.theory import lssvm_error_rate, lssvm_optimal_strengths
    >>> G = np.kron(np.eye(2), [[1, -1], [-1, 1]])
    >>> setting = G, [[100, 100], [50, 50]], 100, [1, -1, 1, -1]
    >>> round(lssvm_error_rate(*setting, target=1), 3)
    0.273
    >>> round(lssvm_optimal_strengths(*setting, target=1).error_rate, 3)
    0.24
    """
    population = check_population(mean_gram, counts, n_features)
    check_two_classes(population.counts)
    y, t = check_one_label(labels, population.counts), check_target(target, population.counts)

    def error(logarithms: Floats) -> float:
        strengths = _in_range(logarithms)
        A = np.diag(strengths[1:]) + strengths[0]
        return _error(lssvm_limits(population, A), y, t)

    ends = [_descend(error, len(population.counts) + 1, start) for start in (-4.0, 0.0, 4.0)]
    best = min(ends, key=error)
    strengths = _in_range(best)
    return LssvmStrengths(float(strengths[0]), strengths[1:], error(best))


def _limits(
    mean_gram: ArrayLike, counts: ArrayLike, n_features: int, shared: float, own: ArrayLike
) -> tuple[LssvmLimits, Floats]:
    """Limits of a checked population, and its counts."""
    population = check_population(mean_gram, counts, n_features)
    A = check_strengths(shared, own, len(population.counts))
    return lssvm_limits(population, A), population.counts


def _descend(error: Callable[[Floats], float], size: int, start: float) -> Floats:
    simplex = start + 2.0 * np.vstack([np.zeros(size), np.eye(size)])
    best = minimize(
        error,
        simplex[0],
        method="Nelder-Mead",
        options={"initial_simplex": simplex, "xatol": 1e-3, "fatol": 1e-9},
    )
    return np.asarray(best.x)


def _in_range(logarithms: Floats) -> Floats:
    return np.asarray(np.exp(np.clip(logarithms, -np.log(1e3), np.log(1e3))))


def _score_means(limits: LssvmLimits, labels: Floats) -> Floats:
    centred = limits.centring @ labels
    return np.asarray(labels - limits.residual @ centred)


def _variance(limits: LssvmLimits, labels: Floats, target: int) -> float:
    centred = limits.centring @ labels
    return float(centred @ limits.spreads[target] @ centred)


def _error(limits: LssvmLimits, labels: Floats, target: int) -> float:
    m = _score_means(limits, labels)
    gap, variance = m[2 * target] - m[2 * target + 1], _variance(limits, labels, target)
    return float(gap_error(gap / np.sqrt(variance) if variance > 0 else np.zeros(())))


def _best_labels(limits: LssvmLimits, target: int) -> Floats:
    """pinv(ZᵀSZ) ZᵀLᵀδ with Z the centring and L = I − (I + KD)⁻¹."""
    Z = limits.centring
    gain = Z - limits.residual @ Z
    spread = Z.T @ limits.spreads[target] @ Z
    inverse = np.linalg.pinv(spread, rcond=1e-12, hermitian=True)
    return np.asarray(Z @ inverse @ (gain[2 * target] - gain[2 * target + 1]))
