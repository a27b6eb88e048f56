"""Means and any covariances → score means and variances, optimal labels and errors.

Inner products in the metric of a covariance are not in the Gram matrix: these functions take the
`means` (tasks, classes, features) themselves in its place, and `covariances`, one (features,
features) for all cells or one for each, (tasks, classes, features, features).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinspan._rows.types import Floats
from kinspan.theory._cells import SampledCells, labels_of, sampled_cells, weights_of
from kinspan.theory._checks import (
    check_counts,
    check_covariances,
    check_means,
    check_one_label,
    check_priors,
    check_target,
    check_two_classes,
)
from kinspan.theory._two_spreads import TwoSpreads, best_weights, weights_error


class ScoreMoments(NamedTuple):
    """Gaussian scores of test rows of each cell."""

    means: Floats  # (cells,)
    variances: Floats  # (cells,)


class _Model(NamedTuple):
    """A checked population with covariances."""

    means: Floats  # (cells, features) M
    counts: Floats  # (tasks, classes)
    covariances: Floats  # (cells, features, features) C
    cells: SampledCells  # G = MᵀM, R = tr C / n


def anisotropic_score_moments(
    means: ArrayLike, counts: ArrayLike, labels: ArrayLike, *, covariances: ArrayLike
) -> ScoreMoments:
    """Means and variances of the score of each cell for given labels (Corollary 1, any covariance).

    With a = nỹ, G = MᵀM and R = diag(tr C / n) the score of a cell with covariance S has mean
    aᵀGe / sqrt(aᵀ(G + R)a) and variance aᵀ(MᵀSM + diag(tr(CS)/n))a / aᵀ(G + R)a.

    Parameters
    ----------
    means : array-like of shape (tasks, classes, features)
    counts : array-like of shape (tasks, classes)
    labels : array-like of shape (tasks, classes) or (cells,)
        The label of the rows of each cell.
    covariances : array-like
        One matrix (features, features), or one for each cell (tasks, classes, features, features).

    Examples
    --------
    >>> import numpy as np
    >>> from kinspan.theory import anisotropic_score_moments
    >>> means = np.zeros((1, 2, 100))
    >>> means[0, :, 0] = 1, -1
    >>> moments = anisotropic_score_moments(
    ...     means, [[50, 50]], [[1, -1]], covariances=np.diag(np.linspace(1.5, 0.5, 100)))
    >>> moments.means.round(4).tolist(), moments.variances.round(4).tolist()
    ([0.7071, -0.7071], [1.2925, 1.2925])
    """
    model = _model(means, counts, covariances)
    cells, y = model.cells, check_one_label(labels, model.counts)
    a = weights_of(cells, y)
    square = a @ cells.gram @ a + a**2 @ cells.noise
    square = np.where(square > 0, square, 1.0)
    variances = [a @ _spread(model, cell) @ a for cell in range(y.size)]
    return ScoreMoments(a @ cells.cross / np.sqrt(square), np.array(variances) / square)


def anisotropic_optimal_labels(
    means: ArrayLike,
    counts: ArrayLike,
    *,
    covariances: ArrayLike,
    target: int,
    priors: ArrayLike | None = None,
) -> Floats:
    """The labels that make the fewest errors on a target with two classes, for any covariances.

    Equal covariances S of the two target classes: a* = K⁻¹G(e_t1 − e_t2) with
    K = MᵀSM + diag(tr(CS)/n). Unequal ones: a* = (cos θ K₁ + sin θ K₂)⁻¹G(e_t1 − e_t2), every
    admissible linear rule being of that form, and θ by a search in one dimension. Only then do the
    labels depend on the priors.

    The arguments are those of :func:`anisotropic_score_moments`, with the index of the target task
    and the priors of its classes among test rows (None: equal). The result has shape (tasks,
    classes), up to a common factor.

    Examples
    --------
    A related task whose noise lies where the target's does is worth less:

    >>> import numpy as np
    >>> from kinspan.theory import anisotropic_optimal_labels
    >>> means = np.zeros((2, 2, 100))
    >>> means[:, :, 0] = 1, -1
    >>> first, second = np.diag([2.0] * 50 + [0.1] * 50), np.diag([0.1] * 50 + [2.0] * 50)
    >>> C = [[first, first], [second, second]]
    >>> y = anisotropic_optimal_labels(means, [[50, 50]] * 2, covariances=C, target=0)
    >>> (y / y[0, 0]).round(3).tolist()
    [[1.0, -1.0], [10.025, -10.025]]
    """
    model = _model(means, counts, covariances)
    weights = best_weights(*_two_classes(model, target, priors))
    return labels_of(model.cells, weights).reshape(model.counts.shape)


def anisotropic_error_rate(
    means: ArrayLike,
    counts: ArrayLike,
    labels: ArrayLike,
    *,
    covariances: ArrayLike,
    target: int,
    priors: ArrayLike | None = None,
) -> float:
    """Error on a target with two classes for given labels and any covariances, best threshold.

    Equal target covariances and priors: Q(½(m_t1 − m_t2)/σ). The arguments are those of
    :func:`anisotropic_score_moments` and :func:`anisotropic_optimal_labels`.

    Examples
    --------
    >>> import numpy as np
    >>> from kinspan.theory import anisotropic_error_rate
    >>> means = np.zeros((1, 2, 100))
    >>> means[0, :, 0] = 1, -1
    >>> C = np.diag(np.linspace(1.5, 0.5, 100))
    >>> error = anisotropic_error_rate(means, [[50, 50]], [1, -1], covariances=C, target=0)
    >>> round(error, 4)
    0.267
    """
    model = _model(means, counts, covariances)
    pair, pi = _two_classes(model, target, priors)
    return weights_error(pair, weights_of(model.cells, check_one_label(labels, model.counts)), pi)


def anisotropic_optimal_error_rate(
    means: ArrayLike,
    counts: ArrayLike,
    *,
    covariances: ArrayLike,
    target: int,
    priors: ArrayLike | None = None,
) -> float:
    """Error on a target with two classes with the optimal labels, for any covariances.

    Equal target covariances and priors: Q(½ sqrt(δᵀGK⁻¹Gδ)). The arguments are those of
    :func:`anisotropic_optimal_labels`.

    Examples
    --------
    >>> import numpy as np
    >>> from kinspan.theory import anisotropic_optimal_error_rate
    >>> means = np.zeros((1, 2, 100))
    >>> means[0, :, 0] = 1, -1
    >>> C = np.diag(np.linspace(1.5, 0.5, 100))
    >>> error = anisotropic_optimal_error_rate(means, [[50, 50]], covariances=C, target=0)
    >>> round(error, 4)
    0.267
    """
    pair, pi = _two_classes(_model(means, counts, covariances), target, priors)
    return weights_error(pair, best_weights(pair, pi), pi)


def _model(means: ArrayLike, counts: ArrayLike, covariances: ArrayLike) -> _Model:
    n = check_counts(counts)
    M = check_means(means, n)
    C = check_covariances(covariances, M, n)
    G = M @ M.T
    trace = np.einsum("cii->c", C)[n.ravel() > 0]
    cells = sampled_cells(G, G, n, 1)
    return _Model(M, n, C, cells._replace(noise=trace / cells.counts))


def _spread(model: _Model, cell: int) -> Floats:
    """K = MᵀSM + diag(tr(CS)/n) over the sampled cells, S the covariance of a cell.

    The noise is kept positive for covariances S that miss all the noise of a cell.
    """
    S, sampled, n = model.covariances[cell], model.cells.sampled, model.cells.counts
    M = model.means[sampled]
    noise = np.einsum("cij,ij->c", model.covariances[sampled], S) / n
    floor = 1e-12 * np.trace(S) / n
    return np.asarray(M @ S @ M.T + np.diag(np.maximum(noise, floor)))


def _two_classes(model: _Model, target: int, priors: ArrayLike | None) -> tuple[TwoSpreads, Floats]:
    """The two classes of a checked target, and their priors, equal unless given."""
    check_two_classes(model.counts)
    first = 2 * check_target(target, model.counts)
    pi = check_priors(priors, model.counts)
    cross = model.cells.cross[:, [first, first + 1]]
    pair = TwoSpreads(cross, _spread(model, first), _spread(model, first + 1))
    return pair, np.full(2, 0.5) if pi is None else pi
