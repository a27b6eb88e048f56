"""Populations of simulated tasks: rows are drawn from them, and rules have an error on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from kinspan import MultiTaskSPCA

Floats = NDArray[np.float64]
Noise = Callable[[np.random.Generator, int, int, int], Floats]  # rng, rows, features, class
_TESTED = 10_000  # rows per class of a population that is not Gaussian


class Draw(NamedTuple):
    """Rows to learn from, and what is true of a model."""

    X: Any
    y: NDArray[Any]
    task: NDArray[Any]
    parameters: dict[str, Any]
    true_errors: Callable[[MultiTaskSPCA], Floats]  # (tasks,)
    resolution: float = 0.0  # half a test row: no interval need distinguish less


class Population(NamedTuple):
    """Every class of every task: its mean, and what rows have around it."""

    means: Floats  # (tasks, classes, features)
    widths: Floats  # (classes,): factors of the noise
    root: Floats | None = None  # (features, features): the covariance is root ᵀ root; None is I
    noise: Noise | None = None  # None is Gaussian
    shares: Floats | None = None  # (tasks, classes): what classes count; None is equally

    def rows(self, rng: np.random.Generator, t: int, c: int, n: int) -> Floats:
        """New rows of a class of a task."""
        p = self.means.shape[2]
        around = rng.normal(size=(n, p)) if self.noise is None else self.noise(rng, n, p, c)
        around = around if self.root is None else around @ self.root
        return np.asarray(self.means[t, c] + self.widths[c] * around)

    def drawn(self, rng: np.random.Generator, counts: Any, **parameters: Any) -> Draw:
        """So many rows of every cell."""
        k, m, _ = self.means.shape
        counts = np.broadcast_to(np.asarray(counts), (k, m))
        cells = [(t, c) for t in range(k) for c in range(m)]
        X = np.concatenate([self.rows(rng, t, c, int(counts[t, c])) for t, c in cells])
        task, y = (np.repeat(codes, counts.ravel()) for codes in zip(*cells, strict=True))
        return Draw(X, y, task, parameters, self.true_errors)

    def true_errors(self, model: MultiTaskSPCA) -> Floats:
        """(tasks,): exact for two Gaussian classes, otherwise on new rows."""
        exact = self.noise is None and len(self.widths) == 2
        of_cell = self._exactly if exact else self._of_new_rows
        k, m, _ = self.means.shape
        errors = np.array([[of_cell(model, t, c) for c in range(m)] for t in range(k)])
        return np.average(errors, axis=1, weights=self.shares)

    def _exactly(self, model: MultiTaskSPCA, t: int, c: int) -> float:
        coef = model.coef_[t, 0]
        margin = (2 * c - 1) * (self.means[t, c] @ coef + model.intercept_[t, 0])
        spread = coef if self.root is None else self.root @ coef
        return float(ndtr(-margin / max(self.widths[c] * np.linalg.norm(spread), 1e-300)))

    def _of_new_rows(self, model: MultiTaskSPCA, t: int, c: int) -> float:
        rng = np.random.default_rng([t, c])
        X = self.rows(rng, t, c, _TESTED // max(len(self.widths) // 4, 1))
        scores = X @ model.coef_[t].T + model.intercept_[t]
        answers = scores[:, 0] > 0 if scores.shape[1] == 1 else scores.argmax(axis=1)
        return float((answers != c).mean())


def related_means(
    rng: np.random.Generator, k: int, p: int, distance: float, m: int = 2, agree: float = 0.8
) -> Floats:
    """(tasks, classes, features): contrasts that share a direction, around centres of their own.

    Distances between classes differ by a fifth from task to task.
    """
    centred = np.eye(m) - 1.0 / m
    common, own = rng.normal(size=(m, p)), rng.normal(size=(k, m, p))
    common, own = (centred @ part for part in (common, own))
    contrasts = agree * common + np.sqrt(1.0 - agree**2) * own
    lengths = distance * np.exp(0.2 * rng.normal(size=k)) if k > 1 else np.full(1, distance)
    scale = np.sqrt((contrasts**2).sum(axis=(1, 2)) * 2.0 / (m - 1))  # mean distance of two classes
    contrasts = contrasts * (lengths / scale)[:, None, None]
    return np.asarray(contrasts + rng.normal(size=(k, 1, p)))
