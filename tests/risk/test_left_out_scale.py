"""Leaving a row out of the variances that features are divided by."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from kinspan import ClassMoments, MultiTaskSPCA, RowSample
from kinspan._validation.labelled_rows import CheckedRows
from kinspan.metric import Basis, covariance_of_rows
from kinspan.risk import Residuals, ScaleChange, leave_one_out_scores
from kinspan.selection import prepared, scales
from kinspan.selection.decisions import LARGE_FREEDOM
from tests.risk.test_leave_one_out import one_metric
from tests.worlds import sampled_rows

K, M, N, P = 2, 2, 8, 5  # tasks, classes, rows of a cell, features


class World(NamedTuple):
    """Rows of unit variance, rules for them, and what variances would be without each row."""

    X: Any
    t: Any
    c: Any
    means: Any
    coef: Any
    own: Any
    ratio: Any  # (rows, features): s₋²/s²

    @classmethod
    def draw(cls, seed: int, correlation: float) -> World:
        rng = np.random.default_rng(seed)
        t, c = np.repeat(np.arange(K), M * N), np.tile(np.repeat(np.arange(M), N), K)
        X = rng.normal(size=(len(t), P)) + correlation * rng.normal(size=(len(t), 1))
        X = X / np.sqrt(1.0 + correlation**2) + rng.normal(size=(K, M, P))[t, c]
        means = X.reshape(K, M, N, P).mean(axis=2)
        own = rng.normal(size=(K, M)) / 2
        ratio = ratios(X - means[t, c])
        return cls(X, t, c, means, rng.normal(size=(K, M, P)), own, ratio)

    @property
    def residuals(self) -> Any:
        return self.X - self.means[self.t, self.c]


def ratios(residuals: Any) -> Any:
    """(rows, features): variances within cells without a row, over those with it."""
    freedom, squares = K * M * (N - 1), (residuals**2).sum(axis=0)
    without = squares - N / (N - 1) * residuals**2
    return without / (freedom - 1) / (squares / freedom)


def left_out(world: World, covariance: Any, share: float, scaled: bool, weight: float) -> Any:
    """Scores in closed form, of rules in the metric (1 − share) + share · covariance."""
    values, basis = np.linalg.eigh(covariance)
    stretch, along = (1 - share) + share * values, world.residuals @ basis

    change = None
    if scaled:
        change = ScaleChange(
            1.0 - world.ratio, world.residuals, [share], Basis(basis.T, None, np.empty((0, P)))
        )
    centres = world.means.mean(axis=1, keepdims=True)
    parts = one_metric(
        *(world.coef @ basis / stretch, np.zeros((K, M)), world.own, np.zeros((K, M))),
        *(np.ones((K, M)), (world.means - centres) @ basis, np.full((K, M), 1 / M)),
        *(np.full((K, M), float(N)), 0.5),
    )
    rows = Residuals(
        *(along, stretch[None], world.t, world.c, np.ones(len(along))),
        *(np.array([weight]), change),
    )
    return leave_one_out_scores(parts, rows)[:, 0]


def explicit(world: World, covariance: Any, share: float, weight: float) -> Any:
    """The same with an inverse of (1 − share) D + share · covariance without the row."""
    found = []
    for i, (t, c) in enumerate(zip(world.t, world.c, strict=True)):
        r = world.residuals[i]
        metric = (1 - share) * np.diag(world.ratio[i]) + share * covariance
        inverse = np.linalg.inv(metric - weight * N / (N - 1) * np.outer(r, r))
        own = world.own[t] * (np.eye(M) - 1 / M)[c]
        coef = world.coef[t] - np.outer(own, r) / (N - 1)
        x = world.X[i] - world.means[t].mean(axis=0) + r / (N - 1) / M
        found.append(coef @ inverse @ x - 0.5 * np.einsum("lp,pq,lq->l", coef, inverse, coef))
    return np.array(found)


@pytest.mark.parametrize("share", [0.0, 0.4, 0.8])
def test_the_scale_without_the_row_is_exact_where_features_are_uncorrelated(share: float) -> None:
    world = World.draw(0, 0.0)
    found = left_out(world, np.eye(P), share, True, 0.0)
    np.testing.assert_allclose(found, explicit(world, np.eye(P), share, 0.0), rtol=1e-9)
    assert np.abs(world.ratio - 1.0).max() > 0.1


def test_without_covariance_correlations_do_not_matter() -> None:
    world, covariance = World.draw(1, 1.0), correlations(World.draw(1, 1.0))
    found = left_out(world, covariance, 0.0, True, 0.0)
    np.testing.assert_allclose(found, explicit(world, covariance, 0.0, 0.0), rtol=1e-9)


def correlations(world: World) -> Any:
    found = covariance_of_rows(world.residuals, sampled_rows(world.t * 2 + world.c), world.means)
    vectors = found.basis.turned_back(np.eye(P))
    return vectors.T @ (found.values[:, None] * vectors)


@pytest.mark.parametrize("share", [0.1, 0.4, 0.8])
@pytest.mark.parametrize("seed", range(3))
def test_of_correlated_features_it_is_closer_than_no_correction(share: float, seed: int) -> None:
    """The row also leaves the covariance, as it does in a fit. Measured: below .02 of the error."""
    world = World.draw(seed, 0.7)
    covariance = correlations(world)
    weight = share / len(world.t)
    expected = explicit(world, covariance, share, weight)
    corrected, plain = (
        np.abs(left_out(world, covariance, share, scaled, weight) - expected).mean()
        for scaled in (True, False)
    )
    assert corrected < 0.05 * plain


def prepared_rows(n: int, scale: str | None) -> tuple[CheckedRows, prepared.Prepared]:
    """Two tasks of two classes of n rows; ten features."""
    rng = np.random.default_rng(n)
    y, task = np.tile([0, 1], 2 * n), np.repeat([0, 1], 2 * n)
    rows = CheckedRows(rng.normal(size=(4 * n, 10)) * np.arange(1, 11), y, task)
    moments, sample = ClassMoments.from_checked(rows), RowSample.from_checked(rows, 100_000)
    return rows, next(prepared.prepared_bases(moments, sample, scale, 0.0, None))


@pytest.mark.parametrize("n", [3, 10])
def test_the_change_of_the_scale_is_that_of_the_variance_without_the_row(n: int) -> None:
    """F s² has lost the row's part of the scatter and one of F = f + 25/f degrees of freedom."""
    rows, found = prepared_rows(n, "pooled")
    assert found.change is not None
    assert found.sample is not None
    X, y, task = rows.features, np.asarray(rows.labels), np.asarray(rows.tasks)
    freedom = 4 * (n - 1) + 25 / (4 * (n - 1))
    total = freedom * found.scaled.scale[0] ** 2
    for i, row in enumerate(found.sample.rows):
        cell = (task == found.sample.task_codes[i]) & (y == found.sample.class_codes[i])
        others = X[cell & ~(row == X).all(axis=1)]
        assert len(others) == n - 1
        scatter = X[cell].var(axis=0) * n - others.var(axis=0) * (n - 1)
        without = np.maximum(total - scatter, 1e-3 * total) / (freedom - 1)
        expected = 1.0 - without / found.scaled.scale[0] ** 2
        np.testing.assert_allclose(found.change.change[i], expected, rtol=1e-8, atol=1e-10)


def test_a_scale_of_many_rows_or_of_none_does_not_change() -> None:
    last = int(LARGE_FREEDOM.constant) // 4 + 1  # four cells of that many rows: the constant
    assert prepared_rows(last, "pooled")[1].change is not None
    assert prepared_rows(last + 1, "pooled")[1].change is None
    assert prepared_rows(10, None)[1].change is None


def test_single_precision_is_enough_for_what_a_scale_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(0)
    y, task = np.tile([0, 1, 2], 40), np.repeat(np.arange(4), 30)
    X = (rng.normal(size=(120, 30)) + y[:, None]) * np.arange(1, 31)
    double = MultiTaskSPCA().fit(X, y, task=task)
    monkeypatch.setattr(scales, "MANY_NUMBERS", 0)
    single = MultiTaskSPCA().fit(X, y, task=task)
    assert np.abs(single.coef_ - double.coef_).max() > 0
    np.testing.assert_allclose(single.coef_, double.coef_, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(single.forecast_error_, double.forecast_error_, atol=1e-5)
