"""The error as a function of the number of labels → the smallest number that reaches an error."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

from kinspan._rows.types import Floats

_FAR = 1000  # labels to add for each of a class: further away, a curve says nothing


def most_to_add(counts: Floats) -> int:
    """So many labels to add are asked for at most, given (classes,) those that a task has."""
    return _FAR * max(ceil(float(counts.max(initial=1.0))), 1)


def fewest_labels(error_with: Callable[[int], float], wanted: float, most: int) -> int | None:
    """The smallest number of labels whose error is at most `wanted`; None if `most` do not suffice.

    By bisection, because the error never rises with the number of labels.
    """
    if error_with(0) <= wanted:
        return 0
    if error_with(most) > wanted:
        return None
    too_few, enough = 0, 1
    while error_with(enough) > wanted:
        too_few, enough = enough, 2 * enough
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        too_few, enough = (middle, enough) if error_with(middle) > wanted else (too_few, middle)
    return enough
