"""Plain worlds: Gaussian rows with correct labels, however related the tasks are.

A world has its own dimension, tasks, classes, sizes, imbalance, correlation and relatedness; labels
may be opposite and tasks unrelated. Errors are those of the population: exact for two classes, from
20 000 Gaussian scores per task for more classes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from kinspan import MultiTaskSPCA

Floats = NDArray[np.float64]
RELATIONS = ("identical", "clusters", "subspace", "opposite", "unrelated", "mixed")
NOISES = ("white", "factors", "decaying")


class World(NamedTuple):
    """A population and a training set."""

    settings: dict[str, Any]  # what it is like
    means: Floats  # (tasks, classes, features)
    root: Floats  # (features, features): the covariance within classes is root ᵀ root
    X: Floats
    y: NDArray[np.intp]
    task: NDArray[np.intp]


def random_world(seed: int) -> World:
    """The world of a seed."""
    rng = np.random.default_rng(seed)
    p, k = int(np.exp(rng.uniform(np.log(5), np.log(300)))), int(np.exp(rng.uniform(0.7, 3.7)))
    m = 2 if rng.uniform() < 0.6 else int(rng.integers(3, 8))
    relation, noise = str(rng.choice(RELATIONS)), str(rng.choice(NOISES))
    size = np.exp(rng.uniform(np.log(3), np.log(1000)))
    spread = rng.uniform(0, 1.2)
    counts = size * np.exp(spread * rng.normal(size=(k, m)))
    counts = np.clip(counts * min(1.0, 30_000 / counts.sum()), 3, 1000).astype(int)
    root = noise_root(rng, p, noise)
    means = related_means(rng, k, m, p, relation) * rng.uniform(0.8, 3.5)
    means = means @ root if rng.uniform() < 0.5 else means * np.sqrt((root**2).sum() / p)
    means = means + 3 * rng.normal(size=(k, 1, p))  # every task has an offset of its own
    cells = np.repeat(np.arange(k * m), counts.ravel())
    X = means.reshape(k * m, p)[cells] + rng.normal(size=(len(cells), p)) @ root
    settings = {"seed": seed, "p": p, "tasks": k, "classes": m, "relation": relation}
    settings |= {"noise": noise, "median_size": int(np.median(counts))}
    return World(settings, means, root, X, cells % m, cells // m)


def noise_root(rng: np.random.Generator, p: int, noise: str) -> Floats:
    if noise == "white":
        return np.eye(p)
    if noise == "factors":
        factors = rng.normal(size=(max(1, p // 10), p)) * rng.uniform(0.5, 2)
        values, vectors = np.linalg.eigh(np.eye(p) + factors.T @ factors)
        return np.asarray((vectors * np.sqrt(values)) @ vectors.T)
    rotation = np.linalg.qr(rng.normal(size=(p, p)))[0]
    return np.asarray(np.sqrt(1 / np.arange(1, p + 1) ** rng.uniform(0.3, 1.5))[:, None] * rotation)


def related_means(rng: np.random.Generator, k: int, m: int, p: int, relation: str) -> Floats:
    """(tasks, classes, features) of about unit length."""

    def directions(n: int) -> Floats:
        rows = rng.normal(size=(n, m, p))
        return np.asarray(rows / np.linalg.norm(rows, axis=2, keepdims=True))

    own = directions(k)
    if relation == "unrelated":
        return own
    if relation == "identical":
        return np.asarray(np.repeat(directions(1), k, axis=0) + rng.choice([0.0, 0.2]) * own)
    if relation == "clusters":
        return directions(4)[rng.integers(0, 4, k)] + rng.uniform(0, 0.5) * own
    if relation == "subspace":
        basis = directions(3)
        weights = rng.normal(size=(k, 3)) / np.sqrt(3)
        return np.asarray(np.einsum("tb,bjp->tjp", weights, basis) + rng.uniform(0, 0.3) * own)
    shared = np.repeat(directions(1), k, axis=0)
    if relation == "opposite":
        flipped = rng.uniform(size=k) < 0.5
        shared[flipped] = shared[flipped][:, ::-1]
        return shared + rng.uniform(0, 0.3) * own
    stranger = (rng.uniform(size=k) < 0.4)[:, None, None]
    return np.where(stranger, own * rng.uniform(0.5, 2.0), shared)


def true_errors(model: MultiTaskSPCA, world: World) -> Floats:
    """(tasks,): error on the population, classes weighted equally."""
    rng = np.random.default_rng(0)
    errors = []
    for coef, intercept, means in zip(model.coef_, model.intercept_, world.means, strict=True):
        centre = means @ coef.T + intercept
        spread = coef @ world.root.T
        if len(coef) == 1:
            margin = centre[:, 0] * [-1, 1] / max(np.linalg.norm(spread), 1e-300)
            errors.append(ndtr(-margin).mean())
            continue
        noise = rng.normal(size=(20_000 // len(coef), spread.shape[1])) @ spread.T
        answers = (centre[:, None, :] + noise).argmax(axis=2)
        errors.append((answers != np.arange(len(coef))[:, None]).mean())
    return np.array(errors)


def losses(world: World, **parameters: Any) -> tuple[Floats, Floats, float]:
    """Errors of all tasks, ours and alone, and the mean absolute gap of our forecast."""
    ours = MultiTaskSPCA(**parameters).fit(world.X, world.y, task=world.task)
    alone = MultiTaskSPCA(labels="single", **parameters).fit(world.X, world.y, task=world.task)
    errors = true_errors(ours, world)
    gap = float(np.abs(ours.forecast_error_ - errors).mean())
    return errors, true_errors(alone, world), gap
