"""A progress bar that counts rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kinspan._progress.bars import tqdm_if_here
from kinspan.tables.tally import Advance


@contextmanager
def rows_bar(shown: bool, n_rows: int | None) -> Iterator[Advance]:
    """A bar with rows and rows per second."""
    if not shown:
        yield lambda n: None
        return
    with tqdm_if_here()(total=n_rows, unit=" rows", unit_scale=True, desc="reading") as bar:
        yield bar.update
