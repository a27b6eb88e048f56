"""Statistics of sites with other features → the same among the features of all, by name.

A feature that a site does not have is missing in all its rows. The keys of sampled rows stay those
of the columns that the rows came with.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kinspan._rows.types import Codes, Floats
from kinspan.class_moments import ClassMoments
from kinspan.row_sample import RowSample

Names = Sequence[str] | None


def union_of(first: Names, second: Names) -> tuple[str, ...] | None:
    """Names of the first, and after them those that only the second has."""
    if first is None or second is None:
        found = second if first is None else first
        return None if found is None else tuple(found)
    known = set(first)
    return (*first, *(name for name in second if name not in known))


def are_other(names: Names, others: Names) -> bool:
    """Whether both have names, and not the same in the same order."""
    return names is not None and others is not None and tuple(names) != tuple(others)


def moments_among(moments: ClassMoments, names: Names, others: Names) -> ClassMoments:
    """Moments with other names of features, in their order; no values of those that are new."""
    if not are_other(names, others):
        return moments
    places, width = _places(names, others), len(others or ())
    observed = np.broadcast_to(moments.numbers, moments.means.shape)
    means, squares, observed = (
        _placed(a, places, width) for a in (moments.means, moments.squares, observed)
    )
    return replace(moments, means=means, squares=squares, observed=observed)


def sample_among(sample: RowSample, names: Names, others: Names) -> RowSample:
    """Sampled rows with other names of features, in their order; NaN for those that are new."""
    if not are_other(names, others):
        return sample
    rows = np.full((len(sample.cells), len(others or ())), np.nan, sample.stored.dtype)
    rows[:, _places(names, others)] = sample.rows
    return replace(sample, stored=rows)


def _places(names: Names, others: Names) -> Codes:
    """(names,): positions among others."""
    place = {name: i for i, name in enumerate(others or ())}
    return np.array([place[name] for name in names or ()], dtype=np.intp)


def _placed(values: Any, places: Codes, width: int) -> Floats:
    wide = np.zeros((*values.shape[:-1], width))
    wide[..., places] = values
    return wide
