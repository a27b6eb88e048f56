"""What more labels gain: the optimal error as a function of the number of rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinspan._rows.types import Floats
from kinspan.risk.labels_needed import fewest_labels
from kinspan.theory._cells import sampled_cells
from kinspan.theory._checks import (
    Population,
    check_addition,
    check_error,
    check_population,
    check_target,
)
from kinspan.theory._errors import gap_error
from kinspan.theory._targets import best_error_of

_MANY = 2**60  # labels per class, for which the error equals its limit to rounding


class LabelsNeeded(NamedTuple):
    """How many labels of a target task reach an error."""

    per_class: int | None  # rows of each class of the target; None: no number of them is enough
    error_rate: float  # the error with that many; with None, the limit
    limit: float  # what the error tends to as the labels of the target become many


def learning_curve(
    mean_gram: ArrayLike, counts: ArrayLike, n_features: int, *, target: int, add: ArrayLike
) -> Floats:
    """The optimal error on a target after rows are added to any cells (Eq. 6).

    Parameters
    ----------
    mean_gram, counts, n_features
        The population: see :func:`optimal_error_rate`.
    target : int
        Index of the task.
    add : array-like of shape (..., tasks, classes)
        Rows to add to each cell, or to take away; any number of alternatives.

    Returns
    -------
    array of the shape of the alternatives
        More than two classes: two more axes, the errors of all pairs.

    Examples
    --------
    Rows of the target, and of a related task, with 0, 50 and 100 more per class:

    >>> import numpy as np
    >>> from kinspan.theory import learning_curve
    >>> G = np.kron([[1, 0.8], [0.8, 1]], [[1, -1], [-1, 1]])
    >>> counts, more = [[50, 50], [50, 50]], np.array([0, 50, 100])[:, None, None]
    >>> learning_curve(G, counts, 100, target=0, add=more * [[1, 1], [0, 0]]).round(4).tolist()
    [0.2202, 0.1994, 0.1891]
    >>> learning_curve(G, counts, 100, target=0, add=more * [[0, 0], [1, 1]]).round(4).tolist()
    [0.2202, 0.2127, 0.2087]
    """
    G, n, p = check_population(mean_gram, counts, n_features)
    t, extra = check_target(target, n), check_addition(add, n)
    alternatives = (n + extra).reshape(-1, *n.shape)
    errors = np.array([_error(Population(G, rows, p), t) for rows in alternatives])
    return errors.reshape(extra.shape[:-2] + errors.shape[1:])


def labels_needed(
    mean_gram: ArrayLike, counts: ArrayLike, n_features: int, *, target: int, error: float
) -> LabelsNeeded:
    """The smallest number of target labels that reaches an error, as many in each class (Eq. 6).

    The counts of the other tasks are kept, those of the target are replaced. As the labels of the
    target become many its means are known and the error tends to Q(½‖μ_t1 − μ_t2‖): nothing below
    can be reached. With more than two classes the error is that of the worst pair.

    Parameters
    ----------
    mean_gram, counts, n_features
        The population: see :func:`optimal_error_rate`.
    target : int
        Index of the task.
    error : float
        The error to reach.

    Examples
    --------
    >>> import numpy as np
    >>> from kinspan.theory import labels_needed
    >>> G = np.kron([[1, 0.8], [0.8, 1]], [[1, -1], [-1, 1]])
    >>> labels_needed(G, [[0, 0], [50, 50]], 100, target=0, error=0.2).per_class
    98
    >>> found = labels_needed(G, [[0, 0], [50, 50]], 100, target=0, error=0.15)
    >>> found.per_class is None, round(found.limit, 4)
    (True, 0.1587)
    """
    population = check_population(mean_gram, counts, n_features)
    t, wanted = check_target(target, population.counts), check_error(error)
    limit = _limit(population, t)

    def error_with(per_class: int) -> float:
        n = population.counts.copy()
        n[t] = per_class
        return float(np.max(_error(population._replace(counts=n), t)))

    enough = fewest_labels(error_with, wanted, _MANY) if wanted > limit else None
    return LabelsNeeded(enough, limit if enough is None else error_with(enough), limit)


def _error(population: Population, target: int) -> float | Floats:
    G, n, p = population
    return best_error_of(sampled_cells(G, G, n, p), n, target, None)


def _limit(population: Population, target: int) -> float:
    m = population.counts.shape[1]
    own = population.gram[target * m : (target + 1) * m, target * m : (target + 1) * m]
    squared = np.add.outer(np.diag(own), np.diag(own)) - 2 * own
    return float(gap_error(np.sqrt(squared[~np.eye(m, dtype=bool)].clip(min=0)).min()))
