"""A warning where measured rows were doubled, and none where rows are equal by nature."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinspan import MultiTaskSPCA
from kinspan.exceptions import CopiesWarning
from tests.cli.running import succeed
from tests.worlds import random_world


def fitted(X: Any, y: Any, task: Any, **parameters: Any) -> MultiTaskSPCA:
    return MultiTaskSPCA(**parameters).fit(X, y, task=task)


def times(n: int, *arrays: Any) -> list[Any]:
    return [np.repeat(a, n, axis=0) for a in arrays]


@pytest.mark.parametrize("n", [2, 3])
def test_doubled_rows_are_named(n: int) -> None:
    with pytest.warns(CopiesWarning, match="60 of 60 different rows came more than once"):
        fitted(*times(n, *random_world(0, n=60, p=5, n_tasks=3, n_classes=2)))


def test_so_are_those_of_a_rare_class_and_of_samples() -> None:
    X, y, task = random_world(1, n=400, p=5, n_tasks=2, n_classes=2)
    copies = np.where(y == y[0], 4, 1)
    rare = [np.repeat(a, copies, axis=0) for a in (X, y, task)]
    with pytest.warns(CopiesWarning):
        fitted(*rare)
    with pytest.warns(CopiesWarning):
        fitted(*rare, row_sample=20)


@pytest.mark.parametrize("kind", ["counts", "words", "answers", "rounded", "one class"])
def test_copies_of_rows_without_a_measured_feature_are_named(kind: str) -> None:
    rng = np.random.default_rng(3)
    y, task = np.tile([0, 1], 60), np.repeat(np.arange(4), 30)
    X = {
        "counts": rng.poisson(1.0, size=(120, 50)),
        "words": rng.random((120, 200)) < 0.05,
        "answers": rng.integers(1, 6, size=(120, 20)),
    }.get(kind, np.round(rng.normal(size=(120, 20)), 1)).astype(float)
    copies = np.where(y == 0, 1, 3) if kind == "one class" else np.full(120, 3)
    with pytest.warns(CopiesWarning, match="all of a class as often"):
        fitted(*(np.repeat(a, copies, axis=0) for a in (X, y, task)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted(X, y, task)


def test_forecasts_of_doubled_rows_are_too_good() -> None:
    """Which is why they are named: rows that are left out have copies."""
    X = np.random.default_rng(0).normal(size=(60, 40))
    y, task = np.tile([0, 1], 30), np.repeat([0, 1], 30)
    with pytest.warns(CopiesWarning):
        doubled = fitted(*times(3, X, y, task))
    assert doubled.forecast_error_.max() < 0.1
    assert fitted(X, y, task).forecast_error_.min() > 0.3


@pytest.mark.parametrize(
    "kind", ["categories", "few categories", "nothing happened", "small counts", "few copies"]
)
def test_rows_that_are_equal_by_nature_are_none(kind: str) -> None:
    X, y, task = random_world(2, n=300, p=4, n_tasks=3, n_classes=2)
    if kind == "categories":
        X = (X > 0).astype(float)
    if kind == "few categories":
        X = (X[:, :1] > 0).astype(float)
    if kind == "nothing happened":
        X[np.random.default_rng(0).random(300) < 0.6] = 0.0
    if kind == "small counts":
        X = np.random.default_rng(0).poisson(1.0, size=X.shape).astype(float)
    if kind == "few copies":
        X, y, task = (np.concatenate([a, a[:12]]) for a in (X, y, task))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted(X, y, task)


@pytest.mark.filterwarnings("default::kinspan.exceptions.CopiesWarning")
def test_a_file_that_is_named_twice_is_noticed(tmp_path: Path) -> None:
    X, y, task = random_world(0, n=60, p=3, n_tasks=3, n_classes=2)
    table = np.column_stack([X, y, task])
    np.savetxt(tmp_path / "a.csv", table, delimiter=",", header="a,b,c,y,task", comments="")
    options = "--task", "task", "--label", "y", "--out", tmp_path / "m"
    once = succeed("fit", tmp_path / "a.csv", *options)
    assert "more than once" not in once.err
    (tmp_path / "b.csv").write_bytes((tmp_path / "a.csv").read_bytes())
    twice = succeed("fit", tmp_path / "a.csv", tmp_path / "b.csv", *options)
    assert "60 of 60 different rows came more than once" in twice.err
