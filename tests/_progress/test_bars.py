"""Bars: on request, or after a while in a terminal; tqdm is imported only then."""

from __future__ import annotations

import io
import sys
import types
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from kinspan import MultiTaskSPCA
from kinspan._progress.bars import steps
from tests.worlds import random_world


class Terminal(io.StringIO):
    """Standard error of somebody who looks at it."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def bars(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """A stand-in for tqdm that records the name and the options of every bar."""
    seen: list[tuple[str, dict[str, Any]]] = []

    def tqdm(values: Iterable[int], desc: str, **options: Any) -> Iterator[int]:
        seen.append((desc, options))
        yield from values

    module = types.ModuleType("tqdm.auto")
    module.tqdm = tqdm  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    return seen


def test_a_terminal_has_a_bar_that_waits_and_goes_away(
    bars: list[tuple[str, dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert list(steps("ab", "name")) == ["a", "b"]
    assert bars == []
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert list(steps("ab", "name")) == ["a", "b"]
    assert list(steps("ab", "asked for", progress=True)) == ["a", "b"]
    assert list(steps("ab", "declined", progress=False)) == ["a", "b"]
    assert bars == [("name", {"delay": 2, "leave": False}), ("asked for", {})]


def test_without_standard_error_there_is_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    assert list(steps("ab", "name")) == ["a", "b"]


def test_leaving_out_one_task_after_the_other_shows_how_far_it_is(
    bars: list[tuple[str, dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y, task = random_world(0, n=90, n_tasks=4)
    model = MultiTaskSPCA().fit(X, y, task=task)
    silent = model.explain_transfer(model.tasks_[0])
    monkeypatch.setattr(sys, "stderr", Terminal())
    shown = model.explain_transfer(model.tasks_[0])
    assert [name for name, _ in bars] == ["leaving tasks out"]
    assert shown.gain.tolist() == silent.gain.tolist()


def test_without_tqdm_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert list(steps(range(2), "name")) == [0, 1]
    with pytest.raises(ImportError, match=r"kinspan\[progress\].*progress=False"):
        steps(range(2), "name", progress=True)
