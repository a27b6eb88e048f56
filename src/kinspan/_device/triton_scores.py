"""Scores of rows by the rule of their own task in one reading of X, on a CUDA device.

Rows are grouped by rule (`triton_groups`), so that the coefficients of a rule are read once for
many rows. Products are added in double precision: scores are small differences of large numbers
where features are far from zero, and the device has time for it while it waits for X.
"""
# mypy: disable-error-code="import-not-found, no-untyped-def, untyped-decorator, no-untyped-call"

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl

from kinspan._device.tiles import (
    MOST_COLUMNS,
    SCORES,
    Layout,
    column_blocks,
    common_factor,
)
from kinspan._device.triton_groups import grouped, readable


@triton.jit(do_not_specialize=("n_chunks", "width", "stride"))
def _chunk_scores(
    X, order, chunks, coef, intercept, scores, n_chunks, width, stride,
    UNIT: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, BLOCKS: tl.constexpr,
    EVEN: tl.constexpr, N_SCORES: tl.constexpr, KINDS: tl.constexpr, STAGES: tl.constexpr,
):  # fmt: skip
    """All scores of the rows of one chunk, which share their rule."""
    chunk = tl.program_id(0)
    first, last = tl.load(chunks + chunk), tl.load(chunks + n_chunks + chunk)
    if first >= last:
        return
    width *= UNIT  # known to be a multiple: loads are as wide as they can be
    stride *= UNIT
    rule = tl.load(chunks + 2 * n_chunks + chunk)
    lanes = tl.arange(0, ROWS)
    kinds = tl.arange(0, KINDS)[None, :]
    start_scores = tl.load(intercept + rule * N_SCORES + kinds, mask=kinds < N_SCORES, other=0.0)
    for start in tl.range(first, last, ROWS, num_stages=STAGES):
        there = start + lanes < last
        rows = tl.load(order + start + lanes, mask=there, other=0)
        found = tl.broadcast_to(start_scores, (ROWS, KINDS))
        for block in range(BLOCKS):
            columns = block * COLUMNS + tl.arange(0, COLUMNS)
            inside = columns < width
            is_read = there[:, None] if EVEN else there[:, None] & inside[None, :]
            at = X + rows[:, None] * stride + columns[None, :]
            x = tl.load(at, mask=is_read, other=0.0).to(tl.float64)
            for kind in range(N_SCORES):
                to = coef + (rule * N_SCORES + kind) * width + columns
                w = tl.load(to) if EVEN else tl.load(to, mask=inside, other=0.0)
                score = tl.sum(x * w[None, :], axis=1)[:, None]
                found += score if N_SCORES == 1 else tl.where(kinds == kind, score, 0.0)
        to = scores + rows[:, None] * N_SCORES + kinds
        tl.store(to, found, mask=there[:, None] & (kinds < N_SCORES))


def row_scores(X: Any, rules: Any, coef: Any, intercept: Any, layout: Layout | None = None) -> Any:
    """(rows, scores) of rows with the rules that codes choose.

    coef is (rules, scores, features), intercept (rules, scores); both are double.
    """
    X = readable(X)
    layout = SCORES if layout is None else layout
    n_rules, n_scores, width = coef.shape
    n_columns, n_blocks = column_blocks(width, MOST_COLUMNS)
    n_rows = layout.tile // n_columns // (1 if n_scores == 1 else 2)  # of a tile
    unit = common_factor(width, X.stride(0))
    scores = torch.empty((len(X), n_scores), dtype=torch.float64, device=X.device)
    with torch.cuda.device_of(X):
        groups = grouped(rules, None, n_rules, 1, layout.chunk_rows)
        _chunk_scores[(groups.n_chunks,)](
            X, groups.order, groups.chunks, coef.contiguous(), intercept.contiguous(), scores,
            groups.n_chunks, width // unit, X.stride(0) // unit,
            UNIT=unit, ROWS=max(n_rows, 1), COLUMNS=n_columns, BLOCKS=n_blocks,
            EVEN=width == n_columns * n_blocks, N_SCORES=n_scores,
            KINDS=triton.next_power_of_2(n_scores), STAGES=layout.n_stages,
            num_warps=layout.n_warps,
        )  # fmt: skip
    return scores
