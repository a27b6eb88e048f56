"""Where precision runs out a warning of our own says so, once, and names what and the way out."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from kinspan import ClassMoments, MultiTaskSPCA, PrecisionWarning, Statistics
from tests.torture.worlds import related


def warned(X: Any, y: Any, task: Any, **parameters: Any) -> list[str]:
    """The warnings of a fit and of all questions after it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = MultiTaskSPCA(**parameters).fit(X, y, task=task)
        model.predict(X, task=task)
        _ = model.coef_, model.forecast_error_, model.relatedness_
    assert all(w.category is PrecisionWarning for w in caught)
    assert np.isfinite(model.coef_).all()
    return [str(w.message) for w in caught]


@pytest.mark.parametrize(
    ("dtype", "fine", "coarse"), [("float64", 1e13, 1e16), ("float32", 1e5, 2e7)]
)
def test_spread_that_is_lost_below_the_rounding_of_an_offset(
    dtype: str, fine: float, coarse: float
) -> None:
    X, y, task = related(0)
    offset = np.where(np.arange(6) == 4, 1.0, 0.0)
    assert warned((X + fine * offset).astype(dtype), y, task) == []
    [message] = warned((X + coarse * offset).astype(dtype), y, task)
    assert "feature 4 is so far from zero" in message
    assert "task 0, 1, 2, 3" in message
    assert "subtract an offset" in message
    assert ("float64" in message) == (dtype == "float32")


def test_the_task_that_lies_too_far_is_named_and_so_are_columns() -> None:
    X, y, task = related(1)
    X[task == 2, 1] += 1e16
    frame = pd.DataFrame(X, columns=list("abcdef"))
    [message] = warned(frame, y, task)
    assert "feature 'b' is so far from zero, in task 2," in message


@pytest.mark.parametrize("size", [1e-155, 1e-200, 1e-310])
def test_squares_that_vanish(size: float) -> None:
    X, y, task = related(2)
    X[:, 5] *= size
    [message] = warned(X, y, task)
    assert "squares of feature 5 vanish" in message
    assert "multiply" in message


def test_a_task_that_varies_by_nothing_beside_others() -> None:
    X, y, task = related(3)
    X = X * np.where(task == 1, 1e-60, 1.0)[:, None]
    [message] = warned(X, y, task)
    assert "task 1 varies so much less than others" in message
    assert "scale='task'" in message
    assert warned(X, y, task, scale="task") == []
    own = MultiTaskSPCA(scale="task").fit(X, y, task=task)
    assert own.score(X[task == 1], y[task == 1], task=1) > 0.75


def test_all_that_is_wrong_is_one_warning() -> None:
    X, y, task = related(4)
    X[:, 0] += 1e16
    X[:, 1] *= 1e-200
    [message] = warned(X, y, task)
    assert "feature 0 is so far" in message
    assert "squares of feature 1 vanish" in message


def test_a_stream_warns_once_for_each_look_at_it() -> None:
    X, y, task = related(5)
    X = X + 1e16
    model = MultiTaskSPCA()
    for rows in np.array_split(np.arange(len(X)), 4):
        model.partial_fit(X[rows], y[rows], task=task[rows])
    with pytest.warns(PrecisionWarning, match="subtract an offset") as caught:
        _ = model.coef_
    assert len(caught) == 1
    _ = model.coef_, model.predict(X, task=task)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int64", "bool"])
def test_nothing_warns_of_usual_numbers(seed: int, dtype: str) -> None:
    X, y, task = related(seed)
    X = np.column_stack([X, np.ones(len(X)), np.zeros(len(X)), y, task, X[:, 0] > 1.0])
    assert warned(X.astype(dtype), y, task) == []
    assert warned((100 + 10 * X).astype(dtype), y, task) == []


def test_nothing_warns_of_years_timestamps_and_rare_features() -> None:
    rng = np.random.default_rng(0)
    _, y, task = related(0)
    years, seconds = rng.integers(1990, 2026, len(y)), rng.uniform(1.6e9, 1.7e9, len(y))
    rare = np.where(np.arange(len(y)) == 7, 1e6, 0.0)
    for dtype in ("float64", "float32"):
        assert warned(np.column_stack([years, seconds, rare]).astype(dtype), y, task) == []


@pytest.mark.parametrize("size", [1e155, 1e300])
def test_squares_that_overflow_are_refused_and_the_feature_is_named(size: float) -> None:
    X, y, task = related(6)
    X[:, 3] *= size
    with pytest.raises(ValueError, match=r"squares overflow, up to .* in column 3; divide X"):
        MultiTaskSPCA().fit(X, y, task=task)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    with pytest.raises(ValueError, match=r"in column 'd'; divide X"):
        Statistics.from_samples(frame, y, task)


def test_sums_of_moments_that_overflow_are_refused() -> None:
    first, second = (ClassMoments.from_samples([[x]], [0]) for x in (1e160, -1e160))
    with pytest.raises(ValueError, match="overflows; divide the features"):
        first + second


def test_subtraction_that_leaves_only_rounding_warns() -> None:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(1_000_001, 1)) + 1e11
    whole, gone = (ClassMoments.from_samples(rows, np.zeros(len(rows))) for rows in (X, X[1:]))
    with pytest.warns(PrecisionWarning, match="feature 0 .* cannot determine its means"):
        whole - gone
    near, gone = (ClassMoments.from_samples(r - 1e11, np.zeros(len(r))) for r in (X, X[1:]))
    np.testing.assert_allclose((near - gone).means[0, 0], X[0] - 1e11, atol=1e-7)
