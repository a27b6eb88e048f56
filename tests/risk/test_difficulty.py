"""A task with fewer labels than the others is to expect more errors, as its learning curve says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from kinspan import MultiTaskSPCA
from kinspan.risk import Energies, Ways
from kinspan.risk.difficulty import difficulty
from kinspan.risk.usual_task import UsualTask

P, TOTAL = 40, 9.0


def alone(counts: Any) -> Energies:
    """Isotropic tasks that lend nothing: known = T²/(T + p Σ 1/n)."""
    counts = np.asarray(counts, dtype=float)
    noise = (P / counts).sum(axis=1)
    k = len(counts)
    return Energies(np.full(k, TOTAL), TOTAL**2 / (TOTAL + noise), np.full(counts.shape, float(P)))


def errors(counts: Any) -> Any:
    """(tasks,): of the rules of these tasks, by theory."""
    return norm.sf(np.sqrt(alone(counts).known) / 2)


def found_for(energies: Energies, counts: Any, relative: Any, parts: Any = (0, 1, 0)) -> Any:
    """Tasks that could leave out all of their rows, and learn in three ways."""
    rows = counts.sum(axis=1)
    ways = Ways.of(*(np.full(len(rows), float(part)) for part in parts))
    return difficulty(UsualTask.of(energies, counts, rows), counts, rows, relative, ways)


def test_tasks_with_the_same_labels_are_as_difficult() -> None:
    counts = np.full((6, 2), 12.0)
    found = found_for(alone(counts), counts, np.full(6, 0.3))
    np.testing.assert_allclose(found, 1.0, rtol=1e-9)


@pytest.mark.parametrize("few", [3.0, 10.0, 30.0])
def test_fewer_labels_have_the_error_of_the_learning_curve(few: float) -> None:
    """One task of few labels among fifty of a hundred, none of which lends."""
    counts = np.full((51, 2), 100.0)
    counts[0] = few
    true = errors(counts)
    found = found_for(alone(counts), counts, true / 0.5)
    np.testing.assert_allclose(found / found[1], true / true[1], rtol=0.03)


def test_what_others_lend_makes_fewer_labels_matter_less() -> None:
    counts = np.full((10, 2), 100.0)
    counts[0] = 5.0
    energies = alone(counts)
    lent = energies._replace(known=0.95 * energies.total)
    by_itself, with_others = (found_for(e, counts, np.full(10, 0.3))[0] for e in (energies, lent))
    assert 1.0 < with_others < by_itself


def test_labels_of_its_own_matter_as_far_as_a_rule_is_learnt_from_them() -> None:
    """Not at all if all tasks have one rule; as without help if it goes alone."""
    counts = np.full((10, 2), 100.0)
    counts[0] = 5.0
    by_itself = alone(counts)
    lent = by_itself._replace(known=0.95 * by_itself.total)
    relative = np.full(10, 0.3)
    pooled, related, single, all_ways = (
        found_for(lent, counts, relative, parts)
        for parts in ((2, 0, 0), (0, 1, 0), (0, 0, 3), (1, 1, 1))
    )
    np.testing.assert_allclose(pooled, 1.0)
    assert 1.0 < related[0] < single[0]
    np.testing.assert_allclose(single, found_for(by_itself, counts, relative), rtol=1e-6)
    np.testing.assert_allclose(all_ways, (pooled + related + single) / 3)


def test_a_rule_without_any_weight_is_that_of_a_related_task() -> None:
    found = Ways.of(np.array([0.0, 1.0]), np.zeros(2), np.array([0.0, 3.0]))
    np.testing.assert_allclose(found, [[0.0, 0.25], [1.0, 0.0], [0.0, 0.75]])


def test_a_poor_task_among_rich_ones_is_not_announced_as_one_of_them() -> None:
    """Forecast and truth of the task with five labels per class, 60 draws."""
    gaps = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        k, p = 6, 20
        means = 1.1 * rng.normal(size=(k, p)) / np.sqrt(p) + 0.5 * np.eye(p)[0]
        n = np.array([5] + [60] * (k - 1))
        task, y = np.repeat(np.arange(k), 2 * n), np.concatenate([np.arange(2 * m) % 2 for m in n])
        X = np.where(y[:, None] == 1, 1.0, -1.0) * means[task] + rng.normal(size=(len(y), p))
        model = MultiTaskSPCA().fit(X, y, task=task)
        w, b = model.coef_[0].ravel(), float(np.ravel(model.intercept_[0])[0])
        margins = np.array([w @ means[0] + b, w @ means[0] - b]) / np.linalg.norm(w)
        gaps.append(model.forecast_error_[0] - norm.sf(margins).mean())
    assert abs(np.mean(gaps)) < 4 * np.std(gaps) / np.sqrt(len(gaps))
