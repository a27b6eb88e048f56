"""Properties that are computed once: for each instance, and without waiting for another."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

from kinspan._rows.once import computed_once


class Slow:
    def __init__(self, may_go_on: Event) -> None:
        self.may_go_on, self.started, self.calls = may_go_on, Event(), 0

    @computed_once
    def value(self) -> int:
        """The answer."""
        self.calls += 1
        self.started.set()
        assert self.may_go_on.wait(60)
        return self.calls


def test_a_value_is_computed_once() -> None:
    go = Event()
    go.set()
    slow = Slow(go)
    assert (slow.value, slow.value, slow.calls) == (1, 1, 1)
    assert Slow.value.__doc__ == "The answer."


def test_nobody_waits_for_the_value_of_another() -> None:
    """As a fit in one thread would, or a process that was forked during one."""
    blocked, free = Slow(Event()), Slow(Event())
    free.may_go_on.set()
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(lambda: blocked.value)
        assert blocked.started.wait(60)
        assert pool.submit(lambda: free.value).result(60) == 1
        blocked.may_go_on.set()
        assert first.result(60) == 1
