"""Spans of rows that a few threads share, with results in the order of the rows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def in_order(work: Any, starts: range, least: int = 1) -> Iterator[Any]:
    """Results of the spans in their order, by a few threads at a time, of so many spans at least.

    Starting a thread takes as long as a small span.
    """
    n_threads = min(os.cpu_count() or 1, len(starts) // least, 4)
    if n_threads <= 1:
        yield from map(work, starts)
        return
    with ThreadPoolExecutor(n_threads) as pool:
        for i in range(0, len(starts), 4 * n_threads):
            yield from pool.map(work, starts[i : i + 4 * n_threads])
