"""Very many features, and very many cells: time and memory stay in proportion."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kinspan import ClassMoments, MultiTaskSPCA
from tests.torture.worlds import related
from tests.worlds import World


def peak_of(work: Callable[[], Any]) -> int:
    """Bytes that are held at once, at most."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("size", [1.0, 1e150])
def test_fifty_thousand_features(size: float) -> None:
    """Their covariance has 2.5e9 numbers, twenty gigabytes: it is never formed."""
    X, y, task = related(0, n=24, p=50_000, n_tasks=2)
    X = X * size
    model = MultiTaskSPCA()
    peak = peak_of(lambda: model.fit(X, y, task=task))
    assert peak < 12 * X.nbytes
    assert np.isfinite(model.coef_).all()
    assert model.score(X, y, task=task) == 1.0
    assert np.isfinite(model.transform(X, task=task)).all()


@pytest.mark.long
@pytest.mark.parametrize(
    "world",
    [
        related(1, n=40_000, p=4, n_tasks=10_000),
        related(2, n=40_000, p=4, n_tasks=2_000, n_classes=10),
    ],
    ids=["two classes", "ten classes"],
)
def test_twenty_thousand_cells(world: World) -> None:
    X, y, task = world
    model = MultiTaskSPCA(metric=0.0)
    peak = peak_of(lambda: model.fit(X, y, task=task))
    assert peak < 200e6
    assert np.isfinite(model.coef_).all()
    assert model.score(X, y, task=task) > 1.5 / len(model.classes_)


def test_twenty_thousand_cells_by_class_and_task_add_up() -> None:
    X, y, task = related(3, n=60_000, p=4, n_tasks=200, n_classes=100)
    moments = ClassMoments.from_samples(X, y, task)
    assert moments.counts.size == 20_000
    cell = task * 100 + y
    sums = np.stack([np.bincount(cell, X[:, j], 20_000) for j in range(4)], axis=1)
    np.testing.assert_allclose(moments.means.reshape(-1, 4), sums / 3.0, atol=1e-12)


@pytest.mark.parametrize("p", [1, 2, 50_000])
@pytest.mark.parametrize("n_per_cell", [1, 2])
def test_the_fewest_rows_of_the_fewest_and_the_most_features(p: int, n_per_cell: int) -> None:
    world = related(4, n=4 * n_per_cell, p=p, n_tasks=2)
    for settings in ({}, {"labels": "single"}, {"row_sample": 0}, {"scale": None}):
        model = MultiTaskSPCA(**settings).fit(world.X, world.y, task=world.task)
        assert np.isfinite(model.coef_).all()
        assert np.isfinite(model.forecast_error_).all()
