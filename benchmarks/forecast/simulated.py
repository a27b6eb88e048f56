"""Simulated regimes: where a forecast may go wrong, one by one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks.forecast.populations import Draw, Floats, Population, related_means


class Regime(NamedTuple):
    """What is drawn, and how often by default."""

    name: str
    draws: int
    draw: Callable[[int], Draw]  # seed → rows


def gaussian(
    seed: int,
    p: int,
    k: int,
    counts: Any,
    distance: float = 2.0,
    widths: tuple[float, ...] = (1.0, 1.0),
    **parameters: Any,
) -> Draw:
    """Gaussian rows without correlations; as many classes as widths."""
    rng = np.random.default_rng(seed)
    means = related_means(rng, k, p, distance, len(widths))
    return Population(means, np.array(widths)).drawn(rng, counts, **parameters)


def correlated(seed: int, p: int, k: int, counts: Any, distance: float, rho: float) -> Draw:
    """Neighbouring features with this correlation."""
    rng = np.random.default_rng(seed)
    apart = np.abs(np.subtract.outer(np.arange(p), np.arange(p))).astype(np.float64)
    root = np.asarray(np.linalg.cholesky(rho**apart).T, np.float64)
    population = Population(related_means(rng, k, p, distance), np.ones(2), root)
    return population.drawn(rng, counts)


def far_side(seed: int, n: int, **parameters: Any) -> Draw:
    """A tenth of class 1 lies beyond class 0."""
    rng = np.random.default_rng(seed)
    k, p = 5, 10
    means = related_means(rng, k, p, 4.0, agree=1.0)
    away = 2.0 * (means[0, 0] - means[0, 1])

    def noise(rng: np.random.Generator, n: int, p: int, c: int) -> Floats:
        far = (rng.uniform(size=n) < 0.1) & (c == 1)
        return np.asarray(rng.normal(size=(n, p)) + far[:, None] * away)

    return Population(means, np.ones(2), noise=noise).drawn(rng, n, **parameters)


def heavy_tails(seed: int, n: int) -> Draw:
    """Student's distribution with 2.5 degrees of freedom, for rows as a whole."""

    def noise(rng: np.random.Generator, n: int, p: int, c: int) -> Floats:
        size = np.sqrt(2.5 / rng.chisquare(2.5, size=n))
        return np.asarray(rng.normal(size=(n, p)) * size[:, None])

    rng = np.random.default_rng(seed)
    return Population(related_means(rng, 5, 20, 3.0), np.ones(2), noise=noise).drawn(rng, n)


def binary(seed: int, n: int) -> Draw:
    """Thirty features that are 0 or 1, rarely 1."""
    rng = np.random.default_rng(seed)
    k, p = 10, 30
    log_odds = rng.normal(-2.0, 1.0, size=p) + 0.8 * related_means(rng, k, p, 5.0)
    chances = 1.0 / (1.0 + np.exp(-log_odds))

    class Flipped(Population):
        def rows(self, rng: np.random.Generator, t: int, c: int, n: int) -> Floats:
            return np.asarray(rng.uniform(size=(n, p)) < self.means[t, c], np.float64)

    return Flipped(chances, np.ones(2), noise=_unused).drawn(rng, n)


def repeated(seed: int, n: int, away: float, share: float = 0.6, off: float = 0.0) -> Draw:
    """A share of the rows of both classes are the same row, up to `off`, so far from the others."""
    rng = np.random.default_rng(seed)
    k, p = 5, 10
    usual = away * rng.normal(size=p)

    class Repeated(Population):
        def rows(self, rng: np.random.Generator, t: int, c: int, n: int) -> Floats:
            same = rng.uniform(size=n) < share
            rows = self.means[t, c] + rng.normal(size=(n, p))
            copies = usual + off * rng.normal(size=(n, p)) if off else usual
            return np.where(same[:, None], copies, rows)

    means = related_means(rng, k, p, 3.0)
    return Repeated(means, np.ones(2), noise=_unused).drawn(rng, n)


def shops(seed: int) -> Draw:
    """Forty shops: as many rows as they have."""
    rng = np.random.default_rng(seed)
    population, counts, _ = forty_shops(rng)
    return population.drawn(rng, counts)


def forty_shops(rng: np.random.Generator) -> tuple[Population, Any, Floats]:
    """With 5 to 20 % positives and 30 to 2 000 rows, two rows of a class at least.

    Returns the population, numbers of rows (tasks, classes) and shares of positives (tasks,).
    """
    k, p = 40, 15
    sizes = np.exp(rng.uniform(np.log(30), np.log(2000), size=k))
    positive = rng.uniform(0.05, 0.2, size=k)
    ones = np.maximum(rng.poisson(sizes * positive), 2)
    counts = np.stack([np.maximum(sizes - ones, 2), ones], axis=1).astype(int)

    def noise(rng: np.random.Generator, n: int, p: int, c: int) -> Floats:
        amounts = rng.gamma(2.0, size=(n, p))  # skewed
        return np.asarray((amounts - 2.0) / np.sqrt(2.0))

    means = related_means(rng, k, p, 1.0, agree=0.9)
    return Population(means, np.array([0.9, 1.1]), noise=noise), counts, positive


def in_groups(seed: int) -> Draw:
    """A hundred tasks in five groups that have nothing in common, with 3 to 24 labels each."""
    rng = np.random.default_rng(seed)
    k, p, groups = 100, 200, 5
    directions = rng.normal(size=(groups, p)) / np.sqrt(p)
    own = 0.35 * rng.normal(size=(k, p)) / np.sqrt(p)
    apart = directions[np.arange(k) % groups] + own
    means = rng.normal(size=(k, 1, p)) + 1.4 * np.stack([-apart, apart], axis=1)
    labels = rng.integers(3, 25, size=k)
    counts = np.stack([labels // 2, labels - labels // 2], axis=1)
    return Population(means, np.ones(2)).drawn(rng, counts)


def few_positives(seed: int) -> Draw:
    """One positive in twenty-one, and tasks that say so."""
    rng = np.random.default_rng(seed)
    k = 10
    shares = np.tile([20.0 / 21.0, 1.0 / 21.0], (k, 1))
    population = Population(related_means(rng, k, 10, 2.5), np.ones(2), shares=shares)
    return population.drawn(rng, [100, 5], priors="empirical")


def one_rare(seed: int) -> Draw:
    """Ten tasks with 100 and 20 labels, one of them with 107 and 2."""
    rng = np.random.default_rng(seed)
    counts = np.tile([100, 20], (10, 1))
    counts[0] = [107, 2]
    population = Population(related_means(rng, 10, 20, 1.5), np.ones(2))
    return population.drawn(rng, counts)


def _unused(rng: np.random.Generator, n: int, p: int, c: int) -> Floats:
    raise NotImplementedError


_THREE_AND_TWO = np.tile([3, 2], (500, 1))
_WIDE = partial(gaussian, p=10, k=5, distance=4.0, widths=(1.0, 4.0))

REGIMES = [
    Regime("Gaussian, 10 × 20", 60, partial(gaussian, p=20, k=10, counts=20)),
    Regime("Gaussian, 5 × 1 000", 40, partial(gaussian, p=20, k=5, counts=1000)),
    Regime("unequal widths, 100", 60, partial(_WIDE, counts=100)),
    Regime("unequal widths, 1 000", 40, partial(_WIDE, counts=1000, row_sample=1000)),
    Regime("unequal widths, 10 000", 20, partial(_WIDE, counts=10_000, row_sample=10_000)),
    Regime("a tenth on the far side", 40, partial(far_side, n=1000, row_sample=1000)),
    Regime("heavy tails", 100, partial(heavy_tails, n=50)),
    Regime("binary features", 60, partial(binary, n=30)),
    Regime("60 % repeated rows", 40, partial(repeated, n=1500, away=1.0)),
    Regime("60 % repeated, far out", 40, partial(repeated, n=300, away=10.0)),
    Regime(
        "AR(.95), one task", 400, partial(correlated, p=20, k=1, counts=20, distance=1.0, rho=0.95)
    ),
    Regime(
        "AR(.95), ten tasks", 60, partial(correlated, p=50, k=10, counts=20, distance=1.0, rho=0.95)
    ),
    Regime("p = 5", 100, partial(gaussian, p=5, k=5, counts=20)),
    Regime("p = 5 000", 30, partial(gaussian, p=5000, k=10, counts=10, distance=6.0)),
    *(
        Regime(f"one task, {n} per class", 400, partial(gaussian, p=20, k=1, counts=n))
        for n in (5, 10, 20)
    ),
    Regime("one task, 10, p = 100", 400, partial(gaussian, p=100, k=1, counts=10)),
    Regime("two tasks, 5 per class", 300, partial(gaussian, p=20, k=2, counts=5)),
    Regime("two tasks, 20 per class", 200, partial(gaussian, p=20, k=2, counts=20)),
    Regime("500 × 5 labels", 8, partial(gaussian, p=20, k=500, counts=_THREE_AND_TWO)),
    *(
        Regime(
            f"500 × 5{features}, no signal",
            8,
            partial(gaussian, p=p, k=500, counts=_THREE_AND_TWO, distance=0.0),
        )
        for features, p in (("", 20), (", p = 300", 300))
    ),
    Regime(
        "10 + 10, p = 500, no signal", 400, partial(gaussian, p=500, k=1, counts=10, distance=0.0)
    ),
    Regime("100 in five groups", 20, in_groups),
    Regime("1:20, own priors", 40, few_positives),
    Regime(
        "20 classes × 3, one task",
        300,
        partial(gaussian, p=50, k=1, counts=3, distance=5.0, widths=(1.0,) * 20),
    ),
    Regime(
        "20 classes × 3, five tasks",
        40,
        partial(gaussian, p=50, k=5, counts=3, distance=5.0, widths=(1.0,) * 20),
    ),
    Regime("40 shops", 10, shops),
    Regime("107 and 2 labels among ten", 60, one_rare),
]
