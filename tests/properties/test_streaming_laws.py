"""A stream is the batch, removing is never having seen, merging is learning from all rows."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kinspan import MultiTaskSPCA, Statistics
from tests.properties.random_worlds import (
    assert_same_rules,
    fit,
    part,
    settings_of_models,
    worlds,
)
from tests.properties.test_merge_laws import partitions
from tests.worlds import World


@given(data=st.data(), world=worlds(), parameters=settings_of_models())
def test_any_batches_in_any_order_make_the_same_model(
    data: st.DataObject, world: World, parameters: dict[str, Any]
) -> None:
    stream = MultiTaskSPCA(**parameters)
    for batch in data.draw(partitions(world)):
        stream.partial_fit(batch.X, batch.y, task=batch.task)
        if data.draw(st.booleans()) and len(stream.classes_) > 1:
            stream.forecast_error_  # a look between batches changes nothing
    assert_same_rules(stream, fit(world, **parameters))


@given(data=st.data(), world=worlds(), parameters=settings_of_models())
def test_models_of_parts_add_up_to_the_model_of_all(
    data: st.DataObject, world: World, parameters: dict[str, Any]
) -> None:
    models = [
        MultiTaskSPCA(**parameters).partial_fit(some.X, some.y, task=some.task)
        for some in data.draw(partitions(world, most=3))
    ]
    before = [model.moments_.counts.sum() for model in models]
    assert_same_rules(reduce(add, models), fit(world, **parameters))
    assert [model.moments_.counts.sum() for model in models] == before


@given(data=st.data(), world=worlds(), parameters=settings_of_models())
def test_statistics_of_parts_make_the_model_of_all(
    data: st.DataObject, world: World, parameters: dict[str, Any]
) -> None:
    both = reduce(add, [Statistics.from_samples(*some) for some in data.draw(partitions(world))])
    model = MultiTaskSPCA(**parameters).fit_moments(both.moments, both.sample)
    assert_same_rules(model, fit(world, **parameters))
    merged = MultiTaskSPCA(**parameters).merge(both)
    assert_same_rules(merged, model, rtol=0)


@given(data=st.data(), world=worlds(), parameters=settings_of_models())
def test_removed_rows_were_never_there(
    data: st.DataObject, world: World, parameters: dict[str, Any]
) -> None:
    # Where tasks lack classes, the Gram matrix of the plug-in may be singular but for rounding.
    assume(parameters.get("labels") != "plugin")
    seed = data.draw(st.integers(0, 2**32 - 1))
    gone = np.random.default_rng(seed).uniform(size=len(world.y)) < 0.3
    rest = part(world, ~gone)
    assume(gone.any() and len(np.unique(rest.y)) > 1)
    model = fit(world, **parameters).remove(Statistics.from_samples(*part(world, gone)))
    assert_same_rules(model, fit(rest, **parameters), rtol=1e-7)  # subtraction loses digits


@given(data=st.data(), world=worlds(), parameters=settings_of_models())
def test_a_removed_task_was_never_there(
    data: st.DataObject, world: World, parameters: dict[str, Any]
) -> None:
    task = data.draw(st.sampled_from(sorted(set(world.task.tolist()))))
    rest = part(world, world.task != task)
    assume(len(np.unique(rest.y)) > 1)
    model = fit(world, **parameters)
    left_out = model.leave_out(task)
    never = fit(rest, **parameters)
    assert_same_rules(model.remove_task(task), never)
    np.testing.assert_allclose(left_out.forecast_error, never.forecast_error_, atol=1e-9)


@given(data=st.data(), world=worlds(), parameters=settings_of_models())
def test_a_task_that_joins_was_there_from_the_start(
    data: st.DataObject, world: World, parameters: dict[str, Any]
) -> None:
    task = data.draw(st.sampled_from(sorted(set(world.task.tolist()))))
    here, new = part(world, world.task != task), part(world, world.task == task)
    assume(len(np.unique(here.y)) > 1)
    joined = fit(here, **parameters).add_task(task, new.X, new.y)
    assert_same_rules(joined, fit(world, **parameters))


@pytest.mark.filterwarnings("ignore::kinspan.exceptions.CopiesWarning")
@given(world=worlds(), parameters=settings_of_models(), seed=st.integers(0, 99))
def test_weights_are_repetitions(world: World, parameters: dict[str, Any], seed: int) -> None:
    weights = np.random.default_rng(seed).integers(1, 4, len(world.y))
    repeated = part(world, np.repeat(np.arange(len(weights)), weights))
    assert_same_rules(fit(world, weights, **parameters), fit(repeated, **parameters))
