"""The scale and the unbiased inner products of contrasts agree with exact arithmetic."""

from __future__ import annotations

from decimal import localcontext
from typing import Any

import numpy as np
import pytest

from kinspan import ClassMoments
from kinspan.gram import SharedContrasts, VersusRestContrasts
from kinspan.metric import feature_scale, origin, scaled_by, scaled_moments
from tests.torture import oracle
from tests.torture.worlds import OFFSETS, SPREADS, related, representable
from tests.worlds import World


def exact_gram(world: World, scale: Any = None) -> Any:
    with localcontext() as context:
        context.prec = 60
        cells = oracle.moments(*world)
        by = oracle.pooled_scale(cells) if scale is None else oracle.exact(scale)
        return oracle.rounded(oracle.gram(oracle.parts(cells, by)))


def found_gram(world: World) -> Any:
    scaled = scaled_moments(ClassMoments.from_samples(*world), "pooled")
    return SharedContrasts(scaled.means, scaled.counts, scaled.cell_noise).task_rows()[0].gram()


@pytest.mark.parametrize("spread", SPREADS)
def test_the_scale_is_that_of_exact_arithmetic(spread: float) -> None:
    world = related(0)
    world = world._replace(X=world.X * spread)
    found = feature_scale(ClassMoments.from_samples(*world), "pooled")
    with localcontext() as context:
        context.prec = 60
        exact = oracle.rounded(oracle.pooled_scale(oracle.moments(*world)))
    np.testing.assert_allclose(found[0], exact, rtol=1e-13)


@pytest.mark.parametrize("spread", SPREADS)
def test_inner_products_of_any_spread(spread: float) -> None:
    world = related(1)
    world = world._replace(X=world.X * spread)
    exact = exact_gram(world)
    np.testing.assert_allclose(found_gram(world), exact, rtol=1e-12, atol=1e-13)


def test_inner_products_of_features_of_any_size() -> None:
    world = related(2)
    world = world._replace(X=world.X * 10.0 ** np.array([-150, -99, -1, 42, 120, 150]))
    exact = exact_gram(world)
    np.testing.assert_allclose(found_gram(world), exact, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("offset", OFFSETS)
def test_an_offset_costs_no_more_than_the_rounding_of_the_means(offset: float) -> None:
    world = related(3)
    world = world._replace(X=representable(world.X, offset) + offset)
    error = np.abs(found_gram(world) - exact_gram(world)).max()
    assert error < 1e-13 + 30 * np.finfo(float).eps * offset


@pytest.mark.parametrize("value", [1e-300, 0.1, 1e12 / 3, 1e150, 1e200])
@pytest.mark.parametrize("kind", [SharedContrasts, VersusRestContrasts])
@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_constants_have_no_contrasts(value: float, kind: Any, n_classes: int) -> None:
    world = related(4, n_classes=n_classes, n=420)
    world.X[:, 1] = value
    for scale in ("pooled", "task"):
        scaled = scaled_moments(ClassMoments.from_samples(*world), scale)
        contrasts = kind(scaled.means, scaled.counts, scaled.cell_noise).values
        if kind is SharedContrasts:
            np.testing.assert_array_equal(contrasts[..., 1], 0.0)
        np.testing.assert_allclose(contrasts[..., 1], 0.0, atol=1e-15)


def test_tasks_that_differ_in_spread_have_their_own_scale() -> None:
    X, y, task = related(5)
    sizes = np.array([1e-150, 1e-40, 1.0, 1e150])
    plain = feature_scale(ClassMoments.from_samples(X, y, task), "task")
    found = feature_scale(ClassMoments.from_samples(X * sizes[task][:, None], y, task), "task")
    np.testing.assert_allclose(found, plain * sizes[:, None], rtol=1e-12)


def test_the_origin_is_subtracted_only_where_that_is_exact() -> None:
    X, y, task = related(6)
    near, mixed = X + 1e9, X + np.where(task == 0, 0.0, 1e9)[:, None]
    assert (origin(ClassMoments.from_samples(near, y, task)) > 9e8).all()
    np.testing.assert_array_equal(origin(ClassMoments.from_samples(mixed, y, task)), 0.0)


def test_sums_over_features_and_cells_do_not_overflow() -> None:
    """Each second moment is a number, but not the sum of all."""
    X, y, task = related(7, n=2_000, p=50, n_tasks=100)
    moments = ClassMoments.from_samples(X / np.abs(X).max() * 1e153, y, task)
    assert np.log10(moments.squares).max() > 305
    with np.errstate(over="ignore"):
        assert np.isinf(moments.squares.sum())
    scaled = scaled_by(moments, feature_scale(moments, "pooled"))
    np.testing.assert_allclose(scaled.noise_level.mean(), 1.0, rtol=0.1)
