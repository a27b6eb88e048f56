"""Moments equal their definitions, add and subtract, and travel as bytes."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from kinspan import ClassMoments
from kinspan._rows import dense_sums, sums
from tests.worlds import naive_moments, random_world


def assert_same(a: ClassMoments, b: ClassMoments, rtol: float = 1e-10) -> None:
    assert a.tasks.tolist() == b.tasks.tolist()
    assert a.classes.tolist() == b.classes.tolist()
    np.testing.assert_allclose(a.counts, b.counts)
    np.testing.assert_allclose(a.means, b.means, rtol=rtol, atol=rtol)
    np.testing.assert_allclose(a.squares, b.squares, rtol=rtol, atol=rtol)


@pytest.mark.parametrize("n_tasks", [1, 4, 60, 300])  # 300 × 3 cells: spans meet only some of them
@pytest.mark.parametrize("weighted", [False, True])
def test_moments_equal_their_definition(n_tasks: int, weighted: bool) -> None:
    world = random_world(0, n=2000, n_tasks=n_tasks)
    weights = np.random.default_rng(1).integers(0, 4, 2000).astype(float) if weighted else None
    moments = ClassMoments.from_samples(*world, sample_weight=weights)
    counts, means, squares = naive_moments(*world, weights)
    np.testing.assert_allclose(moments.counts, counts)
    np.testing.assert_allclose(moments.means, means, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(moments.squares, squares, rtol=1e-11, atol=1e-11)


def test_several_spans_and_threads_equal_one(monkeypatch: pytest.MonkeyPatch) -> None:
    world = random_world(2, n=5000)
    whole = ClassMoments.from_samples(*world)
    monkeypatch.setattr(dense_sums, "_BLOCK_BYTES", 1000)
    in_pieces = ClassMoments.from_samples(*world)
    assert_same(whole, in_pieces)
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    one_thread = ClassMoments.from_samples(*world)
    np.testing.assert_array_equal(in_pieces.squares, one_thread.squares)


@pytest.mark.parametrize(
    "kind", ["float32", "float16", "int64", "uint8", "bool", "fortran", "memmap"]
)
def test_other_kinds_of_dense_input(kind: str, tmp_path: Path) -> None:
    X, y, task = random_world(3, offset=20.0)
    X = np.abs(X)
    if kind == "fortran":
        given: Any = np.asfortranarray(X)
    elif kind == "memmap":
        np.save(tmp_path / "X.npy", X)
        given = np.load(tmp_path / "X.npy", mmap_mode="r")
    else:
        given = (X > 20) if kind == "bool" else X.astype(kind)
    expected = ClassMoments.from_samples(np.asarray(given, dtype=float), y, task)
    # float16 and float32 rows are summed in single precision within a block.
    assert_same(ClassMoments.from_samples(given, y, task), expected, rtol=2e-6)


@pytest.mark.parametrize("container", [sp.csr_array, sp.csr_matrix, sp.csc_array])
def test_sparse_input_equals_dense(container: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "_SPARSE_BLOCK", 100)
    X, y, task = random_world(4)
    X[np.random.default_rng(0).uniform(size=X.shape) < 0.8] = 0.0
    weights = np.random.default_rng(1).integers(0, 3, len(X)).astype(float)
    dense = ClassMoments.from_samples(X, y, task, sample_weight=weights)
    assert_same(ClassMoments.from_samples(container(X), y, task, sample_weight=weights), dense)


def test_sparse_input_with_repeated_and_empty_entries() -> None:
    rows, columns, values = [0, 0, 2, 2], [1, 1, 0, 1], [1.0, 2.0, 0.0, 5.0]
    X = sp.csr_array(sp.coo_array((values, (rows, columns)), shape=(4, 2)))
    y = [0, 0, 1, 1]
    assert_same(ClassMoments.from_samples(X, y), ClassMoments.from_samples(X.toarray(), y))


def test_a_row_of_weight_two_is_the_row_twice_and_of_weight_zero_absent() -> None:
    X, y, task = random_world(5)
    weights = np.random.default_rng(0).integers(0, 3, len(X))
    repeated = np.repeat(np.arange(len(X)), weights)
    weighted = ClassMoments.from_samples(X, y, task, sample_weight=weights)
    assert_same(weighted, ClassMoments.from_samples(X[repeated], y[repeated], task[repeated]))
    X[weights == 0] = np.nan
    assert_same(weighted, ClassMoments.from_samples(X, y, task, sample_weight=weights))


@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_batches_in_any_order_add_up_to_the_whole(offset: float) -> None:
    X, y, task = random_world(6, n=500, offset=offset)
    whole = ClassMoments.from_samples(X, y, task)
    order = np.random.default_rng(0).permutation(len(X))
    parts = [ClassMoments.from_samples(X[i], y[i], task[i]) for i in np.array_split(order, 9)]
    assert_same(sum(parts[1:], parts[0]), whole, rtol=1e-7 if offset else 1e-12)
    assert isinstance(sum(parts), ClassMoments)
    assert_same(parts[0] + (parts[1] + parts[2]), (parts[2] + parts[1]) + parts[0])


def test_removing_rows_equals_never_having_seen_them() -> None:
    X, y, task = random_world(7, n=400)
    removed = (task == 2) | (np.arange(400) % 3 == 0)
    whole, part = ClassMoments.from_samples(X, y, task), (X[removed], y[removed], task[removed])
    rest = whole - ClassMoments.from_samples(*part)
    assert rest.tasks.tolist() == [0, 1, 3]
    assert_same(
        rest, ClassMoments.from_samples(X[~removed], y[~removed], task[~removed]), rtol=1e-9
    )


def test_merging_brings_new_tasks_and_classes() -> None:
    a = ClassMoments.from_samples([[1.0], [2.0]], ["x", "y"], task="first")
    b = ClassMoments.from_samples([[5.0]], ["z"], task="second")
    both = a + b
    assert both.tasks.tolist() == ["first", "second"]
    assert both.classes.tolist() == ["x", "y", "z"]
    np.testing.assert_array_equal(both.counts, [[1, 1, 0], [0, 0, 1]])


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (ClassMoments.from_samples([[1.0, 2.0]], [0]), "moments of 1 and of 2 features"),
        (
            ClassMoments.from_samples([[1.0]] * 3, [0] * 3),
            "cannot remove 3 rows of task 0, class 0",
        ),
        (ClassMoments.from_samples([[1.0]], [7]), "cannot remove rows of class 7"),
        (ClassMoments.from_samples([[1.0]], [0], task="new"), "cannot remove rows of task 'new'"),
    ],
)
def test_what_cannot_be_removed_is_named(other: ClassMoments, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ClassMoments.from_samples([[1.0], [2.0]], [0, 0]) - other


def test_large_offsets_lose_nothing_but_the_rounding_of_the_input() -> None:
    X, y, task = random_world(8, n=600, offset=1e8)
    moments = ClassMoments.from_samples(X, y, task)
    _, means, squares = naive_moments(X, y, task)
    np.testing.assert_allclose(moments.means, means, rtol=1e-15)
    np.testing.assert_allclose(moments.squares, squares, rtol=1e-6)


def test_single_precision_numbers_whose_squares_overflow() -> None:
    X = np.array([[1e30], [3e30], [1.0]], dtype=np.float32)
    moments = ClassMoments.from_samples(X, [0, 0, 1])
    np.testing.assert_allclose(moments.squares[0, 0], 2e60, rtol=1e-5)


@pytest.mark.parametrize("offset", [-9999.0, 1e6])
def test_an_outlier_in_the_first_or_last_row_of_a_cell(offset: float) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 3)).astype(np.float32)
    X[[0, -1]] = offset
    moments = ClassMoments.from_samples(X, np.zeros(len(X)))
    exact = X.astype(np.float64)
    np.testing.assert_allclose(moments.means[0, 0], exact.mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(moments.squares[0, 0], len(X) * exact.var(axis=0), rtol=1e-5)


def test_long_columns_of_single_precision() -> None:
    X = np.random.default_rng(0).exponential(size=(1_000_000, 1)).astype(np.float32)
    moments = ClassMoments.from_samples(X, np.zeros(len(X)))
    np.testing.assert_allclose(moments.means[0, 0], X.mean(dtype=np.float64), rtol=1e-6)
    np.testing.assert_allclose(moments.squares[0, 0], X.var(dtype=np.float64) * len(X), rtol=1e-5)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_nan_and_infinity_are_named(bad: float, container: Any) -> None:
    X, y, task = random_world(9)
    X[[3, 5], 4] = bad
    kind = "NaN" if np.isnan(bad) else "infinity"
    with pytest.raises(ValueError, match=f"X contains {kind} in column 4, in 2 of 300 rows"):
        ClassMoments.from_samples(container(X), y, task, missing="refuse")


def test_memory_of_the_pass_does_not_grow_with_the_rows() -> None:
    X = np.zeros((200_000, 64), dtype=np.float32)
    y = np.arange(200_000) % 2
    ClassMoments.from_samples(X[:10], y[:10])
    tracemalloc.start()
    ClassMoments.from_samples(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 32e6 < X.nbytes


def test_memory_with_weights_does_not_grow_with_the_rows_either() -> None:
    X = np.zeros((200_000, 64), dtype=np.float32)
    y, weight = np.arange(200_000) % 2, (np.arange(200_000) % 3).astype(float)
    tracemalloc.start()
    ClassMoments.from_samples(X, y, sample_weight=weight)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40e6 < X.nbytes


def test_moments_say_briefly_what_they_are() -> None:
    moments = ClassMoments.from_samples(*random_world(10))
    assert repr(moments) == "ClassMoments(4 tasks, 3 classes, 7 features, 300 rows)"
