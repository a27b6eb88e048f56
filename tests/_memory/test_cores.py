"""Threads of linear algebra while a fit runs, and after it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from kinspan import MultiTaskSPCA
from kinspan._memory import cores, learnt
from kinspan._memory.cores import half_of_the_cores, on_half_of_the_cores
from tests.worlds import random_world


def threads_now() -> set[int]:
    libraries = ThreadpoolController().select(user_api="blas").lib_controllers
    return {library.num_threads for library in libraries}


@pytest.fixture(autouse=True)
def many_threads() -> Iterator[None]:
    """More than half of the cores, on any machine."""
    with threadpool_limits(half_of_the_cores() + 1, user_api="blas"):
        yield


def test_a_fit_has_half_of_the_cores_and_gives_them_back(monkeypatch: pytest.MonkeyPatch) -> None:
    seen, fit = [], learnt.fit_whole  # type: ignore[attr-defined]

    def watched(*args: Any) -> Any:
        seen.append(threads_now())
        return fit(*args)

    monkeypatch.setattr(learnt, "fit_whole", watched)
    X, y, task = random_world(0)
    MultiTaskSPCA().fit(X, y, task=task)
    assert seen == [{half_of_the_cores()}]
    assert threads_now() == {half_of_the_cores() + 1}


def test_no_threads_are_added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "half_of_the_cores", lambda: 8)
    with threadpool_limits(1, user_api="blas"), on_half_of_the_cores():
        assert threads_now() == {1}


def test_the_last_of_several_fits_gives_threads_back() -> None:
    """In whatever order they end."""
    first, second = on_half_of_the_cores(), on_half_of_the_cores()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert threads_now() == {half_of_the_cores()}
    second.__exit__(None, None, None)
    assert threads_now() == {half_of_the_cores() + 1}


def test_a_fit_that_fails_gives_threads_back() -> None:
    with pytest.raises(ValueError, match="wrong"), on_half_of_the_cores():
        raise ValueError("wrong")
    assert threads_now() == {half_of_the_cores() + 1}


def test_a_child_that_is_forked_during_a_fit_can_fit() -> None:
    """It knows nothing of the fits of its parent."""
    with on_half_of_the_cores():
        cores._fits.forget()  # what a fork calls
        assert cores._fits.running == 0
        with on_half_of_the_cores():
            assert threads_now() == {half_of_the_cores()}
