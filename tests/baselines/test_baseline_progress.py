"""The progress bar: drawn when asked for, and tqdm imported only then."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from kinspan.baselines import CDLS, MMDT
from tests.worlds import random_world


@pytest.fixture
def bars(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """A stand-in for tqdm that records every bar and the steps it was taken."""
    seen: list[tuple[str, int]] = []

    def tqdm(values: Iterable[int], desc: str) -> Iterator[int]:
        for value in values:
            seen.append((desc, value))
            yield value

    module = types.ModuleType("tqdm.auto")
    module.tqdm = tqdm  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", module)
    return seen


@pytest.mark.parametrize("estimator", [CDLS(target=1, n_iterations=3), MMDT(target=1)])
def test_every_iteration_moves_the_bar(estimator: Any, bars: list[tuple[str, int]]) -> None:
    X, y, task = random_world(0, n=60, n_tasks=2)
    estimator.fit(X, y, task=task)
    assert bars == []
    estimator.set_params(progress=True).fit(X, y, task=task)
    name = type(estimator).__name__
    assert bars == [(name, step) for step in range(estimator.n_iterations)]
