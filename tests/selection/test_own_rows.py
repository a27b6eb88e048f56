"""Rules by a task's own rows: the explicit formula with dense matrices; rows really left out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from kinspan.metric import ScaledMoments
from kinspan.risk import Residuals
from kinspan.selection.own_rows import OwnRules, own_rules


class Task(NamedTuple):
    """Weighted rows of one task, in all directions."""

    X: Any
    y: Any
    weights: Any

    def moments(self, weights: Any) -> tuple[Any, Any, Any]:
        """Counts and means of classes, and the scatter around them."""
        m, p = self.y.max() + 1, self.X.shape[1]
        counts, means, scatter = np.zeros(m), np.zeros((m, p)), np.zeros((p, p))
        for c in range(m):
            of, w = self.X[self.y == c], weights[self.y == c]
            counts[c], means[c] = w.sum(), np.average(of, axis=0, weights=w)
            scatter += (w[:, None] * (of - means[c])).T @ (of - means[c])
        return counts, means, scatter


def random_task(rng: Any, p: int, m: int) -> Task:
    """Four rows of every class, some of them twice."""
    y = np.repeat(np.arange(m), 4)
    X = rng.normal(size=(len(y), p)) * rng.uniform(0.5, 2.0, p) + rng.normal(size=(m, p))[y]
    return Task(X, y, rng.integers(1, 3, len(y)).astype(float))


def found_by_kinspan(tasks: list[Task], ridge: float) -> tuple[OwnRules, int]:
    """In a basis whose first directions span the residuals of all tasks; and its size."""
    of_tasks = [task.moments(task.weights) for task in tasks]
    counts, means = (np.array([part[i] for part in of_tasks]) for i in (0, 1))
    residuals = np.concatenate([t.X - mean[t.y] for t, mean in zip(tasks, means, strict=True)])
    centred = means - means.mean(axis=1, keepdims=True)
    basis, axes = basis_of(residuals, centred)
    p, (k, m) = residuals.shape[1], counts.shape
    scaled = ScaledMoments(np.ones((1, p)), means @ basis, counts, counts, np.ones(k), float(p))
    along = residuals @ basis[:, :axes]
    rows = Residuals(
        *(along, np.ones((1, axes)), np.repeat(np.arange(k), [len(t.y) for t in tasks])),
        *(np.concatenate([t.y for t in tasks]), np.concatenate([t.weights for t in tasks])),
        np.zeros(1),
    )
    centring = np.tile(np.eye(m) - 1.0 / m, (k, 1, 1))
    (found,) = own_rules(scaled, centred @ basis, centring, rows, [ridge])
    coef = found.rules.coef @ basis.T
    return found._replace(rules=found.rules._replace(coef=coef)), basis.shape[1]


def basis_of(residuals: Any, centred: Any) -> tuple[Any, int]:
    """Orthonormal: directions of the residuals first, then those of the contrasts."""
    axes = np.linalg.matrix_rank(residuals)
    first = np.linalg.svd(residuals, full_matrices=False)[2][:axes].T
    rest = centred.reshape(-1, centred.shape[2])
    rest = rest - rest @ first @ first.T
    values, right = np.linalg.svd(rest, full_matrices=False)[1:]
    return np.concatenate([first, right[values > 1e-9].T], axis=1), int(axes)


def level_of(task: Task, ridge: float, n_directions: int) -> float:
    """The ridge times the mean eigenvalue of the covariance that is not zero."""
    counts, _, scatter = task.moments(task.weights)
    trace = np.trace(scatter) / counts.sum()
    return float(ridge * trace / min(counts.sum() - len(counts), n_directions))


def unseen_squares(task: Task, level: float) -> Any:
    """Of every row, the noise that it shows around the mean of the others in their metric."""
    counts, means, scatter = task.moments(task.weights)
    total, found = counts.sum(), []
    for x, c in zip(task.X, task.y, strict=True):
        r, larger = x - means[c], counts[c] / (counts[c] - 1.0)
        metric = level * np.eye(len(x)) + (scatter - larger * np.outer(r, r)) / total
        found.append(larger * r @ np.linalg.solve(metric, r))
    return np.array(found)


SHAPES = pytest.mark.parametrize(("p", "m"), [(5, 2), (5, 3), (40, 2), (40, 3)])


@SHAPES
@pytest.mark.parametrize("ridge", [0.1, 1.0])
def test_rules_are_those_of_the_explicit_formula(p: int, m: int, ridge: float) -> None:
    """(λ + S)⁻¹ d; and −½ dᵀ(λ + S)⁻¹d, without what the noise of the means adds to it."""
    rng = np.random.default_rng(p + m)
    tasks = [random_task(rng, p, m) for _ in range(2)]
    found, n_directions = found_by_kinspan(tasks, ridge)
    centring = np.eye(m) - 1.0 / m
    for t, task in enumerate(tasks):
        counts, means, scatter = task.moments(task.weights)
        covariance, level = scatter / counts.sum(), level_of(task, ridge, n_directions)
        inverse = np.linalg.inv(level * np.eye(p) + covariance)
        contrasts = centring @ means
        np.testing.assert_allclose(found.rules.coef[t], contrasts @ inverse, atol=1e-9)
        noise = task.weights @ unseen_squares(task, level) / counts.sum()
        undone = (centring / m + 0.5 * centring**2) @ (noise / counts)
        offset = undone - 0.5 * np.einsum("lp,pq,lq->l", contrasts, inverse, contrasts)
        np.testing.assert_allclose(found.rules.offset[t], offset, atol=1e-9)


@SHAPES
def test_left_out_scores_are_those_of_rules_without_the_row(p: int, m: int) -> None:
    """With the same ridge and the same divisor of the covariance."""
    rng = np.random.default_rng(p * m)
    tasks = [random_task(rng, p, m) for _ in range(2)]
    found, n_directions = found_by_kinspan(tasks, 0.3)
    expected = np.array(
        [
            score_without(task, i, level_of(task, 0.3, n_directions))
            for task in tasks
            for i in range(len(task.y))
        ]
    )
    if m == 2:
        expected = expected[:, 1:] - expected[:, :1]
    np.testing.assert_allclose(found.scores, expected, atol=1e-8)


def score_without(task: Task, i: int, level: float) -> Any:
    """Scores of row i by the rule of the others; of equal rows one is left out."""
    p, m = task.X.shape[1], int(task.y.max() + 1)
    centring, total = np.eye(m) - 1.0 / m, task.weights.sum()
    squares = unseen_squares(task, level)
    noise = (task.weights @ squares - squares[i]) / (total - 1.0)
    counts, means, scatter = task.moments(task.weights - (np.arange(len(task.y)) == i))
    inverse = np.linalg.inv(level * np.eye(p) + scatter / total)
    contrasts = centring @ means
    length = np.einsum("lp,pq,lq->l", contrasts, inverse, contrasts)
    undone = (centring / m + 0.5 * centring**2) @ (noise / counts)
    return contrasts @ inverse @ (task.X[i] - means.mean(axis=0)) - 0.5 * length + undone


def test_rows_that_are_their_whole_class_cannot_be_left_out() -> None:
    rng = np.random.default_rng(0)
    task = random_task(rng, 3, 2)
    kept = np.array([True, True, True, True, True, False, False, False])
    found, _ = found_by_kinspan([Task(task.X[kept], task.y[kept], np.ones(5))], 1.0)
    np.testing.assert_array_equal(np.isnan(found.scores[:, 0]), [False] * 4 + [True])


def test_a_task_of_equal_rows_has_no_rule_of_its_own() -> None:
    rng = np.random.default_rng(0)
    equal = Task(np.repeat(rng.normal(size=(2, 3)), 4, axis=0), np.repeat([0, 1], 4), np.ones(8))
    found, _ = found_by_kinspan([random_task(rng, 3, 2), equal], 1.0)
    np.testing.assert_array_equal(found.rules.coef[1], 0.0)
    np.testing.assert_array_equal(found.scores[8:], 0.0)
    assert np.abs(found.rules.coef[0]).max() > 0.01
