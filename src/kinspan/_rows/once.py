"""A property that is computed on first use and then kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class computed_once(Generic[Value]):  # noqa: N801  # used like a function, as a decorator
    """`functools.cached_property` without a lock.

    Up to Python 3.11 that lock is one for all instances: threads would wait for each other's fits,
    and a process that is forked during one would wait for ever. Computing twice does no harm.
    """

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self.compute, self.__doc__ = compute, compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Value:
        if instance is None:
            return self  # type: ignore[return-value]  # asked of the class, as by help()
        value = instance.__dict__[self.name] = self.compute(instance)
        return value
