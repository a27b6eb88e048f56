"""A population and labels → scores and errors of supervised PCA of many tasks.

Theorem 3, Corollary 1 and the optimum.

Common arguments: `mean_gram` (cells, cells), inner products of the means, cells ordered task by
task; `counts` (tasks, classes), rows of each cell; `n_features`, the features p. An empty cell has
weight and label zero; its mean still counts as a target.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from kinspan._rows.types import Floats
from kinspan.theory._cells import SampledCells, mean_scores, sampled_cells, weights_of
from kinspan.theory._checks import (
    Population,
    check_labels,
    check_population,
    check_priors,
    check_target,
)
from kinspan.theory._targets import best_error_of, best_labels, error_of_weights


def mtl_score_means(
    mean_gram: ArrayLike, counts: ArrayLike, n_features: int, labels: ArrayLike
) -> Floats:
    """Mean scores of all cells for given labels (Theorem 3; Corollary 1 for one label per cell).

    The scores have unit variance. With a = nỹ, G = MᵀM and R = diag(p/n) the mean score of cell
    (t, j) is aᵀGe_tj / sqrt(aᵀ(G + R)a); the paper's forms are equal to it once sqrt(1/(c₀ℓ̃)) is
    read as sqrt(c₀/ℓ̃) in Theorem 3 and the score of Corollary 1 is multiplied by sqrt(c₀).

    Parameters
    ----------
    mean_gram, counts, n_features
        The population: see the module.
    labels : array-like of shape (tasks, classes), (cells,) or (cells, columns)
        The value ỹ that every row of a cell is labelled with; a matrix of them gives components.

    Returns
    -------
    array of shape (cells,), or (cells, columns) for a matrix of labels
        Components are ordered by their eigenvalue. They are at most as many as the rank of the
        labels (the paper says mk): columns beyond it are zero. Signs of components are arbitrary.

    Examples
    --------
    >>> import numpy as np
    >>> from kinspan.theory import mtl_score_means
    >>> G = np.kron([[1, 0.5], [0.5, 1]], [[1, -1], [-1, 1]])
    >>> mtl_score_means(G, [[1000, 1000], [50, 50]], 100, [[1, -1], [1, -1]]).round(6).tolist()
    [0.975086, -0.975086, 0.523217, -0.523217]
    >>> mtl_score_means(G, [[1000, 1000], [50, 50]], 100, np.tile(np.eye(2), (2, 1))).shape
    (4, 2)
    """
    population = check_population(mean_gram, counts, n_features)
    cells, y = _cells(population), check_labels(labels, population.counts)
    return mean_scores(cells, weights_of(cells, y))


def optimal_labels(
    mean_gram: ArrayLike, counts: ArrayLike, n_features: int, *, target: int
) -> Floats:
    """The labels that make the fewest errors on a target task (Eq. 5, as printed).

    ỹ* = D_c^−½ (𝓜 + I)⁻¹ 𝓜 D_c^−½ (e_t1 − e_t2), which is a*/n up to a factor, with
    a* = (G + R)⁻¹ G (e_t1 − e_t2). For more than two classes one column for each class, for its
    mean minus the mean of all: the components made of them are best for all pairs at once.

    Parameters
    ----------
    mean_gram, counts, n_features
        The population: see the module.
    target : int
        Index of the task.

    Returns
    -------
    array of shape (tasks, classes) for two classes, (cells, classes) for more
        A common factor does not matter.

    Examples
    --------
    Unrelated tasks get the label zero, those with swapped classes the opposite sign:

    >>> import numpy as np
    >>> from kinspan.theory import optimal_labels
    >>> related = np.array([[1, 0, -0.5], [0, 1, 0], [-0.5, 0, 1]])
    >>> G = np.kron(related, [[1, -1], [-1, 1]])
    >>> (optimal_labels(G, 3 * [[100, 100]], 100, target=0).round(4) + 0).tolist()
    [[3.75, -3.75], [0.0, 0.0], [-0.75, 0.75]]
    """
    population = check_population(mean_gram, counts, n_features)
    t = check_target(target, population.counts)
    return best_labels(_cells(population), population.counts, t)


def error_rate(
    mean_gram: ArrayLike,
    counts: ArrayLike,
    n_features: int,
    labels: ArrayLike,
    *,
    target: int,
    priors: ArrayLike | None = None,
) -> float | Floats:
    """Error on a target task for given labels: Q(½(m_t1 − m_t2)) (Eq. 4).

    The rule answers class 1 above the threshold, so that labels with a negative gap give an error
    above one half. More than two classes: (classes, classes) errors of the nearest-mean rule for
    all pairs. The paper prints Q with e^(−x²) in place of e^(−x²/2).

    Parameters
    ----------
    mean_gram, counts, n_features, labels
        As in :func:`mtl_score_means`.
    target : int
        Index of the task.
    priors : two probabilities or None, default=None
        Of the two classes among test rows; :func:`decision_threshold` moves with them.

    Examples
    --------
    Figure 2 at β = 0 with labels ±1: negative transfer.

    >>> import numpy as np
    >>> from kinspan.theory import error_rate
    >>> G = np.kron(np.eye(2), [[1, -1], [-1, 1]])
    >>> round(error_rate(G, [[1000, 1000], [50, 50]], 100, [[1, -1], [1, -1]], target=1), 6)
    0.480587
    """
    population = check_population(mean_gram, counts, n_features)
    cells, n = _cells(population), population.counts
    weights = weights_of(cells, check_labels(labels, n))
    return error_of_weights(cells, n, weights, check_target(target, n), check_priors(priors, n))


def optimal_error_rate(
    mean_gram: ArrayLike,
    counts: ArrayLike,
    n_features: int,
    *,
    target: int,
    priors: ArrayLike | None = None,
) -> float | Floats:
    """Error on a target task with the optimal labels: Q(½ sqrt(δᵀG(G + R)⁻¹Gδ)) (Eq. 6).

    The paper prints Q(½ sqrt(δᵀ𝓗δ)) in place of Q(½ sqrt(c₀ δᵀ𝓗δ)). The arguments and the result
    are those of :func:`error_rate`, without labels.

    Examples
    --------
    Figure 2 at β = 1:

    >>> import numpy as np
    >>> from kinspan.theory import optimal_error_rate
    >>> G = np.kron(np.ones((2, 2)), [[1, -1], [-1, 1]])
    >>> round(optimal_error_rate(G, [[1000, 1000], [50, 50]], 100, target=1), 6)
    0.164282
    """
    population = check_population(mean_gram, counts, n_features)
    n = population.counts
    t, pi = check_target(target, n), check_priors(priors, n)
    return best_error_of(_cells(population), n, t, pi)


def _cells(population: Population) -> SampledCells:
    G, n, p = population
    return sampled_cells(G, G, n, p)
