"""Simulated directions, whose error on new rows is exact because the population is known.

A theorem gives the limit; a simulation at p features misses it by order 1/p, while its standard
error over s seeds is of order 1/sqrt(p·s). Four standard errors are honest as long as seeds are
fewer than features, which every caller keeps.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm

Floats = NDArray[np.float64]


def population_means(gram: ArrayLike, n_features: int, seed: int = 0) -> Floats:
    """(cells, features) means in random directions with the given inner products."""
    values, vectors = np.linalg.eigh(np.asarray(gram, dtype=np.float64))
    root = vectors * np.sqrt(np.maximum(values, 0))
    noise = np.random.default_rng(seed).standard_normal((n_features, len(values)))
    return np.asarray(root @ np.linalg.qr(noise)[0].T)


def random_gram(n_cells: int, seed: int, rank: int | None = None) -> Floats:
    rows = np.random.default_rng(seed).standard_normal((n_cells, rank or n_cells + 2))
    return np.asarray(rows @ rows.T / rows.shape[1])


def sampled_means(M: Floats, counts: ArrayLike, rng: np.random.Generator) -> Floats:
    """Means of n rows N(μ, I) of each cell: N(μ, I/n)."""
    n = np.asarray(counts, dtype=np.float64).ravel()
    return M + rng.standard_normal(M.shape) / np.sqrt(n)[:, None]


def unit(w: Floats) -> Floats:
    return np.asarray(w / np.linalg.norm(w))


def gap_to_error(gap: ArrayLike) -> Floats:
    return np.asarray(norm.sf(np.asarray(gap) / 2))


def assert_within(samples: ArrayLike, expected: ArrayLike, standard_errors: float = 4) -> None:
    """The mean over seeds (axis 0) is that of the theory, within some standard errors."""
    values = np.asarray(samples, dtype=np.float64)
    error = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    distance = np.abs(values.mean(axis=0) - expected) / np.maximum(error, 1e-12)
    assert np.all(distance < standard_errors), (values.mean(axis=0), expected, error, distance)


def align(components: Floats, reference: Floats) -> Floats:
    """(cells, components) with the signs of the reference."""
    signs = np.sign((components * reference).sum(axis=0))
    return np.asarray(components * np.where(signs == 0, 1, signs))
