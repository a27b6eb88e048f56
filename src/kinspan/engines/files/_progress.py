"""A progress bar that counts rows, shown in terminals."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from kinspan._validation.parameters import check_choice
from kinspan.tables.tally import Advance


def is_shown(progress: Any) -> bool:
    """Whether to draw a bar: on request or, by default, in a terminal if tqdm is installed."""
    check_choice("progress", progress, ("auto", True, False))
    if progress == "auto":
        return sys.stderr is not None and sys.stderr.isatty() and _tqdm() is not None
    if progress and _tqdm() is None:
        raise ImportError(
            "progress=True draws a bar with tqdm, which is not installed; run "
            "`pip install 'kinspan[progress]'` or use progress=False"
        )
    return bool(progress)


@contextmanager
def rows_bar(shown: bool, n_rows: int | None) -> Iterator[Advance]:
    """A bar with rows and rows per second."""
    if not shown:
        yield lambda n: None
        return
    with _tqdm()(total=n_rows, unit=" rows", unit_scale=True, desc="reading") as bar:
        yield bar.update


def _tqdm() -> Any:
    try:
        return import_module("tqdm.auto").tqdm
    except ImportError:
        return None
