"""The error of rules that rows without labels have taught once.

Rules of the labelled rows say how likely each other row is of either class; with these shares it
counts in the class means of its task, as in the fit. Rows that have taught nothing yet are
independent of the rules, so that all inner products of the new class means have limits.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kinspan._rows.types import Floats
from kinspan.theory._cells import block_diagonal
from kinspan.theory._checks import check_fraction, check_population, check_two_classes
from kinspan.theory._errors import gap_error
from kinspan.theory._posteriors import posterior_products


def semi_supervised_error_rate(
    mean_gram: ArrayLike, counts: ArrayLike, n_features: int, labelled_fraction: ArrayLike
) -> Floats:
    """(tasks,) errors of optimal rules of class means in which unlabelled rows count once.

    Optimal rules of the labelled rows give every other row the probabilities r of its classes, and
    class means become (Σ labelled x + Σ r x)/(n + Σ r). The errors are those of the best weights of
    the tasks for these means, (6b) of docs/theory.md: at least those that any method can reach
    (:func:`bayes_error_rate`), and above those of labels alone where rules are too poor to teach.

    Parameters
    ----------
    mean_gram, counts, n_features, labelled_fraction
        As in :func:`bayes_error_rate`.

    Examples
    --------
    A tenth of the labels: labels alone, with the other rows, and the least error of any method:

    >>> import numpy as np
    >>> from kinspan.theory import bayes_error_rate, semi_supervised_error_rate
    >>> G = np.kron([[2, 1], [1, 2]], [[1, -1], [-1, 1]])
    >>> counts = np.array([[200, 200], [100, 100]])
    >>> bayes_error_rate(G, counts / 10, 100, 1).round(3).tolist()
    [0.167, 0.203]
    >>> semi_supervised_error_rate(G, counts, 100, 0.1).round(3).tolist()
    [0.105, 0.127]
    >>> bayes_error_rate(G, counts, 100, 0.1).round(3).tolist()
    [0.095, 0.109]
    """
    G, n, p = check_population(mean_gram, counts, n_features)
    check_two_classes(n)
    labelled = np.asarray(n * check_fraction(labelled_fraction, n))
    contrasts: Floats = np.kron(np.eye(len(n)), np.array([[1.0], [-1.0]])).astype(np.float64)
    directions, gaps = _told_by_labels(G, labelled.ravel() / p, contrasts)
    taught = _taught_means(labelled, n - labelled, gaps)
    return gap_error(_best_gaps(G, p, labelled.ravel(), contrasts, directions, taught))


def _told_by_labels(G: Floats, information: Floats, contrasts: Floats) -> tuple[Floats, Floats]:
    """(tasks, cells) weights of class means in directions of length one, and gaps along them."""
    S = np.diag(information)
    weights = S @ np.linalg.solve(np.eye(len(G)) + G @ S, G @ contrasts)
    squares = np.maximum(np.einsum("ct,cd,dt->t", weights, G, contrasts), 0.0)
    gaps = np.sqrt(squares)
    return np.asarray(weights.T / np.where(gaps > 0, gaps, 1.0)[:, None]), gaps


class _Taught(NamedTuple):
    """New class means, as combinations of what they are made of."""

    of_means: Floats  # (cells, cells): of true means
    of_errors: Floats  # (cells,): of the errors of labelled means
    of_direction: Floats  # (cells, tasks): of the noise along the direction that rows were told by
    noise: Floats  # (cells, cells): squares and products of new errors, over p


def _taught_means(labelled: Floats, unlabelled: Floats, gaps: Floats) -> _Taught:
    of_tasks = zip(gaps**2, unlabelled, strict=True)
    products = np.array([posterior_products(*task) for task in of_tasks])
    rows = labelled + products.sum(axis=2)
    inverse = np.where(rows > 0, 1.0 / np.where(rows > 0, rows, 1.0), 0.0)
    given = labelled[:, :, None] * np.eye(2)
    # E[û z] = E[dû/dz] = ± gap · E[û₁ û₂], with z the noise of a row along the direction.
    along = (gaps * products[:, 0, 1])[:, None] * np.array([1.0, -1.0])
    return _Taught(
        block_diagonal(inverse[:, :, None] * (given + products)),
        (inverse * labelled).ravel(),
        (np.eye(len(rows))[:, None] * (inverse * along)[..., None]).reshape(-1, len(rows)),
        block_diagonal(inverse[:, :, None] * products * inverse[:, None]),
    )


def _best_gaps(
    G: Floats, p: int, labelled: Floats, contrasts: Floats, directions: Floats, taught: _Taught
) -> Floats:
    """(tasks,): how far classes are apart along the best combinations of taught means."""
    along = taught.of_direction @ directions  # the direction is one of labelled means
    of_means, of_errors = taught.of_means + along, np.diag(taught.of_errors) + along
    noise = np.where(labelled > 0, p / np.where(labelled > 0, labelled, 1.0), 0.0)
    spread = of_means @ G @ of_means.T + (of_errors * noise) @ of_errors.T + p * taught.noise
    gained = of_means @ G @ contrasts
    best = np.linalg.pinv(spread, rcond=1e-12, hermitian=True) @ gained
    return np.asarray(np.sqrt(np.maximum(np.einsum("ct,ct->t", gained, best), 0.0)))
