"""Hostile worlds: rows, labels or tasks that violate the assumptions of the model.

Every kind starts from a small plain world (`plain_base`) and breaks it. Only honest tasks are
judged: not those that were added to do harm, nor those whose labels are meaningless.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.worlds.base import N_TEST, Codes, Floats, Hostile, Population, drawn, plain_base
from benchmarks.worlds.minority import minority
from benchmarks.worlds.plain import NOISES, noise_root

__all__ = ["KINDS", "Hostile", "hostile_world"]


def label_noise(rng: np.random.Generator) -> Hostile:
    """Up to a fifth of the labels are wrong: in all classes or one, in some tasks or all."""
    settings, population, counts = plain_base(rng)
    X, y, task = drawn(rng, population, counts)
    one_sided, (k, m) = bool(rng.uniform() < 0.5), counts.shape
    attacked = rng.uniform(size=k) < rng.choice([0.5, 1.0])
    attacked[rng.integers(k)] = True
    share = rng.uniform(0.05, 0.2)
    wrong = attacked[task] & (rng.uniform(size=len(y)) < share)
    wrong &= (y == 0) if one_sided else True
    y = np.where(wrong, (y + rng.integers(1, m, len(y), dtype=np.intp)) % m, y)
    y = _with_all_classes(y, task, m)
    settings["variant"] = "one-sided" if one_sided else "symmetric"
    return Hostile(settings, population, X, y, task, np.ones(k, bool), attacked)


def _with_all_classes(y: Codes, task: Codes, m: int) -> Codes:
    """Labels changed so that every task has at least two of each class."""
    y = y.copy()
    for t in np.unique(task):
        rows = np.flatnonzero(task == t)
        for c in range(m):
            while (y[rows] == c).sum() < 2:
                most = np.bincount(y[rows], minlength=m).argmax()
                y[rows[y[rows] == most][0]] = c
    return y


def heavy_tails(rng: np.random.Generator) -> Hostile:
    """Student's t for rows or for every feature, or a few rows that are far away."""
    settings, population, counts = plain_base(rng)
    variant, n = str(rng.choice(["rows", "features", "contaminated"])), int(counts.sum())
    k, p = len(counts), settings["p"]
    freedom = rng.uniform(2.1, 5.0)
    if variant == "features":  # tails are of the features, not of mixtures of them
        diagonal = np.diag(np.linalg.norm(population.roots[0], axis=0))
        population = population._replace(roots=diagonal[None])

    def tailed(n: int) -> Floats:
        values = rng.normal(size=(n, p))
        if variant == "contaminated":
            return np.asarray(values)
        shape = (n, p) if variant == "features" else (n, 1)
        return np.asarray(values / np.sqrt(rng.chisquare(freedom, shape) / freedom))

    noise = tailed(n)
    if variant == "contaminated":
        noise[rng.uniform(size=n) < rng.uniform(0.01, 0.1)] *= rng.uniform(5, 30)
    X, y, task = drawn(rng, population, counts, noise)
    if variant != "contaminated":  # only training rows are contaminated: new ones are not
        population = population._replace(noise=tailed(N_TEST))
    settings["variant"] = variant
    return Hostile(settings, population, X, y, task, np.ones(k, bool), np.ones(k, bool))


def covariate_shift(rng: np.random.Generator) -> Hostile:
    """The features of tasks have different scales or covariances, or move after training."""
    settings, population, counts = plain_base(rng)
    k, p, root = len(counts), settings["p"], population.roots[0]
    variant = str(rng.choice(["units", "covariances", "moved", "stretched"]))
    attacked = rng.uniform(size=k) < 0.5
    attacked[rng.integers(k)] = True
    if variant == "units":  # new rows as well: scales of tasks, and of their features
        scales = np.exp(rng.normal(size=(k, 1)) + rng.choice([0.0, 0.7]) * rng.normal(size=(k, p)))
        scales[~attacked] = 1.0
        population = Population(population.means * scales[:, None], root * scales[:, None])
    if variant == "covariances":
        others = [noise_root(rng, p, str(rng.choice(NOISES))) for _ in range(k)]
        size = np.linalg.norm(root)
        roots = np.array([size / np.linalg.norm(other) * other for other in others])
        population = population._replace(roots=np.where(attacked[:, None, None], roots, root))
    X, y, task = drawn(rng, population, counts)
    if variant in ("moved", "stretched"):  # the rows to learn from, of some tasks
        deviation = np.sqrt((root**2).sum(axis=0))
        shift = rng.uniform(0.2, 2.0) * deviation * rng.normal(size=(k, p))
        shift[~attacked] = 0.0
        centre = population.means.mean(axis=1)[task]
        stretch = np.where(attacked, np.exp(rng.normal(size=k)), 1.0)[task, None]
        X = X + shift[task] if variant == "moved" else centre + stretch * (X - centre)
    settings["variant"] = variant
    return Hostile(settings, population, X, y, task, np.ones(k, bool), attacked)


def permuted(rng: np.random.Generator) -> Hostile:
    """In some tasks the names of classes are permuted, or the labels are meaningless."""
    settings, population, counts = plain_base(rng)
    k, m = counts.shape
    variant = str(rng.choice(["permuted", "random"]))
    attacked = np.asarray(rng.uniform(size=k) < 0.4)
    attacked[rng.permutation(k)[:2]] = [True, False]
    if variant == "permuted":
        means = population.means.copy()
        for t in np.flatnonzero(attacked):
            means[t] = means[t, np.roll(np.arange(m), 1) if m == 2 else rng.permutation(m)]
        population = population._replace(means=means)
    X, y, task = drawn(rng, population, counts)
    honest = np.ones(k, bool)
    if variant == "random":
        honest = ~attacked
        for t in np.flatnonzero(attacked):
            y[task == t] = rng.permutation(y[task == t])
        attacked = honest  # they can harm only the others
    settings["variant"] = variant
    return Hostile(settings, population, X, y, task, honest, attacked)


def copies(rng: np.random.Generator) -> Hostile:
    """Tasks that are exact or near copies of others, with the same labels or wrong ones."""
    settings, population, counts = plain_base(rng)
    k, m = counts.shape
    X, y, task = drawn(rng, population, counts)
    variant = str(rng.choice(["flipped", "right", "near flipped", "near right"]))
    attacked = rng.uniform(size=k) < rng.choice([0.1, 0.5, 1.0])
    attacked[rng.integers(k)] = True
    parts, n_tasks = [(X, y, task)], k
    deviation = np.sqrt((population.roots[0] ** 2).sum(axis=0))
    noise = rng.uniform(0.01, 0.5) if "near" in variant else 0.0
    for t in np.flatnonzero(attacked):
        for _ in range(int(rng.integers(1, 4))):
            rows = X[task == t]
            rows = rows + noise * deviation * rng.normal(size=rows.shape)
            labels = y[task == t] + (int(rng.integers(1, m)) if "flipped" in variant else 0)
            parts.append((rows, labels % m, np.full(len(rows), n_tasks)))
            n_tasks += 1
    X, y, task = (np.concatenate(part) for part in zip(*parts, strict=True))
    settings |= {"variant": variant, "tasks": n_tasks}
    honest, attacked = (
        np.append(a, np.zeros(n_tasks - k, bool)) for a in (np.ones(k, bool), attacked)
    )
    return Hostile(settings, population, X, y, task, honest, attacked)


def giant_noise(rng: np.random.Generator) -> Hostile:
    """Tasks with a hundred times as many rows as the others and meaningless labels."""
    settings, population, counts = plain_base(rng, most=30.0)
    k, m = counts.shape
    p, root = settings["p"], population.roots[0]
    X, y, task = drawn(rng, population, counts)
    variant = str(rng.choice(["alike", "units", "tails"]))
    parts, n_giants = [(X, y, task)], int(rng.integers(1, 4))
    for t in range(k, k + n_giants):
        n = 100 * m * settings["median_size"]
        noise = rng.normal(size=(n, p))
        if variant == "tails":
            noise = noise / np.sqrt(rng.chisquare(2.5, (n, 1)) / 2.5)
        rows = noise @ root
        if variant == "units":
            rows = rows * np.exp(rng.normal() + 0.7 * rng.normal(size=p))
        parts.append((rows + 3 * rng.normal(size=p), rng.integers(0, m, n), np.full(n, t)))
    X, y, task = (np.concatenate(part) for part in zip(*parts, strict=True))
    settings |= {"variant": variant, "tasks": k + n_giants}
    honest = np.arange(k + n_giants) < k
    return Hostile(settings, population, X, y, task, honest, honest)


def other_units(rng: np.random.Generator) -> Hostile:
    """In some tasks, but not in all, some columns are 2 to 100 times as large, in new rows too."""
    settings, population, counts = plain_base(rng)
    k, p = len(counts), settings["p"]
    attacked = np.asarray(rng.uniform(size=k) < 0.4)
    attacked[rng.permutation(k)[:2]] = [True, False]
    n_columns = max(1, round(rng.uniform(0.1, 0.5) * p))
    factors = np.exp(rng.uniform(np.log(2), np.log(100), size=(k, p)))
    chosen = np.argsort(rng.uniform(size=(k, p)), axis=1) < n_columns
    variant = str(rng.choice(["one unit", "many units"]))
    if variant == "one unit":  # grams instead of kilograms, in the same columns of all these tasks
        factors[:], chosen[:] = factors[0, 0], chosen[0]
    scales = np.where(chosen & attacked[:, None], factors, 1.0)[:, None]
    population = Population(population.means * scales, population.roots * scales)
    X, y, task = drawn(rng, population, counts)
    settings["variant"] = variant
    return Hostile(settings, population, X, y, task, np.ones(k, bool), attacked)


# A world depends on the place of its kind: new kinds come last.
KINDS: dict[str, Callable[[np.random.Generator], Hostile]] = {
    "label noise": label_noise,
    "heavy tails": heavy_tails,
    "covariate shift": covariate_shift,
    "permuted labels": permuted,
    "copies": copies,
    "giant noise": giant_noise,
    "other units": other_units,
    "minority": minority,
}


def hostile_world(kind: str, seed: int) -> Hostile:
    """The world of a kind and a seed."""
    world = KINDS[kind](np.random.default_rng([seed, list(KINDS).index(kind)]))
    return world._replace(settings={"kind": kind, "seed": seed, **world.settings})
