"""The compiled pass gives the numbers of the other one, whatever the rows look like."""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from tempfile import TemporaryFile
from typing import Any

import numpy as np
import pytest

from kinspan import ClassMoments
from kinspan._rows import dense_sums, machine_code
from kinspan._rows.sums import CellMoments, cell_moments
from tests._rows.small_pieces import EMPTY, N_CELLS, ONE_ROW, cells_of_different_sizes, cut_small

needs_numba = pytest.mark.skipif(
    find_spec("numba") is None, reason="numba is not installed: pip install 'kinspan[fast]'"
)


@pytest.fixture(params=["span", "cell"])
def fast(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The compiled pass in one of its two ways, cut so small that few rows have many pieces."""
    return cut_small(request.param, monkeypatch)


def some_rows(seed: int = 0, n: int = 1200, p: int = 21, offset: float = 0.0) -> tuple[Any, Any]:
    """Rows of cells of different sizes, one of them empty and one of a single row."""
    rng = np.random.default_rng(seed)
    cells = cells_of_different_sizes(rng, n)
    return rng.normal(size=(n, p)) + rng.normal(size=(N_CELLS, p))[cells] + offset, cells


def by_numpy(
    X: Any, cells: Any, weights: Any, monkeypatch: pytest.MonkeyPatch, n_cells: int = N_CELLS
) -> CellMoments:
    with monkeypatch.context() as patch:
        patch.setattr(machine_code, "MANY_NUMBERS", X.size + 1)
        return cell_moments(X, cells, n_cells, weights)


def by_definition(X: Any, cells: Any, weights: Any = None) -> CellMoments:
    x = np.asarray(X, np.longdouble)
    w = np.ones(len(x)) if weights is None else weights
    counts, means, squares = np.zeros(N_CELLS), *np.zeros((2, N_CELLS, x.shape[1]))
    for c in range(N_CELLS):
        mine = (cells == c) & (w > 0)
        if mine.any():
            mean = np.average(x[mine], axis=0, weights=w[mine])
            counts[c], means[c] = w[mine].sum(), mean
            squares[c] = (w[mine, None] * (x[mine] - mean) ** 2).sum(axis=0)
    return CellMoments(counts, means, squares)


def assert_same(a: CellMoments, b: CellMoments, rtol: float) -> None:
    for one, other in zip(a, b, strict=True):
        np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol)


@needs_numba
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "dtype", ["float64", "float32", "float16", ">f4", ">f8", "longdouble", "int64", "uint8", "bool"]
)
def test_numbers_are_those_of_the_other_pass(
    fast: Any, dtype: str, weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, cells = some_rows(offset=3.0)
    X = (X > 3) if dtype == "bool" else np.abs(X).astype(dtype)
    weights = np.random.default_rng(1).integers(0, 4, len(X)).astype(float) if weighted else None
    found = cell_moments(X, cells, N_CELLS, weights)
    single = dtype in ("float32", "float16", ">f4")
    # The other pass adds up hundreds of rows of a cell in single precision, this one 128.
    assert_same(found, by_numpy(X, cells, weights, monkeypatch), rtol=1e-5 if single else 1e-12)
    assert_same(found, by_definition(X, cells, weights), rtol=2e-6 if single else 1e-12)
    assert found.counts[EMPTY] == 0.0 == np.abs(found.means[EMPTY]).max()
    if not weighted:
        assert found.counts[ONE_ROW] == 1.0
        np.testing.assert_array_equal(found.means[ONE_ROW], X[cells == ONE_ROW][0])
        assert not found.squares[ONE_ROW].any()


def unaligned(X: Any) -> Any:
    return np.frombuffer(b"1" + X.tobytes(), X.dtype, offset=1).reshape(X.shape)


def mapped(X: Any) -> Any:
    with TemporaryFile() as file:
        rows = np.memmap(file, X.dtype, "w+", shape=X.shape)
        rows[:] = X
    return rows


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "Fortran": np.asfortranarray,
    "some columns": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "every third row": lambda X: np.repeat(X, 3, axis=0)[::3],
    "reversed": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "read-only": lambda X: np.frombuffer(X.tobytes(), X.dtype).reshape(X.shape),
    "unaligned": unaligned,
    "mapped": mapped,
}


@needs_numba
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_layout_of_the_rows_changes_nothing(fast: Any, layout: str, dtype: str) -> None:
    X, cells = some_rows()
    X = X.astype(dtype)
    found = cell_moments(LAYOUTS[layout](X), cells, N_CELLS, None)
    rtol = 2e-6 if dtype == "float32" else 1e-12  # copies are cut into other pieces
    assert_same(found, cell_moments(X, cells, N_CELLS, None), rtol)


@needs_numba
def test_no_form_of_rows_has_to_be_compiled_for_but_two_precisions(fast: Any) -> None:
    X, cells = some_rows()
    forms = [X, X.astype(np.float32), X.astype(int), *(layout(X) for layout in LAYOUTS.values())]
    for weights in (None, np.ones(len(X))):
        for given in forms:
            cell_moments(given, cells, N_CELLS, weights)
    loops = import_module("kinspan._rows.compiled_loops")
    for function in (loops.add_in_turn, loops.add_cells, loops._add_rows):
        assert len(function.signatures) <= 2


@needs_numba
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["float32", "float16"])
def test_the_number_of_threads_changes_nothing(
    fast: Any, kind: str, weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, cells = some_rows(2)
    weights = np.random.default_rng(1).uniform(0, 4, len(X)) if weighted else None
    found = []
    for n_threads in (1, 2, 3, 4):
        monkeypatch.setattr(os, "cpu_count", lambda n=n_threads: n)
        found.append(cell_moments(X.astype(kind), cells, N_CELLS, weights))
    for other in found[1:]:
        np.testing.assert_array_equal(other.means, found[0].means)
        np.testing.assert_array_equal(other.squares, found[0].squares)


@needs_numba
@pytest.mark.parametrize(
    ("dtype", "offset"), [("float32", 1e5), ("float64", 1e6), ("float64", 1e8)]
)
def test_large_offsets_lose_nothing_but_the_rounding_of_the_input(
    fast: Any, dtype: str, offset: float
) -> None:
    X, cells = some_rows(3, offset=offset)
    X = X.astype(dtype)
    found, expected = cell_moments(X, cells, N_CELLS, None), by_definition(X, cells)
    rounding = float(np.finfo(dtype).eps)
    np.testing.assert_allclose(found.means, expected.means, rtol=4 * rounding)
    rtol = 2e-6 if dtype == "float32" else 1e-12
    np.testing.assert_allclose(found.squares, expected.squares, rtol=rtol)


@needs_numba
@pytest.mark.parametrize("far", [-9999.0, 1e6, 1e30])
def test_a_reference_far_from_the_other_rows_of_its_cell(fast: Any, far: float) -> None:
    """Its squares cancel or overflow in single precision: rows are read once more, in double."""
    X, cells = some_rows(4, n=12_000)
    X = X.astype(np.float32)
    mine = np.flatnonzero(cells == 0)
    X[[mine[-1], mine[mine % 7 == 3][-1]]] = far  # two of the three rows that are looked at
    assert_same(cell_moments(X, cells, N_CELLS, None), by_definition(X, cells), rtol=1e-11)


@needs_numba
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_without_weight_are_not_looked_at_and_all_others_are(
    fast: Any, bad: float, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, cells = some_rows(5)
    X = X.astype(dtype)
    weights = np.random.default_rng(0).integers(0, 3, len(X)).astype(float)
    clean = cell_moments(X, cells, N_CELLS, weights)
    X[weights == 0] = bad
    unseen = cell_moments(X, cells, N_CELLS, weights)
    np.testing.assert_array_equal(unseen.squares, clean.squares)
    row = int(np.flatnonzero(weights)[40])
    X[row, 3] = bad
    found = cell_moments(X, cells, N_CELLS, weights)
    shown = ~np.isfinite(found.squares)
    assert shown[cells[row], 3]
    assert shown.sum() == 1
    other = by_numpy(X, cells, weights, monkeypatch)
    np.testing.assert_array_equal(shown, ~np.isfinite(other.squares))
    np.testing.assert_array_equal(np.isfinite(found.means), np.isfinite(other.means))


@needs_numba
@pytest.mark.parametrize("position", range(9))
def test_nan_in_any_row_of_a_group_shows(fast: Any, position: int) -> None:
    X, cells = np.zeros((9, 5), np.float32), np.zeros(9, np.intp)
    X[position, 2] = np.nan
    found = cell_moments(X, cells, 1, None)
    np.testing.assert_array_equal(np.isnan(found.means[0]), np.arange(5) == 2)


@needs_numba
def test_nan_is_named_in_several_threads_without_a_warning(fast: Any) -> None:
    X, cells = some_rows(6)
    X[[3, 5], 4] = np.inf
    with pytest.raises(ValueError, match="X contains infinity in column 4, in 2 of 1200 rows"):
        ClassMoments.from_samples(X, cells)


def test_the_other_pass_is_as_quiet_in_several_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    X, _ = some_rows(6)
    X[[3, -1], 4] = np.inf
    monkeypatch.setattr(dense_sums, "_BLOCK_BYTES", 1000)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    with pytest.raises(ValueError, match="X contains infinity in column 4, in 2 of 1200 rows"):
        ClassMoments.from_samples(X, np.zeros(len(X)))


@needs_numba
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 63, 64, 65, 300])
@pytest.mark.parametrize("p", [1, 2, 15, 16, 17])
def test_any_number_of_rows_and_columns(fast: Any, n: int, p: int) -> None:
    X, cells = some_rows(n, n=n, p=p)
    assert_same(cell_moments(X, cells, N_CELLS, None), by_definition(X, cells), rtol=1e-12)


@needs_numba
def test_more_cells_than_rows(fast: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    X, _ = some_rows(7)
    cells = np.random.default_rng(0).integers(0, 5000, len(X))
    found = cell_moments(X, cells, 5000, None)
    assert_same(found, by_numpy(X, cells, None, monkeypatch, 5000), rtol=1e-12)


@needs_numba
def test_long_columns_of_single_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes as they are: sums are carried to double precision often enough."""
    monkeypatch.setattr(machine_code, "MANY_NUMBERS", 0)
    X = np.random.default_rng(0).exponential(size=(1_000_000, 1)).astype(np.float32)
    found = cell_moments(X, np.zeros(len(X), np.intp), 1, None)
    np.testing.assert_allclose(found.means[0], X.mean(dtype=np.float64), rtol=2e-7)
    np.testing.assert_allclose(found.squares[0], X.var(dtype=np.float64) * len(X), rtol=2e-7)


@needs_numba
@pytest.mark.parametrize("order", ["C", "F"])
def test_memory_does_not_grow_with_the_rows(order: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_code, "MANY_NUMBERS", 0)
    X, cells = np.zeros((200_000, 64), np.float32, order=order), np.arange(200_000) % 2
    cell_moments(X[:100], cells[:100], 2, None)
    tracemalloc.start()
    cell_moments(X, cells, 2, None)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 24e6 < X.nbytes


@needs_numba
def test_machine_code_lets_other_threads_run() -> None:
    module = import_module("kinspan._rows.compiled_loops")
    assert module.add_in_turn.targetoptions["nogil"]
    assert module.add_cells.targetoptions["nogil"]
