"""Leaving a row out of what a direction takes over of the target's own contrast, and of its noise.

Directions of the others, what is expected along them, and shares stay what they are: the oracle
has explicit vectors, a decomposition for every target, and no inner products in closed form.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from kinspan.labels import spectral_rule_and_response
from kinspan.metric import Root, ScaledMoments
from kinspan.risk import Residuals, leave_one_out_scores
from kinspan.selection.columns import rule_parts
from kinspan.selection.solutions import Problem, solve
from tests.labels.naive_rules import Prior, spectral_prior


class Cells(NamedTuple):
    """Rows of several tasks that share much of their contrasts, and their moments."""

    X: Any
    t: Any
    c: Any
    means: Any  # (tasks, classes, features)
    scaled: ScaledMoments

    @classmethod
    def draw(cls, seed: int, m: int, k: int = 6, n: int = 5, p: int = 15) -> Cells:
        rng = np.random.default_rng(seed)
        t, c = np.repeat(np.arange(k), m * n), np.tile(np.repeat(np.arange(m), n), k)
        true = 1.5 * rng.normal(size=(1, m, p)) + 0.5 * rng.normal(size=(k, m, p))
        X = true[t, c] + rng.normal(size=(len(t), p))
        means = X.reshape(k, m, n, p).mean(axis=2)
        squares = ((X - means[t, c]) ** 2).sum(axis=1).reshape(k, m, n).sum(axis=2)
        level = squares.sum(axis=1) / (m * (n - 1) * p)
        noise = squares / (n - 1) / n
        counts = np.full((k, m), float(n))
        scaled = ScaledMoments(np.ones((1, p)), means, counts, noise, level, float(p))
        return cls(X, t, c, means, scaled)

    def residuals(self, weight: float = 0.0) -> Residuals:
        """In the metric that is the identity, a part of which rows take with them."""
        r = self.X - self.means[self.t, self.c]
        ones = np.ones((1, r.shape[1])), np.ones(len(self.t))
        return Residuals(*(r, ones[0], self.t, self.c), ones[1], np.array([weight]))

    def inverse_without(self, i: int, weight: float) -> Any:
        """(features, features): the inverse metric without the row."""
        r, n = self.X[i] - self.means[self.t[i], self.c[i]], self.scaled.counts[0, 0]
        return np.linalg.inv(np.eye(len(r)) - weight * n / (n - 1) * np.outer(r, r))

    def means_without(self, i: int) -> Any:
        """(classes, features): class means of the row's task without the row."""
        found = self.means[self.t[i]].copy()
        others = (self.t == self.t[i]) & (self.c == self.c[i]) & (np.arange(len(self.t)) != i)
        found[self.c[i]] = self.X[others].mean(axis=0)
        return found

    def level_without(self, i: int) -> float:
        """The variance within the classes of the row's task, over its features, without the row."""
        own = (self.t == self.t[i]) & (np.arange(len(self.t)) != i)
        deviations = (self.X - self.means_without(i)[self.c])[own]
        m, p = self.means.shape[1:]
        return float((deviations**2).sum() / ((own.sum() - m) * p))


def prior_of(problem: Problem, t: int) -> Prior:
    """Of a target, from the stacked contrasts of the others."""
    rows, values = problem.contrasts.task_rows()[0], problem.contrasts.values
    stacked = values.reshape(len(values), -1)
    return spectral_prior(stacked, rows.noise / rows.dimension, t, rows.dimension)


def centred(means: Any) -> Any:
    return means - means.mean(axis=0)


@pytest.mark.parametrize("m", [2, 3])
def test_a_direction_follows_the_contrast_of_its_target_as_its_response_says(m: int) -> None:
    cells = Cells.draw(0, m)
    problem = Problem(cells.scaled, "shared")
    weights, response = spectral_rule_and_response(problem.spectra[0])
    before = problem.contrasts.combine([weights])
    rng = np.random.default_rng(1)
    for t in range(len(cells.means)):
        prior, kept = prior_of(problem, t), response.kept[t]
        assert len(prior.mean)  # there are directions of the others
        row = problem.contrasts.values[t].ravel()
        expected = direction(prior, kept, row)
        np.testing.assert_allclose(before[t].ravel(), expected, atol=1e-9)
        change = centred(rng.normal(size=cells.means.shape[1:])).ravel()
        explicit = direction(prior, kept, row + change) - expected
        basis = response.rows @ problem.contrasts.values.reshape(len(cells.means), -1)
        along = response.vectors[t].T @ (basis @ change)
        found = kept * change + basis.T @ (response.vectors[t] @ (response.gain[t] @ along))
        np.testing.assert_allclose(found, explicit, atol=1e-9)


def direction(prior: Prior, kept: float, row: Any, inverse: Any = None) -> Any:
    """Posterior along directions of the others, and a share of the rest, in an inverse metric."""
    v, mean, gain = prior
    x = v.T @ (row if inverse is None else inverse @ row)
    return v @ (mean + gain @ (x - mean)) + kept * (row - v @ x)


@pytest.mark.parametrize("m", [2, 3])
@pytest.mark.parametrize(("level_too", "weight"), [(False, 0.0), (False, 0.02), (True, 0.0)])
def test_shared_directions_without_the_row_equal_explicit_vectors(
    m: int, level_too: bool, weight: float
) -> None:
    cells = Cells.draw(2, m)
    problem = Problem(cells.scaled, "shared")
    zeros = np.zeros(cells.scaled.counts.shape)
    solution = solve(problem, "spectral", zeros, shrunk=False)
    assert solution.response is not None
    parts = rule_parts([[(problem, solution)]], [Root.of_diagonal(np.ones(cells.means.shape[2]))])
    assert parts.shared
    parts = parts._replace(undone=np.zeros_like(parts.undone))  # has a test of its own
    found = leave_one_out_scores(
        parts if level_too else parts._replace(trace=None), cells.residuals(weight)
    )[:, 0]
    for i in range(0, len(cells.t), 3):
        t, without = cells.t[i], cells.means_without(i)
        prior, kept = prior_of(problem, t), solution.response.kept[t]
        inverse = cells.inverse_without(i, weight)
        row = centred(without).ravel()
        w = direction(prior, kept, row, np.kron(np.eye(m), inverse)).reshape(m, -1)
        level = cells.level_without(i) if level_too else cells.scaled.noise_level[t]
        x = cells.X[i] - without.mean(axis=0)
        expected = (w @ inverse @ x - 0.5 * np.einsum("lp,pq,lq->l", w, inverse, w)) / level
        expected = (expected if m > 2 else expected[1:] - expected[:1]) + parts.offset[t, 0]
        np.testing.assert_allclose(found[i], expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("labels", ["single", "naive"])
def test_the_level_of_the_noise_is_that_of_the_other_rows(labels: str) -> None:
    """Of the same left-out direction, scores are divided by the level without the row."""
    cells = Cells.draw(3, 2)
    problem = Problem(cells.scaled, "shared")
    solution = solve(problem, labels, np.zeros(cells.scaled.counts.shape), shrunk=False)
    parts = rule_parts([[(problem, solution)]], [Root.of_diagonal(np.ones(cells.means.shape[2]))])
    parts = parts._replace(undone=np.zeros_like(parts.undone), offset=np.zeros_like(parts.offset))
    rows = cells.residuals()
    fixed, found = (leave_one_out_scores(p, rows) for p in (parts._replace(trace=None), parts))
    levels = np.array([cells.level_without(i) for i in range(len(cells.t))])
    ratio = cells.scaled.noise_level[cells.t] / levels
    assert ratio.std() > 0.01
    np.testing.assert_allclose(found, fixed * ratio[:, None, None], rtol=1e-9)
