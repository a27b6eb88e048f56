"""Rows without labels: they help where they fall into classes, and are left alone elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

from kinspan import MultiTaskSPCA, Statistics
from kinspan.class_moments import ClassMoments
from kinspan.datasets import load_digit_pairs
from kinspan.selection.decisions import PRIOR_ROWS
from kinspan.selection.left_out_thirds import _parts, _without
from kinspan.selection.outcome import UnlabelledUse
from kinspan.selection.taught import Free, _soft
from kinspan.selection.unlabelled import _expecting, _posterior
from tests.selection.unlabelled_worlds import (
    fitted,
    gaussian,
    labelled,
    true_error,
    with_and_without,
)


def test_groups_make_rules_better() -> None:
    gains = []
    for seed in range(6):
        world = gaussian(seed)
        with_all, alone = fitted(world), fitted(labelled(world))
        assert with_all.unlabelled_weight_.mean() > 0.5
        gains.append(true_error(alone, world.means) - true_error(with_all, world.means))
    assert np.mean(gains) > 4 * np.std(np.mean(gains, axis=1)) / np.sqrt(6)
    assert np.mean(gains) > 0.01


def test_forecasts_know_what_rows_without_labels_are_worth() -> None:
    bias, covered, lower = [], [], []
    for seed in range(12):
        world = gaussian(seed)
        with_all, alone = fitted(world), fitted(labelled(world))
        error, forecast = true_error(with_all, world.means), with_all.forecast_error_
        low, high = with_all.forecast_interval_.T
        lower.append(alone.forecast_error_.mean() - forecast.mean())
        bias.append(forecast.mean() - error.mean())
        covered.append((low <= error) & (error <= high))
    assert np.mean(lower) > 4 * np.std(lower) / np.sqrt(12)
    assert abs(np.mean(bias)) < 0.015 + 4 * np.std(bias) / np.sqrt(12)
    assert np.mean(covered) > 0.7


def test_a_threshold_keeps_the_forecast_that_it_was_set_by() -> None:
    models = with_and_without(1, threshold="f1")
    np.testing.assert_array_equal(models[0].forecast_error_, models[1].forecast_error_)


def test_one_group_is_left_alone_and_the_rules_are_exactly_those_of_the_labels() -> None:
    world = gaussian(0)
    free = np.isnan(world.y)
    noise = np.random.default_rng(1).standard_normal(world.X.shape)
    world = world._replace(X=np.where(free[:, None], noise, world.X))
    with_all, alone = fitted(world), fitted(labelled(world))
    assert not with_all.unlabelled_weight_.any()
    np.testing.assert_array_equal(with_all.coef_, alone.coef_)
    np.testing.assert_array_equal(with_all.intercept_, alone.intercept_)
    np.testing.assert_array_equal(with_all.forecast_error_, alone.forecast_error_)


def test_groups_that_are_not_the_classes_are_refused_by_left_out_labels() -> None:
    """The rows without labels are far apart, along a direction that says nothing of the classes."""
    errors = []
    for seed in range(16):  # the mean of four draws is .005 off by chance
        world = gaussian(seed, n=10)
        free, other = np.isnan(world.y), np.zeros(world.X.shape[1])
        other[:15], other[15:] = 1.0, -1.0
        other -= world.means[0] * (other @ world.means[0]) / (world.means[0] @ world.means[0])
        sides = np.random.default_rng(seed).choice([-1.0, 1.0], len(free))[:, None]
        world = world._replace(X=world.X + 0.7 * free[:, None] * sides * other)
        models = fitted(world), fitted(labelled(world))
        errors.append([true_error(model, world.means).mean() for model in models])
    harm = np.diff(np.array(errors)[:, ::-1], axis=1)
    assert harm.mean() < 0.003


def test_neither_order_nor_copies_of_rows_matter() -> None:
    world = gaussian(2)
    order = np.random.default_rng(0).permutation(len(world.y))
    free = np.flatnonzero(np.isnan(world.y))[:40]
    twice = np.concatenate([order, free])
    first = fitted(world)
    for rows in (order, twice):
        other = MultiTaskSPCA().fit(world.X[rows], world.y[rows], task=world.task[rows])
        np.testing.assert_allclose(other.coef_, first.coef_, rtol=1e-7, atol=1e-10)


def test_many_classes_with_absent_ones() -> None:
    digits = load_digit_pairs(n_per_class=3)
    first, second = (np.char.partition(digits.task, " vs ")[:, i].astype(int) for i in (0, 2))
    label = np.where(digits.y == 0, first, second)
    group = np.array([f"group {d // 5}" for d in label])
    label = np.where(label == 9, 0, label)
    X, y = digits.X, label.astype(float)
    X, y, group = (np.concatenate([part, part]) for part in (X + 0.0, y, group))
    X[len(label) :] += np.random.default_rng(0).standard_normal((len(label), 64))
    y[len(label) :] = np.nan
    model = MultiTaskSPCA().fit(X, y, task=group)
    assert model.unlabelled_weight_.min() > 0
    answered = model.predict(X[:200], task="group 0")
    assert set(answered) <= {0.0, 1.0, 2.0, 3.0, 4.0}


def test_soft_moments_are_those_of_weighted_rows() -> None:
    rng = np.random.default_rng(0)
    X, tasks, shares = rng.standard_normal((20, 3)), np.arange(20) % 2, rng.random((20, 2))
    like = ClassMoments.from_samples(X, np.arange(20) // 10, tasks)
    found = _soft(like, Free(tasks, X), shares)
    for t in range(2):
        for j in range(2):
            w, rows = shares[tasks == t, j], X[tasks == t]
            mean = w @ rows / w.sum()
            assert found.counts[t, j] == pytest.approx(w.sum())
            np.testing.assert_allclose(found.means[t, j], mean)
            np.testing.assert_allclose(found.squares[t, j], w @ (rows - mean) ** 2)


@pytest.mark.parametrize("size", [4, 100])
def test_moments_without_a_fold_are_those_of_the_other_rows(size: int) -> None:
    rng = np.random.default_rng(1)
    X, y, task = rng.standard_normal((60, 3)), np.arange(60) % 2, np.arange(60) // 30
    whole = Statistics.from_samples(X, y, task, row_sample=size)
    assert whole.sample is not None
    sample = whole.sample
    for fold in range(3):
        out = _parts(sample) == fold
        gone = {row.tobytes() for row in sample.rows[out]}
        kept = np.array([row.tobytes() not in gone for row in X])
        if size == 4:  # sampled rows stand for others only in their weights
            sample = sample.effective()
        found = _without(whole.moments, sample, out)
        rest = ClassMoments.from_samples(X[kept], y[kept], task[kept])
        np.testing.assert_allclose(found.counts, rest.counts)
        np.testing.assert_allclose(found.means, rest.means, atol=1e-12)
        np.testing.assert_allclose(found.squares, rest.squares, atol=1e-9)


def test_every_cell_keeps_a_row_in_every_fold() -> None:
    X = np.random.default_rng(0).standard_normal((7, 2))
    sample = Statistics.from_samples(X, [0, 0, 1, 1, 1, 1, 2]).sample
    assert sample is not None
    folds = _parts(sample)
    assert (folds[sample.cells == 2] == -1).all()
    for fold in range(3):
        assert set(sample.cells[folds != fold]) == {0, 1, 2}


def test_the_weight_follows_support_and_evidence() -> None:
    def weights(prior: float, better: list[float], rows: list[float]) -> Any:
        n = np.array(rows)
        before = UnlabelledUse(np.full(len(n), prior), n, n, n, n, n)
        return _posterior(before, np.array(better), float(np.sum(better)))

    assert weights(0.5, [0.0, 0.0], [9, 9]) == pytest.approx([0.45, 0.45])
    assert (weights(0.5, [-20.0, 0.0], [9, 9]) == 0).all()  # all tasks together
    first, second, without = weights(0.5, [-6.0, 30.0, 0.0], [9, 9, 0])
    assert first < 0.1  # and then each for itself
    assert second > 0.99
    assert without == 0
    assert weights(1e-6, [9.0, 9.0], [9, 9]).min() > 0.99  # evidence can overcome no support


def test_the_more_rows_show_no_gain_the_less_was_it_likely() -> None:
    """A gain g per row is expected to be small, with the density N e^(−Ng)."""
    N = PRIOR_ROWS.constant
    for rows in (0.0, 4.0, 300.0):
        whole = quad(lambda g, n=rows: N * np.exp(-N * g - n * g), 0.0, np.inf)[0]
        assert _expecting(rows) == pytest.approx(whole)


def test_one_against_all_does_without() -> None:
    models = with_and_without(3, multi_class="one-vs-all")
    np.testing.assert_array_equal(models[0].coef_, models[1].coef_)
    assert not models[0].unlabelled_weight_.any()
