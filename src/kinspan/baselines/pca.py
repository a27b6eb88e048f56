"""Rows of a task → its principal components, found without labels, and the nearest class mean."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse.linalg as spla
from numpy.typing import ArrayLike

from kinspan._arrays.libraries import is_sparse
from kinspan._rows.types import Floats
from kinspan._validation.parameters import check_n_components
from kinspan.baselines._checks import check_coded_rows, dense
from kinspan.baselines._nearest_mean import Components, nearest_mean_rule
from kinspan.baselines._task_classifier import TaskClassifier
from kinspan.class_moments import ClassMoments
from kinspan.labels.spikes import spike_strengths
from kinspan.metric import scaled_moments
from kinspan.scores import LinearRules

_FORMED = 1024  # Gram matrices up to this size are formed


class PCAClassifier(TaskClassifier):
    """Principal components of every task's rows, and the nearest class mean (Theorem 1).

    U holds the leading eigenvectors of XXᵀ/p, by a truncated solver on the smaller of XXᵀ and XᵀX,
    which is not formed where it is large. Neither centred nor scaled, as in section 3 of the paper.
    They are informative only above the phase transition of Proposition 1. Several tasks are fitted
    one by one.

    Parameters
    ----------
    n_components : int, optional
        Components τ; by default one for each class, beyond which none is informative.
    task_column : str or int, optional
        The column of X that holds the task id.

    Attributes
    ----------
    tasks_, classes_ : arrays of shape (n_tasks,) and (n_classes,)
        Ids, sorted; all that follows is in their order.
    coef_ : array of shape (n_tasks, 1 or n_classes, n_features)
        With two classes the one row points towards `classes_[1]`.
    intercept_ : array of shape (n_tasks, 1 or n_classes)
        What is added to the scores.

    Examples
    --------
    >>> from kinspan.baselines import PCAClassifier
    >>> from kinspan.datasets import gaussian_mixture, related_means
    >>> train = gaussian_mixture(related_means([1], 100), 500, random_state=0)
    >>> test = train.sample(1000, random_state=0)
    >>> PCAClassifier(n_components=1).fit(train.X, train.y).score(test.X, test.y) > 0.8
    True
    """

    def __init__(
        self, n_components: int | None = None, *, task_column: str | int | None = None
    ) -> None:
        self.n_components = n_components
        self.task_column = task_column

    def _fit(self, X: Any, y: ArrayLike, task: Any) -> None:
        rows = check_coded_rows(self, X, y, task)
        n_components = len(rows.classes)
        if self.n_components is not None:
            n_components = check_n_components(self.n_components, min(rows.X.shape))
        moments = ClassMoments.from_checked(rows.checked())
        unscaled = scaled_moments(moments, None)
        rules = [
            task_rule(rows.X[rows.task_codes == t], means, float(level), n_components)
            for t, means, level in zip(
                moments.tasks, unscaled.means, unscaled.noise_level, strict=True
            )
        ]
        stacked = LinearRules(*map(np.stack, zip(*rules, strict=True)))
        self._keep_scaled(rows, stacked, unscaled, np.zeros_like(unscaled.centres))


class Axes(NamedTuple):
    """Leading singular pairs of the rows of a task."""

    directions: Floats  # (components, features), orthonormal
    squares: Floats  # (components,) squared singular values, largest first


def task_rule(X: Any, class_means: Floats, level: float, n_components: int) -> LinearRules:
    """The nearest class mean on the principal axes of the rows of one task."""
    n, p = X.shape
    axes = principal_axes(X, min(n_components, n, p))
    shrinkage = unseen_share(axes.squares / (p * level), n / p)
    return nearest_mean_rule(
        Components(axes.directions, class_means @ axes.directions.T * shrinkage)
    )


def unseen_share(eigenvalues: Floats, ratio: float) -> Floats:
    """ℓ/(1 + ℓ): mean projections of new rows over those of the rows that made the axes.

    ℓ solves λ = (1 + ℓ)(1 + n/(pℓ)) of Proposition 1 for the eigenvalues λ of XXᵀ/p in units of the
    noise. It follows from taking one row out of X: this changes its projection by the factor
    1 − tr(λ − XXᵀ/p)⁻¹/p, whose limit this is. Above the transition the result has the limit of
    Theorem 1 with its unknowns estimated, and the right sign; below it ℓ stays at the transition.
    """
    ell = np.maximum(spike_strengths(eigenvalues, ratio), np.sqrt(ratio))
    return np.asarray(ell / (1.0 + ell))


def principal_axes(X: Any, n_components: int) -> Axes:
    """Leading eigenvectors of XᵀX, from the smaller Gram side."""
    n, p = X.shape
    wide = p > n
    squares, vectors = _leading_pairs(X.T if wide else X, n_components)
    if wide:
        length = np.sqrt(squares)
        vectors = (X.T @ vectors) / np.where(length > 0, length, np.inf)
    return Axes(np.ascontiguousarray(vectors.T), squares)


def _leading_pairs(Y: Any, n_components: int) -> tuple[Floats, Floats]:
    """Leading eigenpairs of YᵀY, largest first."""
    size = Y.shape[1]
    if 2 * n_components >= size:
        values, vectors = np.linalg.eigh(dense(Y.T @ Y))
        values, vectors = values[-n_components:], vectors[:, -n_components:]
    else:
        start = np.random.default_rng(0).standard_normal(size)
        values, vectors = spla.eigsh(_gram(Y), k=n_components, v0=start, tol=1e-9)
    order = np.argsort(values)[::-1]
    return np.maximum(values[order], 0.0), vectors[:, order]


def _gram(Y: Any) -> Any:
    """YᵀY, formed where one product is cheaper than the many passes of the solver over Y."""
    size = Y.shape[1]
    if size <= _FORMED and not is_sparse(Y):
        return Y.T @ Y
    return spla.LinearOperator((size, size), matvec=lambda v: Y.T @ (Y @ v), dtype=np.float64)
