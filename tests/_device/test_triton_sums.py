"""Kernels for CUDA devices, run step by step by the interpreter of Triton: no device is needed."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

os.environ["TRITON_INTERPRET"] = "1"  # before Triton is imported, which asks for it once
torch: Any = pytest.importorskip("torch", reason="PyTorch is not installed")
pytest.importorskip(  # the interpreter of earlier ones fails with NumPy 2.4
    "triton", minversion="3.9", reason="Triton 3.9 or later is not installed"
)
pytest.importorskip("array_api_compat", reason="array-api-compat is not installed")

from kinspan import Statistics  # noqa: E402
from kinspan._arrays.elsewhere import DeviceColumn, DeviceRows  # noqa: E402
from kinspan._device import moments, triton_groups, triton_scores, triton_sums  # noqa: E402
from kinspan._device import scores as device_scores  # noqa: E402
from kinspan._device.tiles import Layout, column_blocks, common_factor  # noqa: E402
from kinspan._rows import keys as content_keys  # noqa: E402
from kinspan._validation.labelled_rows import CheckedRows  # noqa: E402
from kinspan.scores import paired_scores  # noqa: E402
from tests.worlds import naive_moments, random_world  # noqa: E402

if not hasattr(triton_groups._cut, "rewrite"):  # what interpreted kernels have and compiled not
    pytest.skip("kernels were compiled before this file was read", allow_module_level=True)

SMALL = Layout(tile=64, chunk_rows=16, n_warps=1, n_stages=1)


def doubles(X: Any) -> Any:
    return X.double().numpy()


@pytest.mark.parametrize("n_cells", [1, 6, 30])
@pytest.mark.parametrize("weighted", [False, True])
def test_chunks_have_every_row_of_a_cell_once(n_cells: int, weighted: bool) -> None:
    rng = np.random.default_rng(n_cells)
    cells = rng.integers(0, n_cells, 300) ** 2 // max(n_cells, 1)  # of very different sizes
    weights = rng.integers(0, 2, 300).astype(float)
    found = triton_groups.grouped(
        torch.tensor(np.stack([cells + 7, cells], axis=1))[:, 0],  # a column of a table
        None,
        n_cells,
        1,
        8,
        torch.tensor(weights) if weighted else None,
        (7, 0),
        span_rows=4,
    )
    kept = weights > 0 if weighted else np.ones(300, bool)
    np.testing.assert_array_equal(found.cells[0], np.bincount(cells[kept], minlength=n_cells))
    firsts, lasts, of_cell, slots = (part.numpy() for part in found.chunks)
    exists = lasts > firsts
    assert (lasts - firsts).max() <= 8
    met = [found.order[a:b].numpy() for a, b in zip(firsts[exists], lasts[exists], strict=True)]
    np.testing.assert_array_equal(np.sort(np.concatenate(met)), np.flatnonzero(kept))
    for rows, cell in zip(met, of_cell[exists], strict=True):
        np.testing.assert_array_equal(cells[rows], cell)
    by_slot = of_cell[exists][np.argsort(slots[exists])]
    np.testing.assert_array_equal(np.sort(slots[exists]), np.arange(exists.sum()))
    np.testing.assert_array_equal(by_slot, np.sort(by_slot))
    ends = found.ends.view(n_cells, -1)[:, -1].numpy()
    np.testing.assert_array_equal(np.diff(ends, prepend=0), np.bincount(by_slot, minlength=n_cells))


@pytest.mark.parametrize("kind", ["float32", "bfloat16", "float16", "float64"])
@pytest.mark.parametrize(("p", "weighted"), [(20, False), (7, True)])
def test_moments_equal_their_definition(kind: str, p: int, weighted: bool) -> None:
    world = random_world(0, n=200, p=p, n_tasks=3, n_classes=2, offset=3.0)
    X = torch.from_numpy(world.X).to(getattr(torch, kind))
    weights = np.random.default_rng(1).integers(0, 3, 200).astype(float) if weighted else None
    given = None if weights is None else torch.tensor(weights)
    y, task = torch.from_numpy(world.y), torch.from_numpy(world.task)
    groups = triton_groups.grouped(task, y, 3, 2, 16, given, span_rows=16)
    precision = torch.float64 if kind == "float64" else torch.float32
    reference = triton_sums.some_rows(X, groups, precision)
    found = triton_sums.cell_totals(X, groups, reference, given, None, SMALL)
    here = triton_sums.Packed.of(found.packed.numpy(), 6, p)
    counts, means, squares = naive_moments(doubles(X), world.y, world.task, weights)
    rtol = 1e-12 if kind == "float64" else 1e-5
    np.testing.assert_array_equal(here.weights, counts.reshape(-1))
    np.testing.assert_allclose(here.means, means.reshape(6, p), rtol=rtol, atol=rtol)
    np.testing.assert_allclose(here.squares, squares.reshape(6, p), rtol=rtol, atol=rtol)
    assert not here.lost.any()


def test_wide_rows_are_shared_by_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(triton_sums, "MOST_COLUMNS", 16)
    monkeypatch.setattr(triton_scores, "MOST_COLUMNS", 16)
    X = torch.from_numpy(np.random.default_rng(0).normal(size=(60, 37))).float()
    cells = torch.arange(60) % 3
    groups = triton_groups.grouped(cells, None, 3, 1, 16)
    reference = triton_sums.some_rows(X, groups, torch.float32)
    short = content_keys.short_factors(content_keys.PUBLIC, 37)
    assert short is not None
    factors = torch.from_numpy(short.multipliers[:, 0].astype(np.uint32).view(np.int32))
    found = triton_sums.cell_totals(X, groups, reference, None, factors, SMALL)
    products = X.numpy().view(np.uint32).astype(np.uint64) * short.multipliers[:, 0]
    np.testing.assert_array_equal(found.hashes.numpy().view(np.uint64), products.sum(axis=1))
    here = triton_sums.Packed.of(found.packed.numpy(), 3, 37)
    _, means, squares = naive_moments(doubles(X), np.zeros(60), cells.numpy())
    np.testing.assert_allclose(here.means, means[:, 0], rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(here.squares, squares[:, 0], rtol=1e-5)
    coef, intercept = np.random.default_rng(1).normal(size=(3, 2, 37)), np.ones((3, 2))
    rules = torch.from_numpy(coef), torch.from_numpy(intercept)
    scores = triton_scores.row_scores(X, cells, *rules, SMALL)
    expected = np.einsum("np,nsp->ns", doubles(X), coef[cells]) + 1.0
    np.testing.assert_allclose(scores.numpy(), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", ["float32", "bfloat16", "float64", "int32", "bool"])
@pytest.mark.parametrize("n_scores", [1, 3])
def test_scores_are_those_of_double_precision(kind: str, n_scores: int) -> None:
    """Also where features are far from zero, so that scores are small differences."""
    rng = np.random.default_rng(n_scores)
    X = torch.from_numpy(rng.normal(size=(90, 21)) + 1e4 * (kind != "bool")).to(
        getattr(torch, kind)
    )
    rules, coef = rng.integers(0, 5, 90), rng.normal(size=(5, n_scores, 21))
    intercept = -1e4 * coef.sum(axis=2)
    codes, *of_rules = (torch.from_numpy(part) for part in (rules, coef, intercept))
    found = triton_scores.row_scores(X, codes, of_rules[0], of_rules[1], SMALL).numpy()
    expected = paired_scores(doubles(X), rules, coef, intercept)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


@pytest.fixture
def as_if_cuda(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tensors of the CPU go the way of those on a device."""
    for module in (moments, device_scores):
        monkeypatch.setattr(module, "has_kernels", lambda X: True)


def on_device(X: Any, y: Any, task: Any, weights: Any = None) -> CheckedRows:
    columns: list[Any] = [DeviceColumn(torch.tensor(column)) for column in (y, task)]
    columns.append(None if weights is None else DeviceColumn(torch.tensor(weights)))
    return CheckedRows(DeviceRows(X), *columns)


@pytest.mark.usefixtures("as_if_cuda")
def test_frequent_rows_are_those_of_the_cpu() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 18)).astype(np.float32)
    X[rng.uniform(size=400) < 0.5] = 1.0
    y, task = rng.integers(0, 2, 400), rng.integers(0, 2, 400)
    here = Statistics.from_checked(CheckedRows(X, y, task), 20).sample
    found = Statistics.from_checked(on_device(torch.from_numpy(X), y, task), 20).sample
    assert here is not None
    assert found is not None
    assert here.is_frequent.sum() >= 2
    for name in ("keys", "cells", "weights", "rows", "is_frequent"):
        np.testing.assert_array_equal(getattr(found, name), getattr(here, name))
    for ours, theirs in zip(found.strata, here.strata, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.usefixtures("as_if_cuda")
@pytest.mark.parametrize("kind", ["float32", "float64", "bfloat16", "int32", "bool"])
@pytest.mark.parametrize("weighted", [False, True])
def test_statistics_and_sampled_rows_equal_those_of_the_cpu(kind: str, weighted: bool) -> None:
    """Ids have gaps, and rows of weight zero are not looked at."""
    world = random_world(2, n=250, p=18, n_tasks=2, n_classes=2, offset=2.0)
    X = torch.from_numpy(world.X).to(getattr(torch, kind))
    y, task, weights = 2 * world.y - 3, 3 * world.task, None
    if weighted:
        weights = np.random.default_rng(0).integers(0, 3, 250).astype(float)
        if X.is_floating_point():
            X[torch.tensor(weights == 0)] = torch.nan
    here = Statistics.from_checked(CheckedRows(doubles(X), y, task, weights), 20)
    rows = on_device(X, y, task, weights)
    found = Statistics.from_checked(rows, 20)
    assert rows.features.passed.hashes is not None
    for name in ("tasks", "classes", "counts"):
        np.testing.assert_array_equal(getattr(found.moments, name), getattr(here.moments, name))
    for name in ("means", "squares"):
        theirs = getattr(here.moments, name)
        np.testing.assert_allclose(getattr(found.moments, name), theirs, rtol=1e-5, atol=1e-5)
    for name in ("keys", "cells", "weights", "rows"):
        np.testing.assert_array_equal(getattr(found.sample, name), getattr(here.sample, name))


@pytest.mark.usefixtures("as_if_cuda")
def test_an_outlier_as_reference_costs_a_second_pass() -> None:
    X = np.random.default_rng(0).normal(size=(200, 3)).astype(np.float32)
    X[[0, -1]] = 1e6
    zeros = np.zeros(200, dtype=int)
    here = Statistics.from_checked(CheckedRows(X, zeros, zeros), 0).moments
    found = Statistics.from_checked(on_device(torch.from_numpy(X), zeros, zeros), 0).moments
    np.testing.assert_allclose(found.means, here.means, rtol=1e-12)
    np.testing.assert_allclose(found.squares, here.squares, rtol=1e-9)


@pytest.mark.usefixtures("as_if_cuda")
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_and_infinity_are_named(bad: float) -> None:
    X = torch.ones((50, 5))
    X[[3, 40], 2] = bad
    zeros = np.zeros(50, dtype=int)
    refused = pytest.raises(ValueError, match="in column 2, in 2 of 50 rows")
    with refused, np.errstate(invalid="ignore"):  # the interpreter is NumPy
        Statistics.from_checked(on_device(X, zeros, zeros), 0)


@pytest.mark.usefixtures("as_if_cuda")
def test_views_with_strides() -> None:
    X = torch.from_numpy(np.random.default_rng(0).normal(size=(80, 24)))
    rules, coef = np.arange(80) % 3, np.random.default_rng(1).normal(size=(3, 1, 12))
    for view in (X[:, 6:18], X[::2, ::2], X[:12, :].T):
        codes = rules[: len(view)]
        here = paired_scores(view.numpy(), codes, coef, np.zeros((3, 1)))
        found: Any = paired_scores(
            DeviceRows(view), torch.from_numpy(codes), coef, np.zeros((3, 1))
        )
        np.testing.assert_allclose(found.numpy(), here, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("width", [1, 7, 16, 512, 1000, 1024, 1500, 5000])
def test_blocks_of_columns_cover_a_row(width: int) -> None:
    n_columns, n_blocks = column_blocks(width, 1024)
    assert n_columns & (n_columns - 1) == 0
    assert (n_blocks - 1) * n_columns < width <= n_blocks * n_columns
    assert width % common_factor(width, 3 * width) == 0
