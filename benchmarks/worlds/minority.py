"""A hostile world in which the model is right: a few small tasks beside many that agree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.worlds.base import Floats, Hostile, drawn, plain_base


def minority(rng: np.random.Generator) -> Hostile:
    """Fifteen tasks or more agree; two to six with 3 to 20 labels per class hardly do.

    Only the minority is attacked: it would lose if it followed the others.
    """
    settings, population, _ = plain_base(rng)
    p, m, root = settings["p"], settings["classes"], population.roots[0]
    n_majority, n_minority = int(rng.integers(15, 26)), int(rng.integers(2, 7))
    k = n_majority + n_minority
    attacked = np.arange(k) >= n_majority
    variant = str(rng.choice(["apart", "together"]))
    means = related_to_majority(rng, attacked, (m, p), variant) * rng.uniform(0.8, 3.5)
    means = means @ root if rng.uniform() < 0.5 else means * np.sqrt((root**2).sum() / p)
    population = population._replace(means=means + 3 * rng.normal(size=(k, 1, p)))
    sizes = np.where(attacked, rng.integers(3, 21, k), rng.integers(20, 61, k))
    X, y, task = drawn(rng, population, np.tile(sizes[:, None], (1, m)))
    settings |= {"tasks": k, "relation": "majority", "median_size": int(np.median(sizes))}
    settings["variant"] = variant
    return Hostile(settings, population, X, y, task, np.ones(k, bool), attacked)


def related_to_majority(
    rng: np.random.Generator, attacked: NDArray[np.bool_], shape: tuple[int, int], variant: str
) -> Floats:
    """(tasks, classes, features): cosines about .9 within the majority, 0 to .5 to it.

    The minority goes its own way "together", or every task of it "apart".
    """
    k = len(attacked)
    shared = contrasts(rng, shape)
    rest = np.array([contrasts(rng, shape) for _ in range(k)])
    if variant == "together":
        rest[attacked] = rest[-1]
    cosines = np.where(attacked, rng.uniform(0, 0.5, k), np.sqrt(rng.uniform(0.85, 0.95)))
    return np.array([at_cosine(shared, r, c) for r, c in zip(rest, cosines, strict=True)])


def contrasts(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    """(classes, features): random class means around 0, about as long as those of plain worlds."""
    rows = rng.normal(size=shape)
    rows -= rows.mean(axis=0)
    return np.asarray(rows * np.sqrt(shape[0] - 1) / np.linalg.norm(rows))


def at_cosine(shared: Floats, rest: Floats, cosine: float) -> Floats:
    """As long as the shared contrasts, at this cosine to them, and otherwise towards the rest."""
    across = rest - (rest * shared).sum() / (shared**2).sum() * shared
    across *= np.linalg.norm(shared) / np.linalg.norm(across)
    return np.asarray(cosine * shared + np.sqrt(1 - cosine**2) * across)
