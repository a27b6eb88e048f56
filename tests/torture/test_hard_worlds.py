"""Worlds at the edge of what the formulas allow: answers are numbers, and they are right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinspan import MultiTaskSPCA
from tests.torture.worlds import SETTINGS, related
from tests.worlds import World

SIZES = (1e-150, 1.0, 1e150)
SIZES_AND_CLASSES = pytest.mark.parametrize(
    ("size", "n_classes"), [(1e-150, 2), (1e-150, 3), (1.0, 2), (1e150, 3)]
)


@pytest.fixture(params=range(len(SETTINGS)))
def settings(request: pytest.FixtureRequest) -> dict[str, Any]:
    chosen: dict[str, Any] = SETTINGS[request.param]
    return chosen


def finite_model(world: World, settings: dict[str, Any]) -> MultiTaskSPCA:
    """A fitted model, all of whose answers are numbers."""
    X, y, task = world
    model = MultiTaskSPCA(**settings).fit(X, y, task=task)
    for answer in (
        *(model.coef_, model.intercept_, model.relatedness_, model.labels_),
        *(model.forecast_error_, model.forecast_interval_, model.single_task_error_),
        *(model.transform(X, task=task), model.decision_function(X, task=task)),
    ):
        assert np.isfinite(answer).all()
    np.testing.assert_allclose(model.predict_proba(X, task=task).sum(axis=1), 1.0)
    return model


def accuracy(model: MultiTaskSPCA, world: World) -> float:
    return model.score(world.X, world.y, task=world.task)


@SIZES_AND_CLASSES
def test_tasks_that_are_the_same(settings: dict[str, Any], n_classes: int, size: float) -> None:
    X, y, _ = related(0, n=60, n_tasks=1, n_classes=n_classes)
    world = World(size * np.tile(X, (5, 1)), np.tile(y, 5), np.repeat(np.arange(5), len(y)))
    model = finite_model(world, settings)
    answers = model.predict(world.X, task=world.task).reshape(5, -1)
    np.testing.assert_array_equal(answers, answers[[0] * 5])
    np.testing.assert_allclose(model.relatedness_, 1.0, atol=1e-6)


@pytest.mark.parametrize(("size", "apart"), [(1e-150, 1e-12), (1.0, 1e-6), (1e150, 1e-12)])
def test_tasks_that_are_nearly_the_same(
    settings: dict[str, Any], apart: float, size: float
) -> None:
    X, y, _ = related(1, n=60, n_tasks=1)
    rng = np.random.default_rng(0)
    noise = np.concatenate([X + apart * rng.normal(size=X.shape) for _ in range(5)])
    world = World(size * noise, np.tile(y, 5), np.repeat(np.arange(5), len(y)))
    model = finite_model(world, settings)
    scores = model.decision_function(world.X, task=world.task).reshape(5, -1)
    np.testing.assert_allclose(scores[1:], scores[:4], atol=1e-2)
    assert accuracy(model, world) > 0.75


@pytest.mark.parametrize("size", SIZES)
def test_class_means_of_zero(settings: dict[str, Any], size: float) -> None:
    """Every row has its mirror image: there is nothing to find, and chance is what is forecast."""
    X, y, task = related(2, n=120)
    world = World(size * np.vstack([X, -X]), np.tile(y, 2), np.tile(task, 2))
    model = finite_model(world, settings)
    assert model.forecast_error_.mean() > 0.3


@SIZES_AND_CLASSES
def test_one_row_of_every_cell(settings: dict[str, Any], n_classes: int, size: float) -> None:
    rng = np.random.default_rng(3)
    y, task = np.tile(np.arange(n_classes), 6), np.repeat(np.arange(6), n_classes)
    X = 5 * np.eye(n_classes, 4)[y] + rng.normal(size=(len(y), 4))
    world = World(size * X, y, task)
    assert accuracy(finite_model(world, settings), world) > 0.8


@pytest.mark.parametrize("value", [1.0, 1e12 / 3, 1e-150, 1e200])
def test_constant_features_say_nothing(settings: dict[str, Any], value: float) -> None:
    world = related(4)
    beside = world._replace(X=np.column_stack([world.X, np.full(len(world.X), value)]))
    with_it = finite_model(beside, {"metric": 0.0, **settings})
    zero = beside._replace(X=np.column_stack([world.X, np.zeros(len(world.X))]))
    without = MultiTaskSPCA(**{"metric": 0.0, **settings}).fit(zero.X, zero.y, task=zero.task)
    np.testing.assert_allclose(
        with_it.decision_function(beside.X, task=beside.task),
        without.decision_function(zero.X, task=zero.task),
        rtol=1e-9,
        atol=1e-9,
    )


@pytest.mark.parametrize("value", [0.0, 7.0, 1e150 / 3])
def test_nothing_but_constants(settings: dict[str, Any], value: float) -> None:
    _, y, task = related(5)
    model = finite_model(World(np.full((len(y), 3), value), y, task), settings)
    np.testing.assert_allclose(model.predict_proba(np.full((4, 3), value), task=[0, 1, 2, 3]), 0.5)


@pytest.mark.parametrize(("gap", "n_classes"), [(1e3, 3), (1e9, 2), (1e14, 2), (1e14, 3)])
def test_one_feature_that_carries_everything(
    settings: dict[str, Any], n_classes: int, gap: float
) -> None:
    world = related(6, n_classes=n_classes)
    world.X[:, world.y.max()] += gap * (world.y == 1)
    world.X[:, 0] += gap * (world.y == 0)
    assert accuracy(finite_model(world, settings), world) > (0.99 if n_classes == 2 else 0.6)


@SIZES_AND_CLASSES
def test_one_feature_that_is_the_class(
    settings: dict[str, Any], n_classes: int, size: float
) -> None:
    world = related(7, n_classes=n_classes)
    world.X[:, 3] = size * (world.y == 1)
    model = finite_model(world, settings)
    has_metric = settings.get("row_sample", 100) > 0 and settings.get("scale", "auto") is not None
    if n_classes == 2 and has_metric:  # otherwise it is one feature of many, or nothing beside them
        assert accuracy(model, world) > 0.99  # rules without a scale count a little too


@pytest.mark.parametrize("size", SIZES)
def test_a_single_feature(settings: dict[str, Any], size: float) -> None:
    world = related(8, p=1)
    world.X[:, 0] = size * (world.X[:, 0] + 4.0 * world.y)
    assert accuracy(finite_model(world, settings), world) > 0.9


def test_features_that_are_copies_of_each_other(settings: dict[str, Any]) -> None:
    world = related(9)
    copies = world._replace(X=np.tile(world.X, 20))
    assert accuracy(finite_model(copies, settings), copies) > 0.75


def test_tasks_that_lie_far_from_each_other(settings: dict[str, Any]) -> None:
    world = related(10)
    far = np.array([0.0, 1e9, -1e9, 1e12])[world.task][:, None]
    model = finite_model(world._replace(X=world.X + far), settings)
    near = MultiTaskSPCA(**settings).fit(world.X, world.y, task=world.task)
    gap = model.score(world.X + far, world.y, task=world.task) - accuracy(near, world)
    assert abs(gap) < 0.05


@pytest.mark.parametrize(
    ("dtype", "limit"), [("float32", "largest"), ("float16", "largest"), ("float32", "smallest")]
)
def test_small_floats_at_their_limits(settings: dict[str, Any], dtype: Any, limit: str) -> None:
    world = related(11)
    X = world.X / np.abs(world.X).max()
    numbers = np.finfo(dtype)
    size = float(numbers.max) * 0.99 if limit == "largest" else float(numbers.tiny) * 1e3
    X = (X * size).astype(dtype)
    model = finite_model(world._replace(X=X), settings)
    wide = MultiTaskSPCA(**settings).fit(X.astype(np.float64), world.y, task=world.task)
    assert abs(accuracy(model, world._replace(X=X)) - accuracy(wide, world._replace(X=X))) < 0.03


@pytest.mark.filterwarnings("ignore::kinspan.exceptions.CopiesWarning")
def test_rows_that_repeat(settings: dict[str, Any]) -> None:
    world = related(12, n=16)
    many = World(*(np.repeat(part, 50, axis=0) for part in world))
    repeated = finite_model(many, settings)
    X, y, task = world
    weighted = MultiTaskSPCA(**settings).fit(X, y, task=task, sample_weight=np.full(16, 50.0))
    size = np.abs(weighted.coef_).max()
    # The rows are told apart without a doubt: the loss that weighs rules is flat, and magnifies
    # the rounding of sums.
    np.testing.assert_allclose(repeated.coef_, weighted.coef_, rtol=1e-7, atol=1e-7 * size)
