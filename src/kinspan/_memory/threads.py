"""One thread at a time changes a model, and questions see a model that does not change meanwhile.

Learning works on a draft, whose attributes replace those of the model at the end, in one step:
whoever copies, pickles, saves or forks at any moment gets the model before or after it. Locks are
kept outside of models, so that these are copied, cloned and pickled like any other.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

Model = TypeVar("Model")
State = dict[str, Any]
_locks: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
_finding = RLock()  # the collector or a signal may ask for a lock while one is found


def lock_of(model: Any) -> Any:
    """The reentrant lock of a model or of what it has learnt."""
    with _finding:
        return _locks.setdefault(model, RLock())


@contextmanager
def learning(model: Model) -> Iterator[Model]:
    """A draft to learn with, which no other thread has and which an error discards."""
    with lock_of(model):
        draft = snapshot(model)
        before = dict(vars(draft))
        yield draft
        if vars(model).get("_learnt") is not before.get("_learnt"):  # one for every lesson
            raise RuntimeError(
                f"{type(model).__name__} learnt from other rows while it learnt from these, in a "
                "signal handler or in a method of an id; these are not learnt: pass them again"
            )
        model.__dict__ = _joined(vars(model), before, vars(draft))


def _joined(now: State, before: State, learnt: State) -> State:
    """What was learnt, and what others have set meanwhile."""
    gone = before.keys() - learnt.keys()
    kept = {name: value for name, value in now.items() if name not in gone}
    return kept | {
        name: value
        for name, value in learnt.items()
        if name not in before or value is not before[name]
    }


def snapshot(model: Model) -> Model:
    """A shallow copy of the model as it is now, which later learning does not change."""
    now = object.__new__(type(model))
    vars(now).update(vars(model))
    return now


def _forget_locks() -> None:
    """A thread that held a lock does not live on in the child of a fork."""
    global _locks, _finding
    _locks, _finding = WeakKeyDictionary(), RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_locks)
