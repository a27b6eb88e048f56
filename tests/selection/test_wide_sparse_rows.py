"""Wide rows, nearly all zero: the same fit whether zeros are kept or not, however rows arrive."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from kinspan import MultiTaskSPCA, load, save
from kinspan._rows import stored_rows
from kinspan._validation.labelled_rows import CheckedRows
from kinspan.row_sample import RowSample
from kinspan.selection import decisions, scales

N_ROWS, N_FEATURES = 120, 600


def world() -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(0)
    X = np.where(rng.random((N_ROWS, N_FEATURES)) < 0.02, rng.random((N_ROWS, N_FEATURES)), 0.0)
    y, task = np.arange(N_ROWS) % 2, np.arange(N_ROWS) % 3
    X[y == 1, :8] = rng.random(((y == 1).sum(), 8)) < 0.4
    return csr_array(X), y, task


@pytest.fixture
def _light(monkeypatch: pytest.MonkeyPatch) -> None:
    """Zeros are left out of so few rows too, and scales do not depend on single rows."""
    monkeypatch.setattr(stored_rows, "_MANY", 1000)
    few = decisions.LARGE_FREEDOM._replace(constant=10.0)
    monkeypatch.setattr(scales, "LARGE_FREEDOM", few)


def dense_fit(monkeypatch: pytest.MonkeyPatch) -> MultiTaskSPCA:
    """Of the same rows, with all their zeros."""
    X, y, task = world()
    with monkeypatch.context() as patched:
        patched.setattr(stored_rows, "_MANY", np.inf)
        return MultiTaskSPCA().fit(X, y, task=task)


def assert_same(model: MultiTaskSPCA, expected: MultiTaskSPCA) -> None:
    largest = np.abs(expected.coef_).max()
    np.testing.assert_allclose(model.coef_, expected.coef_, atol=1e-9 * largest)
    np.testing.assert_allclose(model.intercept_, expected.intercept_, atol=1e-9)
    np.testing.assert_allclose(model.forecast_error_, expected.forecast_error_, atol=1e-9)
    np.testing.assert_allclose(model.forecast_interval_, expected.forecast_interval_, atol=1e-9)


@pytest.mark.usefixtures("_light")
def test_the_fit_does_not_depend_on_how_rows_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, task = world()
    expected = dense_fit(monkeypatch)
    assert_same(MultiTaskSPCA().fit(X, y, task=task), expected)
    assert_same(MultiTaskSPCA().fit(X.toarray(), y, task=task), expected)
    plain = MultiTaskSPCA()
    for rows in np.array_split(np.random.default_rng(1).permutation(N_ROWS), 5):
        plain.partial_fit(X[rows], y[rows], task=task[rows])
    assert_same(plain, expected)


def test_nor_where_single_rows_leave_the_scale(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, task = world()
    expected = MultiTaskSPCA().fit(X.toarray(), y, task=task)
    monkeypatch.setattr(stored_rows, "_MANY", 1000)
    for rows in X, X.toarray():
        assert_same(MultiTaskSPCA().fit(rows, y, task=task), expected)


@pytest.mark.usefixtures("_light")
def test_rows_without_zeros_are_stored_and_taught_like_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    X, y, task = world()
    expected = dense_fit(monkeypatch)
    model = MultiTaskSPCA().fit(X[:60], y[:60], task=task[:60])
    save(model, tmp_path / "model.kinspan")
    for known in load(tmp_path / "model.kinspan"), pickle.loads(pickle.dumps(model)):
        assert_same(known, model)
        assert_same(known.partial_fit(X[60:], y[60:], task=task[60:]), expected)


@pytest.mark.usefixtures("_light")
def test_rows_without_zeros_are_taken_away_again() -> None:
    X, y, task = world()
    parts = [RowSample.from_checked(CheckedRows(X[i::2], y[i::2], task[i::2]), 50) for i in (0, 1)]
    whole = parts[0] + parts[1]
    assert isinstance(whole.stored, csr_array)
    np.testing.assert_array_equal((whole - parts[1]).rows, parts[0].rows)
