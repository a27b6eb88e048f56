"""Statistics add like numbers, whatever the parts, their order, precision and container."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from kinspan import ClassMoments, RowSample, Statistics
from kinspan._validation.labelled_rows import CheckedRows
from tests.properties.random_worlds import PRECISIONS, part, rounded, worlds
from tests.worlds import World, naive_moments

SIZES = st.sampled_from([1, 2, 5, 100])


def moments_of(world: World, _: int) -> ClassMoments:
    return ClassMoments.from_samples(*world)


def sample_of(world: World, size: int) -> RowSample:
    return RowSample.from_checked(CheckedRows(*world), size)


def statistics_of(world: World, size: int) -> Statistics:
    return Statistics.from_samples(*world, row_sample=size)


KINDS: list[Any] = [moments_of, sample_of, statistics_of]


@st.composite
def partitions(draw: st.DrawFn, world: World, most: int = 5) -> list[World]:
    """All rows, dealt to a few parts that each have some, in any order."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_parts = draw(st.integers(1, min(most, len(world.y))))
    order = rng.permutation(len(world.y))
    cuts = np.sort(rng.choice(np.arange(1, len(order)), n_parts - 1, replace=False))
    return [part(world, rows) for rows in np.split(order, cuts)]


def assert_same_moments(a: ClassMoments, b: ClassMoments) -> None:
    assert a.tasks.tolist() == b.tasks.tolist()
    assert a.classes.tolist() == b.classes.tolist()
    np.testing.assert_allclose(a.counts, b.counts, rtol=1e-12)
    for name in ("means", "squares"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-9, atol=1e-9)


def assert_same_sample(a: RowSample, b: RowSample) -> None:
    assert a.tasks.tolist() == b.tasks.tolist()
    assert a.classes.tolist() == b.classes.tolist()
    for name in ("cells", "keys", "weights", "rows"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)


def assert_same(a: Any, b: Any) -> None:
    if isinstance(a, Statistics):
        assert_same_moments(a.moments, b.moments)
        if a.sample is None or b.sample is None:
            assert a.sample is b.sample
        else:
            assert_same_sample(a.sample, b.sample)
    elif isinstance(a, ClassMoments):
        assert_same_moments(a, b)
    else:
        assert_same_sample(a, b)


@pytest.mark.parametrize("of", KINDS)
@given(data=st.data(), world=worlds(), size=SIZES)
def test_parts_add_up_to_the_whole(of: Any, data: st.DataObject, world: World, size: int) -> None:
    parts = [of(some, size) for some in data.draw(partitions(world))]
    assert_same(reduce(add, parts), of(world, size))


@pytest.mark.parametrize("of", KINDS)
@given(data=st.data(), world=worlds(), size=SIZES)
def test_addition_is_associative_and_commutative(
    of: Any, data: st.DataObject, world: World, size: int
) -> None:
    """Parts have rows in common where all are kept; else these are frequent in some orders only."""
    parts = [data.draw(partitions(world))[0] for _ in range(3)]
    if of is not moments_of and size < 100:
        assume(len(world.y) > 2)
        rows = np.random.default_rng(data.draw(st.integers(0, 99))).permutation(len(world.y))
        parts = [part(world, some) for some in np.array_split(rows, 3)]
    a, b, c = (of(some, size) for some in parts)
    assert_same((a + b) + c, a + (b + c))
    assert_same(a + b, b + a)


@pytest.mark.parametrize("of", [moments_of, statistics_of])
@given(world=worlds(), size=SIZES)
def test_zero_is_the_identity_of_sums(of: Any, world: World, size: int) -> None:
    whole = of(world, size)
    assert_same(sum([whole]), whole)


@given(data=st.data(), world=worlds(), size=SIZES)
def test_subtracting_undoes_adding(data: st.DataObject, world: World, size: int) -> None:
    """Of a sample that kept all rows; a cell with more of them would miss those that left."""
    first, *others = data.draw(partitions(world))
    if not others:
        return
    rest = reduce(add, [statistics_of(other, 100) for other in others])
    whole = statistics_of(first, 100) + rest
    assert_same(whole - statistics_of(first, 100), rest)
    assert_same_moments(whole.moments - rest.moments, moments_of(first, 100))


@given(world=worlds(), size=SIZES, seed=st.integers(0, 99))
def test_moments_are_those_of_their_definition(world: World, size: int, seed: int) -> None:
    weights = np.random.default_rng(seed).integers(1, 4, len(world.y)).astype(float)
    found = ClassMoments.from_samples(*world, sample_weight=weights)
    for name, value in zip(
        ("counts", "means", "squares"), naive_moments(*world, weights), strict=True
    ):
        np.testing.assert_allclose(getattr(found, name), value, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("of", [moments_of, statistics_of])
@given(world=worlds(), size=SIZES)
def test_bytes_bring_back_every_bit(of: Any, world: World, size: int) -> None:
    whole = of(world, size)
    again = type(whole).from_bytes(whole.to_bytes())
    assert_same(again, whole)
    assert again.to_bytes() == whole.to_bytes()


@given(
    world=worlds(),
    size=SIZES,
    precision=st.sampled_from(PRECISIONS),
    is_sparse=st.booleans(),
    is_turned=st.booleans(),
)
def test_precision_and_container_do_not_matter(
    world: World, size: int, precision: str, is_sparse: bool, is_turned: bool
) -> None:
    """Where the container holds the numbers exactly."""
    X = np.abs(rounded(world).X)
    X = np.minimum(X, 1) if precision == "bool" else X
    other = X.astype(precision)
    other = np.asfortranarray(other) if is_turned else other
    other = sp.csr_array(other) if is_sparse else other
    plain, same = (statistics_of(world._replace(X=x), size) for x in (X, other))
    assert_same(same, plain)


@given(data=st.data(), world=worlds(), size=SIZES)
def test_parts_of_different_precision_add_up(data: st.DataObject, world: World, size: int) -> None:
    world = rounded(world)
    parts = [
        statistics_of(
            some._replace(X=some.X.astype(data.draw(st.sampled_from(PRECISIONS[:4])))), size
        )
        for some in data.draw(partitions(world))
    ]
    assert_same(reduce(add, parts), statistics_of(world, size))


@given(world=worlds(), size=SIZES, seed=st.integers(0, 99))
def test_weights_are_repetitions(world: World, size: int, seed: int) -> None:
    weights = np.random.default_rng(seed).integers(0, 3, len(world.y))
    weights[0] = 2
    repeated = part(world, np.repeat(np.arange(len(weights)), weights))
    weighted = Statistics.from_samples(*world, sample_weight=weights, row_sample=size)
    assert_same(weighted, statistics_of(repeated, size))
