"""A population whose labels are wrong with known probabilities → optimal labels and errors.

Row j of the confusion matrix of a task gives the probabilities with which rows of class j get each
label. An observed cell is then a mixture: its mean is a mixture of true means, and its number of
rows is the expected number of rows with its label. The noise of a row does not change (mixing adds
a part of bounded trace to the covariance, small against p), nor do the test rows and the form of
the optimum; the optimal labels of the observed cells absorb the mixing. A flip rate f of two
opposite classes of equal size acts like n(1 − 2f)² in place of n rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinspan._rows.types import Floats
from kinspan.theory._cells import SampledCells, block_diagonal, sampled_cells, weights_of
from kinspan.theory._checks import (
    Population,
    check_confusion,
    check_labels,
    check_population,
    check_priors,
    check_target,
)
from kinspan.theory._targets import best_error_of, best_labels, error_of_weights


class MislabelledCells(NamedTuple):
    """What is sampled when labels are wrong: cells by their observed label."""

    counts: Floats  # (tasks, classes) rows observed in each cell, in expectation
    mean_gram: Floats  # (cells, cells) inner products of the means of observed cells
    cross_gram: Floats  # (cells, cells) inner products of means of observed (rows) and true cells
    mixing: Floats  # (cells, cells) share of each true cell (rows) in each observed cell (columns)


def mislabelled_cells(
    mean_gram: ArrayLike, counts: ArrayLike, n_features: int, *, confusion: ArrayLike
) -> MislabelledCells:
    """The population that is observed through wrong labels.

    Parameters
    ----------
    mean_gram, counts, n_features
        The true population: see :func:`mtl_score_means`.
    confusion : array-like of shape (classes, classes) or (tasks, classes, classes)
        Probability that a row of class j (row) is labelled l (column).

    Examples
    --------
    >>> import numpy as np
    >>> from kinspan.theory import mislabelled_cells
    >>> G = np.array([[1, -1], [-1, 1]])
    >>> seen = mislabelled_cells(G, [100, 100], 50, confusion=[[0.9, 0.1], [0.3, 0.7]])
    >>> seen.counts.tolist()
    [[120.0, 80.0]]
    >>> seen.mixing.round(3).tolist()
    [[0.75, 0.125], [0.25, 0.875]]
    """
    population = check_population(mean_gram, counts, n_features)
    return _observed(population, check_confusion(confusion, population.counts))


def mislabelled_optimal_labels(
    mean_gram: ArrayLike,
    counts: ArrayLike,
    n_features: int,
    *,
    target: int,
    confusion: ArrayLike,
) -> Floats:
    """The labels of the observed cells that make the fewest errors on the true classes of a task.

    a* = (G̃ + R̃)⁻¹ PᵀG(e_t1 − e_t2), with P the mixing, G̃ = PᵀGP, R̃ = p/ñ. The arguments are those
    of :func:`mislabelled_cells`, the target and the result those of :func:`optimal_labels`.

    Examples
    --------
    The labels of a task with many wrong labels count less:

    >>> import numpy as np
    >>> from kinspan.theory import mislabelled_optimal_labels
    >>> G = np.kron(np.ones((2, 2)), [[1, -1], [-1, 1]])
    >>> wrong = [[[1, 0], [0, 1]], [[0.7, 0.3], [0.3, 0.7]]]
    >>> y = mislabelled_optimal_labels(G, [[50, 50], [50, 50]], 100, target=0, confusion=wrong)
    >>> (y / y[0, 0]).round(3).tolist()
    [[1.0, -1.0], [0.4, -0.4]]
    """
    cells, n = _cells(check_population(mean_gram, counts, n_features), confusion)
    return best_labels(cells, n, check_target(target, n))


def mislabelled_error_rate(
    mean_gram: ArrayLike,
    counts: ArrayLike,
    n_features: int,
    labels: ArrayLike,
    *,
    target: int,
    confusion: ArrayLike,
    priors: ArrayLike | None = None,
) -> float | Floats:
    """Error on the true classes of a target for given labels of the observed cells.

    The arguments are those of :func:`mislabelled_cells` and :func:`error_rate`.

    Examples
    --------
    >>> from kinspan.theory import mislabelled_error_rate
    >>> wrong = [[0.8, 0.2], [0.2, 0.8]]
    >>> G = [[2, -2], [-2, 2]]
    >>> round(mislabelled_error_rate(G, [50, 50], 100, [1, -1], target=0, confusion=wrong), 4)
    0.1801
    """
    cells, n = _cells(check_population(mean_gram, counts, n_features), confusion)
    weights = weights_of(cells, check_labels(labels, n))
    return error_of_weights(cells, n, weights, check_target(target, n), check_priors(priors, n))


def mislabelled_optimal_error_rate(
    mean_gram: ArrayLike,
    counts: ArrayLike,
    n_features: int,
    *,
    target: int,
    confusion: ArrayLike,
    priors: ArrayLike | None = None,
) -> float | Floats:
    """Error on the true classes of a target with the optimal labels of the observed cells.

    The arguments are those of :func:`mislabelled_cells` and :func:`error_rate`.

    Examples
    --------
    A flip rate of 20 % costs as much as having 36 % of the rows:

    >>> from kinspan.theory import mislabelled_optimal_error_rate, optimal_error_rate
    >>> wrong = [[0.8, 0.2], [0.2, 0.8]]
    >>> G = [[2, -2], [-2, 2]]
    >>> round(mislabelled_optimal_error_rate(G, [50, 50], 100, target=0, confusion=wrong), 4)
    0.1801
    >>> round(optimal_error_rate(G, [18, 18], 100, target=0), 4)
    0.1801
    """
    cells, n = _cells(check_population(mean_gram, counts, n_features), confusion)
    return best_error_of(cells, n, check_target(target, n), check_priors(priors, n))


def _cells(population: Population, confusion: ArrayLike) -> tuple[SampledCells, Floats]:
    """The observed cells, and their counts."""
    seen = _observed(population, check_confusion(confusion, population.counts))
    cells = sampled_cells(seen.mean_gram, seen.cross_gram, seen.counts, population.n_features)
    return cells, seen.counts


def _observed(population: Population, confusion: Floats) -> MislabelledCells:
    G, n, _ = population
    joint = n[:, :, None] * confusion  # rows of true class j with observed label l
    counts = joint.sum(axis=1)
    P = block_diagonal(joint / np.where(counts > 0, counts, 1.0)[:, None])
    return MislabelledCells(counts, P.T @ G @ P, P.T @ G, P)
