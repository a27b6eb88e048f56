"""Arguments of the theory → checked arrays; the other files of this folder check nothing."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinspan._rows.types import Floats
from kinspan._validation.numbers import real_numbers

_ROUNDING = 1e-8  # allowed deviation from symmetry and positivity, relative to the largest entry
_MOST_COMPONENTS = 10**6
_STRONGEST = 1e12  # with larger strengths matrices cannot be solved
_LARGEST = 1e30  # formulas multiply up to eight entries of their arguments


class Population(NamedTuple):
    """A checked population: what every function of this folder starts from."""

    gram: Floats  # (cells, cells) inner products of the means, symmetric
    counts: Floats  # (tasks, classes) rows of each cell
    n_features: int


def check_numbers(name: str, given: Any) -> Floats:
    """Finite numbers whose products can be computed."""
    values = np.array(real_numbers(name, given))
    if not np.isfinite(values).all():
        raise ValueError(f"{name} has entries that are not finite; give finite numbers")
    if np.abs(values).max(initial=0) > _LARGEST:
        raise ValueError(
            f"{name} has the entry {values.flat[np.abs(values).argmax()]:g}; give numbers up to "
            f"{_LARGEST:g}, whose products can be computed"
        )
    return values


def check_population(mean_gram: ArrayLike, counts: ArrayLike, n_features: int) -> Population:
    """The three arguments that all functions share."""
    n = check_counts(counts)
    G = check_numbers("mean_gram", mean_gram)
    if G.shape != (n.size, n.size):
        raise ValueError(
            f"mean_gram has shape {G.shape}, but counts {n.shape} has {n.size} cells; give "
            f"({n.size}, {n.size}) inner products of their means, cells ordered task by task"
        )
    values = _eigenvalues("mean_gram", G)
    p = _check_features(n_features, int((values > 1e-10 * values[-1]).sum()))
    return Population((G + G.T) / 2, n, p)


def check_single_task(mean_gram: ArrayLike, counts: ArrayLike, n_features: int) -> Population:
    """A population of one task, for the theorems about a single task."""
    population = check_population(mean_gram, counts, n_features)
    if len(population.counts) > 1:
        raise ValueError(
            f"counts has {len(population.counts)} tasks, but this theorem is about one; give the "
            "classes of one task, or use the functions whose names start with mtl_"
        )
    return population


def check_counts(counts: ArrayLike) -> Floats:
    """(tasks, classes) rows of each cell; one row of counts is one task."""
    n = np.atleast_2d(check_numbers("counts", counts))
    if n.ndim != 2 or n.shape[1] < 2 or n.min(initial=0) < 0 or n.max(initial=0) == 0:
        raise ValueError(
            f"counts is {counts!r}; give numbers of rows from 0, not all 0, of shape "
            "(tasks, classes) with at least two classes"
        )
    return n


def check_labels(labels: ArrayLike, counts: Floats) -> Floats:
    """(cells,) labels, or (cells, columns) for a matrix of labels."""
    y = check_numbers("labels", labels)
    if y.shape in (counts.shape, (counts.size,)):
        return y.ravel()
    if y.ndim == 2 and len(y) == counts.size and y.shape[1] > 0:
        return y
    raise ValueError(
        f"labels has shape {y.shape}; give one value for each cell, {counts.shape} or "
        f"({counts.size},), or a matrix with one row for each cell, ({counts.size}, columns)"
    )


def check_one_label(labels: ArrayLike, counts: Floats) -> Floats:
    """(cells,) labels, for functions about one score."""
    y = check_labels(labels, counts)
    if y.ndim > 1:
        raise ValueError(
            f"labels has shape {y.shape}, but this function is about one score; give one value for "
            f"each cell, {counts.shape} or ({counts.size},)"
        )
    return y


def check_target(target: int, counts: Floats) -> int:
    """The index of a task."""
    if not isinstance(target, (int, np.integer)) or not 0 <= target < len(counts):
        raise ValueError(f"target is {target!r}; give the index of a task, 0 to {len(counts) - 1}")
    return int(target)


def check_two_classes(counts: Floats) -> None:
    """For formulas that exist for two classes only."""
    if counts.shape[1] != 2:
        raise ValueError(
            f"counts has {counts.shape[1]} classes, but this formula is about two; give the two "
            "columns of the classes to tell apart, and their rows and columns of the means"
        )


def check_priors(priors: ArrayLike | None, counts: Floats) -> Floats | None:
    """Probabilities of the two classes; None stays None: equal ones."""
    if priors is None:
        return None
    check_two_classes(counts)
    return check_two_priors(priors)


def check_two_priors(priors: ArrayLike) -> Floats:
    """Two positive probabilities that add up to one."""
    pi = check_numbers("priors", priors)
    if pi.shape != (2,) or pi.min() <= 0 or abs(pi.sum() - 1) > _ROUNDING:
        raise ValueError(
            f"priors is {priors!r}; give two positive probabilities that add up to one"
        )
    return pi


def check_pair(name: str, pair: ArrayLike, *, positive: bool = False) -> Floats:
    """Two numbers, one for each class."""
    values = check_numbers(name, pair)
    if values.shape != (2,) or (positive and values.min() <= 0):
        kind = "positive numbers" if positive else "numbers"
        raise ValueError(f"{name} is {pair!r}; give two {kind}, one for each class")
    return values


def check_threshold(threshold: float) -> float:
    """A number; at an infinite one the answer is always the same class."""
    value = real_numbers("threshold", threshold)
    if value.shape != () or np.isnan(value):
        raise ValueError(f"threshold is {threshold!r}; give one number")
    return float(value)


def check_fraction(labelled_fraction: ArrayLike, counts: Floats) -> Floats:
    """(tasks, classes) shares of labelled rows, from one number, one per task or one per cell."""
    share = check_numbers("labelled_fraction", labelled_fraction)
    if share.ndim == 1 and len(share) == len(counts):
        share = share[:, None]
    if share.shape not in ((), (len(counts), 1), counts.shape) or np.any((share < 0) | (share > 1)):
        raise ValueError(
            f"labelled_fraction is {labelled_fraction!r}; give numbers from 0 to 1: one, or "
            f"{len(counts)} (one for each task), or {counts.shape} (one for each cell)"
        )
    return np.broadcast_to(share, counts.shape)


def check_confusion(confusion: ArrayLike, counts: Floats) -> Floats:
    """(tasks, classes, classes) probabilities of the observed class (column) given the true one."""
    T = check_numbers("confusion", confusion)
    k, m = counts.shape
    if T.shape not in ((m, m), (k, m, m)):
        raise ValueError(f"confusion has shape {T.shape}; give {(m, m)} or {(k, m, m)}")
    if T.min() < 0 or np.abs(T.sum(axis=-1) - 1).max() > _ROUNDING:
        raise ValueError(
            f"confusion is {confusion!r}; give rows of probabilities that add up to one: row j is "
            "how class j is labelled"
        )
    return np.broadcast_to(T, (k, m, m))


def check_means(means: ArrayLike, counts: Floats) -> Floats:
    """(cells, features) means."""
    M = check_numbers("means", means)
    if M.ndim != 3 or M.shape[:2] != counts.shape or M.shape[2] == 0:
        raise ValueError(
            f"means has shape {M.shape}, but counts has shape {counts.shape}; give "
            "(tasks, classes, features)"
        )
    return M.reshape(counts.size, -1)


def check_covariances(covariances: ArrayLike, means: Floats, counts: Floats) -> Floats:
    """(cells, features, features) covariances, from one for all cells or one for each."""
    C = check_numbers("covariances", covariances)
    (k, m), p = counts.shape, means.shape[1]
    if C.shape not in ((p, p), (k, m, p, p)):
        raise ValueError(f"covariances has shape {C.shape}; give {(p, p)} or {(k, m, p, p)}")
    for matrix in C.reshape(-1, p, p):
        if _eigenvalues("covariances", matrix)[-1] <= 0:
            raise ValueError("covariances has a matrix of zeros; give some variance to each cell")
    return np.broadcast_to(C, (k, m, p, p)).reshape(k * m, p, p)


def check_addition(add: ArrayLike, counts: Floats) -> Floats:
    """(..., tasks, classes) rows to add to each cell."""
    extra = check_numbers("add", add)
    if extra.shape[-2:] != counts.shape or np.any(counts + extra < 0):
        raise ValueError(
            f"add has shape {extra.shape} and least value {extra.min(initial=np.inf):g}; give rows "
            f"to add to each cell, (..., {counts.shape[0]}, {counts.shape[1]}), that leave no "
            "count below 0"
        )
    return extra


def check_error(error: float) -> float:
    """An error strictly between 0 and 1."""
    wanted = check_numbers("error", error)
    if wanted.shape != () or not 0 < wanted < 1:
        raise ValueError(f"error is {error!r}; give a probability between 0 and 1")
    return float(wanted)


def check_components(n_components: int | None, population: Population) -> int:
    """The number of components to keep; None: as many as classes."""
    if n_components is None:
        return population.counts.size
    most = min(population.n_features, _MOST_COMPONENTS)
    if not isinstance(n_components, (int, np.integer)) or not 1 <= n_components <= most:
        raise ValueError(
            f"n_components is {n_components!r}; give a whole number from 1 to {most}, or None"
        )
    return int(n_components)


def check_strengths(shared: float, own: ArrayLike, n_tasks: int) -> Floats:
    """(tasks, tasks) A = diag(γ) + λ 11ᵀ from λ and γ."""
    lam, gamma = check_numbers("shared_strength", shared), check_numbers("task_strengths", own)
    if lam.shape != () or not 0 <= lam <= _STRONGEST:
        raise ValueError(f"shared_strength is {shared!r}; give one number from 0 to {_STRONGEST:g}")
    if gamma.shape not in ((), (n_tasks,)) or gamma.min() < 0 or gamma.max() + lam == 0:
        raise ValueError(
            f"task_strengths is {own!r}; give numbers from 0, one or one for each of {n_tasks} "
            "tasks, not all 0 when shared_strength is 0"
        )
    return np.diag(np.broadcast_to(gamma, n_tasks)) + lam


def check_samples(n_samples: float, n_features: int) -> tuple[float, int]:
    """Two positive sizes."""
    n = check_numbers("n_samples", n_samples)
    if n.shape != () or n <= 0:
        raise ValueError(f"n_samples is {n_samples!r}; give a positive number of rows")
    return float(n), _check_features(n_features, 1)


def _check_features(n_features: int, rank: int) -> int:
    if not isinstance(n_features, (int, np.integer)) or n_features < 1:
        raise ValueError(f"n_features is {n_features!r}; give a whole number from 1")
    if rank > n_features:
        raise ValueError(
            f"n_features is {n_features}, but the means of mean_gram span {rank} dimensions; give "
            f"at least {rank}, or the Gram matrix of means with {n_features} features"
        )
    return int(n_features)


def _eigenvalues(name: str, matrix: Floats) -> Floats:
    size = np.abs(matrix).max()
    if np.abs(matrix - matrix.T).max() > _ROUNDING * size:
        raise ValueError(
            f"{name} is not symmetric: it differs from its transpose by up to "
            f"{np.abs(matrix - matrix.T).max():.3g}; give a symmetric matrix, such as M @ M.T"
        )
    values = np.linalg.eigvalsh((matrix + matrix.T) / 2)
    if values[0] < -_ROUNDING * size:
        raise ValueError(
            f"{name} has least eigenvalue {values[0]:.3g}; give a matrix without negative "
            "eigenvalues, such as M @ M.T"
        )
    return np.asarray(values)
