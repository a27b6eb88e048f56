"""Blocks of rows: every row once, in order, and no block too large."""

from __future__ import annotations

import pytest

from kinspan._rows.blocks import blocks


@pytest.mark.parametrize("n", [0, 1, 1000, 5000])
@pytest.mark.parametrize("width", [0, 100, 10_000_000])
@pytest.mark.parametrize("least", [1, 900])
def test_every_row_is_in_one_block(n: int, width: int, least: int) -> None:
    found = blocks(n, width, least)
    assert [row for block in found for row in range(block.start, block.stop)] == list(range(n))
    sizes = [block.stop - block.start for block in found]
    assert all(size <= least or size * width <= 1 << 17 for size in sizes)
    assert all(size >= least for size in sizes[:-1])
