"""A population of one task → how much farther apart its classes are with labels than without."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinspan._rows.types import Floats
from kinspan.theory._checks import Population, check_single_task
from kinspan.theory._errors import squared_distances
from kinspan.theory.phase_transition import strengths_and_vectors, transition
from kinspan.theory.spca import canonical_means


class SupervisionGap(NamedTuple):
    """What supervision adds to the squared distance of two classes."""

    gap: Floats  # (classes, classes) Δm_spca − Δm_pca, never negative
    relative: Floats  # (classes, classes) the same as a share of Δm_spca; zero where that is zero
    explicit: float  # 16/(n‖Δμ‖²/p + 4) where it holds, else NaN: see the function


def spca_pca_gap(mean_gram: ArrayLike, counts: ArrayLike, n_features: int) -> SupervisionGap:
    """The gap between Theorems 2 and 1, and the explicit form of the paper where that holds.

    gap = Σ_i min(n, pℓ_i²) / (ℓ_i + 1) · (ū_iᵀ diag(n)^−½ (e_j − e_j'))², so that it is never
    negative, for all proportions of the classes. The paper prints an explicit form for two
    classes "irrespective of c₁, c₂": 16/(n‖Δμ‖²/p + 4), as a share 16/(n‖Δμ‖⁴/p). It holds for
    opposite means, μ₁ = −μ₂, above the phase transition, and in general not elsewhere.

    The arguments are those of :func:`spca_score_means`.

    Examples
    --------
    >>> from kinspan.theory import spca_pca_gap
    >>> found = spca_pca_gap([[1, -1], [-1, 1]], [700, 300], 100)
    >>> found.gap.round(6).tolist(), round(found.explicit, 6)
    ([[0.0, 0.363636], [0.363636, 0.0]], 0.363636)
    >>> spca_pca_gap([[4, 0], [0, 0]], [700, 300], 100).explicit
    nan
    """
    population = check_single_task(mean_gram, counts, n_features)
    gap = _gap(population)
    whole = squared_distances(canonical_means(population))
    relative = np.divide(gap, whole, out=np.zeros_like(gap), where=whole > 0)
    return SupervisionGap(gap, relative, _explicit(population))


def _gap(population: Population) -> Floats:
    """The sum, with ū diag(n)^−½ written as ū diag(n)^½ G/(pℓ): a class may be empty."""
    n, p = population.counts.ravel(), population.n_features
    ell, vectors = strengths_and_vectors(population)
    useful = ell > 1e-12 * max(ell[0], 1e-300)
    share = np.minimum(n.sum(), p * ell**2) / (ell + 1) / np.where(useful, ell**2, np.inf)
    coordinates = (vectors.T * np.sqrt(n)) @ population.gram / p
    return squared_distances((np.sqrt(share)[:, None] * coordinates).T)


def _explicit(population: Population) -> float:
    G, n = population.gram, population.counts.sum()
    if len(G) != 2 or not transition(population).informative[0]:
        return float("nan")
    opposite = np.allclose(G, G[0, 0] * np.array([[1, -1], [-1, 1]]), rtol=0, atol=1e-8 * G.max())
    separation = G[0, 0] + G[1, 1] - 2 * G[0, 1]
    return float(16 / (n * separation / population.n_features + 4)) if opposite else float("nan")
