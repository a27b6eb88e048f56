"""Many rows in blocks, so that what is computed from them on the way stays small."""

from __future__ import annotations

_NUMBERS = 1 << 17  # in a block: they stay in the cache


def blocks(n: int, width: int, least: int = 1) -> list[slice]:
    """Slices of n rows with `width` numbers each, of at least some rows."""
    size = max(least, _NUMBERS // max(width, 1))
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]
