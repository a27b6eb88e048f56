"""Rows of X grouped by cell within spans of nearby rows, and cut into chunks of one cell each.

Spans keep the programs that run at a time in one part of the memory. Nothing here waits for the
device: chunks are counted by their largest possible number, and those that do not exist are empty.
A launch costs as much as reading fifty megabytes, so that all tables come from five of them.
"""
# mypy: disable-error-code="import-not-found, no-untyped-def, untyped-decorator"

from __future__ import annotations

from typing import Any, NamedTuple

import torch
import triton
import triton.language as tl

_SPAN_ROWS = 8192  # rows of a cell in a span, about
_BLOCK = 128


class Groups(NamedTuple):
    """Row numbers sorted by span, cell and position; chunks are runs of them of one cell."""

    order: Any  # (rows,)
    cells: Any  # (2, cells): number of rows of every cell, and one after the place of its last row
    chunks: Any  # (4, chunks): first place, place after the last, cell, and slot among all chunks
    ends: Any  # (cells × spans,): slots after those of every cell and span; cells come first
    n_spans: int

    @property
    def n_cells(self) -> int:
        """Number of cells."""
        return int(self.cells.shape[1])

    @property
    def n_chunks(self) -> int:
        """Their largest possible number."""
        return int(self.chunks.shape[1])


_NUMBERS = (
    "n_rows", "lowest_task", "lowest_class", "n_classes", "n_cells", "span_rows", "n_groups",
)  # fmt: skip


@triton.jit(do_not_specialize=_NUMBERS)
def _group_keys(
    tasks, classes, weights, keys,
    n_rows, lowest_task, lowest_class, n_classes, n_cells, span_rows, n_groups,
    CLASSED: tl.constexpr, WEIGHTED: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Span times the number of cells, plus the cell; rows of weight zero come after all others."""
    rows = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    there = rows < n_rows
    cell = tl.load(tasks + rows, mask=there, other=0).to(tl.int64) - lowest_task
    if CLASSED:
        label = tl.load(classes + rows, mask=there, other=0).to(tl.int64) - lowest_class
        cell = cell * n_classes + label
    key = rows // span_rows * n_cells + cell
    if WEIGHTED:
        weight = tl.load(weights + rows, mask=there, other=0.0)
        key = tl.where(weight > 0, key, n_groups)
    tl.store(keys + rows, key, mask=there)


@triton.jit
def _places(values, wanted, n_values, n_steps):
    """The first place of sorted values that is not below the wanted ones, by bisection."""
    low = tl.zeros_like(wanted)
    high = low + n_values
    for _ in range(n_steps):
        middle = (low + high) // 2
        is_open = low < high
        value = tl.load(values + middle, mask=is_open, other=0)
        is_right = is_open & (value < wanted)
        low = tl.where(is_right, middle + 1, low)
        high = tl.where(is_open & (value >= wanted), middle, high)
    return low


_SIZES = ("n_rows", "n_steps", "n_groups", "n_cells", "n_spans", "chunk_rows", "n_chunks")


@triton.jit(do_not_specialize=_SIZES)
def _group_table(
    keys, starts, pieces, cells, n_rows, n_steps, n_groups, n_cells, n_spans, chunk_rows,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """Where groups begin, and into how many pieces they are cut, by span and by cell."""
    group = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    there = group < n_groups
    start, stop = _places(keys, group, n_rows, n_steps), _places(keys, group + 1, n_rows, n_steps)
    tl.store(starts + group, start, mask=there)
    tl.store(starts + group + 1, stop, mask=group == n_groups - 1)
    n_pieces = (stop - start + chunk_rows - 1) // chunk_rows
    cell = group % n_cells
    tl.store(pieces + group, n_pieces, mask=there)
    tl.store(pieces + n_groups + cell * n_spans + group // n_cells, n_pieces, mask=there)
    tl.atomic_add(cells + cell, stop - start, mask=there)
    tl.atomic_max(cells + n_cells + cell, stop, mask=there & (stop > start))


@triton.jit(do_not_specialize=_SIZES)
def _cut(starts, ends, chunks, n_steps, n_groups, n_cells, n_spans, n_chunks, BLOCK: tl.constexpr):
    """Groups cut evenly into their pieces."""
    chunk = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    there = chunk < n_chunks
    group = _places(ends, chunk + 1, n_groups, n_steps)
    exists = there & (group < n_groups)
    before = tl.load(ends + group - 1, mask=exists & (group > 0), other=0)
    of = tl.load(ends + group, mask=exists, other=1) - before
    start = tl.load(starts + group, mask=exists, other=0)
    size = tl.load(starts + group + 1, mask=exists, other=0) - start
    piece, cell = chunk - before, group % n_cells
    slots_end = tl.load(ends + n_groups + cell * n_spans + group // n_cells, mask=exists, other=0)
    first, last = start + piece * size // of, start + (piece + 1) * size // of
    tl.store(chunks + chunk, tl.where(exists, first, 0), mask=there)
    tl.store(chunks + n_chunks + chunk, tl.where(exists, last, 0), mask=there)
    tl.store(chunks + 2 * n_chunks + chunk, cell, mask=there)
    tl.store(chunks + 3 * n_chunks + chunk, slots_end - of + piece, mask=there)


def grouped(
    tasks: Any,
    classes: Any,
    n_tasks: int,
    n_classes: int,
    chunk_rows: int,
    weights: Any = None,
    lowest: tuple[int, int] = (0, 0),
    span_rows: int = _SPAN_ROWS,
) -> Groups:
    """Groups of rows; the cell of a row is (task − lowest) · n_classes + class − lowest.

    Without classes, tasks are cells. Rows of weight zero are in none.
    """
    n_rows, n_cells = len(tasks), n_tasks * n_classes
    n_spans = max(1, n_rows // (n_cells * span_rows))
    n_groups = n_spans * n_cells
    keys = _sorted_keys(tasks, classes, weights, n_rows, n_classes, n_cells, n_spans, lowest)
    new = {"dtype": torch.int64, "device": tasks.device}
    starts, pieces = torch.empty(n_groups + 1, **new), torch.empty((2, n_groups), **new)
    cells = torch.zeros((2, n_cells), **new)
    _group_table[(triton.cdiv(n_groups, _BLOCK),)](
        keys.values, starts, pieces, cells,
        n_rows, n_rows.bit_length(), n_groups, n_cells, n_spans, chunk_rows, BLOCK=_BLOCK,
    )  # fmt: skip
    ends = pieces.cumsum(1)
    n_chunks = n_rows // chunk_rows + n_groups
    chunks = torch.empty((4, n_chunks), **new)
    _cut[(triton.cdiv(n_chunks, _BLOCK),)](
        starts, ends, chunks, n_groups.bit_length(), n_groups, n_cells, n_spans, n_chunks,
        BLOCK=_BLOCK,
    )  # fmt: skip
    return Groups(keys.indices, cells, chunks, ends[1], n_spans)


def _sorted_keys(
    tasks: Any,
    classes: Any,
    weights: Any,
    n_rows: int,
    n_classes: int,
    n_cells: int,
    n_spans: int,
    lowest: tuple[int, int],
) -> Any:
    """Keys of rows in order, and the rows; short keys are sorted twice as fast."""
    n_groups = n_spans * n_cells
    kind = torch.int16 if n_groups < 2**15 else torch.int32
    keys = torch.empty(n_rows, dtype=kind, device=tasks.device)
    columns = [tasks if column is None else column for column in (tasks, classes, weights)]
    _group_keys[(triton.cdiv(n_rows, 1024),)](
        *(column.contiguous() for column in columns), keys,
        n_rows, *lowest, n_classes, n_cells, triton.cdiv(n_rows, n_spans), n_groups,
        CLASSED=classes is not None, WEIGHTED=weights is not None, BLOCK=1024,
    )  # fmt: skip
    return torch.sort(keys, stable=True)


def readable(X: Any) -> Any:
    """X as kernels read it: numbers, and neighbouring columns side by side."""
    X = X.view(torch.uint8) if X.dtype == torch.bool else X
    return X if X.stride(1) == 1 or X.shape[1] == 1 else X.contiguous()
