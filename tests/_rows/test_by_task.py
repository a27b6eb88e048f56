"""Products of rows with what their task has, and sums over tasks, beside loops over rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinspan._rows.by_task import RowsByTask

CODES = {
    "equal sizes": np.repeat(np.arange(4), 3),
    "unequal sizes": np.repeat(np.arange(4), [1, 3, 3, 2]),
    "tasks without rows": np.repeat([0, 2, 5], 2),
    "cells in any order": np.repeat([3, 1, 0, 4], 2),
    "one row": np.array([2]),
    "no rows": np.empty(0, dtype=np.intp),
}


@pytest.mark.parametrize("codes", CODES.values(), ids=list(CODES))
def test_products_and_sums_are_those_of_single_rows(codes: Any) -> None:
    rng = np.random.default_rng(0)
    rows, vectors = rng.normal(size=(len(codes), 5)), rng.normal(size=(6, 2, 5))
    by_task = RowsByTask(codes)
    expected = [vectors[task] @ row for task, row in zip(codes, rows, strict=True)]
    np.testing.assert_allclose(by_task.times(rows, vectors), np.reshape(expected, (-1, 2)))
    if len(codes):
        sums = [rows[codes == task].sum(axis=0) for task in by_task.tasks]
        np.testing.assert_allclose(by_task.sums(rows.T), np.transpose(sums))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_products_have_the_precision_of_the_rows(kind: Any) -> None:
    rows: Any = np.ones((4, 3), dtype=kind)
    by_task = RowsByTask(np.array([0, 0, 1, 1]))
    for other in (np.float32, np.float64):
        vectors: Any = np.ones((2, 1, 3), dtype=other)
        assert by_task.times(rows, vectors).dtype == kind
