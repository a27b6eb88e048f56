"""A population of one task → scores and errors of PCA, which sees no labels: Theorem 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kinspan._rows.types import Floats
from kinspan.labels.spikes import overlaps
from kinspan.theory._checks import Population, check_components, check_single_task
from kinspan.theory._errors import nearest_mean_error
from kinspan.theory.phase_transition import strengths_and_vectors, transition


def pca_score_means(
    mean_gram: ArrayLike,
    counts: ArrayLike,
    n_features: int,
    *,
    n_components: int | None = None,
) -> Floats:
    """Mean scores of each class on the principal components of one task (Theorem 1).

    [m_j]_i = sqrt((c₀ℓ_i² − 1) / (ℓ_i²(ℓ_i + 1))) · ū_iᵀ 𝓜 D_c^−½ e_j for ℓ_i above 1/√c₀, zero
    below; the scores have unit variance. The paper prints c₀ℓ − 1 in place of c₀ℓ² − 1.

    Parameters
    ----------
    mean_gram, counts, n_features
        The population of one task: see :func:`spca_score_means`.
    n_components : int or None, default=None
        Components τ; None: as many as classes. More carry no information.

    Returns
    -------
    array of shape (classes, components)
        Their signs are arbitrary: the largest entry of ū is positive.

    Examples
    --------
    >>> from kinspan.theory import pca_score_means
    >>> pca_score_means([[1, -1], [-1, 1]], [500, 500], 100).round(6).tolist()
    [[0.904534, 0.0], [-0.904534, 0.0]]
    """
    population = check_single_task(mean_gram, counts, n_features)
    return _component_means(population, check_components(n_components, population))


def pca_error_rate(
    mean_gram: ArrayLike,
    counts: ArrayLike,
    n_features: int,
    *,
    n_components: int | None = None,
) -> float | Floats:
    """Error of the nearest-mean rule after PCA (Theorem 1): Q(½‖m_j − m_j'‖).

    A number for two classes, the matrix of the errors of all pairs for more. One half below the
    phase transition. The arguments are those of :func:`pca_score_means`.

    Examples
    --------
    Figure 1 at p = 100 and at p = 1000:

    >>> from kinspan.theory import pca_error_rate
    >>> round(pca_error_rate([[1, -1], [-1, 1]], [500, 500], 100), 6)
    0.182856
    >>> pca_error_rate([[1, -1], [-1, 1]], [500, 500], 1000)
    0.5
    """
    population = check_single_task(mean_gram, counts, n_features)
    components = check_components(n_components, population)
    return nearest_mean_error(_component_means(population, components))


def _component_means(population: Population, n_components: int) -> Floats:
    n = population.counts.ravel()
    c0 = population.n_features / n.sum()
    strengths, vectors = strengths_and_vectors(population)
    informative = transition(population).informative
    ell = np.where(informative, strengths, 1.0)
    cosine = np.sqrt(np.where(informative, overlaps(ell, 1 / c0).right, 0.0))
    # 𝓜ū = ℓū: the length of a mean along the true vector is ū_iᵀ 𝓜 D_c^−½ e_j · sqrt(c₀/ℓ).
    projected = vectors.T * np.sqrt(n / n.sum()) / c0 @ population.gram
    means = np.zeros((n.size, max(n_components, n.size)))
    means[:, : n.size] = ((cosine * np.sqrt(c0 / ell))[:, None] * projected).T
    return means[:, :n_components]
