"""Simulated relatedness: populations of binary tasks ∓μ_t with unit noise, as contrasts.

The settings in which the rules for the weights of tasks are compared, by `benchmarks.relatedness`
and by the tests. A row is half a contrast, μ_t plus noise of variance 1/(2n) for n rows per class;
errors are those of the population means.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from kinspan.labels import Spectrum, TaskWeights, optimal_weights, spectrum_of_rows

Floats = NDArray[np.float64]
P = 200


class Tasks(NamedTuple):
    """A population, and the tasks whose error counts."""

    means: Floats  # (tasks, features): μ
    n: Floats  # (tasks,): rows per class
    judged: slice  # the tasks whose error is averaged


def _units(rng: np.random.Generator, k: int) -> Floats:
    rows = rng.standard_normal((k, P))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def figure_3(rng: np.random.Generator, k: int) -> Tasks:
    """Random similarities on one arc; the last task has five rows per class."""
    beta = rng.uniform(0, 1, k)
    means = np.zeros((k, P))
    means[:, 0], means[:, -1] = beta, np.sqrt(1 - beta**2)
    n = np.full(k, 50.0)
    n[-1] = 5
    return Tasks(means, n, slice(k - 1, k))


def orthogonal(rng: np.random.Generator, k: int) -> Tasks:
    """Orthogonal tasks with nothing to share; at most 200 of them."""
    return Tasks(np.linalg.qr(rng.standard_normal((P, k)))[0].T, np.full(k, 50.0), slice(None))


def clusters(rng: np.random.Generator, k: int) -> Tasks:
    """Four clusters, random signs, a component of norm .4 of its own, 5 to 80 rows per class."""
    centres = _units(rng, 4)[rng.integers(0, 4, k)] * rng.choice([-1.0, 1.0], k)[:, None]
    return Tasks(centres + 0.4 * _units(rng, k), rng.integers(5, 81, k).astype(float), slice(None))


def identical(rng: np.random.Generator, k: int) -> Tasks:
    """One direction, ten rows per class."""
    return Tasks(np.repeat(_units(rng, 1), k, axis=0), np.full(k, 10.0), slice(None))


def opposite(rng: np.random.Generator, k: int) -> Tasks:
    """One direction with random signs, 20 rows per class."""
    signs = rng.choice([-1.0, 1.0], k)[:, None]
    return Tasks(signs * _units(rng, 1), np.full(k, 20.0), slice(None))


def some_unrelated(rng: np.random.Generator, k: int) -> Tasks:
    """A quarter of the tasks unrelated, with means of norm 1.5; 50 rows per class."""
    means = np.repeat(_units(rng, 1), k, axis=0)
    unrelated = rng.permutation(k)[: k // 4]
    means[unrelated] = 1.5 * _units(rng, len(unrelated))
    return Tasks(means, np.full(k, 50.0), slice(None))


def common_subspace(rng: np.random.Generator, k: int) -> Tasks:
    """Means spread over a common subspace of five dimensions; 10 to 100 rows per class."""
    basis = np.linalg.qr(rng.standard_normal((P, 5)))[0].T
    means = _units(rng, k)[:, :5]
    means = means / np.linalg.norm(means, axis=1, keepdims=True) @ basis
    return Tasks(means, rng.integers(10, 101, k).astype(float), slice(None))


def one_large(rng: np.random.Generator, k: int) -> Tasks:
    """One task with 1 000 rows per class that is unlike all others, which are alike."""
    means = np.repeat(_units(rng, 1), k, axis=0)
    means[0] = 2.0 * _units(rng, 1)
    n = np.full(k, 20.0)
    n[0] = 1000
    return Tasks(means, n, slice(None))


SETTINGS: dict[str, Callable[[np.random.Generator, int], Tasks]] = {
    "figure 3": figure_3,
    "orthogonal": orthogonal,
    "clusters": clusters,
    "identical": identical,
    "opposite": opposite,
    "some unrelated": some_unrelated,
    "common subspace": common_subspace,
    "one large stranger": one_large,
}


class Draw(NamedTuple):
    """Contrasts drawn from a population."""

    tasks: Tasks  # the population
    rows: Floats  # (tasks, features): half contrasts
    spectrum: Spectrum  # their decomposition

    def errors(self, weights: TaskWeights) -> Floats:
        """(tasks,): true error of every task with the given weights."""
        w = weights.combine(self.rows)
        gap = (w * self.tasks.means).sum(axis=1)
        return np.asarray(norm.sf(gap / np.linalg.norm(w, axis=1)))

    def forecast(self, weights: TaskWeights) -> Floats:
        """(tasks,): the error that the rule forecasts, without knowing the truth."""
        w = weights.combine(self.rows)
        return np.asarray(norm.sf(weights.signal / np.linalg.norm(w, axis=1)))

    def oracle(self) -> TaskWeights:
        """The optimal weights, from the true inner products."""
        gram, noise = self.tasks.means @ self.tasks.means.T, P / (2 * self.tasks.n)
        weights = optimal_weights(gram, noise)
        k = len(noise)
        return TaskWeights(weights, np.eye(k), np.zeros(k), np.diagonal(weights), np.zeros(k))


def draw(setting: str, k: int, seed: int) -> Draw:
    """One draw of a setting."""
    rng = np.random.default_rng([seed, k, *setting.encode()])
    tasks = SETTINGS[setting](rng, k)
    noise = 1 / (2 * tasks.n)
    rows = tasks.means + rng.standard_normal(tasks.means.shape) * np.sqrt(noise)[:, None]
    return Draw(tasks, rows, spectrum_of_rows(rows, P * noise, float(P)))
