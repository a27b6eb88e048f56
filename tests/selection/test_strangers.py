"""Rows without labels that are not of the task, and groups that are not its classes."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from kinspan import Statistics
from kinspan.selection.candidates import Options
from kinspan.selection.strangers import _as_far, belonging, named
from kinspan.selection.taught import Free, Labelled


def labelled(X: Any, y: Any, task: Any) -> Labelled:
    found = Statistics.from_samples(X, y, task)
    shape = found.moments.counts.shape
    equal = np.full(shape, 1.0 / shape[1])
    options = Options("auto", "auto", "shared", "auto", False, equal, np.log(equal))
    return Labelled(found.moments, found.sample, options, None)


def rows(seed: int, n_tasks: int, p: int, away: float = 0.0) -> tuple[Labelled, Free]:
    """Tasks with one label per class, ±1 in the first feature, and rows that are away."""
    rng = np.random.default_rng(seed)
    y, task = np.tile([0, 1], n_tasks), np.repeat(np.arange(n_tasks), 2)
    X = rng.standard_normal((len(y), p))
    X[:, 0] += 2 * y - 1
    tasks = np.repeat(np.arange(n_tasks), 60)
    free = rng.standard_normal((len(tasks), p)) + away * rng.standard_normal(p)
    free[:, 0] += np.tile([1.0, -1.0], len(tasks) // 2)
    return labelled(X, y, task), Free(tasks, free)


def test_the_share_of_rows_as_far_is_that_of_a_loop() -> None:
    rng = np.random.default_rng(0)
    new, others = rng.standard_normal((5, 3)), rng.standard_normal((20, 3))
    found = _as_far(new, others)
    for p, row in zip(found, new, strict=True):
        nearest, as_far = min(np.linalg.norm(row - other) for other in others), 0
        for i, other in enumerate(others):
            rest = np.delete(others, i, axis=0)
            as_far += min(np.linalg.norm(other - one) for one in rest) >= nearest
        assert p == (1 + as_far) / 21
    assert _as_far(others[:1], others)[0] == 1.0  # a copy is no stranger


def test_shares_of_rows_of_the_same_kind_are_as_likely_to_be_anything() -> None:
    rng = np.random.default_rng(1)
    p = np.array([_as_far(*np.split(rng.standard_normal((41, 4)), [1]))[0] for _ in range(400)])
    assert abs(p.mean() - 0.5) < 4 * np.sqrt(1 / 12 / 400) + 1 / 41
    assert abs((p <= 0.1).mean() - 0.1) < 4 * np.sqrt(0.09 / 400)


@pytest.mark.parametrize("unit", [1.0, 1e6])
def test_all_tasks_together_tell_strangers(unit: float) -> None:
    for seed in range(4):
        known, free = rows(seed, 8, 20)
        scale = np.where(np.arange(20) == 3, unit, 1.0)
        of = known.sample
        assert of is not None
        other = labelled(of.rows * scale, of.class_codes, of.task_codes)
        np.testing.assert_allclose(
            belonging(other, Free(free.tasks, free.rows * scale)), belonging(known, free)
        )
        assert belonging(known, free).mean() > 0.8
        assert belonging(*rows(seed, 8, 20, away=2.0)).max() < 0.01


def test_one_task_of_strangers_is_told_among_others() -> None:
    known, free = rows(0, 12, 20)
    free.rows[free.tasks == 5] += 3.0
    found = belonging(known, free)
    assert found.argmin() == 5
    assert found[5] < 0.5 * np.delete(found, 5).min()


def test_without_rows_of_labels_nothing_speaks_against_the_others() -> None:
    known, free = rows(0, 3, 5)
    np.testing.assert_allclose(belonging(known._replace(sample=None), free), 0.81, atol=0.03)


def naive_names(known: Labelled, free: Free, shares: Any, t: int) -> float:
    """Straight from the equation, in the units of the ranges."""
    units = np.ptp(free.rows, axis=0)
    mine, r = free.rows[free.tasks == t] / units, shares[free.tasks == t]
    labels, counts = known.moments.means[t] / units, known.moments.counts[t]
    means = np.stack([np.average(mine, axis=0, weights=w) for w in r.T])
    covariance = np.zeros((mine.shape[1], mine.shape[1]))
    for w, mean in zip(r.T, means, strict=True):
        covariance += (w[:, None] * (mine - mean)).T @ (mine - mean) / len(mine)
    groups, centred = means - means.mean(axis=0), labels - labels.mean(axis=0)
    v = sum(d @ covariance @ d / n for d, n in zip(groups, counts, strict=True))
    orders = [groups[list(order)] for order in permutations(range(len(groups)))]
    x, right, *others = ((groups * named).sum() for named in (centred, *orders))
    return float(((x - np.mean(others)) ** 2 - (x - right) ** 2) / (2 * v))


def test_names_of_two_classes_are_turned_or_not() -> None:
    known, free = rows(2, 3, 6)
    side = free.rows[:, 0] > 0
    shares = np.where(side[:, None], [0.1, 0.9], [0.8, 0.2])
    found = named(known, free, shares)
    for t in range(3):
        assert found[t] == pytest.approx(naive_names(known, free, shares, t))
    turned = known._replace(moments=replace(known.moments, means=known.moments.means[:, ::-1]))
    np.testing.assert_allclose(named(turned, free, shares), -found)
    assert (named(known, free, np.tile([1.0, 0.0], (len(side), 1))) == 0).all()  # one group only


def test_names_of_several_classes_are_compared_with_all_other_orders() -> None:
    rng = np.random.default_rng(3)
    y = np.tile(np.arange(4), 2)
    X = rng.standard_normal((8, 5)) + np.eye(5)[y]
    known = labelled(X, y, np.repeat([0, 1], 4))
    free = Free(np.repeat([0, 1], 30), rng.standard_normal((60, 5)))
    shares = rng.dirichlet(np.ones(4), 60)
    found = named(known, free, shares)
    assert found == pytest.approx([naive_names(known, free, shares, t) for t in range(2)])
