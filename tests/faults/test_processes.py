"""Models in other processes: copied, pickled, forked and spawned, they answer as they did."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.base import clone

from kinspan import MultiTaskSPCA
from kinspan._memory import threads
from tests.worlds import random_world

PATIENCE = 120  # seconds; nothing waits that long where all is well
X, Y, TASK = random_world(0)


def found() -> MultiTaskSPCA:
    return MultiTaskSPCA().fit(X, Y, task=TASK)


def lazy() -> MultiTaskSPCA:
    """Rules are not found yet, and batches not added up."""
    clf = MultiTaskSPCA()
    for rows in np.array_split(np.arange(len(X)), 7):
        clf.partial_fit(X[rows], Y[rows], task=TASK[rows])
    return clf


def answers(clf: MultiTaskSPCA) -> Any:
    return clf.predict_proba(X, task=TASK)


def pickled(clf: MultiTaskSPCA) -> MultiTaskSPCA:
    again: MultiTaskSPCA = pickle.loads(pickle.dumps(clf))
    return again


@pytest.mark.parametrize("make", [found, lazy])
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled])
def test_copies_answer_alike_and_learn_apart(
    make: Callable[[], MultiTaskSPCA], copied: Callable[[Any], Any]
) -> None:
    clf = make()
    again = copied(clf)
    expected = answers(make())
    np.testing.assert_array_equal(answers(again), expected)
    again.partial_fit(X[:50], Y[:50], task="new")
    assert len(again.tasks_) == 5
    assert len(clf.tasks_) == 4
    np.testing.assert_array_equal(answers(clf), expected)
    assert not hasattr(clone(clf), "moments_")


@pytest.mark.parametrize(
    ("make", "method"),
    [(found, "fork"), (lazy, "fork"), pytest.param(lazy, "spawn", marks=pytest.mark.long)],
)
def test_processes_answer_alike(make: Callable[[], MultiTaskSPCA], method: str) -> None:
    """The parent has used BLAS, compiled loops and threads before."""
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    clf = make()
    expected = answers(make())
    with multiprocessing.get_context(method).Pool(1) as pool:
        np.testing.assert_array_equal(pool.apply_async(answers, (clf,)).get(PATIENCE), expected)
        again = pool.apply_async(make).get(PATIENCE)  # fitted there
    np.testing.assert_array_equal(answers(again), expected)


def test_workers_of_joblib_answer_alike() -> None:
    models = [found(), lazy()]
    expected = [answers(clf) for clf in models]
    given = joblib.Parallel(n_jobs=2, backend="loky")(joblib.delayed(answers)(m) for m in models)
    for one, other in zip(given, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
def test_a_fork_does_not_wait_for_a_thread_that_is_not_there() -> None:
    """Some other thread of the parent learns at the moment of the fork."""
    clf = lazy()
    with threads.lock_of(clf), threads._finding:
        context = multiprocessing.get_context("fork")
        receiving, sending = context.Pipe(duplex=False)
        child = context.Process(target=lambda: sending.send(answers(clf)))
        child.start()
    assert receiving.poll(PATIENCE)
    np.testing.assert_array_equal(receiving.recv(), answers(lazy()))
    child.join(PATIENCE)
    assert child.exitcode == 0
