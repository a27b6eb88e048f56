"""A population of Gaussian cells (task, class) → rows drawn from it: the paper's models."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinspan._rows.types import Floats
from kinspan._validation.messages import naming
from kinspan._validation.numbers import real_numbers

Seed = int | np.random.Generator | None

TRAINING, FRESH = 0, 1  # streams of one seed: a new sample never repeats the training noise


@dataclass(frozen=True, eq=False)
class GaussianTasks:
    """Rows drawn from Gaussian cells, with the population they come from."""

    X: Floats
    """Rows, cell after cell, task by task, (rows, features)."""
    y: NDArray[np.int64]
    """Class of each row, 0 to classes - 1, (rows,)."""
    task: NDArray[np.int64]
    """Task of each row, 0 to tasks - 1, (rows,)."""
    means: Floats
    """Population mean of each cell, (tasks, classes, features)."""
    counts: NDArray[np.int64]
    """Rows of each cell, (tasks, classes)."""
    covariances: Floats | None
    """None for the identity, else (features, features), or (tasks, classes, features, features)."""

    @property
    def mean_gram(self) -> Floats:
        """Population Gram MᵀM of the means, (cells, cells), cells ordered task by task."""
        M = self.means.reshape(-1, self.means.shape[2])
        return M @ M.T

    def sample(self, counts: ArrayLike, random_state: Seed = None) -> GaussianTasks:
        """Draw new rows from the same population.

        With the integer seed of :func:`gaussian_mixture` the rows still differ from the training
        rows.

        Parameters
        ----------
        counts : int or array-like of shape (tasks, classes)
            Rows of each cell.
        random_state : int, numpy Generator or None, default=None
            Source of the noise.

        Examples
        --------
        >>> from kinspan.datasets import gaussian_mixture, related_means
        >>> train = gaussian_mixture(related_means([1], 10), 20, random_state=0)
        >>> train.sample(500, random_state=0).X.shape
        (1000, 10)
        """
        n = _check_counts(counts, self.means)
        return _draw(self.means, n, self.covariances, _generator(random_state, FRESH))


def gaussian_mixture(
    means: ArrayLike,
    counts: ArrayLike,
    *,
    covariances: ArrayLike | None = None,
    random_state: Seed = None,
) -> GaussianTasks:
    """Draw the paper's model: rows of class j of task t are N(μ_tj, C) (Assumption 3).

    Parameters
    ----------
    means : array-like of shape (tasks, classes, features)
        Population mean μ_tj of each cell; see :func:`related_means`.
    counts : int or array-like of shape (tasks, classes)
        Rows of each cell.
    covariances : array-like or None, default=None
        C: the identity (None), as in the paper, or one matrix (features, features), or one per cell
        (tasks, classes, features, features).
    random_state : int, numpy Generator or None, default=None
        Source of the noise.

    Examples
    --------
    The two tasks of Figure 2 at relatedness 0.5, and rows to test on:

    >>> from kinspan.datasets import gaussian_mixture, related_means
    >>> means = related_means([1, 0.5], n_features=100)
    >>> train = gaussian_mixture(means, [[1000, 1000], [50, 50]], random_state=0)
    >>> train.X.shape
    (2100, 100)
    >>> train.mean_gram[0]
    array([ 1. , -1. ,  0.5, -0.5])
    >>> test = train.sample(500, random_state=0)
    """
    M = _check_means(means)
    C = _check_covariances(covariances, M)
    n = _check_counts(counts, M)
    return _draw(M, n, C, _generator(random_state, TRAINING))


def _draw(
    means: Floats,
    counts: NDArray[np.int64],
    covariances: Floats | None,
    generator: np.random.Generator,
) -> GaussianTasks:
    k, m, p = means.shape
    cell = np.repeat(np.arange(k * m), counts.ravel())
    X = generator.standard_normal((cell.size, p))
    _colour(X, counts, covariances)
    X += means.reshape(-1, p)[cell]
    return GaussianTasks(X, cell % m, cell // m, means, counts, covariances)


def _colour(noise: Floats, counts: NDArray[np.int64], covariances: Floats | None) -> None:
    """Give white noise, cell after cell, the covariance of its cell, in place."""
    if covariances is None:
        return
    cells = covariances.reshape(-1, *covariances.shape[-2:])
    ends = np.cumsum(counts.ravel()) if len(cells) > 1 else [len(noise)]
    start = 0
    for C, end in zip(cells, ends, strict=True):
        noise[start:end] = noise[start:end] @ _root(C)
        start = end


def _root(C: Floats) -> Floats:
    """Return the symmetric root; unlike a Cholesky factor it exists for a singular C too."""
    values, vectors = np.linalg.eigh(C)
    root: Floats = (vectors * np.sqrt(values.clip(min=0))) @ vectors.T
    return root


def _generator(random_state: Seed, stream: int) -> np.random.Generator:
    if isinstance(random_state, np.random.Generator):
        return random_state
    if random_state is not None and not (
        isinstance(random_state, int | np.integer) and random_state >= 0
    ):
        raise ValueError(
            f"random_state is {random_state!r}; give an integer from 0, a numpy Generator or None"
        )
    return np.random.default_rng(np.random.SeedSequence(random_state, spawn_key=(stream,)))


def _check_means(means: ArrayLike) -> Floats:
    M = np.array(real_numbers("means", means))
    if M.ndim != 3 or 0 in M.shape or not np.isfinite(M).all():
        raise ValueError(
            f"means has shape {M.shape}; give finite numbers of shape (tasks, classes, features), "
            "for instance from related_means"
        )
    return M


def _check_counts(counts: ArrayLike, means: Floats) -> NDArray[np.int64]:
    with naming("counts"):
        n = np.asarray(counts)
    if n.shape not in ((), means.shape[:2]) or n.dtype.kind not in "iu" or np.any(n < 0):
        raise ValueError(
            f"counts is {counts!r}; give an integer from 0, or such integers of shape "
            f"{means.shape[:2]} (tasks, classes)"
        )
    return np.broadcast_to(n, means.shape[:2]).astype(np.int64)


def _check_covariances(covariances: ArrayLike | None, means: Floats) -> Floats | None:
    if covariances is None:
        return None
    C = np.array(real_numbers("covariances", covariances))
    k, m, p = means.shape
    if C.shape not in ((p, p), (k, m, p, p)):
        raise ValueError(f"covariances has shape {C.shape}; give {(p, p)} or {(k, m, p, p)}")
    values = np.linalg.eigvalsh(C) if np.isfinite(C).all() else np.array([-np.inf])
    if not np.allclose(C, C.swapaxes(-1, -2)) or values.min() < -1e-8 * values.max():
        raise ValueError(
            f"covariances has least eigenvalue {values.min():.3g}; give symmetric matrices without "
            "negative eigenvalues, such as A @ A.T"
        )
    return C
