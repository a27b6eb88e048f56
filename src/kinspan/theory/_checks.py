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
    _fits(np.isfinite(values).all(), f"{name} has entries that are not finite", "finite numbers")
    largest = values.flat[np.abs(values).argmax()] if values.size else 0.0
    needed = f"numbers up to {_LARGEST:g}, whose products can be computed"
    _fits(abs(largest) <= _LARGEST, f"{name} has the entry {largest:g}", needed)
    return values


def _fits(fine: bool | np.bool_, fact: str, needed: str) -> None:
    if not fine:
        raise ValueError(f"{fact}; give {needed}")


def _is(fine: bool | np.bool_, name: str, given: Any, needed: str) -> None:
    if not fine:
        raise ValueError(f"{name} is {given!r}; give {needed}")


def check_population(mean_gram: ArrayLike, counts: ArrayLike, n_features: int) -> Population:
    """The three arguments that all functions share."""
    n = check_counts(counts)
    G, shape = check_numbers("mean_gram", mean_gram), (n.size, n.size)
    _fits(
        G.shape == shape,
        f"mean_gram has shape {G.shape}, but counts {n.shape} has {n.size} cells",
        f"{shape} inner products of their means, cells ordered task by task",
    )
    values = _eigenvalues("mean_gram", G)
    p = _check_features(n_features, int((values > 1e-10 * values[-1]).sum()))
    return Population((G + G.T) / 2, n, p)


def check_single_task(mean_gram: ArrayLike, counts: ArrayLike, n_features: int) -> Population:
    """A population of one task, for the theorems about a single task."""
    population = check_population(mean_gram, counts, n_features)
    n_tasks = len(population.counts)
    needed = "the classes of one task, or use the functions whose names start with mtl_"
    _fits(n_tasks == 1, f"counts has {n_tasks} tasks, but this theorem is about one", needed)
    return population


def check_counts(counts: ArrayLike) -> Floats:
    """(tasks, classes) rows of each cell; one row of counts is one task."""
    n = np.atleast_2d(check_numbers("counts", counts))
    fine = n.ndim == 2 and n.shape[1] > 1 and n.min(initial=0) >= 0 and n.max(initial=0) > 0
    needed = (
        "numbers of rows from 0, not all 0, of shape (tasks, classes) with at least two classes"
    )
    _is(fine, "counts", counts, needed)
    return n


def check_labels(labels: ArrayLike, counts: Floats) -> Floats:
    """(cells,) labels, or (cells, columns) for a matrix of labels."""
    y, size = check_numbers("labels", labels), counts.size
    if y.shape in (counts.shape, (size,)):
        return y.ravel()
    _fits(
        y.ndim == 2 and len(y) == size and y.shape[1] > 0,
        f"labels has shape {y.shape}",
        f"one value for each cell, {counts.shape} or ({size},), or a matrix with one row for each "
        f"cell, ({size}, columns)",
    )
    return y


def check_one_label(labels: ArrayLike, counts: Floats) -> Floats:
    """(cells,) labels, for functions about one score."""
    y = check_labels(labels, counts)
    fact = f"labels has shape {y.shape}, but this function is about one score"
    _fits(y.ndim == 1, fact, f"one value for each cell, {counts.shape} or ({counts.size},)")
    return y


def check_target(target: int, counts: Floats) -> int:
    """The index of a task."""
    fine = isinstance(target, (int, np.integer)) and 0 <= target < len(counts)
    _is(fine, "target", target, f"the index of a task, 0 to {len(counts) - 1}")
    return int(target)


def check_two_classes(counts: Floats) -> None:
    """For formulas that exist for two classes only."""
    _fits(
        counts.shape[1] == 2,
        f"counts has {counts.shape[1]} classes, but this formula is about two",
        "the two columns of the classes to tell apart, and their rows and columns of the means",
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
    fine = pi.shape == (2,) and pi.min() > 0 and abs(pi.sum() - 1) <= _ROUNDING
    _is(fine, "priors", priors, "two positive probabilities that add up to one")
    return pi


def check_pair(name: str, pair: ArrayLike, *, positive: bool = False) -> Floats:
    """Two numbers, one for each class."""
    values = check_numbers(name, pair)
    kind = "positive numbers" if positive else "numbers"
    fine = values.shape == (2,) and (not positive or values.min() > 0)
    _is(fine, name, pair, f"two {kind}, one for each class")
    return values


def check_threshold(threshold: float) -> float:
    """A number; at an infinite one the answer is always the same class."""
    value = real_numbers("threshold", threshold)
    _is(value.shape == () and not np.isnan(value), "threshold", threshold, "one number")
    return float(value)


def check_fraction(labelled_fraction: ArrayLike, counts: Floats) -> Floats:
    """(tasks, classes) shares of labelled rows, from one number, one per task or one per cell."""
    share, k = check_numbers("labelled_fraction", labelled_fraction), len(counts)
    if share.ndim == 1 and len(share) == k:
        share = share[:, None]
    fine = share.shape in ((), (k, 1), counts.shape) and bool(((share >= 0) & (share <= 1)).all())
    needed = f"one, or {k} (one for each task), or {counts.shape} (one for each cell)"
    _is(fine, "labelled_fraction", labelled_fraction, f"numbers from 0 to 1: {needed}")
    return np.broadcast_to(share, counts.shape)


def check_confusion(confusion: ArrayLike, counts: Floats) -> Floats:
    """(tasks, classes, classes) probabilities of the observed class (column) given the true one."""
    T = check_numbers("confusion", confusion)
    k, m = counts.shape
    fine = T.shape in ((m, m), (k, m, m))
    _fits(fine, f"confusion has shape {T.shape}", f"{(m, m)} or {(k, m, m)}")
    fine = T.min() >= 0 and np.abs(T.sum(axis=-1) - 1).max() <= _ROUNDING
    needed = "rows of probabilities that add up to one: row j is how class j is labelled"
    _is(fine, "confusion", confusion, needed)
    return np.broadcast_to(T, (k, m, m))


def check_means(means: ArrayLike, counts: Floats) -> Floats:
    """(cells, features) means."""
    M = check_numbers("means", means)
    fact = f"means has shape {M.shape}, but counts has shape {counts.shape}"
    fine = M.ndim == 3 and M.shape[:2] == counts.shape and M.shape[2] > 0
    _fits(fine, fact, "(tasks, classes, features)")
    return M.reshape(counts.size, -1)


def check_covariances(covariances: ArrayLike, means: Floats, counts: Floats) -> Floats:
    """(cells, features, features) covariances, from one for all cells or one for each."""
    C = check_numbers("covariances", covariances)
    (k, m), p = counts.shape, means.shape[1]
    fine = C.shape in ((p, p), (k, m, p, p))
    _fits(fine, f"covariances has shape {C.shape}", f"{(p, p)} or {(k, m, p, p)}")
    for matrix in C.reshape(-1, p, p):
        largest = _eigenvalues("covariances", matrix)[-1]
        _fits(largest > 0, "covariances has a matrix of zeros", "some variance to each cell")
    return np.broadcast_to(C, (k, m, p, p)).reshape(k * m, p, p)


def check_addition(add: ArrayLike, counts: Floats) -> Floats:
    """(..., tasks, classes) rows to add to each cell."""
    extra, (k, m) = check_numbers("add", add), counts.shape
    _fits(
        extra.shape[-2:] == counts.shape and bool((counts + extra >= 0).all()),
        f"add has shape {extra.shape} and least value {extra.min(initial=np.inf):g}",
        f"rows to add to each cell, (..., {k}, {m}), that leave no count below 0",
    )
    return extra


def check_error(error: float) -> float:
    """An error strictly between 0 and 1."""
    wanted = check_numbers("error", error)
    fine = wanted.shape == () and 0 < float(wanted) < 1
    _is(fine, "error", error, "a probability between 0 and 1")
    return float(wanted)


def check_components(n_components: int | None, population: Population) -> int:
    """The number of components to keep; None: as many as classes."""
    if n_components is None:
        return population.counts.size
    most = min(population.n_features, _MOST_COMPONENTS)
    fine = isinstance(n_components, (int, np.integer)) and 1 <= n_components <= most
    _is(fine, "n_components", n_components, f"a whole number from 1 to {most}, or None")
    return int(n_components)


def check_strengths(shared: float, own: ArrayLike, n_tasks: int) -> Floats:
    """(tasks, tasks) A = diag(γ) + λ 11ᵀ from λ and γ."""
    lam, gamma = check_numbers("shared_strength", shared), check_numbers("task_strengths", own)
    fine = lam.shape == () and 0 <= float(lam) <= _STRONGEST
    _is(fine, "shared_strength", shared, f"one number from 0 to {_STRONGEST:g}")
    fine = gamma.shape in ((), (n_tasks,)) and gamma.min() >= 0 and gamma.max() + lam > 0
    needed = f"numbers from 0, one or one for each of {n_tasks} tasks"
    _is(fine, "task_strengths", own, f"{needed}, not all 0 when shared_strength is 0")
    return np.diag(np.broadcast_to(gamma, n_tasks)) + lam


def check_samples(n_samples: float, n_features: int) -> tuple[float, int]:
    """Two positive sizes."""
    n = check_numbers("n_samples", n_samples)
    _is(n.shape == () and float(n) > 0, "n_samples", n_samples, "a positive number of rows")
    return float(n), _check_features(n_features, 1)


def _check_features(n_features: int, rank: int) -> int:
    fine = isinstance(n_features, (int, np.integer)) and n_features >= 1
    _is(fine, "n_features", n_features, "a whole number from 1")
    _fits(
        rank <= n_features,
        f"n_features is {n_features}, but the means of mean_gram span {rank} dimensions",
        f"at least {rank}, or the Gram matrix of means with {n_features} features",
    )
    return int(n_features)


def _eigenvalues(name: str, matrix: Floats) -> Floats:
    size, gap = np.abs(matrix).max(), np.abs(matrix - matrix.T).max()
    fact = f"{name} is not symmetric: it differs from its transpose by up to {gap:.3g}"
    _fits(gap <= _ROUNDING * size, fact, "a symmetric matrix, such as M @ M.T")
    values = np.linalg.eigvalsh((matrix + matrix.T) / 2)
    fact = f"{name} has least eigenvalue {values[0]:.3g}"
    needed = "a matrix without negative eigenvalues, such as M @ M.T"
    _fits(values[0] >= -_ROUNDING * size, fact, needed)
    return np.asarray(values)
