"""Threads that share a model: no batch is lost, and an answer comes from one state."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from kinspan import MultiTaskSPCA
from kinspan._memory import threads
from kinspan._memory.learnt import Learnt
from tests.worlds import random_world

N_THREADS = 4


@pytest.fixture(autouse=True)
def hasty_switching() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def at_once(*works: Callable[[], Any]) -> list[Any]:
    """Start all works at the same time."""
    start = threading.Barrier(len(works))

    def started(work: Callable[[], Any]) -> Any:
        start.wait()
        return work()

    with ThreadPoolExecutor(len(works)) as pool:
        return [future.result(60) for future in [pool.submit(started, work) for work in works]]


def test_batches_of_several_threads_are_all_learnt() -> None:
    X, y, task = random_world(0, n=1200)
    whole = MultiTaskSPCA().fit(X, y, task=task)
    clf = MultiTaskSPCA()
    parts = np.array_split(np.arange(len(X)), N_THREADS)

    def learn(rows: Any) -> None:
        for batch in np.array_split(rows, 40):
            clf.partial_fit(X[batch], y[batch], task=task[batch])

    at_once(*(lambda rows=rows: learn(rows) for rows in parts))
    np.testing.assert_array_equal(clf.moments_.counts, whole.moments_.counts)
    np.testing.assert_allclose(clf.coef_, whole.coef_, rtol=1e-9, atol=1e-12)


def test_a_batch_that_is_refused_takes_none_of_another_thread_with_it() -> None:
    X, y, task = random_world(0)
    clf = MultiTaskSPCA().partial_fit(X[:30], y[:30], task=task[:30])

    def refused() -> int:
        n_refused = 0
        for _ in range(60):
            try:
                clf.partial_fit(X[:1, :2], y[:1], task=task[:1])
            except ValueError:
                n_refused += 1
        return n_refused

    def learn() -> None:
        for i in range(30, 90):
            clf.partial_fit(X[i : i + 1], y[i : i + 1], task=task[i : i + 1])

    assert at_once(refused, learn)[0] == 60
    assert clf.moments_.counts.sum() == 90


def test_answers_come_from_one_state_while_tasks_are_added() -> None:
    """New tasks come first in the order of ids: a mixture of states would answer with others."""
    X, y, task = random_world(3, n=400, n_tasks=2, n_classes=2)
    ids, is_done = np.array(["y", "z"])[task], threading.Event()

    def begun() -> MultiTaskSPCA:
        return MultiTaskSPCA(metric=0.0, row_sample=0).fit(X, y, task=ids)

    def learn(clf: MultiTaskSPCA) -> Iterator[Any]:
        yield clf.decision_function(X, task=ids)
        for i in range(15):
            clf.partial_fit(X[:40], 1 - y[:40], task=f"a{15 - i:02}")
            yield clf.decision_function(X, task=ids)

    states, clf = list(learn(begun())), begun()

    def ask() -> list[int]:
        seen: list[int] = []
        while not is_done.is_set() or not seen:
            found = clf.decision_function(X, task=ids)
            seen.append([np.array_equal(found, state) for state in states].index(True))
        return seen

    def learnt() -> None:
        list(learn(clf))
        is_done.set()

    _, *seen = at_once(learnt, ask, ask)
    assert all(each == sorted(each) for each in seen)


def test_rules_are_found_once_for_all_who_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y, task = random_world(0)
    clf = MultiTaskSPCA().partial_fit(X, y, task=task)
    find, found = Learnt._find_rules, list[Any]()

    def counted(*arguments: Any) -> Any:
        found.append(arguments)
        return find(*arguments)

    monkeypatch.setattr(Learnt, "_find_rules", counted)
    answers = at_once(*[lambda: clf.predict_proba(X, task=task)] * N_THREADS)
    assert len(found) == 1
    for answer in answers[1:]:
        np.testing.assert_array_equal(answer, answers[0])


def test_models_that_learn_from_each_other_at_once_do_not_wait_for_ever() -> None:
    X, y, task = random_world(0)
    first, second = (
        MultiTaskSPCA().fit(X[s], y[s], task=task[s]) for s in (slice(150), slice(150, None))
    )
    at_once(lambda: first.merge(second), lambda: second.merge(first))
    for model in (first, second):
        assert model.moments_.counts.sum() >= 300


def test_locks_are_forgotten_with_their_models() -> None:
    X, y, task = random_world(0)
    clf = MultiTaskSPCA().fit(X, y, task=task)
    clf.predict(X, task=task)
    assert clf in threads._locks
    known = weakref.ref(clf)
    del clf
    gc.collect()
    assert known not in threads._locks.keyrefs()
