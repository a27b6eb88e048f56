"""A population → the eigenvalues of XXᵀ/p that leave the bulk of the noise: Proposition 1."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinspan._rows.types import Floats
from kinspan.labels.spikes import bulk, marchenko_pastur, spike_eigenvalues
from kinspan.theory._cells import positive_signs
from kinspan.theory._checks import Population, check_numbers, check_population, check_samples


class PhaseTransition(NamedTuple):
    """Limits of the largest eigenvalues of XXᵀ/p, one for each cell, largest first."""

    strengths: Floats  # ℓ: eigenvalues of 𝓜 = diag(√n) G diag(√n) / p
    threshold: float  # 1/√c₀ = √(n/p): what a strength must exceed
    informative: NDArray[np.bool_]  # whether it does
    eigenvalues: Floats  # 1 + 1/c₀ + ℓ + 1/(c₀ℓ) where it does, the edge elsewhere
    bulk: tuple[float, float]  # (1 ∓ √(1/c₀))²: ends of the Marčenko–Pastur law; then the edge
    zeros: float  # share of eigenvalues that are zero, where rows are fewer than features


def phase_transition(mean_gram: ArrayLike, counts: ArrayLike, n_features: int) -> PhaseTransition:
    """Limits of the isolated eigenvalues of XXᵀ/p and of the bulk (Proposition 1, as printed).

    Eigenvalues do not depend on how cells form tasks: several tasks count as one.

    Parameters
    ----------
    mean_gram : array-like of shape (cells, cells)
        Inner products of the means, cells ordered task by task.
    counts : array-like of shape (classes,) or (tasks, classes)
        Rows of each cell.
    n_features : int
        Features p.

    Examples
    --------
    Figure 1 at p = 500: means ∓e₁, 500 rows in each class.

    >>> from kinspan.theory import phase_transition
    >>> found = phase_transition([[1, -1], [-1, 1]], [500, 500], 500)
    >>> found.strengths.round(6).tolist(), found.informative.tolist()
    ([2.0, 0.0], [True, False])
    >>> found.eigenvalues.round(4).tolist()
    [6.0, 5.8284]
    """
    return transition(check_population(mean_gram, counts, n_features))


def transition(population: Population) -> PhaseTransition:
    """Proposition 1, unchecked."""
    ratio = float(population.counts.sum()) / population.n_features  # 1/c₀
    strengths = strengths_and_vectors(population)[0]
    threshold = float(np.sqrt(ratio))
    informative = strengths > threshold * (1 + 1e-12)  # rounding must not pass it
    ends = bulk(ratio)
    isolated = spike_eigenvalues(np.where(informative, strengths, 1.0), ratio)
    eigenvalues = np.where(informative, isolated, ends[1])
    return PhaseTransition(
        strengths, threshold, informative, eigenvalues, ends, max(0.0, 1 - ratio)
    )


def strengths_and_vectors(population: Population) -> tuple[Floats, Floats]:
    """Eigenvalues ℓ and eigenvectors ū of 𝓜, largest first."""
    root = np.sqrt(population.counts.ravel())
    scaled = root[:, None] * population.gram * root / population.n_features
    values, vectors = np.linalg.eigh(scaled)
    return np.maximum(values[::-1], 0.0), positive_signs(vectors[:, ::-1])


def marchenko_pastur_density(eigenvalues: ArrayLike, n_samples: float, n_features: int) -> Floats:
    """Density of the bulk of the eigenvalues of XXᵀ/p: sqrt((b − x)(x − a)) / (2πx) on (a, b).

    a and b are (1 ∓ √(n/p))² (Proposition 1). With fewer rows than features the density adds up to
    n/p; the other eigenvalues are zero.

    Examples
    --------
    >>> import numpy as np
    >>> from kinspan.theory import marchenko_pastur_density
    >>> x = np.linspace(0, 9, 100_001)
    >>> density = marchenko_pastur_density(x, n_samples=400, n_features=100)
    >>> round(float(density.sum() * (x[1] - x[0])), 4)
    1.0
    """
    n, p = check_samples(n_samples, n_features)
    return marchenko_pastur(check_numbers("eigenvalues", eigenvalues), n / p)
