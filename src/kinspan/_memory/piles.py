"""Many statistics → a pile of partial sums, to which a small batch is added quickly."""

from __future__ import annotations

from collections.abc import Iterable

from kinspan._memory.features import union_of
from kinspan._memory.statistics import Statistics
from kinspan._validation.moments import check_common_names

Pile = tuple[tuple[int, Statistics], ...]  # sums, and how many parts are in each


def piled(pile: Pile, part: Statistics) -> Pile:
    """One more part; sums of equally many parts are joined, as in a binary counter.

    A small batch is thus not added to everything before it each time. A sum more than half as large
    as the one before it is joined as well: a pile is at most twice as large as its largest sum.
    """
    if pile:  # names of all before it: any two sums then have names in common
        known = pile[-1][1].feature_names
        check_common_names(known, part.feature_names)
        part = part.among(union_of(known, part.feature_names))
    sums = [*pile, (1, part)]
    while len(sums) > 1 and (sums[-2][0] <= sums[-1][0] or _is_near(sums[-2][1], sums[-1][1])):
        (n, second), (m, first) = sums.pop(), sums.pop()
        sums.append((n + m, first + second))
    return tuple(sums)


def _is_near(first: Statistics, second: Statistics) -> bool:
    """Whether the first holds less than twice as many numbers as the second."""
    sizes = [
        part.moments.means.size
        + (0 if part.sample is None else len(part.sample.cells) * part.sample.n_features)
        for part in (first, second)
    ]
    return sizes[0] < 2 * sizes[1]


def total(pile: Pile) -> Statistics:
    """The sum of all parts of a pile."""
    *others, (_, whole) = pile
    for _, part in reversed(others):
        whole = part + whole
    return whole


def added_up(parts: Iterable[Statistics]) -> Statistics | None:
    """The sum of many statistics; None if there are none."""
    pile: Pile = ()
    for part in parts:
        pile = piled(pile, part)
    return total(pile) if pile else None
