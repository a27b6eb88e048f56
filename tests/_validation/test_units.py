"""Other units in a task are seen in moments, and other things are not taken for them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import kinspan
from kinspan import ClassMoments, MultiTaskSPCA, Statistics, UnitsWarning
from kinspan._validation.units import OtherUnits, other_units
from kinspan.datasets import load_digit_pairs
from tests.worlds import random_world


def table(rng: Any, n_tasks: int = 6, n: int = 20, p: int = 4) -> tuple[Any, Any, Any]:
    """Positive numbers of different sizes, n rows in each of two classes of every task."""
    task = np.repeat(np.arange(n_tasks), 2 * n)
    X = rng.gamma(6.0, size=(len(task), p)) * [70.0, 1.7, 1e4, 0.02][:p]
    return X, np.tile([0, 1], len(task) // 2), task


def found(X: Any, y: Any, task: Any) -> list[OtherUnits]:
    return other_units(ClassMoments.from_samples(X, y, task))


def places(X: Any, y: Any, task: Any) -> list[tuple[Any, int]]:
    return [(one.task, one.feature) for one in found(X, y, task)]


@pytest.mark.parametrize("factor", [30.0, 1000.0, 1 / 30.0, 1e-3, 1e6])
def test_a_factor_is_found_where_it_is(factor: float) -> None:
    X, y, task = table(np.random.default_rng(0))
    X[task == 3, 1] *= factor
    (one,) = found(X, y, task)
    assert (one.task, one.feature) == (3, 1)
    assert one.factor == pytest.approx(factor, rel=0.5)


@pytest.mark.parametrize("shape", ["gamma", "normal", "offset", "counts"])
def test_chance_raises_no_alarm_and_a_thousand_is_seen(shape: str) -> None:
    """Over 100 tables: 3 rows in each class are enough for no alarm, 10 for a thousand."""
    seen = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        for n in (2, 3, 10):
            X, y, task = table(rng, n=n)
            if shape != "gamma":
                X = rng.normal(size=X.shape) if shape != "counts" else rng.poisson(0.7, X.shape)
            if shape == "offset":
                X = X + 5.0 * rng.normal(size=(6, 4))[task]
            assert found(X, y, task) == []
        X = X.astype(float)
        X[task == 5, 0] *= 1000.0
        seen += places(X, y, task) == [(5, 0)]
    assert seen >= 80


def test_a_decision_flips_at_ten_times() -> None:
    """A copy of a task, so that factors are exact."""
    X, y, _ = table(np.random.default_rng(0), n_tasks=1, n=200, p=1)
    for factor, is_seen in ((9.99, False), (10.01, True)):
        copies = np.concatenate([X, X, X, X * factor])
        task_of = np.repeat(np.arange(4), len(X))
        assert places(copies, np.tile(y, 4), task_of) == [(3, 0)] * is_seen


def test_of_two_tasks_the_larger_is_named_and_one_has_nothing_to_compare() -> None:
    X, y, task = table(np.random.default_rng(1), n_tasks=2)
    X[task == 0, 2] *= 1e-3
    assert places(X, y, task) == [(1, 2)]
    assert found(X, y, np.zeros_like(task)) == []
    assert found(X[:4], y[:4], np.arange(4)) == []  # no spread in single rows


@pytest.mark.parametrize("n_tasks", [2, 4, 6, 12])
def test_of_two_halves_the_larger_is_named(n_tasks: int) -> None:
    X, y, task = table(np.random.default_rng(3), n_tasks=n_tasks)
    large = np.arange(0, n_tasks, 2)
    X[np.isin(task, large), 1] *= 1000.0
    assert sorted(places(X, y, task)) == [(t, 1) for t in large]


def test_rare_events_are_no_units() -> None:
    """Zeros and ones, and sizes of purchases: rarer in a task, but of the same size."""
    rng = np.random.default_rng(0)
    task = np.repeat(np.arange(5), 2000)
    y = np.tile([0, 1], len(task) // 2)
    rate = np.where(task == 2, 0.001, 0.5)
    happens = rng.random(len(task)) < rate
    X = np.column_stack([happens, happens * rng.gamma(4.0, size=len(task)), 2.0 * happens - 1.0])
    assert found(X.astype(float), y, task) == []
    happens = rng.random(len(task)) < np.where(task == 2, 0.5, 0.001)
    assert found(np.column_stack([happens, 7.0 * happens]), y, task) == []


def test_rare_words_are_no_units_in_centred_rows() -> None:
    """Of both signs, moments do not show that values are rare; sampled rows do.

    Units are seen wherever two rows of every task have the word.
    """
    of_moments = of_rows = seen = 0
    for seed in range(50):
        rng = np.random.default_rng(seed)
        task = np.repeat(np.arange(4), 100)
        y = np.tile([0, 1], len(task) // 2)
        X = (rng.random((len(task), 100)) < 0.03) * rng.gamma(2.0, size=(len(task), 100))
        rarest = min(np.count_nonzero(X[task == t, 7]) for t in range(4))
        X -= np.array([X[task == t].mean(axis=0) for t in range(4)])[task]
        X[task == 2, 7] *= 1000.0
        known = Statistics.from_samples(X, y, task)
        by_rows = other_units(known.moments, known.sample)
        is_seen = (2, 7) in [(one.task, one.feature) for one in by_rows]
        assert is_seen or rarest < 2
        of_moments += len(other_units(known.moments))
        of_rows += len(by_rows)
        seen += is_seen
    assert of_moments > 60
    assert of_rows == seen > 25


def test_holes_and_faded_rows_have_tails_too() -> None:
    """Of a normal feature rows say what moments say: a variance is worth all its freedom."""
    X, y, task = table(np.random.default_rng(2), n=50)
    X = np.log(X)
    X[task == 1, 2] *= 1000.0
    X[np.random.default_rng(3).random(X.shape) < 0.2] = np.nan
    weights = np.repeat([1.0, 3.0], len(X) // 2)
    known = Statistics.from_samples(X, y, task, sample_weight=weights)
    assert other_units(known.moments, known.sample) == other_units(known.moments)
    assert [(one.task, one.feature) for one in other_units(known.moments)] == [(1, 2)]


def test_noisier_tasks_and_constant_columns_are_no_units() -> None:
    X, y, task = table(np.random.default_rng(0))
    X[:, 0] = 1e3 + np.random.default_rng(1).normal(size=len(X)) * np.where(task == 1, 30.0, 1.0)
    X[:, 1], X[task == 2, 2], X[:, 3] = 0.1, 5.0, 0.1 * (1 + task)
    assert found(X, y, task) == []


def test_tasks_that_differ_widely_have_no_common_unit() -> None:
    """One factor in eight is of ten or more; about one in 1,000 is named."""
    n_large = n_named = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, y, task = table(rng, n_tasks=40)
        factors = np.exp(1.5 * rng.normal(size=(40, 4)))
        n_large += int((np.abs(np.log10(factors)) >= 1).sum())
        n_named += len(found(X * factors[task], y, task))
    assert n_large > 0.1 * 40 * 160
    assert n_named < 0.002 * 40 * 160


def test_other_worlds_raise_no_alarm() -> None:
    for seed in range(20):
        assert found(*random_world(seed, offset=3.0)) == []
    for n_per_class in (1, 3, 5):
        digits = load_digit_pairs(n_per_class=n_per_class, random_state=7)
        assert found(digits.X, digits.y, digits.task) == []


def test_moments_that_add_and_fade_say_the_same() -> None:
    X, y, task = table(np.random.default_rng(0), n=30)
    X[task == 3, 1] *= 1000.0
    parts = [ClassMoments.from_samples(X[i::3], y[i::3], task[i::3]) for i in range(3)]
    whole = other_units(parts[0] + parts[1] + parts[2])
    assert [one[:2] for one in whole] == [one[:2] for one in found(X, y, task)] == [(3, 1)]
    with pytest.warns(UnitsWarning, match="feature 1 of task 3"):
        MultiTaskSPCA(forget=1e-3).fit(X, y, task=task)


def test_a_stream_says_it_at_the_next_question_and_once() -> None:
    X, y, task = table(np.random.default_rng(0), n=30)
    X[task == 3, 1] *= 1000.0
    stream = MultiTaskSPCA()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for rows in np.array_split(np.arange(len(y)), 4):
            stream.partial_fit(X[rows], y[rows], task=task[rows])
    with pytest.warns(UnitsWarning, match="feature 1 of task 3"):
        stream.predict(X, task=task)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stream.predict(X, task=task)
    with pytest.warns(UnitsWarning, match="feature 1 of task 3"):
        _ = MultiTaskSPCA().merge(stream).coef_


def test_the_warning_names_feature_task_and_factor() -> None:
    X, y, task = table(np.random.default_rng(0))
    X[task == 3, 1] /= 1000.0
    frame = pd.DataFrame(X, columns=["weight", "height", "price", "share"])
    names = np.array([f"site-{t}" for t in task])
    said = (
        r"^'height' of task 'site-3' looks 1,000 times as small as in other tasks: other units\?$"
    )
    with pytest.warns(UnitsWarning, match=said):
        clf = MultiTaskSPCA().fit(frame, y, task=names)
    for column in ("site", 0):
        with pytest.warns(UnitsWarning, match=said):
            MultiTaskSPCA(task_column=column).fit(frame.assign(site=names)[["site", *frame]], y)
    X[task == 3] *= 1e6
    with pytest.warns(UnitsWarning, match="feature 0 of task 3 .*feature 3 of task 3 "):
        MultiTaskSPCA().fit(X, y, task=task)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # asking a fitted model warns no more
        clf.predict(frame, task=names)
        kinspan.MultiTaskSPCA().fit(*table(np.random.default_rng(0))[:2])


@pytest.mark.parametrize(
    ("factor", "said"),
    [
        (1000.0, "1,000 times as large"),
        (0.0012, "1,000 times as small"),
        (25.4, "25 times as large"),
        (453.6, "450 times as large"),
        (1 / 12.0, "10 times as small"),
    ],
)
def test_factors_are_shown_in_round_numbers(factor: float, said: str) -> None:
    assert OtherUnits("a", 0, factor).size == said
