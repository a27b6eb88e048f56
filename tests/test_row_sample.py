"""Sampled rows: chosen by content, whatever the batches, their order, precision or container."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from kinspan import MultiTaskSPCA
from kinspan._rows import kept_rows
from kinspan._rows.keys import PUBLIC, content_keys
from kinspan._validation.labelled_rows import CheckedRows
from kinspan.row_sample import RowSample
from tests.worlds import random_world


def sample(X: Any, y: Any, task: Any, weights: Any = None, size: int = 10) -> RowSample:
    return RowSample.from_checked(CheckedRows(X, y, task, weights), size)


def assert_same(a: RowSample, b: RowSample) -> None:
    for name in ("cells", "keys", "weights", "rows"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))
    assert a.tasks.tolist() == b.tasks.tolist()
    assert a.classes.tolist() == b.classes.tolist()


@pytest.mark.parametrize("size", [1, 10, 1000])
def test_batches_and_their_order_do_not_matter(size: int) -> None:
    X, y, task = random_world(0)
    whole = sample(X, y, task, size=size)
    order = np.random.default_rng(0).permutation(len(X))
    assert_same(sample(X[order], y[order], task[order], size=size), whole)
    parts = [sample(X[i], y[i], task[i], size=size) for i in np.array_split(order, 7)]
    assert_same(sum(parts[1:], parts[0]), whole)
    assert_same(parts[2] + (parts[0] + parts[1]), (parts[1] + parts[2]) + parts[0])


def test_no_cell_has_more_rows_than_the_size_and_small_cells_keep_all() -> None:
    X, y, task = random_world(1)
    found = sample(X, y, task, size=20)
    counts = np.bincount(task * 3 + y, minlength=12)
    np.testing.assert_array_equal(np.bincount(found.cells, minlength=12), np.minimum(counts, 20))
    for row, t, c in zip(found.rows, found.task_codes, found.class_codes, strict=True):
        assert ((row == X).all(axis=1) & (task == t) & (y == c)).any()


def test_repeated_rows_are_one_row_with_a_weight() -> None:
    X, y, task = random_world(2)
    weights = np.random.default_rng(0).integers(0, 4, len(X))
    repeated = np.repeat(np.arange(len(X)), weights)
    assert_same(
        sample(X, y, task, weights.astype(float)), sample(X[repeated], y[repeated], task[repeated])
    )


def test_precision_and_container_do_not_matter() -> None:
    X, y, task = random_world(3)
    X = np.where(np.abs(X) < 1, 0.0, X).astype(np.float32)
    plain = sample(X, y, task)
    for other in (
        X.astype(np.float64),
        sp.csr_array(X),
        np.asfortranarray(X),
        np.where(X == 0, -0.0, X),
    ):
        assert_same(sample(other, y, task), plain)


@pytest.mark.parametrize(("p", "values"), [(16, 2), (12, 2), (16, 17), (3, 1000)])
def test_rows_of_small_integers_are_told_apart(p: int, values: int) -> None:
    """Bits of small integers end in zeros, which a product keeps."""
    rows = np.random.default_rng(0).integers(0, values, (20_000, p)).astype(float)
    different = len(np.unique(rows, axis=0))
    assert len(np.unique(content_keys(rows, np.arange(20_000), PUBLIC))) == different


def test_what_is_kept_does_not_depend_on_a_column() -> None:
    """Every value of a discrete column is kept as often as it occurs, in four standard errors."""
    rng = np.random.default_rng(0)
    X = np.zeros((20_000, 40))
    X[:, 0], X[:, 20] = rng.normal(size=20_000), rng.uniform(size=20_000) < 0.3
    zeros = np.zeros(20_000)
    for container in (np.asarray, sp.csr_array):
        kept = sample(container(X), zeros, zeros, size=2_000).rows[:, 20]
        assert abs(kept.mean() - 0.3) < 4 * np.sqrt(0.21 / 2_000)


def test_sparse_rows_are_not_densified_but_those_that_are_kept() -> None:
    X = sp.random_array((4_000, 5_000), density=0.002, rng=np.random.default_rng(0)).tocsr()
    zeros = np.zeros(4_000)
    tracemalloc.start()
    sample(X, zeros, zeros, size=50)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6


def test_samples_are_aligned_with_moments() -> None:
    X, y, task = random_world(4)
    whole = sample(X, y, task)
    part = whole.aligned(np.array([1, 3, 9]), np.array([0, 2]), 7)
    kept = np.isin(task, [1, 3]) & np.isin(y, [0, 2])
    assert_rows = sample(X[kept], y[kept], task[kept])
    np.testing.assert_array_equal(part.rows, assert_rows.rows)
    with pytest.raises(ValueError, match="moments of 5 and of 7 features"):
        whole.aligned(whole.tasks, whole.classes, 5)


def test_choice_does_not_depend_on_the_size_of_the_numbers() -> None:
    """Kept rows have the same mean as all of them, within four standard errors."""
    X = np.random.default_rng(0).exponential(size=(20_000, 3))
    kept = sample(X, np.zeros(20_000), np.zeros(20_000), size=2_000).rows
    assert np.all(np.abs(kept.mean(axis=0) - 1.0) < 4 / np.sqrt(2_000))


def test_keys_are_spread_evenly() -> None:
    keys = (
        content_keys(np.arange(10_000.0)[:, None], np.arange(10_000), PUBLIC).astype(float)
        / 2.0**64
    )
    counts = np.histogram(keys, bins=20, range=(0, 1))[0]
    assert np.all(np.abs(counts - 500) < 4 * np.sqrt(500))
    assert len(np.unique(keys)) == 10_000


def test_rows_of_integers_are_sampled_evenly_whatever_their_short_keys() -> None:
    """Short keys of counts take few values: cells that they leave too few rows of take all."""
    rng = np.random.default_rng(0)
    X = (rng.uniform(size=(20_000, 30)) < 0.3).astype(float)
    cells = rng.integers(0, 20, 20_000)
    found = sample(X, np.zeros(20_000), cells, size=50)
    np.testing.assert_array_equal(np.bincount(found.cells), 50)
    assert np.all(np.abs(found.rows.mean(axis=0) - 0.3) < 4 * np.sqrt(0.21 / 1_000))
    parts = [sample(X[i::3], np.zeros(len(X[i::3])), cells[i::3], size=50) for i in range(3)]
    assert_same(parts[2] + parts[0] + parts[1], found)


def test_rows_that_agree_in_single_precision_are_told_apart() -> None:
    X = 1.0 + np.arange(300.0)[:, None] * 1e-12
    found = sample(X, np.zeros(300), np.zeros(300), size=200)
    assert len(np.unique(found.rows)) == 200
    order = np.random.default_rng(0).permutation(300)
    assert_same(sample(X[order], np.zeros(300), np.zeros(300), size=200), found)


def test_samples_of_other_features_are_refused() -> None:
    zeros = np.zeros(4)
    parts = [sample(np.ones((4, p)), zeros, zeros) for p in (2, 3)]
    with pytest.raises(ValueError, match="moments of 2 and of 3 features"):
        parts[0] + parts[1]


def test_many_cells_keep_fewer_rows_in_any_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound follows from all cells, also where the batches have few."""
    monkeypatch.setattr(kept_rows, "_NUMBERS", 40 * 6 * 7)  # 40 cells, 6 features: 7 rows each
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 6))
    task, y = rng.integers(0, 20, 1200), rng.integers(0, 2, 1200)
    whole = sample(X, y, task, size=30)
    assert whole.bound == 7
    assert (np.bincount(whole.cells) == 7).all()
    by_task = [task == t for t in rng.permutation(20)]
    parts = [sample(X[b], y[b], task[b], size=30) for b in by_task]
    assert parts[0].bound == 30
    total = sum(parts[1:], parts[0])
    np.testing.assert_array_equal(total.rows, whole.rows)
    np.testing.assert_array_equal(total.keys, whole.keys)


def test_rows_in_single_precision_stay_so_and_are_the_same_rows() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 20)).astype(np.float32)
    zeros = np.zeros(300, dtype=int)
    single, double = (sample(a, zeros, zeros, size=50) for a in (X, X.astype(float)))
    assert single.rows.dtype == np.float32
    np.testing.assert_array_equal(single.keys, double.keys)
    np.testing.assert_array_equal(single.rows, double.rows)
    assert (single + double).rows.dtype == np.float64


def test_fewer_rows_than_asked_for_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_rows, "_NUMBERS", 8 * 4 * 30)
    X, y, task = (
        np.random.default_rng(0).normal(size=(400, 8)),
        np.arange(400) % 2,
        np.arange(400) // 200,
    )
    with pytest.warns(UserWarning, match="row_sample=50 rows .* 30 of each are used"):
        MultiTaskSPCA(row_sample=50).fit(X, y, task=task)
    MultiTaskSPCA(row_sample=30).fit(X, y, task=task)
    MultiTaskSPCA().fit(X, y, task=task)  # nobody asked for the default
