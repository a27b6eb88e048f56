"""Linear algebra of a fit on half of the cores: on all of them, its many small steps wait.

With 16 cores, fits take 1.1 to 5 times as long on all of them as on eight, and where other programs
use cores too, far longer.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import RLock
from typing import Any

from joblib import cpu_count
from threadpoolctl import ThreadpoolController


class _Fits:
    """Those that run now: the first one takes threads away, the last one gives them back."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """As in the child of a fork, where fits of other threads do not go on."""
        self.lock, self.running = RLock(), 0
        self.before: list[tuple[Any, int]] = []

    def begin(self) -> None:
        with self.lock:
            if self.running == 0:
                self.before = [(library, library.num_threads) for library in _libraries()]
                for library, n_threads in self.before:
                    if n_threads > half_of_the_cores():
                        library.set_num_threads(half_of_the_cores())
            self.running += 1

    def end(self) -> None:
        with self.lock:
            self.running = max(0, self.running - 1)  # 0 where a fork came in between
            if self.running == 0:
                for library, n_threads in self.before:
                    if library.num_threads != n_threads:
                        library.set_num_threads(n_threads)


_fits = _Fits()


@contextmanager
def on_half_of_the_cores() -> Iterator[None]:
    """Never on more threads than before: whoever allows one thread gets one."""
    _fits.begin()
    try:
        yield
    finally:
        _fits.end()


@cache
def half_of_the_cores() -> int:
    """Of those that this process may use."""
    return max(1, int(cpu_count()) // 2)


@cache
def _libraries() -> list[Any]:
    return list(ThreadpoolController().select(user_api="blas").lib_controllers)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_fits.forget)
