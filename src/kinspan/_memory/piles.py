"""Many statistics → a pile of partial sums, to which a small batch is added quickly."""

from __future__ import annotations

from collections.abc import Iterable

from kinspan._memory.features import union_of
from kinspan._memory.statistics import Statistics
from kinspan._validation.moments import check_common_names, check_same_features, check_same_key

_AT_ONCE = 32  # small parts that are joined at once

Pile = tuple[tuple[int, Statistics], ...]  # sums, and how many parts are in each


def piled(pile: Pile, part: Statistics) -> Pile:
    """One more part; sums of equally many parts are joined, as in a binary counter.

    A small batch is thus not added to everything before it each time; several of them wait for each
    other, because a sum of many takes hardly longer than one of two. A sum more than half as large
    as the one before it is joined as well: a pile is at most twice as large as its largest sum.
    """
    if pile:  # names of all before it: any two sums then have names in common
        last = pile[-1][1]
        check_common_names(last.feature_names, part.feature_names)
        part = part.among(union_of(last.feature_names, part.feature_names))
        if part.feature_names is None or last.feature_names is None:
            check_same_features(last.moments.n_features, part.moments.n_features)
        if part.sample is not None and last.sample is not None:
            check_same_key(last.sample.key_name, part.sample.key_name)
    sums = [*pile, (1, part)]
    start = len(sums)
    while start > 1 and sums[start - 1][0] == 1:
        start -= 1
    if waiting := [one for _, one in sums[start:]]:
        whole, *others = (_size(one) for _, one in sums)
        if len(waiting) < _AT_ONCE and sum(others) <= whole:
            return tuple(sums)
        sums[start:] = [(len(waiting), Statistics._joined(waiting))]
    while len(sums) > 1 and (sums[-2][0] <= sums[-1][0] or _is_near(sums[-2][1], sums[-1][1])):
        (n, second), (m, first) = sums.pop(), sums.pop()
        sums.append((n + m, first + second))
    return tuple(sums)


def _is_near(first: Statistics, second: Statistics) -> bool:
    """Whether the first holds less than twice as many numbers as the second."""
    return _size(first) < 2 * _size(second)


def _size(part: Statistics) -> int:
    """How many numbers it holds."""
    of_sample = 0 if part.sample is None else len(part.sample.cells) * part.sample.n_features
    return part.moments.means.size + of_sample


def total(pile: Pile) -> Statistics:
    """The sum of all parts of a pile."""
    return Statistics._joined([part for _, part in pile])


def added_up(parts: Iterable[Statistics]) -> Statistics | None:
    """The sum of many statistics; None if there are none."""
    pile: Pile = ()
    for part in parts:
        pile = piled(pile, part)
    return total(pile) if pile else None
