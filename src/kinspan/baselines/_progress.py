"""Number of steps → the steps, with a progress bar if wanted."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module


def steps(n_steps: int, name: str, *, progress: bool) -> Iterable[int]:
    """0, 1, … with a bar of tqdm where progress is true; tqdm is imported only then."""
    if not progress:
        return range(n_steps)
    try:
        tqdm = import_module("tqdm.auto").tqdm
    except ImportError:
        raise ImportError(
            "progress=True draws a bar with tqdm, which is not installed; run `pip install tqdm` "
            "or use progress=False"
        ) from None
    bar: Iterable[int] = tqdm(range(n_steps), desc=name)
    return bar
