"""Counts of values are stored where some are missing, and read if rows could have them."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kinspan
from kinspan import ClassMoments, Statistics
from kinspan._storage.container import Record
from kinspan.exceptions import StoredDataError
from tests._rows.test_holes import same, with_holes
from tests.worlds import random_world


def layout_of(buffer: bytes) -> int:
    return int(struct.unpack("<I", buffer[8:12])[0])


def test_only_files_with_holes_have_the_new_layout() -> None:
    complete = Statistics.from_samples(*random_world(1))
    holed = Statistics.from_samples(*with_holes(1))
    for value, layout in ((complete, 1), (holed, 2), (complete.moments, 1), (holed.moments, 2)):
        assert layout_of(value.to_bytes()) == layout
    same(Statistics.from_bytes(holed.to_bytes()).moments, holed.moments)
    again = Statistics.from_bytes(holed.to_bytes()).sample
    assert again is not None
    assert holed.sample is not None
    np.testing.assert_array_equal(again.rows, holed.sample.rows)


def _doubled(observed: Any) -> Any:
    return observed * 2


def _negative(observed: Any) -> Any:
    return np.where(observed == observed.max(), -1.0, observed)


def _of_nothing(observed: Any) -> Any:
    return np.zeros_like(observed)


def _of_cells(observed: Any) -> Any:
    return observed.sum(axis=2)


@pytest.mark.parametrize(
    ("forge", "message"),
    [
        (_doubled, "more values of a feature than rows"),
        (_negative, "or fewer than none"),
        (_of_nothing, "a feature without values has a mean"),
        (_of_cells, "not one number of values for each mean"),
    ],
)
def test_counts_that_no_rows_have_are_refused(forge: Callable[[Any], Any], message: str) -> None:
    meta, arrays = ClassMoments.from_samples(*with_holes(2)).record()
    forged = Record(meta, {**arrays, "observed": forge(arrays["observed"])})
    with pytest.raises(StoredDataError, match=message):
        ClassMoments.from_record(forged)


def test_sampled_rows_with_holes_need_moments_with_holes() -> None:
    holed, complete = (Statistics.from_samples(*world(3)) for world in (with_holes, random_world))
    both = Statistics(complete.moments, holed.sample)
    with pytest.raises(StoredDataError, match="sampled rows lack values that the moments have"):
        Statistics.from_record(both.record())


def test_a_model_with_unlabelled_holes_is_stored(tmp_path: Any) -> None:
    X, y, task = random_world(4)
    model = kinspan.MultiTaskSPCA().fit(X, y, task=task).add_task("new", with_holes(4)[0])
    kinspan.save(model, tmp_path / "model")
    assert layout_of((tmp_path / "model").read_bytes()) == 3
    again = kinspan.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(X, task="new"), model.predict(X, task="new"))
