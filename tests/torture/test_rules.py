"""Whole rules agree with exact arithmetic, and no unit, offset or size changes what they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinspan import MultiTaskSPCA, Statistics
from tests.torture import oracle
from tests.torture.worlds import OFFSETS, SETTINGS, SPREADS, related, representable
from tests.worlds import World

PLAIN: dict[str, Any] = {"metric": 0.0, "row_sample": 0}


def fit(world: World, **parameters: Any) -> MultiTaskSPCA:
    return MultiTaskSPCA(**parameters).fit(world.X, world.y, task=world.task)


def scores(model: MultiTaskSPCA, world: World) -> Any:
    return model.decision_function(world.X, task=world.task)


def assert_exact(world: World, labels: str, scale: str | None, rtol: float) -> None:
    model = fit(world, labels=labels, scale=scale, **PLAIN)
    exact = oracle.rule(*world, labels, scale)
    np.testing.assert_allclose(scores(model, world), exact.scores, rtol=rtol, atol=rtol)
    np.testing.assert_allclose(model.coef_[:, 0], exact.coef, rtol=rtol, atol=0)
    np.testing.assert_allclose(model.forecast_error_, exact.error, rtol=0, atol=rtol)
    sure = np.abs(exact.scores) > rtol
    answers = model.predict(world.X, task=world.task)
    np.testing.assert_array_equal(answers[sure], exact.scores[sure] > 0)


@pytest.mark.parametrize("labels", ["single", "naive"])
@pytest.mark.parametrize("scale", ["pooled", None])
@pytest.mark.parametrize("spread", SPREADS)
def test_rules_of_any_spread_are_exact(labels: str, scale: str | None, spread: float) -> None:
    world = related(0)
    assert_exact(world._replace(X=world.X * spread), labels, scale, 1e-10)


@pytest.mark.parametrize("labels", ["single", "naive"])
def test_rules_of_features_of_any_size_are_exact(labels: str) -> None:
    world = related(1)
    sizes = 10.0 ** np.array([-150, -100, -7, 33, 111, 150])
    assert_exact(world._replace(X=world.X * sizes), labels, "pooled", 1e-10)


@pytest.mark.parametrize("labels", ["single", "naive"])
@pytest.mark.parametrize("offset", OFFSETS)
def test_rules_far_from_zero_are_as_exact_as_their_scores_can_be(
    labels: str, offset: float
) -> None:
    world = related(2)
    world = world._replace(X=representable(world.X, offset) + offset)
    assert_exact(world, labels, "pooled", 1e-10 + 100 * np.finfo(float).eps * offset)


@pytest.mark.parametrize("labels", ["single", "naive"])
def test_rules_of_few_rows_are_exact(labels: str) -> None:
    assert_exact(related(3, n=20, p=40, n_tasks=5), labels, "pooled", 1e-9)


@pytest.mark.parametrize("parameters", SETTINGS)
@pytest.mark.parametrize(("power", "n_classes"), [(-490, 2), (-150, 3), (490, 3)])
def test_the_unit_of_all_features_does_not_matter(
    parameters: dict[str, Any], n_classes: int, power: int
) -> None:
    world = related(4, n_classes=n_classes)
    other = world._replace(X=np.ldexp(world.X, power))
    plain, scaled = fit(world, **parameters), fit(other, **parameters)
    np.testing.assert_allclose(scores(scaled, other), scores(plain, world), rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(
        scaled.predict(other.X, task=other.task), plain.predict(world.X, task=world.task)
    )
    np.testing.assert_allclose(scaled.relatedness_, plain.relatedness_, atol=1e-9)
    # The halves of rows that tell how optimistic the choice of a metric was are those of a hash,
    # which the unit changes: some rows of a task may change sides.
    few = 0.0 if "metric" in parameters else 3.0 / len(world.X)
    np.testing.assert_allclose(scaled.forecast_error_, plain.forecast_error_, atol=1e-9 + few)


@pytest.mark.parametrize("parameters", SETTINGS)
@pytest.mark.parametrize(
    ("where", "offset"),
    [("everywhere", 1e3), ("everywhere", 1e12), ("in one feature", 1e6), ("in one feature", 1e12)],
)
def test_an_offset_changes_nothing_but_the_rounding_of_scores(
    parameters: dict[str, Any], where: str, offset: float
) -> None:
    """Rows are those that survive the offset: adding and subtracting it is exact for them."""
    world = related(5)
    world = world._replace(X=representable(world.X, offset))
    moved = world._replace(X=world.X + offset * (np.arange(6) == 2) ** (where != "everywhere"))
    chosen = {"metric": 0.3, **parameters}  # without the choice, which hangs on a hash
    plain, far = fit(world, **chosen), fit(moved, **chosen)
    lost = 1e-11 + 100 * np.finfo(float).eps * offset
    np.testing.assert_allclose(scores(far, moved), scores(plain, world), rtol=0, atol=lost)
    np.testing.assert_allclose(far.forecast_error_, plain.forecast_error_, rtol=0, atol=lost)
    np.testing.assert_allclose(far.relatedness_, plain.relatedness_, rtol=0, atol=lost)


@pytest.mark.parametrize("parameters", [{}, {"labels": "single"}, {"multi_class": "one-vs-all"}])
def test_the_unit_of_each_feature_does_not_matter(parameters: dict[str, Any]) -> None:
    parameters = {"scale": "pooled", **parameters}  # the default weighs the units of the input too
    world = related(6, n_classes=3)
    powers = np.array([-490, 490, -300, 0, 77, 490])
    other = world._replace(X=np.ldexp(world.X, powers))
    plain, scaled = fit(world, **parameters), fit(other, **parameters)
    np.testing.assert_allclose(scores(scaled, other), scores(plain, world), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        scaled.transform(other.X, task=other.task), plain.transform(world.X, task=world.task)
    )


def test_without_a_scale_projections_have_the_unit_of_the_input() -> None:
    world = related(7)
    other = world._replace(X=np.ldexp(world.X, 400))
    plain, scaled = fit(world, scale=None), fit(other, scale=None)
    np.testing.assert_allclose(
        scaled.transform(other.X, task=other.task),
        np.ldexp(plain.transform(world.X, task=world.task), 400),
    )


@pytest.mark.parametrize("power", [-490, 490])
def test_streams_and_removal_in_any_unit(power: int) -> None:
    X, y, task = related(8)
    X = np.ldexp(X, power)
    whole = MultiTaskSPCA().fit(X, y, task=task)
    stream = MultiTaskSPCA()
    for rows in np.array_split(np.arange(len(X)), 5):
        stream.partial_fit(X[rows], y[rows], task=task[rows])
    np.testing.assert_allclose(stream.coef_, whole.coef_, rtol=1e-9)
    gone = np.arange(len(X)) % 4 == 0
    stream.remove(Statistics.from_samples(X[gone], y[gone], task[gone]))
    rest = MultiTaskSPCA().fit(X[~gone], y[~gone], task=task[~gone])
    np.testing.assert_allclose(stream.coef_, rest.coef_, rtol=1e-8)
