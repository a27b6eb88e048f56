"""How kernels cut rows into tiles: this affects their speed, never their results."""

from __future__ import annotations

from typing import NamedTuple


class Layout(NamedTuple):
    """The work of one program of a kernel."""

    tile: int  # numbers held at a time, in single precision; half of them in double
    chunk_rows: int  # rows of one cell in all, which single precision may add up
    n_warps: int
    n_stages: int  # tiles that are loaded ahead, and one


# The fastest on an H200, 10⁷ × 512, by the bytes of a number of X. A row in half precision is too
# short for four warps: tiles would be rearranged before they are added up, which took three times
# as long. One in double precision fills the registers of one warp with a quarter of the rows. Tiles
# are loaded ahead: hashes hide behind that, and sums in double precision.
SUMS = {2: Layout(2048, 512, 1, 3), 4: Layout(4096, 1024, 2, 2), 8: Layout(2048, 256, 1, 2)}
# Scores are sums along rows: one warp needs no other to add them up, whatever X is.
SCORES = Layout(2048, 1024, 1, 1)
MOST_COLUMNS = 1024  # of a tile; wider rows are read in several


def layout_of(layouts: dict[int, Layout], item_bytes: int) -> Layout:
    """The layout for numbers of some size; single bytes have that of pairs."""
    return layouts[max(item_bytes, 2)]


def column_blocks(width: int, most: int) -> tuple[int, int]:
    """Columns of a tile, a power of two, and the number of tiles of a row."""
    if width <= most:
        return 1 << (width - 1).bit_length(), 1
    n_columns = min((most, most // 2, most // 4), key=lambda c: -(-width // c) * c)
    return n_columns, -(-width // n_columns)


def common_factor(width: int, stride: int) -> int:
    """The largest of 16, 8, 4, 2, 1 that divides both: loads can be as wide."""
    return next(unit for unit in (16, 8, 4, 2, 1) if width % unit == 0 and stride % unit == 0)
