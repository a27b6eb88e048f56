"""Bars for long work: on request or, by default, in terminals where tqdm is installed."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable
from importlib import import_module
from typing import Any, TypeVar

from kinspan._validation.parameters import check_choice

_DELAY = 2  # seconds before a bar that nobody asked for appears

Step = TypeVar("Step")


def is_shown(progress: Any) -> bool:
    """Whether to draw a bar: on request or, by default, in a terminal if tqdm is installed."""
    check_choice("progress", progress, ("auto", True, False))
    if progress == "auto":
        return sys.stderr is not None and sys.stderr.isatty() and tqdm_if_here() is not None
    if progress and tqdm_if_here() is None:
        raise ImportError(
            "progress=True draws a bar with tqdm, which is not installed; run "
            "`pip install 'kinspan[progress]'` or use progress=False"
        )
    return bool(progress)


def steps(of: Collection[Step], name: str, *, progress: Any = "auto") -> Iterable[Step]:
    """One step after the other; the bar of work that turns out to be long goes away at its end."""
    if not is_shown(progress):
        return of
    unasked = {"delay": _DELAY, "leave": False} if progress == "auto" else {}
    bar: Iterable[Step] = tqdm_if_here()(of, desc=name, **unasked)
    return bar


def tqdm_if_here() -> Any:
    """The class of bars that suits terminals and notebooks; None where it is not installed."""
    try:
        return import_module("tqdm.auto").tqdm
    except ImportError:
        return None
