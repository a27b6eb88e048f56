"""The smallest number of labels that reaches an error, by bisection."""

from __future__ import annotations

import numpy as np
import pytest

from kinspan.risk.labels_needed import fewest_labels, most_to_add


@pytest.mark.parametrize("needed", [0, 1, 2, 3, 1000, 2**40 - 1, 2**40])
def test_the_number_is_the_smallest(needed: int) -> None:
    asked: list[int] = []

    def error_with(labels: int) -> float:
        asked.append(labels)
        return 0.1 if labels >= needed else 0.2

    assert fewest_labels(error_with, 0.1, 2**40) == needed
    assert len(asked) < 100


def test_an_error_that_most_labels_do_not_reach_is_out_of_reach() -> None:
    assert fewest_labels(lambda labels: 1 / (labels + 1), 1 / 10, 8) is None
    assert fewest_labels(lambda labels: 1 / (labels + 1), 1 / 9, 8) == 8


@pytest.mark.parametrize(
    ("counts", "most"), [([3.0, 20.0], 20_000), ([0.0, 0.0], 1000), ([2.5], 3000)]
)
def test_curves_are_asked_about_a_thousand_times_the_labels(counts: list[float], most: int) -> None:
    assert most_to_add(np.array(counts)) == most
