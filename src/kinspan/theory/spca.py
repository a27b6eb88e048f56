"""A population of one task → scores and errors of supervised PCA: Theorem 2."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kinspan._rows.types import Floats
from kinspan.theory._cells import component_means, sampled_cells, weights_of
from kinspan.theory._checks import Population, check_single_task
from kinspan.theory._errors import nearest_mean_error


def spca_score_means(mean_gram: ArrayLike, counts: ArrayLike, n_features: int) -> Floats:
    """Mean scores of each class on the components of supervised PCA of one task (Theorem 2).

    Canonical labels, τ = m components: [m_j]_i = sqrt(c₀/ℓ̃_i) · v̄_iᵀ D_c^½ 𝓜 D_c^−½ e_j, with ℓ̃, v̄
    the eigenpairs of D_c + D_c^½ 𝓜 D_c^½; the scores have unit variance. The paper prints
    sqrt(1/ℓ̃) in place of sqrt(c₀/ℓ̃).

    Parameters
    ----------
    mean_gram : array-like of shape (classes, classes)
        Inner products of the class means.
    counts : array-like of shape (classes,) or (1, classes)
        Rows of each class.
    n_features : int
        Features p.

    Returns
    -------
    array of shape (classes, components)
        Their signs are arbitrary: the largest entry of v̄ is positive.

    Examples
    --------
    >>> from kinspan.theory import spca_score_means
    >>> abs(spca_score_means([[1, -1], [-1, 1]], [500, 500], 100)).round(6).tolist()
    [[0.953463, 0.0], [0.953463, 0.0]]
    """
    return canonical_means(check_single_task(mean_gram, counts, n_features))


def spca_error_rate(mean_gram: ArrayLike, counts: ArrayLike, n_features: int) -> float | Floats:
    """Error of the nearest-mean rule after supervised PCA (Theorem 2): Q(½‖m_j − m_j'‖).

    A number for two classes, the matrix of the errors of all pairs for more. The arguments are
    those of :func:`spca_score_means`.

    Examples
    --------
    Figure 1 at p = 100, and three classes:

    >>> import numpy as np
    >>> from kinspan.theory import spca_error_rate
    >>> round(spca_error_rate([[1, -1], [-1, 1]], [500, 500], 100), 6)
    0.170178
    >>> spca_error_rate(4 * np.eye(3), [50, 50, 100], 100).round(4).tolist()
    [[0.0, 0.1241, 0.1129], [0.1241, 0.0, 0.1129], [0.1129, 0.1129, 0.0]]
    """
    return nearest_mean_error(canonical_means(check_single_task(mean_gram, counts, n_features)))


def canonical_means(population: Population) -> Floats:
    """Theorem 2 is Theorem 3 for one task with the identity as labels."""
    cells = sampled_cells(
        population.gram, population.gram, population.counts, population.n_features
    )
    return component_means(cells, weights_of(cells, np.eye(population.counts.size)))
