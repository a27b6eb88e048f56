"""The smallest error that any method can reach, from labelled and unlabelled rows together.

Rows tell about the means, and means tell about the classes of rows. The overlap Ω of the posterior
means with the true ones is a fixed point between the two. Nothing in it assumes supervised PCA:
that its error at labelled fraction 1 is the optimum of `mtl` is a result.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from kinspan._rows.types import Floats
from kinspan.theory._cells import block_diagonal
from kinspan.theory._checks import check_fraction, check_population, check_two_classes
from kinspan.theory._errors import gap_error
from kinspan.theory._posteriors import posterior_products

_STEPS, _CLOSE = 20_000, 1e-13


def bayes_error_rate(
    mean_gram: ArrayLike, counts: ArrayLike, n_features: int, labelled_fraction: ArrayLike
) -> Floats:
    """(tasks,) Bayes-optimal errors when only a fraction of the rows is labelled (Remark 2).

    Ω = G − (G⁻¹ + S)⁻¹, where S is what the rows tell about the means: n/p for labelled rows, and
    for the unlabelled rows of a task E[ûûᵀ]·n/p, û the posterior probabilities of their two classes
    seen through Ω. Iterated from Ω = G; the error is Q(½ sqrt(δᵀΩδ)). For opposite classes ±μ this
    is q = [G − (G⁻¹ + diag S)⁻¹]_tt with S = (n/p)(η + (1 − η) E tanh(q + √q Z)).

    Parameters
    ----------
    mean_gram, counts, n_features
        The population: see :func:`mtl_score_means`. Two classes; counts are of all rows, labelled
        or not, and the shares of the classes are taken as known.
    labelled_fraction : float or array-like of shape (tasks,) or (tasks, 2)
        Share of the rows that is labelled. A task without labelled rows, unrelated to all others,
        gets the error that remains once someone has told which class is which.

    Examples
    --------
    The optimum of the paper; a tenth of the labels, with and without the unlabelled rows:

    >>> import numpy as np
    >>> from kinspan.theory import bayes_error_rate
    >>> G = np.kron([[2, 1], [1, 2]], [[1, -1], [-1, 1]])
    >>> counts = np.array([[200, 200], [100, 100]])
    >>> bayes_error_rate(G, counts, 100, 1).round(4).tolist()
    [0.0908, 0.1014]
    >>> bayes_error_rate(G, counts, 100, 0.1).round(4).tolist()
    [0.0946, 0.1091]
    >>> bayes_error_rate(G, counts / 10, 100, 1).round(4).tolist()
    [0.1669, 0.2033]
    """
    G, n, p = check_population(mean_gram, counts, n_features)
    check_two_classes(n)
    eta = check_fraction(labelled_fraction, n)
    return gap_error(np.sqrt(_squared_gaps(_overlap(G, n * eta / p, n * (1 - eta) / p))))


def _overlap(G: Floats, labelled: Floats, unlabelled: Floats) -> Floats:
    """The largest fixed point Ω, reached from the true means downwards."""
    overlap = G
    for _ in range(_STEPS):
        previous = overlap
        overlap = _posterior(G, _information(_squared_gaps(overlap), labelled, unlabelled))
        if np.abs(overlap - previous).max() <= _CLOSE * max(np.abs(G).max(), 1e-300):
            break
    return overlap


def _posterior(G: Floats, S: Floats) -> Floats:
    """G − (G⁻¹ + S)⁻¹ without the inverse of G, which may be singular."""
    overlap = np.linalg.solve(np.eye(len(G)) + G @ S, G @ S @ G)
    return np.asarray((overlap + overlap.T) / 2)


def _squared_gaps(overlap: Floats) -> Floats:
    """(tasks,) δᵀΩδ."""
    own = np.einsum("titj->tij", overlap.reshape(len(overlap) // 2, 2, -1, 2))
    return np.asarray(np.maximum(own[:, 0, 0] + own[:, 1, 1] - 2 * own[:, 0, 1], 0.0))


def _information(squared_gaps: Floats, labelled: Floats, unlabelled: Floats) -> Floats:
    """(cells, cells) S: counts of the labelled rows, Σ E[ûûᵀ] of the others, over p; by task."""
    told = [posterior_products(*of) for of in zip(squared_gaps, unlabelled, strict=True)]
    return block_diagonal(np.array([np.diag(n) for n in labelled]) + np.array(told))
