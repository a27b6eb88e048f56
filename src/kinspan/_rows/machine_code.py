"""Machine code of numba, where it is installed: the extra `kinspan[fast]`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

# Numbers in X from which numba is used: loading takes a third of a second and saves 14 of the 22 ms
# of the moments of this many numbers and 20 of the 26 ms of their keys, so that ten fits repay it.
MANY_NUMBERS = 1 << 25
_SO_FAR: Counter[str] = Counter()  # numbers that came, for every module

_Function = TypeVar("_Function", bound=Callable[..., Any])


def module_for(n_numbers: int, name: str) -> Any:
    """A module of functions for so many numbers; None where they are few, or without numba."""
    return None if n_numbers < MANY_NUMBERS else _module(name)


def module_after(n_numbers: int, name: str) -> Any:
    """The same where results are equal to the bit: many small arrays are as one large one."""
    _SO_FAR[name] += n_numbers
    return module_for(_SO_FAR[name], name)


@cache
def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        return None


def compiled(function: _Function) -> _Function:
    """Machine code that lets other threads run, kept on disk where that can be written to."""
    njit: Any = import_module("numba").njit
    found: _Function
    try:
        found = njit(nogil=True, cache=True)(function)
    except RuntimeError:
        found = njit(nogil=True)(function)
    return found
