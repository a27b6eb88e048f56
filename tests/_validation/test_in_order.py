"""What has no order of rows, or can be read only once, is refused and not taken for one id."""

from __future__ import annotations

from typing import Any

import pytest
import scipy.sparse as sp

from kinspan import MultiTaskSPCA, TaskStratifiedKFold, task_report
from tests.worlds import random_world

X, Y, TASK = random_world(0)
ROWS = dict(enumerate(TASK.tolist()))
ONCE = {
    "generator": lambda: (value for value in TASK),
    "map": lambda: map(str, TASK),
    "zip": lambda: zip(TASK, TASK, strict=True),
    "dict_values": ROWS.values,
    "dict_keys": ROWS.keys,
}
WITHOUT_ORDER = {
    "dict": lambda: ROWS,
    "set": lambda: set(ROWS),
    "csr_array": lambda: sp.csr_array(TASK[:, None]),
}


@pytest.mark.parametrize("kind", [*ONCE, *WITHOUT_ORDER])
def test_arguments_that_are_no_rows(kind: str) -> None:
    values: Any = (ONCE | WITHOUT_ORDER)[kind]
    clf = MultiTaskSPCA().fit(X, Y, task=TASK)
    for name, call in (
        ("task", lambda: MultiTaskSPCA().fit(X, Y, task=values())),
        ("task", lambda: clf.predict(X, task=values())),
        ("task", lambda: task_report(Y, Y, values())),
        ("task", lambda: list(TaskStratifiedKFold(2).split(X, Y, task=values()))),
        ("y", lambda: MultiTaskSPCA().fit(X, values())),
        ("sample_weight", lambda: MultiTaskSPCA().fit(X, Y, sample_weight=values())),
    ):
        way_out = rf"list\({name}\), with" if kind in ONCE else "a list or array with"
        with pytest.raises(TypeError, match=rf"^{name} is of type {kind}; pass {way_out} one"):
            call()


def test_a_frozen_set_is_an_id() -> None:
    both = frozenset({"north", "south"})
    assert MultiTaskSPCA().fit(X, Y, task=both).tasks_.tolist() == [both]
