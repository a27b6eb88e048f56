"""Moments of every cell in one reading of X, on a CUDA device.

One program reads the rows of a chunk (`triton_groups`) where they lie, takes deviations from a row
of the cell, and adds them up in registers: sums, squares and, for the sample of rows, their content
hash. Sums of chunks are then added in double precision, always in the same order: results do not
change from run to run. All results for the CPU lie in one tensor.

Nothing here waits for the device.
"""
# mypy: disable-error-code="import-not-found, no-untyped-def, untyped-decorator"

from __future__ import annotations

from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl

from kinspan._device.tiles import (
    MOST_COLUMNS,
    SUMS,
    Layout,
    column_blocks,
    common_factor,
    layout_of,
)
from kinspan._device.triton_groups import Groups
from kinspan._rows.sums import losable, whole_square

_COLUMNS = 64  # of a program that adds up chunks


class CellTotals(NamedTuple):
    """Moments of all cells, in double precision, on the device."""

    packed: Any  # (numbers,): see `Packed`
    hashes: Any  # (rows,): 64 bits of every row, zero for those of weight zero; or None


class Packed(NamedTuple):
    """Parts of the numbers that the CPU gets in one copy."""

    means: Any  # (cells, features), zero where a cell is empty
    squares: Any  # (cells, features) Σ w (x − mean)²
    weights: Any  # (cells,): sums of the weights, or numbers of rows
    n_rows: Any  # (cells,)
    lost: Any  # (cells × blocks of columns,): how many columns were too far from the reference

    @classmethod
    def of(cls, packed: Any, n_cells: int, width: int) -> Packed:
        """Views of the numbers."""
        size = n_cells * width
        means, squares = (packed[i * size : (i + 1) * size].reshape(n_cells, -1) for i in (0, 1))
        rest = packed[2 * size :]
        return cls(means, squares, rest[:n_cells], rest[n_cells : 2 * n_cells], rest[2 * n_cells :])


@triton.jit
def _added(
    at, weights, hashes, rows, there, inside, around, multiplier, of_rest, sums, squares, total,
    EVEN: tl.constexpr, WEIGHTED: tl.constexpr, HASHED: tl.constexpr, TWICE: tl.constexpr,
    SHARED: tl.constexpr, MASKED: tl.constexpr,
):  # fmt: skip
    """A tile of rows added to sums, squares and the total weight."""
    if MASKED:
        x = tl.load(at, mask=there[:, None] & inside[None, :], other=0.0)
    else:
        x = tl.load(at) if EVEN else tl.load(at, mask=inside[None, :], other=0.0)
    deviations = x.to(around.dtype) - around[None, :]
    if MASKED:
        deviations = tl.where(there[:, None], deviations, 0.0)
    weighted = deviations
    if WEIGHTED:
        w = tl.load(weights + rows, mask=there, other=0.0)
        total += tl.sum(w, axis=0)
        weighted = deviations * w.to(deviations.dtype)[:, None]
    sums += tl.sum(weighted, axis=0)
    squares += tl.sum(weighted * deviations, axis=0)
    if HASHED:
        single = x.to(tl.float32) + 0.0
        words = single.to(tl.uint32, bitcast=True)
        products = words.to(tl.uint64) * multiplier.to(tl.uint64)[None, :]
        if TWICE:  # what numbers have beyond single precision, where that is finite
            rest = x - single.to(x.dtype)
            rest = tl.where(tl.abs(rest) < float("inf"), rest, 0.0).to(tl.float32) + 0.0
            more = rest.to(tl.uint32, bitcast=True).to(tl.uint64)
            products += more * of_rest.to(tl.uint64)[None, :]
        found = tl.sum(products, axis=1).to(tl.int64, bitcast=True)
        if SHARED:
            tl.atomic_add(hashes + rows, found, mask=there, sem="relaxed")
        else:
            tl.store(hashes + rows, found, mask=there)
    return sums, squares, total


@triton.jit(do_not_specialize=("n_chunks", "width", "stride"))
def _chunk_sums(
    X, order, reference, weights, multipliers, chunks, parts, part_weights, hashes,
    n_chunks, width, stride,
    UNIT: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, EVEN: tl.constexpr,
    WEIGHTED: tl.constexpr, HASHED: tl.constexpr, TWICE: tl.constexpr, SHARED: tl.constexpr,
    STAGES: tl.constexpr,
):  # fmt: skip
    """Sums, squares and hashes of the rows of one chunk, in one block of columns."""
    chunk = chunks + tl.program_id(0)
    first, last = tl.load(chunk), tl.load(chunk + n_chunks)
    if first >= last:
        return
    width *= UNIT  # known to be a multiple: loads are as wide as they can be
    stride *= UNIT
    columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    inside = columns < width
    cell, slot = tl.load(chunk + 2 * n_chunks), tl.load(chunk + 3 * n_chunks)
    around = tl.load(reference + cell * width + columns, mask=inside, other=0.0)
    factors = tl.load(multipliers + columns, mask=inside, other=0) if HASHED else columns
    multiplier = factors.to(tl.uint32, bitcast=True)
    others = tl.load(multipliers + width + columns, mask=inside, other=0) if TWICE else columns
    of_rest = others.to(tl.uint32, bitcast=True)
    sums, squares = tl.zeros_like(around), tl.zeros_like(around)
    total, lanes = tl.zeros([], dtype=tl.float64), tl.arange(0, ROWS)
    whole = first + (last - first) // ROWS * ROWS
    for start in tl.range(first, whole, ROWS, num_stages=STAGES):
        rows = tl.load(order + start + lanes)
        sums, squares, total = _added(
            X + rows[:, None] * stride + columns[None, :], weights, hashes, rows, lanes < ROWS,
            inside, around, multiplier, of_rest, sums, squares, total,
            EVEN, WEIGHTED, HASHED, TWICE, SHARED, False,
        )  # fmt: skip
    if whole < last:
        rows = tl.load(order + whole + lanes, mask=whole + lanes < last, other=0)
        sums, squares, total = _added(
            X + rows[:, None] * stride + columns[None, :], weights, hashes, rows,
            whole + lanes < last,
            inside, around, multiplier, of_rest, sums, squares, total,
            EVEN, WEIGHTED, HASHED, TWICE, SHARED, True,
        )  # fmt: skip
    to = parts + slot * 2 * width + columns
    tl.store(to, sums, mask=inside)
    tl.store(to + width, squares, mask=inside)
    if WEIGHTED and tl.program_id(1) == 0:
        tl.store(part_weights + slot, total)


@triton.jit(do_not_specialize=("width", "n_cells", "n_spans"))
def _moments(
    parts, part_weights, reference, ends, cells, packed, width, n_cells, n_spans,
    LOSABLE: tl.constexpr, LEAST: tl.constexpr, WEIGHTED: tl.constexpr, ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
):  # fmt: skip
    """Parts of every cell, which lie together, added up in double precision, and its moments."""
    cell = tl.program_id(0).to(tl.int64)
    last = tl.load(ends + (cell + 1) * n_spans - 1)
    first = tl.load(ends + cell * n_spans - 1, mask=cell > 0, other=0)
    columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    inside = columns < width
    lanes = tl.arange(0, ROWS)
    sums = tl.zeros([ROWS, COLUMNS], dtype=tl.float64)
    squares = tl.zeros([ROWS, COLUMNS], dtype=tl.float64)
    weights = tl.zeros([ROWS], dtype=tl.float64)
    for start in range(first, last, ROWS):
        places = start + lanes
        there = (places < last)[:, None] & inside[None, :]
        at = parts + places[:, None] * 2 * width + columns[None, :]
        sums += tl.load(at, mask=there, other=0.0).to(tl.float64)
        squares += tl.load(at + width, mask=there, other=0.0).to(tl.float64)
        if WEIGHTED:
            weights += tl.load(part_weights + places, mask=places < last, other=0.0)
    n_rows = tl.load(cells + cell).to(tl.float64)
    n = tl.sum(weights, axis=0) if WEIGHTED else n_rows
    total = tl.sum(sums, axis=0)
    step = total / tl.where(n > 0, n, 1.0)
    lost = total * step
    kept = tl.sum(squares, axis=0) - lost
    kept = tl.where(kept < 0, 0.0, kept)  # NaN stays
    around = tl.load(reference + cell * width + columns, mask=inside, other=0.0).to(tl.float64)
    whole = kept - LEAST * n
    whole = tl.where(whole < 0, 0.0, whole)
    is_safe = (lost <= LOSABLE * whole) & (kept < float("inf"))
    size = n_cells.to(tl.int64) * width
    tl.store(packed + cell * width + columns, around + step, mask=inside)
    tl.store(packed + size + cell * width + columns, kept, mask=inside)
    rest = packed + 2 * size
    tl.store(rest + cell, n)
    tl.store(rest + n_cells + cell, n_rows)
    n_lost = tl.sum(tl.where(is_safe, 0.0, 1.0), axis=0).to(tl.float64)
    block = cell * tl.num_programs(1) + tl.program_id(1)
    tl.store(rest + 2 * n_cells + block, n_lost)


@triton.jit(do_not_specialize=("width", "stride", "n_cells"))
def _some_rows(X, order, cells, rows, width, stride, n_cells, COLUMNS: tl.constexpr):
    """The last row of every cell, zero where there is none."""
    cell = tl.program_id(0).to(tl.int64)
    place = tl.load(cells + n_cells + cell) - 1
    columns = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    row = tl.load(order + tl.maximum(place, 0))
    there = columns < tl.where(place >= 0, width, 0)
    x = tl.load(X + row * stride + columns, mask=there, other=0.0)
    tl.store(rows + cell * width + columns, x.to(rows.dtype.element_ty), mask=columns < width)


def some_rows(X: Any, groups: Groups, precision: Any) -> Any:
    """(cells, features): a row of each cell in single or double precision."""
    n_cells, width = groups.n_cells, X.shape[1]
    rows = torch.empty((n_cells, width), dtype=precision, device=X.device)
    n_columns, n_blocks = column_blocks(width, MOST_COLUMNS)
    _some_rows[(n_cells, n_blocks)](
        X, groups.order, groups.cells, rows, width, X.stride(0), n_cells, COLUMNS=n_columns
    )
    return rows


def cell_totals(
    X: Any,
    groups: Groups,
    reference: Any,
    weights: Any = None,
    multipliers: Any = None,
    layout: Layout | None = None,
) -> CellTotals:
    """Moments of every cell from deviations from a reference.

    X is (rows, features) with neighbouring columns side by side, reference (cells, features) in
    single or double precision, which is that of the sums within a chunk. Multipliers, of 32 bits,
    ask for the hash of every row; as many again, of what numbers have beyond single precision.
    """
    layout = layout_of(SUMS, X.element_size()) if layout is None else layout
    is_double = reference.dtype == torch.float64  # takes twice the registers
    width, n_chunks = X.shape[1], groups.n_chunks
    n_columns, n_blocks = column_blocks(width, MOST_COLUMNS // (1 + is_double))
    new = {"device": X.device}
    parts = torch.empty((n_chunks, 2, width), dtype=reference.dtype, **new)
    part_weights = parts
    if weights is not None:
        part_weights = torch.empty(n_chunks, dtype=torch.float64, **new)
    hashes = None
    if multipliers is not None:
        hashes = torch.zeros(len(X), dtype=torch.int64, **new)
    unit = common_factor(width, X.stride(0))
    _chunk_sums[(n_chunks, n_blocks)](
        X, groups.order, reference, _or(weights, parts), _or(multipliers, parts),
        groups.chunks, parts, part_weights, _or(hashes, parts),
        n_chunks, width // unit, X.stride(0) // unit,
        UNIT=unit, ROWS=max(layout.tile // (1 + is_double) // n_columns, 1), COLUMNS=n_columns,
        EVEN=width == n_columns * n_blocks, WEIGHTED=weights is not None,
        HASHED=hashes is not None, TWICE=hashes is not None and len(multipliers) > width,
        SHARED=n_blocks > 1, STAGES=layout.n_stages, num_warps=layout.n_warps,
    )  # fmt: skip
    return CellTotals(_packed(parts, part_weights, reference, groups, weights is not None), hashes)


def _packed(parts: Any, part_weights: Any, reference: Any, groups: Groups, weighted: bool) -> Any:
    """Moments from the sums of chunks."""
    n_cells, width = reference.shape
    n_columns = min(_COLUMNS, triton.next_power_of_2(width))
    n_blocks = triton.cdiv(width, n_columns)
    size = n_cells * (2 * width + 2 + n_blocks)
    packed = torch.empty(size, dtype=torch.float64, device=parts.device)
    _moments[(n_cells, n_blocks)](
        parts, part_weights, reference, groups.ends, groups.cells, packed,
        width, n_cells, groups.n_spans,
        LOSABLE=losable(torch.finfo(reference.dtype).eps),
        LEAST=whole_square(torch.finfo(reference.dtype)), WEIGHTED=weighted,
        ROWS=32, COLUMNS=n_columns, num_warps=4,
    )  # fmt: skip
    return packed


def _or(tensor: Any, other: Any) -> Any:
    """Kernels need a pointer even for what they do not read."""
    return other if tensor is None else tensor
