"""One thread at a time learns with a model, and questions see a model that nobody changes.

Locks lie beside models and not in them: models are copied, cloned and pickled as before.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, RLock
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from kinspan._validation import unchanged_on_error

Model = TypeVar("Model")
_locks: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
_finding = Lock()


def lock_of(model: Any) -> Any:
    """The lock of a model, which its owner may take again."""
    with _finding:
        return _locks.setdefault(model, RLock())


@contextmanager
def learning(model: Any) -> Iterator[None]:
    """While a model learns no other thread does, and an error leaves it as it was."""
    with lock_of(model), unchanged_on_error(model):
        yield


def still(model: Model) -> Model:
    """The model as it is now: what it learns later does not change this."""
    now = object.__new__(type(model))
    with lock_of(model):
        vars(now).update(vars(model))
    return now


def _forget_locks() -> None:
    """A thread that held a lock does not live on in the child of a fork."""
    global _locks, _finding
    _locks, _finding = WeakKeyDictionary(), Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_locks)
