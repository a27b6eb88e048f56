"""The parameter `threshold`: what is taken, and what is refused with a way out."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from kinspan._validation.thresholds import (
    AskedThreshold,
    check_can_have_threshold,
    check_threshold,
    goal_costs,
    read_threshold,
)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, None),
        ("f1", AskedThreshold("f1")),
        ({"f1": None, "tasks": "all"}, AskedThreshold("f1", None, True)),
        ({"precision": 0.8}, AskedThreshold("precision", 0.8)),
        ({"budget": 0.05, "tasks": "all"}, AskedThreshold("budget", 0.05, True)),
    ],
)
def test_goals(given: Any, expected: AskedThreshold | None) -> None:
    assert check_threshold(given) == expected


@pytest.mark.parametrize(
    "given",
    [
        *("accuracy", 0.5, "precision", {}, {"precision": 1.5}, {"budget": 0}, {"budget": True}),
        *({"f1": 0.3}, {"precision": 0.5, "budget": 0.5}, {"tasks": "all"}),
        *({"f1": None, "tasks": "some"}, {"cost": [1, 2]}, {3: 4}),
    ],
)
def test_what_is_no_goal_is_refused(given: Any) -> None:
    with pytest.raises(ValueError, match=r"threshold=.*[uU]se|threshold=.*such as"):
        check_threshold(given)


def test_the_command_line_writes_goals_as_text() -> None:
    assert read_threshold(None) is None
    assert read_threshold("f1") == {"f1": None}
    assert read_threshold("budget=5%, tasks=all") == {"budget": 0.05, "tasks": "all"}
    assert read_threshold("cost=0 1; 5 0") == {"cost": [[0, 1], [5, 0]]}
    for text, said in (
        ("precision", "--threshold 'precision'; use error, cost, f1, precision=0.8, budget=5% or"),
        ("budget=5", "--threshold 'budget=5'; use error"),
        ("cost=0 1", "--threshold 'cost=0 1' is '0 1'; give a matrix such as 0 1; 5 0"),
    ):
        with pytest.raises(ValueError, match=re.escape(said)):
            read_threshold(text)


def test_costs_are_those_of_errors_of_classes_or_as_given() -> None:
    of_classes = np.array([1.0, 4.0])
    ones, weighted = (
        goal_costs(AskedThreshold(name), of_classes, 2)[1] for name in ("error", "cost")
    )
    np.testing.assert_array_equal(ones, [[0, 1], [1, 0]])
    np.testing.assert_array_equal(weighted, [[0, 1], [4, 0]])
    given = np.array([[0.0, 2.0], [3.0, 1.0]])
    np.testing.assert_array_equal(
        goal_costs(AskedThreshold("cost", given), of_classes, 2)[0], given
    )


def test_a_threshold_needs_two_classes_and_rows() -> None:
    check_can_have_threshold(2, True)
    with pytest.raises(ValueError, match="threshold is for two classes, and y has 3"):
        check_can_have_threshold(3, True)
    with pytest.raises(ValueError, match="use row_sample=100"):
        check_can_have_threshold(2, False)
