"""Tasks may lack classes: which tasks have the same ones, and what two groups have in common."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kinspan._rows.types import Codes, Mask


def tasks_by_classes(present: Mask) -> list[tuple[Codes, Mask]]:
    """Tasks that have the same classes, and these classes."""
    if present.all():
        return [(np.arange(len(present)), np.ones(present.shape[1], dtype=bool))]
    patterns, pattern_of_task = np.unique(present, axis=0, return_inverse=True)
    groups = (np.flatnonzero(pattern_of_task.ravel() == i) for i in range(len(patterns)))
    return list(zip(groups, patterns, strict=True))


def pairs_by_classes(present: Mask) -> Iterator[tuple[Codes, Codes, Mask]]:
    """Pairs of groups of tasks with at least two classes in common, and these classes."""
    patterns = tasks_by_classes(present)
    for first, first_classes in patterns:
        for second, second_classes in patterns:
            common = first_classes & second_classes
            if common.sum() > 1:
                yield first, second, common
