"""Names, order, units and coordinates do not matter, where the method says so.

Halves of the sampled rows, drawn by a hash of their numbers, choose the metric and whether tasks go
together. What changes the numbers changes these draws: such laws are about a metric and labels that
are given, or about no sampled rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.properties.random_worlds import assert_same_rules, fit, settings_of_models, worlds
from tests.worlds import World

WITHOUT_DRAWS = st.one_of(
    st.fixed_dictionaries(
        {
            "labels": st.sampled_from(["plugin", "naive", "single"]),
            "metric": st.sampled_from([0.0, 0.5]),
        }
    ),
    st.just({"labels": "auto", "row_sample": 0}),
)
SEEDS = st.integers(0, 2**32 - 1)
TASK_NAMES: dict[str, Callable[[int], Any]] = {
    "numbers": lambda t: 7 * t - 3,
    "backwards": lambda t: -t,
    "text": lambda t: f"task {9 - t}",
    "tuples": lambda t: ("region", 9 - t),
    "mixed": lambda t: t if t % 2 else f"task {t}",
}


def assert_close(first: Any, second: Any, rtol: float = 1e-8) -> None:
    second = np.asarray(second)
    np.testing.assert_allclose(
        first, second, rtol=rtol, atol=rtol * np.abs(second).max(initial=1e-12)
    )


def ids(values: list[Any]) -> Any:
    """One id a row; tuples stay whole."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


@given(world=worlds(), parameters=settings_of_models(), seed=SEEDS)
def test_the_order_of_rows_does_not_matter(
    world: World, parameters: dict[str, Any], seed: int
) -> None:
    order = np.random.default_rng(seed).permutation(len(world.y))
    turned = World(*(values[order] for values in world))
    assert_same_rules(fit(turned, **parameters), fit(world, **parameters))


@given(world=worlds(), parameters=settings_of_models(), names=st.sampled_from(sorted(TASK_NAMES)))
def test_names_of_tasks_do_not_matter(world: World, parameters: dict[str, Any], names: str) -> None:
    name = TASK_NAMES[names]
    other = world._replace(task=ids([name(t) for t in world.task.tolist()]))
    first, second = fit(world, **parameters), fit(other, **parameters)
    place = [second.tasks_.tolist().index(name(t)) for t in first.tasks_.tolist()]
    for attribute in ("coef_", "intercept_", "forecast_error_", "forecast_interval_", "metric_"):
        assert_close(getattr(second, attribute)[place], getattr(first, attribute))
    assert_close(second.relatedness_[np.ix_(place, place)], first.relatedness_)


@given(world=worlds(), parameters=settings_of_models(), seed=SEEDS, is_text=st.booleans())
def test_names_of_classes_do_not_matter(
    world: World, parameters: dict[str, Any], seed: int, is_text: bool
) -> None:
    new = np.random.default_rng(seed).permutation(3)
    names = np.array(["c", "a", "b"])[new] if is_text else new
    other = world._replace(y=names[world.y])
    first, second = fit(world, **parameters), fit(other, **parameters)
    place = [second.classes_.tolist().index(c) for c in names[first.classes_].tolist()]
    assert_close(second.forecast_error_, first.forecast_error_)
    assert_close(
        second.predict_proba(world.X, task=world.task)[:, place],
        first.predict_proba(world.X, task=world.task),
    )


@given(world=worlds(), without=WITHOUT_DRAWS, seed=SEEDS)
def test_the_order_of_features_does_not_matter(
    world: World, without: dict[str, Any], seed: int
) -> None:
    order = np.random.default_rng(seed).permutation(world.X.shape[1])
    given_as = {**without, "scale": "pooled"}
    first, second = (fit(w, **given_as) for w in (world, world._replace(X=world.X[:, order])))
    assert_close(second.coef_, first.coef_[..., order])
    assert_close(second.forecast_error_, first.forecast_error_)


@given(world=worlds(), without=WITHOUT_DRAWS, seed=SEEDS)
def test_units_of_features_do_not_matter(world: World, without: dict[str, Any], seed: int) -> None:
    units = 2.0 ** np.random.default_rng(seed).integers(-8, 9, world.X.shape[1])
    given_as = {**without, "scale": "pooled"}
    first, second = (fit(w, **given_as) for w in (world, world._replace(X=world.X * units)))
    assert_close(second.coef_ * units, first.coef_)
    assert_close(second.intercept_, first.intercept_)
    assert_close(second.forecast_error_, first.forecast_error_)


@given(world=worlds(), without=WITHOUT_DRAWS, seed=SEEDS)
def test_rotations_of_unscaled_features_do_not_matter(
    world: World, without: dict[str, Any], seed: int
) -> None:
    cells = world.task * (world.y.max() + 1) + world.y
    assume(np.bincount(cells).max() > 1)  # else nothing tells the noise that scores are divided by
    p = world.X.shape[1]
    Q = np.linalg.qr(np.random.default_rng(seed).normal(size=(p, p)))[0]
    given_as = {**without, "scale": None}
    first, second = (fit(w, **given_as) for w in (world, world._replace(X=world.X @ Q)))
    assert_close(
        second.coef_ @ Q.T, first.coef_, rtol=1e-6
    )  # eigenvectors of close eigenvalues mix
    assert_close(second.forecast_error_, first.forecast_error_, rtol=1e-6)


@given(world=worlds(), without=WITHOUT_DRAWS, seed=SEEDS)
def test_where_a_task_lies_does_not_matter(
    world: World, without: dict[str, Any], seed: int
) -> None:
    """A task may have its own offset: contrasts are between classes of one task."""
    rng = np.random.default_rng(seed)
    offsets = rng.integers(-50, 50, (world.task.max() + 1, world.X.shape[1]))
    given_as = {**without, "scale": "pooled"}
    moved = world._replace(X=world.X + offsets[world.task])
    first, second = fit(world, **given_as), fit(moved, **given_as)
    assert_close(second.coef_, first.coef_, rtol=1e-7)
    scores = first.decision_function(world.X, task=world.task)
    assert_close(second.decision_function(moved.X, task=world.task), scores, rtol=1e-6)


@given(world=worlds(), parameters=settings_of_models())
def test_a_task_and_its_copy_get_the_same_rule(world: World, parameters: dict[str, Any]) -> None:
    n_tasks = int(world.task.max()) + 1
    both = World(
        np.vstack([world.X, world.X]),
        np.tile(world.y, 2),
        np.concatenate([world.task, world.task + n_tasks]),
    )
    model = fit(both, **parameters)
    half = len(model.tasks_) // 2
    for name in ("coef_", "intercept_", "forecast_error_", "forecast_interval_"):
        assert_close(getattr(model, name)[half:], getattr(model, name)[:half])


@given(world=worlds(), parameters=settings_of_models())
def test_probabilities_and_forecasts_are_probabilities(
    world: World, parameters: dict[str, Any]
) -> None:
    model = fit(world, **parameters)
    proba = model.predict_proba(world.X, task=world.task)
    assert_close(proba.sum(axis=1), np.ones(len(proba)))
    low, high = model.forecast_interval_.T
    for rates in (proba, model.forecast_error_, low, high, model.single_task_error_):
        assert np.isfinite(rates).all()
        assert ((rates >= 0) & (rates <= 1)).all()
    assert (low <= high).all()
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.intercept_).all()
    answers = model.predict(world.X, task=world.task)
    assert (answers == model.classes_[proba.argmax(axis=1)]).all()
