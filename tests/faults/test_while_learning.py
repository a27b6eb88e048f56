"""Whoever asks, copies, saves or forks while a model learns has it as it was before, or after."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
import pytest

from kinspan import MultiTaskSPCA
from kinspan._memory import learnt, threads
from kinspan._saving.model_file import from_bytes, to_bytes
from kinspan._storage import container
from tests.worlds import random_world

PATIENCE = 60  # seconds; nothing waits that long where all is well
X, Y, TASK = random_world(0)
OLD, NEW = slice(150), slice(150, None)


def fitted() -> MultiTaskSPCA:
    return MultiTaskSPCA().fit(X[OLD], Y[OLD], task=TASK[OLD])


@cache
def known() -> MultiTaskSPCA:
    return fitted()


def learn_more(clf: MultiTaskSPCA) -> MultiTaskSPCA:
    return clf.partial_fit(-5 * X[NEW], Y[NEW], task=TASK[NEW])


def refit(clf: MultiTaskSPCA) -> MultiTaskSPCA:
    return clf.fit(X[NEW, :2], Y[NEW], task=TASK[NEW] + 10)


def elsewhere(work: Callable[..., Any], *arguments: Any) -> Any:
    """Let another thread do something, and wait for it."""
    pool = ThreadPoolExecutor(1)
    try:
        return pool.submit(work, *arguments).result(PATIENCE)
    finally:
        pool.shutdown(wait=False)


def meanwhile(
    monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, work: Callable[[], Any]
) -> list[Any]:
    """Let something happen, once, when a method is called next: the list has what came of it."""
    method, results, is_done = getattr(owner, name), list[Any](), threading.Event()

    def interrupted(*arguments: Any, **named: Any) -> Any:
        if not is_done.is_set():
            is_done.set()
            results.append(work())
        return method(*arguments, **named)

    monkeypatch.setattr(owner, name, interrupted)
    return results


def assert_rules_of_its_rows(clf: MultiTaskSPCA) -> None:
    anew = MultiTaskSPCA().fit_moments(clf.moments_, clf.sample_)
    np.testing.assert_allclose(clf.coef_, anew.coef_, rtol=1e-9, atol=1e-12)


QUESTIONS = {
    "copy": lambda clf: copy.copy(clf).coef_,
    "deepcopy": lambda clf: copy.deepcopy(clf).coef_,
    "pickle": lambda clf: pickle.loads(pickle.dumps(clf)).coef_,
    "bytes": lambda clf: from_bytes(to_bytes(clf)).coef_,
    "sum": lambda clf: (clf + clf).coef_,
    "merge": lambda clf: MultiTaskSPCA().merge(clf).coef_,
    "tasks": lambda clf: clf.tasks_,
    "coef": lambda clf: clf.coef_,
    "predict_proba": lambda clf: clf.predict_proba(X, task=TASK),
}


@pytest.mark.parametrize("place", ["with_rows", "plus", "_find_rules"])
@pytest.mark.parametrize("ask", QUESTIONS.values(), ids=QUESTIONS.keys())
def test_a_refit_is_not_seen_before_it_is_whole(
    place: str, ask: Callable[[MultiTaskSPCA], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    clf, expected = copy.deepcopy(known()), ask(known())
    answers = meanwhile(monkeypatch, learnt.Learnt, place, lambda: elsewhere(ask, clf))
    refit(clf)
    np.testing.assert_array_equal(answers[0], expected)
    assert clf.n_features_in_ == 2
    assert clf.tasks_.min() == 10


def test_a_file_has_the_rules_of_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows come after the statistics are written, and before the rules are."""
    clf, expected = fitted(), fitted()
    under = container.Record.under

    def interrupted(record: Any, name: str) -> Any:
        if name == "statistics":
            elsewhere(learn_more, clf)
        return under(record, name)

    monkeypatch.setattr(container.Record, "under", interrupted)
    stored = from_bytes(to_bytes(clf))
    assert stored.moments_.counts.sum() == 150
    np.testing.assert_array_equal(stored.coef_, expected.coef_)
    assert clf.moments_.counts.sum() == len(X)


class Latecomer:
    """Rows come while this attribute of a model is copied or pickled."""

    def __init__(self, clf: MultiTaskSPCA) -> None:
        self.clf = clf

    def __reduce__(self) -> Any:
        elsewhere(learn_more, self.clf)
        return str, ()


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda clf: pickle.loads(pickle.dumps(clf))])
def test_copies_have_the_rules_of_their_rows(copied: Any, is_first: bool) -> None:
    """Whether the rows come before or after what was learnt is copied."""
    clf = MultiTaskSPCA() if is_first else fitted()
    clf.note = Latecomer(clf)
    if is_first:
        clf.fit(X[OLD], Y[OLD], task=TASK[OLD])
    again = copied(clf)
    assert again.moments_.counts.sum() == 150
    np.testing.assert_array_equal(again.coef_, fitted().coef_)
    assert clf.moments_.counts.sum() == len(X)


def test_no_copy_has_rules_of_other_rows() -> None:
    """A copy after every step of learning."""
    copies: list[MultiTaskSPCA] = []

    class Watched(MultiTaskSPCA):
        def __setattr__(self, name: str, value: Any) -> None:
            super().__setattr__(name, value)
            if "_learnt" in vars(self):
                copies.append(copy.copy(self))

    clf = Watched().fit(X[OLD], Y[OLD], task=TASK[OLD])
    copies.clear()
    learn_more(clf)
    clf.remove_task(0)
    assert len(X) in {int(each.moments_.counts.sum()) for each in copies}
    for each in copies:
        assert_rules_of_its_rows(each)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
def test_a_fork_during_a_fit_knows_what_was_known_before(monkeypatch: pytest.MonkeyPatch) -> None:
    clf, context = fitted(), multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)

    def of_child() -> None:
        sending.send((clf.coef_, learn_more(clf).moments_.counts.sum()))

    child = context.Process(target=of_child)
    meanwhile(monkeypatch, learnt.Learnt, "plus", child.start)
    refit(clf)
    assert receiving.poll(PATIENCE)
    coef, n_rows = receiving.recv()
    child.join(PATIENCE)
    np.testing.assert_array_equal(coef, fitted().coef_)
    assert n_rows == len(X)


def test_a_signal_may_ask_while_a_lock_is_found() -> None:
    """As a handler does, which runs in the thread that it interrupts."""
    clf, finding = fitted(), threads._finding
    with finding:
        assert finding.acquire(blocking=False)
        finding.release()
        np.testing.assert_array_equal(clf.predict(X, task=TASK), fitted().predict(X, task=TASK))


def test_rules_found_in_the_midst_of_learning_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    clf = MultiTaskSPCA().partial_fit(X[OLD], Y[OLD], task=TASK[OLD])
    asked = meanwhile(monkeypatch, learnt.Learnt, "plus", lambda: clf.coef_)
    learn_more(clf)
    np.testing.assert_allclose(asked[0], fitted().coef_, rtol=1e-9, atol=1e-12)
    assert_rules_of_its_rows(clf)


def test_rows_learnt_in_the_midst_of_a_question_are_not_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clf = MultiTaskSPCA().partial_fit(X[OLD], Y[OLD], task=TASK[OLD])
    meanwhile(monkeypatch, learnt.Learnt, "_find_rules", lambda: learn_more(clf))
    clf.predict(X, task=TASK)
    assert clf.moments_.counts.sum() == len(X)
    assert_rules_of_its_rows(clf)


def test_rows_learnt_while_batches_are_added_up_are_not_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clf = fitted()
    for rows in (slice(3), slice(3, 6)):
        clf.partial_fit(X[rows], Y[rows], task=TASK[rows])
    assert len(clf._learnt.pile) == 3
    meanwhile(monkeypatch, learnt, "total", lambda: learn_more(clf))
    assert clf.moments_.counts.sum() == 156
    assert clf.moments_.counts.sum() == len(X) + 6


def test_rows_learnt_in_the_midst_of_learning_are_not_lost_in_silence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clf = fitted()
    meanwhile(monkeypatch, learnt.Learnt, "plus", lambda: learn_more(clf))
    with pytest.raises(RuntimeError, match="pass them again"):
        clf.partial_fit(X[:10], Y[:10], task=TASK[:10])
    assert clf.moments_.counts.sum() == len(X)
    assert clf.partial_fit(X[:10], Y[:10], task=TASK[:10]).moments_.counts.sum() == len(X) + 10


def test_what_others_set_meanwhile_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    clf = fitted()
    meanwhile(monkeypatch, learnt.Learnt, "plus", lambda: clf.set_params(unseen="shared"))
    learn_more(clf)
    assert clf.unseen == "shared"
    assert clf.moments_.counts.sum() == len(X)


def test_questions_add_no_attribute_that_a_copy_could_stumble_over() -> None:
    """Pickling a dictionary that grows meanwhile fails: what is computed later has its place."""
    clf = fitted()
    before = [set(vars(value)) for value in (clf, clf._learnt, clf._rules)]
    clf.learning_curve(clf.tasks_[0], [1]), clf.coef_, clf.relatedness_, clf.labels_
    assert [set(vars(value)) for value in (clf, clf._learnt, clf._rules)] == before
