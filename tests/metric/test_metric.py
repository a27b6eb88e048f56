"""The common scale comes from the moments alone and forgets nothing that matters."""

from __future__ import annotations

import numpy as np
import pytest

from kinspan import ClassMoments
from kinspan.metric import feature_scale, scaled_moments
from tests.worlds import random_world


def test_pooled_scale_is_the_standard_deviation_within_cells() -> None:
    X, y, task = random_world(0)
    residuals = X.copy()
    cells = task * 3 + y
    for cell in np.unique(cells):
        residuals[cells == cell] -= X[cells == cell].mean(axis=0)
    expected = np.sqrt((residuals**2).sum(axis=0) / (len(X) - len(np.unique(cells))))
    scale = feature_scale(ClassMoments.from_samples(X, y, task), "pooled")
    # Drawn to the total variance as if by 25/288 of a row more.
    np.testing.assert_allclose(scale, expected[None], rtol=1e-3)


def test_a_scale_of_few_degrees_of_freedom_is_steadied() -> None:
    """Two cells of two rows among cells of one: their standard deviations differ tenfold."""
    X = np.random.default_rng(0).normal(size=(84, 50))
    y, task = np.tile([0, 1], 42), np.append([0, 0], np.arange(82) // 2)
    scale = feature_scale(ClassMoments.from_samples(X, y, task), "pooled")
    raw = np.sqrt(((X[0] - X[2]) ** 2 + (X[1] - X[3]) ** 2) / 4)
    assert raw.max() / raw.min() > 8
    assert scale.max() / scale.min() < 3


def test_task_scale_is_the_total_standard_deviation_of_each_task() -> None:
    X, y, task = random_world(1)
    scale = feature_scale(ClassMoments.from_samples(X, y, task), "task")
    expected = [X[task == t].std(axis=0) for t in range(4)]
    np.testing.assert_allclose(scale, expected)


@pytest.mark.parametrize("scale", ["pooled", "task"])
@pytest.mark.parametrize("constant", [0.0, 1.0, 0.1, 1e8 / 3])
def test_constant_features_are_divided_by_their_size(scale: str, constant: float) -> None:
    X, y, task = random_world(2)
    X[:, 3] = constant
    divisor = feature_scale(ClassMoments.from_samples(X, y, task), scale)
    np.testing.assert_allclose(divisor[:, 3], constant or 1.0)


def test_a_feature_that_is_constant_within_cells_gets_its_total_spread() -> None:
    X, y, task = random_world(3)
    X[:, 3] = y
    divisor = feature_scale(ClassMoments.from_samples(X, y, task), "pooled")
    np.testing.assert_allclose(divisor[0, 3], y.std())


def test_noise_is_the_squared_error_of_the_cell_means() -> None:
    X, y, task = random_world(4)
    scaled = scaled_moments(ClassMoments.from_samples(X, y, task), None)
    rows = X[(task == 1) & (y == 2)]
    np.testing.assert_allclose(scaled.cell_noise[1, 2], rows.var(axis=0, ddof=1).sum() / len(rows))
    level = [X[(task == 1) & (y == j)] for j in range(3)]
    within = sum(((rows - rows.mean(axis=0)) ** 2).sum() for rows in level)
    np.testing.assert_allclose(scaled.noise_level[1], within / (sum(map(len, level)) - 3) / 7)


def test_a_cell_of_one_row_gets_the_noise_of_all_cells() -> None:
    X = np.array([[0.0], [2.0], [5.0], [9.0]])
    scaled = scaled_moments(ClassMoments.from_samples(X, [0, 0, 1, 2]), None)
    np.testing.assert_allclose(scaled.cell_noise, [[1.0, 2.0, 2.0]])


def test_a_repeated_row_is_not_a_cell_without_noise() -> None:
    X = np.array([[0.0], [2.0], [5.0], [5.0]])
    scaled = scaled_moments(ClassMoments.from_samples(X, [0, 0, 1, 1]), None)
    np.testing.assert_allclose(scaled.cell_noise, [[1.0, 0.5]])  # two degrees of freedom in all


@pytest.mark.parametrize("factor", [1e-30, 7.0, 1e30])
def test_units_do_not_matter(factor: float) -> None:
    X, y, task = random_world(5)
    plain = scaled_moments(ClassMoments.from_samples(X, y, task), "pooled")
    other = scaled_moments(ClassMoments.from_samples(X * factor, y, task), "pooled")
    np.testing.assert_allclose(other.means, plain.means, rtol=1e-9)
    np.testing.assert_allclose(other.cell_noise, plain.cell_noise, rtol=1e-9)
