"""Stored rules with values that no fit finds are refused, whichever array has them."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from kinspan import MultiTaskSPCA, StoredDataError
from kinspan._saving import model_file
from kinspan._storage import container
from kinspan._storage.container import Contents, Record
from tests.worlds import random_world

SIGNED = ("coef", "intercept", "weights/")  # any number may be in these
DIFFERENCES = ("saved/total", "saved/told")  # of errors


@cache
def stored() -> Contents:
    X, y, task = random_world(0)
    clf = MultiTaskSPCA().fit(X, y, task=task).add_task("new")
    return container.unpack(model_file.to_bytes(clf), model_file.KIND)


def forged(name: str, value: float) -> bytes:
    kind, record = stored()
    array = record.arrays[name]
    changed = array.copy()
    changed.flat[-1] = value
    arrays = {**record.arrays, name: changed}
    return container.pack(Contents(kind, Record(record.meta, arrays)))


def names() -> list[str]:
    arrays = stored().record.arrays
    return [n for n in arrays if n.startswith("rules/") and arrays[n].dtype.kind in "fi"]


def impossible() -> list[Any]:
    found = []
    for name in names():
        part = name.removeprefix("rules/")
        least = -1.1 if part.startswith(DIFFERENCES) else -1.0
        values = [] if part.startswith(SIGNED) else [least]
        if stored().record.arrays[name].dtype.kind == "f":
            values += [np.inf] if part.startswith("forecast") else [np.nan, np.inf]
        if part.startswith(("metric", "learning/n_classes", "learning/chance", "learning/counts")):
            values += [2.0**62]
        found += [(name, value) for value in values]
    return found


@pytest.mark.parametrize(("name", "value"), impossible())
def test_values_that_no_fit_finds_are_refused(name: str, value: float) -> None:
    with pytest.raises(StoredDataError):
        model_file.from_bytes(forged(name, value))


def test_a_guess_between_two_classes_can_be_wrong() -> None:
    """Learning curves divided by its error."""
    kind, record = stored()
    chance = np.zeros_like(record.arrays["rules/learning/chance"])
    arrays = {**record.arrays, "rules/learning/chance": chance}
    with pytest.raises(StoredDataError, match="guesses between classes is never wrong"):
        model_file.from_bytes(container.pack(Contents(kind, Record(record.meta, arrays))))


@pytest.mark.parametrize("name", ["counts", "present", "ends"])
def test_learning_curves_begin_where_the_model_is(name: str) -> None:
    array = stored().record.arrays[f"rules/learning/{name}"]
    other = 0.25 if np.isnan(array.flat[-1]) else array.flat[-1] / 2 + 0.1
    with pytest.raises(StoredDataError, match="do not begin at the forecasts"):
        model_file.from_bytes(forged(f"rules/learning/{name}", other))


def test_what_was_stored_is_read() -> None:
    expected = model_file.from_bytes(container.pack(stored()))
    for name in names():
        value = stored().record.arrays[name].flat[-1]
        read = model_file.from_bytes(forged(name, value))
        np.testing.assert_array_equal(read.coef_, expected.coef_)
