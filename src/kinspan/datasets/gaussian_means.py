"""Similarities of tasks → class means of the paper's Gaussian models."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinspan._rows.types import Floats
from kinspan._validation.numbers import check_size, real_numbers
from kinspan._validation.parameters import check_choice


def related_means(
    similarities: ArrayLike, n_features: int, *, directions: Literal["own", "shared"] = "own"
) -> Floats:
    """Return means (tasks, 2, features) of binary tasks: Figures 1, 2 and 3 of the paper.

    Task t has means -μ_t and +μ_t with μ_t = β_t e_1 + √(1 - β_t²) d_t, where β_t is its
    similarity and d_t a direction orthogonal to e_1. Figure 1 is ``[1]``, Figure 2 ``[1, β]``,
    Figure 3 any similarities with ``directions="shared"``.

    Parameters
    ----------
    similarities : array-like of shape (tasks,)
        One similarity per task, -1 to 1; a task of similarity 1 has means ∓e_1.
    n_features : int
        Length p of the means.
    directions : {"own", "shared"}, default="own"
        "own": the second task takes d = e_p, the third e_{p-1} and so on, and the first task the
        next one after all of these, so that β_s β_t is the cosine between two tasks.
        "shared": d = e_p for every task, as in Figure 3.

    Examples
    --------
    >>> from kinspan.datasets import related_means
    >>> related_means([1, 0.6], n_features=3)
    array([[[-1. , -0. , -0. ],
            [ 1. ,  0. ,  0. ]],
    <BLANKLINE>
           [[-0.6, -0. , -0.8],
            [ 0.6,  0. ,  0.8]]])
    """
    check_choice("directions", directions, ("own", "shared"))
    beta = _check_similarities(similarities)
    columns = _own_columns(beta.size) if directions == "own" else np.ones(beta.size, np.int64)
    _check_features(n_features, 1 + int(columns.max()))
    mu = np.zeros((beta.size, n_features))
    mu[:, 0] = beta
    mu[np.arange(beta.size), n_features - columns] = np.sqrt(1 - beta**2)
    return np.stack([-mu, mu], axis=1)


def many_class_means(
    similarities: ArrayLike, n_features: int, n_classes: int, *, norm: float = 2.0
) -> Floats:
    """Return means (tasks, classes, features) of many classes: synthetic data of Figure 4.

    Class j of task t has mean β_t r e_j + √(1 - β_t²) r e_{p-j}, with r the norm; the paper
    takes similarities (0.2, 0.4, 0.6), p = 200, ten classes and r = 2.

    Parameters
    ----------
    similarities : array-like of shape (tasks,)
        One similarity β per task, -1 to 1.
    n_features : int
        Length p of the means, at least 2 `n_classes` + 1.
    n_classes : int
        Classes of every task.
    norm : float, default=2.0
        Length of every mean.

    Examples
    --------
    >>> from kinspan.datasets import many_class_means
    >>> many_class_means([0.2, 0.4, 0.6], n_features=200, n_classes=10).shape
    (3, 10, 200)
    """
    beta = _check_similarities(similarities)[:, None]
    _check_features(n_features, 2 * check_size("n_classes", n_classes) + 1)
    length = real_numbers("norm", norm)
    if length.shape != () or not np.isfinite(length):
        raise ValueError(f"norm is {norm!r}; give one finite number")
    j = np.arange(n_classes)
    means = np.zeros((beta.size, n_classes, n_features))
    means[:, j, j] = length * beta
    means[:, j, n_features - 2 - j] = length * np.sqrt(1 - beta**2)
    return means


def _own_columns(k: int) -> NDArray[np.int64]:
    """Distance of each task's own direction from the end: k for the first task, then 1, 2, …."""
    return np.roll(np.arange(1, k + 1), 1)


def _check_similarities(similarities: ArrayLike) -> Floats:
    beta = real_numbers("similarities", similarities)
    if beta.ndim != 1 or beta.size == 0 or not np.all(np.abs(beta) <= 1):
        raise ValueError(
            f"similarities is {similarities!r}; give one number between -1 and 1 for each task"
        )
    return beta


def _check_features(n_features: int, least: int) -> None:
    check_size("n_features", n_features)
    if n_features < least:
        raise ValueError(
            f"n_features is {n_features}; these means need at least {least} orthogonal directions"
        )
