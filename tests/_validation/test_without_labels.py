"""Missing labels are rows without labels, wherever rows come in, and nowhere else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from kinspan import ClassMoments, MultiTaskSPCA, Statistics
from kinspan._validation.without_labels import REFUSED, set_apart
from kinspan.baselines import SingleTaskSPCA

GIVEN: dict[str, tuple[Any, Any, list[Any]]] = {
    "None in a list": (["a", None, "b"], None, ["a", "b"]),
    "NaN": (np.array([0.0, np.nan, 1.0]), None, [0.0, 1.0]),
    "NA": (pd.Series([3, None, 4], dtype="Int64"), None, [3, 4]),
    "masked": (np.ma.masked_array([0, 1, 1], [False, True, False]), None, [0, 1]),
    "a number": ([0, -1, 1], -1, [0, 1]),
    "a text": (["a", "?", "b"], "?", ["a", "b"]),
    "a time": (np.array(["2020", "NaT", "2021"], "M8[Y]"), None, [2020, 2021]),
}


@pytest.mark.parametrize("name", GIVEN)
def test_labels_that_are_missing_are_set_apart(name: str) -> None:
    y, marker, expected = GIVEN[name]
    labels, lacking = set_apart(y, 3, marker)
    assert np.asarray(lacking).tolist() == [False, True, False]
    found = [getattr(label, "year", label) for label in np.asarray(labels).tolist()]
    assert found == expected


@pytest.mark.parametrize("y", [[-1, 0, 1], ["", "a", "b"], [True, False, True]])
def test_a_class_is_a_class_unless_it_is_said_to_be_none(y: list[Any]) -> None:
    assert set_apart(y, 3, None)[1] is None
    assert np.asarray(set_apart(y, 3, y[0])[1]).tolist() == [label == y[0] for label in y]


def test_a_marker_of_another_type_is_an_error() -> None:
    """It would mark nothing, and −1 would be a class."""
    with pytest.raises(TypeError, match="unlabelled is -1, but labels are text"):
        set_apart(["-1", "a", "b"], 3, -1)
    with pytest.raises(TypeError, match="unlabelled is '-1', but labels are numbers"):
        set_apart([-1, 0, 1], 3, "-1")
    with pytest.raises(TypeError, match="not one label"):
        set_apart([-1, 0, 1], 3, [-1])
    assert set_apart(["a", "b", "a"], 3, np.nan)[1] is None
    assert set_apart(range(3), 3, 2)[1] is not None


@pytest.mark.parametrize("of", [pd.array, pd.Series])
def test_whole_numbers_stay_so_where_some_are_missing(of: Any) -> None:
    labels, lacking = set_apart(of([3, None, 4], dtype="Int64"), 3, None)
    assert np.asarray(labels).dtype.kind == "i"
    assert np.asarray(lacking).tolist() == [False, True, False]


def test_where_they_are_refused_nothing_is_set_apart() -> None:
    y = [None, 1, 2]
    assert set_apart(y, 3, REFUSED)[0] is y
    X = np.eye(3)
    with pytest.raises(ValueError, match="y contains NaN, None or infinity in 1 of 3 rows"):
        ClassMoments.from_samples(X, y)
    with pytest.raises(ValueError, match="y contains NaN, None or infinity in 1 of 3 rows"):
        SingleTaskSPCA().fit(X, y)


def test_infinity_is_no_missing_label() -> None:
    with pytest.raises(ValueError, match="infinity"):
        Statistics.from_samples(np.eye(3), [0.0, 1.0, np.inf])


def test_too_few_labels_are_named_with_their_argument() -> None:
    with pytest.raises(ValueError, match="y has 2 values for 3 rows"):
        MultiTaskSPCA().fit(np.eye(3), np.array([0, None]))
    with pytest.raises(ValueError, match="class"):
        MultiTaskSPCA().fit(np.eye(3), np.full(3, None))
